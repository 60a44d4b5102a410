import Crypto
import Domain

/// The simulator's certificates: made like Apple's, under a root of its own.
package struct SigningChain: Sendable {
    package let root: Certificate
    package let intermediate: Certificate
    package let leaf: Certificate
    package let leafKey: P256PrivateKey
    /// Kept so that wrong certificates can be made under a root that is trusted.
    package let rootKey: CertificateKey
    package let intermediateKey: CertificateKey

    /// The extension that marks a leaf which may sign receipts and App Store messages.
    package static let leafMarker = "1.2.840.113635.100.6.11.1"
    /// The extension that marks Apple's intermediate for developer relations.
    package static let intermediateMarker = "1.2.840.113635.100.6.2.1"

    /// A new chain, valid from three years before `now`, so that a made-up past can be signed too, to ten years after it.
    ///
    /// - Parameter isPadded: Whether the certificates are as long as Apple's, so that messages have their real size.
    package static func generate(at now: Timestamp, isPadded: Bool = true) -> SigningChain {
        let validity = (now - .days(3 * 365)).milliseconds...(now + .days(10 * 365)).milliseconds
        let root = CertificateFactory.selfSigned(.root("App Store Simulator Root CA", validity: validity))
        var template = CertificateTemplate.intermediate(
            "Simulated Worldwide Developer Relations", validity: validity, marker: intermediateMarker)
        if isPadded { template.extensions.append(padding(230)) }
        let intermediate = CertificateFactory.issue(template, key: .generate(.p384), by: root)
        template = .leaf("Simulated Mac App Store and iTunes Store Receipt Signing", validity: validity, marker: leafMarker)
        if isPadded { template.extensions.append(padding(500)) }
        let key = CertificateKey.generate(.p256)
        let leaf = CertificateFactory.issue(template, key: key, by: intermediate)
        guard let leafKey = key.p256 else { preconditionFailure("a key just made on P-256") }
        return SigningChain(
            root: root.certificate, intermediate: intermediate.certificate, leaf: leaf.certificate, leafKey: leafKey, rootKey: root.key,
            intermediateKey: intermediate.key)
    }

    /// A comment that makes a certificate as long as Apple's, which carry policies and addresses.
    private static func padding(_ count: Int) -> CertificateTemplate.Extension {
        let text = Array("Made by a simulator. Proves nothing. ".utf8)
        let comment = (0..<count).map { text[$0 % text.count] }
        let length: [UInt8] = count < 256 ? [0x81, UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 255)]
        return CertificateTemplate.Extension(oid: "2.16.840.1.113730.1.13", value: [0x16] + length + comment)  // an IA5String
    }

    package var x5c: [String] { [leaf, intermediate, root].map { Base64.encode($0.der) } }
    package var issuingRoot: IssuedCertificate { IssuedCertificate(certificate: root, key: rootKey) }
    package var issuingIntermediate: IssuedCertificate { IssuedCertificate(certificate: intermediate, key: intermediateKey) }
    package var signer: SimulatorSigner { SimulatorSigner(key: leafKey, x5c: x5c) }
}
