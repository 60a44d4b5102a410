import AppStore
import Crypto

/// Signs like the App Store, under a root of its own.
struct Signer: Sendable {
    private let root, intermediate, leaf: IssuedCertificate
    private let key: P256PrivateKey

    static let shared = Signer()

    init() {
        let validity: ClosedRange<Int64> = 1_500_000_000_000...2_100_000_000_000
        root = CertificateFactory.selfSigned(.root("Root", validity: validity))
        intermediate = CertificateFactory.issue(
            .intermediate("Intermediate", validity: validity, marker: "1.2.840.113635.100.6.2.1"), key: .generate(.p384), by: root)
        let leafKey = CertificateKey.generate(.p256)
        leaf = CertificateFactory.issue(
            .leaf("Leaf", validity: validity, marker: "1.2.840.113635.100.6.11.1"), key: leafKey, by: intermediate)
        key = leafKey.p256!  // A P-256 key was asked for above.
    }

    var verifier: SignedPayloadVerifier { SignedPayloadVerifier(roots: [root.certificate]) }

    func sign(_ payload: JSONValue) -> String {
        let x5c = [leaf, intermediate, root].map { JSONValue.string(Base64.encode($0.certificate.der)) }
        let signed = encoded(["alg": "ES256", "x5c": .array(x5c)]) + "." + encoded(payload)
        return signed + "." + Base64URL.encode(key.sign(Array(signed.utf8)))
    }

    private func encoded(_ value: JSONValue) -> String { Base64URL.encode(value.bytes) }
}
