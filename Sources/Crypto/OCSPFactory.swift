import CLibcrypto

/// Makes the answers of an OCSP responder, for the simulator and for tests. It makes wrong ones as readily as right ones.
package enum OCSPFactory {
    /// - Parameters:
    ///   - signer: The issuer, or its delegate (``CertificateTemplate/isOCSPSigner``).
    ///   - thisUpdate: Milliseconds since the epoch; whole seconds are kept. A revocation is dated with it too.
    ///   - nextUpdate: As `thisUpdate`; nil leaves it out.
    ///   - carriesSigner: Whether the answer holds the signer's certificate. One signed by the issuer need not.
    package static func response(
        _ status: OCSP.Status, about certificate: Certificate, issuer: Certificate, signedBy signer: IssuedCertificate,
        thisUpdate: Int64, nextUpdate: Int64?, carriesSigner: Bool = true
    ) -> [UInt8] {
        guard let basic = unsafe OCSP_BASICRESP_new() else { preconditionFailure("out of memory") }
        defer {
            unsafe OCSP_BASICRESP_free(basic)
            ERR_clear_error()
        }
        let id = unsafe OCSP.id(of: certificate, issuer: issuer)
        let start = unsafe ASN1_TIME_set(nil, Int(thisUpdate / 1000))
        let end = unsafe nextUpdate.flatMap { unsafe ASN1_TIME_set(nil, Int($0 / 1000)) }
        defer {
            unsafe OCSP_CERTID_free(id)
            unsafe ASN1_STRING_free(start)
            unsafe ASN1_STRING_free(end)
        }
        let revokedAt = unsafe status == .revoked ? start : nil
        let added = unsafe OCSP_basic_add1_status(basic, id, code(status), OCSP_REVOKED_STATUS_NOSTATUS, revokedAt, start, end)
        precondition(unsafe added != nil, "dates that fit into a response")
        let flags = UInt(carriesSigner ? 0 : OCSP_NOCERTS)
        let signed = unsafe OCSP_basic_sign(basic, signer.certificate.pointer, signer.key.key.pointer, EVP_sha256(), nil, flags)
        precondition(signed == 1, "a key that can sign and belongs to the certificate")
        return unsafe encoded(OCSP_RESPONSE_STATUS_SUCCESSFUL, basic)
    }

    /// What a responder answers that is too busy.
    package static func tryLater() -> [UInt8] { unsafe encoded(OCSP_RESPONSE_STATUS_TRYLATER, nil) }

    private static func code(_ status: OCSP.Status) -> Int32 {
        switch status {
        case .good: V_OCSP_CERTSTATUS_GOOD
        case .revoked: V_OCSP_CERTSTATUS_REVOKED
        case .unknown: V_OCSP_CERTSTATUS_UNKNOWN
        }
    }

    private static func encoded(_ status: Int32, _ basic: OpaquePointer?) -> [UInt8] {
        guard let response = unsafe OCSP_response_create(status, basic) else { preconditionFailure("out of memory") }
        defer { unsafe OCSP_RESPONSE_free(response) }
        let count = unsafe i2d_OCSP_RESPONSE(response, nil)
        precondition(count > 0, "libcrypto cannot write a response that it made")
        return unsafe [UInt8](unsafeUninitializedCapacity: Int(count)) { output, filled in
            var next = output.baseAddress
            filled = unsafe Int(i2d_OCSP_RESPONSE(response, &next))
        }
    }
}
