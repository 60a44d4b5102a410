import Crypto

/// A signing key that a header's certificates prove to be one of the App Store's, within the path's validity.
struct Signer: Sendable {
    let key: P256PublicKey
    let path: CertificatePath

    /// Marks a leaf that signs for the App Store. Without it any developer's certificate would do.
    ///
    /// - Source: Apple's open-source server libraries; Apple's documentation describes the two in words only.
    static let leafMarker = "1.2.840.113635.100.6.11.1"
    /// Marks Apple's Worldwide Developer Relations intermediates.
    static let intermediateMarker = "1.2.840.113635.100.6.2.1"

    /// Proves all but the dates, which depend on the payload.
    init(_ header: JWSHeader, roots: [Certificate]) throws(VerificationError) {
        do { path = try CertificatePath.prove(leaf: header.leaf, intermediate: header.intermediate, roots: roots) } catch {
            throw Self.error(error)
        }
        guard header.leaf.hasExtension(oid: Self.leafMarker) else {
            throw VerificationError(.wrongPurpose, "the leaf lacks extension \(Self.leafMarker): not a signer of the App Store")
        }
        guard header.intermediate.hasExtension(oid: Self.intermediateMarker) else {
            throw VerificationError(.wrongPurpose, "the intermediate lacks extension \(Self.intermediateMarker)")
        }
        guard let key = header.leaf.p256PublicKey else { throw VerificationError(.certificate, "the leaf's key is not one of P-256") }
        self.key = key
    }

    /// - Parameter instant: Milliseconds since the epoch.
    func check(at instant: Int64) throws(VerificationError) {
        do { try path.check(at: instant) } catch { throw Self.error(error) }
    }

    private static func error(_ error: PathError) -> VerificationError {
        switch error {
        case .untrusted: VerificationError(.untrustedChain, "the certificates do not lead to a trusted root")
        case .expired: VerificationError(.expiredCertificate, "the instant lies outside the certificates' validity")
        case .invalid(let reason): VerificationError(.untrustedChain, reason)
        }
    }
}
