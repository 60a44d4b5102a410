import CLibcrypto

/// HMAC with SHA-256, RFC 2104.
package enum HMACSHA256 {
    /// - Returns: 32 bytes. Compare them with ``constantTimeEquals(_:_:)``, never with `==`.
    package static func authenticate(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        // HMAC() reads a nil key as "the key of before", so an empty key is given as the zero byte HMAC pads it to.
        let key = key.isEmpty ? [0] : key
        return unsafe [UInt8](unsafeUninitializedCapacity: SHA256Digest.byteCount) { output, count in
            let done = unsafe HMAC(EVP_sha256(), key, Int32(key.count), message, message.count, output.baseAddress, nil)
            precondition(unsafe done != nil, "libcrypto cannot compute HMAC-SHA-256: out of memory")
            count = SHA256Digest.byteCount
        }
    }
}

/// Compares secrets in a time that depends on their lengths alone.
package func constantTimeEquals(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    guard a.count == b.count else { return false }
    return unsafe CRYPTO_memcmp(a, b, a.count) == 0
}
