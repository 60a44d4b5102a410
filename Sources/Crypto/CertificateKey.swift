import CLibcrypto

/// A key pair for certificates that we make ourselves, of any kind that a check may need.
package final class CertificateKey: Sendable {
    package enum Kind: Sendable { case p256, p384, rsa2048 }
    let key: KeyHandle

    init(_ key: KeyHandle) { self.key = key }

    package static func generate(_ kind: Kind) -> CertificateKey {
        let pointer =
            switch kind {
            case .p256: unsafe crypto_generate_ec("P-256")
            case .p384: unsafe crypto_generate_ec("P-384")
            case .rsa2048: unsafe crypto_generate_rsa(2048)
            }
        guard let pointer = unsafe pointer else { preconditionFailure("libcrypto cannot make a key") }
        return unsafe CertificateKey(KeyHandle(owning: pointer))
    }

    /// - Parameter pem: An unencrypted private key of any kind.
    package convenience init(pem: String) throws(CryptoError) {
        guard let key = KeyHandle.privateKey(pem: pem) else { throw CryptoError(.key, "not an unencrypted private key in PEM") }
        self.init(key)
    }

    /// Unencrypted PKCS#8.
    package var pem: String { key.pkcs8PEM }

    /// The same key for signing messages; nil unless it is one of P-256.
    package var p256: P256PrivateKey? { try? P256PrivateKey(key) }
}
