import CLibcrypto

/// One X.509 certificate. Parsing proves nothing about who made it: see ``CertificatePath``.
///
/// Sendable, since nothing changes it after `init`; what libcrypto caches inside an X509 it guards with a lock of its own.
@safe package final class Certificate: @unchecked Sendable {
    let pointer: OpaquePointer
    package let der: [UInt8]
    /// The first and the last valid second, in milliseconds since the epoch.
    package let notBefore: Int64
    package let notAfter: Int64

    /// - Parameter der: One certificate in strict DER, and nothing behind it.
    package init(der: [UInt8]) throws(CryptoError) {
        guard DER.isOneElement(der.span), Self.isCanonical(der), let parsed = unsafe Self.parse(der) else {
            throw CryptoError(.certificate, "not one X.509 certificate in DER")
        }
        guard let notBefore = unsafe Self.milliseconds(X509_get0_notBefore(parsed)),
            let notAfter = unsafe Self.milliseconds(X509_get0_notAfter(parsed))
        else {
            unsafe X509_free(parsed)
            throw CryptoError(.certificate, "the certificate's dates cannot be read")
        }
        unsafe pointer = parsed
        self.der = der
        self.notBefore = notBefore
        self.notAfter = notAfter
    }
    deinit { unsafe X509_free(pointer) }

    /// Reads a file of one certificate in DER, or of one or more in PEM.
    package static func fromPEMorDER(_ bytes: [UInt8]) throws(CryptoError) -> [Certificate] {
        if bytes.first == 0x30 { return [try Certificate(der: bytes)] }
        var certificates: [Certificate] = []
        for der in pemBlocks(bytes) { certificates.append(try Certificate(der: der)) }
        guard !certificates.isEmpty else {
            throw CryptoError(.certificate, "no certificate found: neither DER nor PEM (BEGIN CERTIFICATE)")
        }
        return certificates
    }

    package var pem: String { unsafe text(writtenBy: { unsafe PEM_write_bio_X509($0, pointer) }) }

    /// The SHA-256 of the DER: the usual fingerprint.
    package var sha256: [UInt8] { SHA256Digest.hash(der) }

    /// The public key, if it is one of P-256.
    package var p256PublicKey: P256PublicKey? {
        defer { ERR_clear_error() }
        guard let key = unsafe X509_get_pubkey(pointer) else { return nil }
        return try? unsafe P256PublicKey(KeyHandle(owning: key))
    }

    /// Whether there is an extension of that type; its text elsewhere, such as in the subject, does not count.
    /// - Parameter oid: In dots, such as `2.5.29.15`.
    package func hasExtension(oid: String) -> Bool {
        defer { ERR_clear_error() }
        guard let object = unsafe OBJ_txt2obj(oid, 1) else { return false }
        defer { unsafe ASN1_OBJECT_free(object) }
        return unsafe X509_get_ext_by_OBJ(pointer, object, -1) >= 0
    }

    package var subjectCommonName: String? {
        let name = unsafe X509_get_subject_name(pointer)
        let index = unsafe X509_NAME_get_index_by_NID(name, NID_commonName, -1)
        guard index >= 0, let value = unsafe X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, index)) else { return nil }
        var utf8: UnsafeMutablePointer<UInt8>?
        let count = unsafe ASN1_STRING_to_UTF8(&utf8, value)
        defer { unsafe CRYPTO_free(utf8, #file, #line) }
        guard count >= 0 else { return nil }
        return unsafe String(decoding: UnsafeBufferPointer(start: utf8, count: Int(count)), as: UTF8.self)
    }
}

extension Certificate {
    private static func parse(_ der: [UInt8]) -> OpaquePointer? {
        defer { ERR_clear_error() }
        return unsafe der.withUnsafeBufferPointer { buffer in
            var next = buffer.baseAddress
            return unsafe d2i_X509(nil, &next, buffer.count)
        }
    }

    /// Whether libcrypto, made to encode anew what it read, arrives at the same bytes. On a copy, since encoding anew changes an X509.
    private static func isCanonical(_ der: [UInt8]) -> Bool {
        guard let copy = unsafe parse(der) else { return false }
        defer {
            unsafe X509_free(copy)
            ERR_clear_error()
        }
        guard unsafe i2d_re_X509_tbs(copy, nil) > 0, unsafe i2d_X509(copy, nil) == Int32(der.count) else { return false }
        var encoded = [UInt8](repeating: 0, count: der.count)
        let written = unsafe encoded.withUnsafeMutableBufferPointer { buffer in
            var next = buffer.baseAddress
            return unsafe i2d_X509(copy, &next)
        }
        return Int(written) == der.count && encoded == der
    }

    /// Since the epoch; nil for what is no time.
    static func milliseconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
        guard let time = unsafe time, let epoch = unsafe ASN1_TIME_set(nil, 0) else { return nil }
        defer { unsafe ASN1_STRING_free(epoch) }
        var days: Int32 = 0
        var seconds: Int32 = 0
        guard unsafe ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return nil }
        return (Int64(days) * 86_400 + Int64(seconds)) * 1000
    }

    /// The contents of all `CERTIFICATE` blocks.
    private static func pemBlocks(_ bytes: [UInt8]) -> [[UInt8]] {
        defer { ERR_clear_error() }
        guard bytes.count <= Int(Int32.max) else { return [] }
        // The library reads from these very bytes until the end: they must last as long.
        return unsafe bytes.withUnsafeBytes { bytes in
            guard let bio = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else { return [] }
            defer { unsafe BIO_free(bio) }
            return unsafe pemBlocks(readFrom: bio)
        }
    }

    private static func pemBlocks(readFrom bio: OpaquePointer) -> [[UInt8]] {
        var blocks: [[UInt8]] = []
        var name: UnsafeMutablePointer<CChar>?
        var header: UnsafeMutablePointer<CChar>?
        var data: UnsafeMutablePointer<UInt8>?
        var count = 0
        while unsafe PEM_read_bio(bio, &name, &header, &data, &count) == 1 {
            if let label = unsafe name, unsafe String(cString: label) == "CERTIFICATE" {
                unsafe blocks.append(Array(UnsafeBufferPointer(start: data, count: count)))
            }
            unsafe CRYPTO_free(name, #file, #line)
            unsafe CRYPTO_free(header, #file, #line)
            unsafe CRYPTO_free(data, #file, #line)
        }
        return blocks
    }
}
