import CLibcrypto

/// A public key on the curve P-256, for ES256 signatures (RFC 7518 section 3.4).
///
/// Sendable, since `template` is only ever copied from, and `key` is.
@safe package final class P256PublicKey: @unchecked Sendable {
    let key: KeyHandle
    /// A context made ready to verify: copying it is cheaper than making one for each signature.
    private let template: OpaquePointer

    init(_ key: KeyHandle) throws(CryptoError) {
        guard key.isP256 else { throw CryptoError(.key, "the key is not on the curve P-256") }
        guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil) else { preconditionFailure("out of memory") }
        precondition(unsafe EVP_PKEY_verify_init(context) == 1, "libcrypto cannot verify with P-256")
        self.key = key
        unsafe template = context
    }
    deinit { unsafe EVP_PKEY_CTX_free(template) }

    /// - Parameter pem: A `PUBLIC KEY`.
    package convenience init(pem: String) throws(CryptoError) {
        guard let key = KeyHandle.publicKey(pem: pem) else { throw CryptoError(.key, "not a public key in PEM (BEGIN PUBLIC KEY)") }
        try self.init(key)
    }

    /// - Parameter x963: 65 bytes: 4, then x, then y. A point that is not on the curve is refused.
    package convenience init(x963: [UInt8]) throws(CryptoError) {
        guard x963.count == 65, x963[0] == 4 else { throw CryptoError(.key, "not an uncompressed point of 65 bytes") }
        let info = Self.subjectPublicKeyInfoPrefix + x963
        let parsed = unsafe info.withUnsafeBufferPointer { buffer in
            var next = buffer.baseAddress
            return unsafe d2i_PUBKEY(nil, &next, buffer.count)
        }
        ERR_clear_error()
        guard let parsed = unsafe parsed else { throw CryptoError(.key, "not a point of P-256") }
        try unsafe self.init(KeyHandle(owning: parsed))
    }

    /// Whether `signature` is r then s, 32 bytes each, over the SHA-256 of `message`.
    ///
    /// An s in the upper half is as good as one in the lower: RFC 7518 has no rule against it. r or s that is zero or not below the
    /// group's order is refused.
    package func isValid(signature: Span<UInt8>, for message: Span<UInt8>) -> Bool {
        guard signature.count == 64 else { return false }
        return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.maximumDERCount + SHA256Digest.byteCount) { scratch in
            let digest = unsafe UnsafeMutableBufferPointer(rebasing: scratch[Self.maximumDERCount...])
            unsafe message.withUnsafeBufferPointer { unsafe SHA256Digest.digest($0, into: digest) }
            let count = unsafe Self.writeDER(signature, into: scratch)
            guard let context = unsafe EVP_PKEY_CTX_dup(template) else { preconditionFailure("out of memory") }
            defer { unsafe EVP_PKEY_CTX_free(context) }
            let verdict = unsafe EVP_PKEY_verify(context, scratch.baseAddress, count, digest.baseAddress, digest.count)
            if verdict != 1 { ERR_clear_error() }
            return verdict == 1
        }
    }

    /// As ``isValid(signature:for:)-(Span<UInt8>,_)``.
    package func isValid(signature: [UInt8], for message: [UInt8]) -> Bool {
        isValid(signature: signature.span, for: message.span)
    }

    /// A sequence of two integers, each with a tag, a length, and up to 33 bytes.
    private static let maximumDERCount = 2 + 2 * (2 + 33)

    /// Writes the DER form that libcrypto wants.
    /// - Returns: Its length, at most `maximumDERCount`.
    private static func writeDER(_ raw: Span<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>) -> Int {
        var end = 2
        for part in [0, 32] {
            var first = part
            while first < part + 31, raw[first] == 0 { first += 1 }
            let sign = raw[first] >= 0x80 ? 1 : 0
            unsafe output[end] = 0x02
            unsafe output[end + 1] = UInt8(part + 32 - first + sign)
            if sign == 1 { unsafe output[end + 2] = 0 }
            end += 2 + sign
            for index in first..<(part + 32) {
                unsafe output[end] = raw[index]
                end += 1
            }
        }
        unsafe output[0] = 0x30
        unsafe output[1] = UInt8(end - 2)
        return end
    }

    private static let subjectPublicKeyInfoPrefix: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01,  // id-ecPublicKey
        0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,  // prime256v1, then 66 bytes of bit string
    ]
}
