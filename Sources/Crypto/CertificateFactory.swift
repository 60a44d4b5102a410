import CLibcrypto

/// A certificate that we made, with the key that it names.
package struct IssuedCertificate: Sendable {
    package let certificate: Certificate
    package let key: CertificateKey

    package init(certificate: Certificate, key: CertificateKey) {
        self.certificate = certificate
        self.key = key
    }
}

/// Makes certificates, for the simulator and for tests. It makes wrong ones as readily as right ones.
package enum CertificateFactory {
    package static func selfSigned(_ template: CertificateTemplate, key: CertificateKey = .generate(.p384)) -> IssuedCertificate {
        make(template, key: key, issuer: nil, signedWith: key)
    }

    /// - Parameter signingKey: Another key than the issuer's, for a certificate whose signature shall not hold.
    package static func issue(
        _ template: CertificateTemplate, key: CertificateKey, by issuer: IssuedCertificate, signedWith signingKey: CertificateKey? = nil
    ) -> IssuedCertificate {
        make(template, key: key, issuer: issuer.certificate, signedWith: signingKey ?? issuer.key)
    }

    private static func make(
        _ template: CertificateTemplate, key: CertificateKey, issuer: Certificate?, signedWith signingKey: CertificateKey
    ) -> IssuedCertificate {
        guard let x509 = unsafe X509_new() else { preconditionFailure("out of memory") }
        defer { unsafe X509_free(x509) }
        unsafe setNamesAndDates(x509, template, issuer: issuer)
        precondition(unsafe X509_set_pubkey(x509, key.key.pointer) == 1, "a key that can be certified")
        for (nid, value) in extensions(of: template, isSelfSigned: issuer == nil) {
            unsafe addExtension(x509, nid, value, issuer: issuer?.pointer ?? x509)
        }
        for marker in template.extensions { unsafe addExtension(x509, marker) }
        let isP384 = unsafe EVP_PKEY_get_bits(signingKey.key.pointer) == 384
        precondition(unsafe X509_sign(x509, signingKey.key.pointer, isP384 ? EVP_sha384() : EVP_sha256()) > 0, "a key that can sign")
        return IssuedCertificate(certificate: unsafe certificate(x509), key: key)
    }

    private static func setNamesAndDates(_ x509: OpaquePointer, _ template: CertificateTemplate, issuer: Certificate?) {
        unsafe X509_set_version(x509, Int(X509_VERSION_3))
        let serial = unsafe BN_bin2bn([0x40] + randomBytes(15), 16, nil)
        unsafe BN_to_ASN1_INTEGER(serial, X509_get_serialNumber(x509))
        unsafe BN_free(serial)
        let name = unsafe X509_get_subject_name(x509)
        for (type, value) in [("CN", template.commonName)] + template.subjectAttributes {
            let added = unsafe X509_NAME_add_entry_by_txt(name, type, MBSTRING_UTF8, value, -1, -1, 0)
            precondition(added == 1, "a name that fits into a certificate")
        }
        unsafe X509_set_issuer_name(x509, issuer.map { unsafe X509_get_subject_name($0.pointer) } ?? name)
        unsafe ASN1_TIME_set(X509_getm_notBefore(x509), Int(template.validity.lowerBound / 1000))
        unsafe ASN1_TIME_set(X509_getm_notAfter(x509), Int(template.validity.upperBound / 1000))
    }

    /// The extensions of RFC 5280 in OpenSSL's own words.
    private static func extensions(of template: CertificateTemplate, isSelfSigned: Bool) -> [(nid: Int32, value: String)] {
        var list: [(Int32, String)] = []
        let pathLength = template.pathLength.map { ",pathlen:\($0)" } ?? ""
        list.append((NID_basic_constraints, "critical,CA:\(template.isCA ? "TRUE" : "FALSE")\(pathLength)"))
        if !template.keyUsage.isEmpty { list.append((NID_key_usage, "critical," + template.keyUsage.joined(separator: ","))) }
        if template.isOCSPSigner { list.append((NID_ext_key_usage, "OCSPSigning")) }
        if let url = template.ocspURL { list.append((NID_info_access, "OCSP;URI:" + url)) }
        guard template.hasKeyIdentifiers else { return list }
        list.append((NID_subject_key_identifier, "hash"))
        if !isSelfSigned { list.append((NID_authority_key_identifier, "keyid")) }
        return list
    }

    private static func addExtension(_ x509: OpaquePointer, _ nid: Int32, _ value: String, issuer: OpaquePointer) {
        var context = unsafe X509V3_CTX()
        unsafe X509V3_set_ctx(&context, issuer, x509, nil, nil, 0)
        guard let made = unsafe X509V3_EXT_conf_nid(nil, &context, nid, value) else { preconditionFailure("an extension: \(value)") }
        unsafe X509_add_ext(x509, made, -1)
        unsafe X509_EXTENSION_free(made)
        ERR_clear_error()
    }

    private static func addExtension(_ x509: OpaquePointer, _ marker: CertificateTemplate.Extension) {
        guard let object = unsafe OBJ_txt2obj(marker.oid, 1), let value = unsafe ASN1_OCTET_STRING_new() else {
            preconditionFailure("not a type in dots: \(marker.oid)")
        }
        unsafe ASN1_OCTET_STRING_set(value, marker.value, Int32(marker.value.count))
        let made = unsafe X509_EXTENSION_create_by_OBJ(nil, object, 0, value)
        unsafe X509_add_ext(x509, made, -1)
        unsafe X509_EXTENSION_free(made)
        unsafe ASN1_STRING_free(value)
        unsafe ASN1_OBJECT_free(object)
    }

    private static func certificate(_ x509: OpaquePointer) -> Certificate {
        let count = unsafe i2d_X509(x509, nil)
        let der = unsafe [UInt8](unsafeUninitializedCapacity: Int(count)) { output, filled in
            var next = output.baseAddress
            filled = unsafe Int(i2d_X509(x509, &next))
        }
        guard let certificate = try? Certificate(der: der) else { preconditionFailure("a certificate just made") }
        return certificate
    }
}
