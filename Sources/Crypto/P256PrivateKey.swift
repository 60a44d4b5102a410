import CLibcrypto

/// A private key on the curve P-256, for ES256 signatures. Its bytes appear nowhere but in ``pem``.
package final class P256PrivateKey: Sendable {
    package let publicKey: P256PublicKey
    private let key: KeyHandle

    init(_ key: KeyHandle) throws(CryptoError) {
        publicKey = try P256PublicKey(key)
        self.key = key
    }

    package static func generate() -> P256PrivateKey {
        guard let pointer = unsafe crypto_generate_ec("P-256"), let key = try? unsafe P256PrivateKey(KeyHandle(owning: pointer)) else {
            preconditionFailure("libcrypto cannot make a P-256 key")
        }
        return key
    }

    /// - Parameter pem: `PRIVATE KEY` (PKCS#8, the form of Apple's .p8 files) or `EC PRIVATE KEY` (SEC1), not encrypted.
    package convenience init(pem: String) throws(CryptoError) {
        guard let key = KeyHandle.privateKey(pem: pem) else {
            throw CryptoError(.key, "not an unencrypted private key in PEM (BEGIN PRIVATE KEY or BEGIN EC PRIVATE KEY)")
        }
        try self.init(key)
    }

    /// Unencrypted PKCS#8.
    package var pem: String { key.pkcs8PEM }

    /// - Returns: 64 bytes: r, then s.
    package func sign(_ message: [UInt8]) -> [UInt8] {
        guard let context = unsafe EVP_MD_CTX_new() else { preconditionFailure("out of memory") }
        defer { unsafe EVP_MD_CTX_free(context) }
        var der = [UInt8](repeating: 0, count: 80)
        var count = der.count
        let begun = unsafe EVP_DigestSignInit_ex(context, nil, "SHA256", nil, nil, key.pointer, nil)
        let done = begun == 1 ? unsafe EVP_DigestSign(context, &der, &count, message, message.count) : 0
        precondition(done == 1, "libcrypto cannot sign with P-256")
        return Self.raw(der: Array(der.prefix(count)))
    }

    private static func raw(der: [UInt8]) -> [UInt8] {
        unsafe der.withUnsafeBufferPointer { buffer in
            var next = buffer.baseAddress
            guard let signature = unsafe d2i_ECDSA_SIG(nil, &next, buffer.count) else { preconditionFailure("a signature just made") }
            defer { unsafe ECDSA_SIG_free(signature) }
            return unsafe [UInt8](unsafeUninitializedCapacity: 64) { output, filled in
                let start = output.baseAddress
                let r = unsafe BN_bn2binpad(ECDSA_SIG_get0_r(signature), start, 32)
                let s = unsafe BN_bn2binpad(ECDSA_SIG_get0_s(signature), start.map { unsafe $0 + 32 }, 32)
                precondition(r == 32 && s == 32, "numbers below the order of P-256")
                filled = 64
            }
        }
    }
}
