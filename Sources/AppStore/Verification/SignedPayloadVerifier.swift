import Crypto

/// Proves that the App Store signed a payload. Shared by all tasks.
///
/// The order is chosen so that nothing inside a payload is read before its signature holds: the form, the chain (leaf, intermediate,
/// a pinned root), the signature, the JSON, and last the chain's dates, at the instant that the payload states. Revocation is not
/// looked up here: an answer to Apple waits for no other host.
package final class SignedPayloadVerifier: Sendable {
    private let roots: [Certificate]
    private let cache = SignerCache()

    /// - Parameter roots: What is trusted. Other than Apple's root only in a simulated instance.
    package init(roots: [Certificate] = [.appleRootCAG3]) { self.roots = roots }

    /// - Parameters:
    ///   - instant: Where to judge the certificates' dates instead of at the payload's own date.
    ///   - now: Where to judge them if the payload has no date. All in milliseconds since the epoch.
    package func verify(jws: [UInt8], at instant: Int64? = nil, now: Int64) throws(VerificationError) -> VerifiedJWS {
        try verify(SignedPayload(jws), at: instant, now: now)
    }

    /// As ``verify(jws:at:now:)``.
    package func verify(_ signed: SignedPayload, at instant: Int64? = nil, now: Int64) throws(VerificationError) -> VerifiedJWS {
        let bytes = signed.bytes.span
        guard let payload = Base64URL.decode(bytes.extracting(signed.payload)) else { throw Self.notBase64URL("payload") }
        guard let signature = Base64URL.decode(bytes.extracting(signed.signature)) else { throw Self.notBase64URL("signature") }
        let known = cache.signer(of: signed.bytes, at: signed.header)
        let signer = if let known { known } else { try signer(of: signed) }
        guard signer.key.isValid(signature: signature.span, for: bytes.extracting(signed.signedRange)) else {
            throw VerificationError(.badSignature, "the signature does not hold for these bytes")
        }
        if known == nil { cache.insert(signer, of: signed.bytes, at: signed.header) }
        let scan = try JSONScan.ofObject(payload.span)
        let date = try Self.date(in: payload.span, scan)
        try signer.check(at: instant ?? date ?? now)
        return VerifiedJWS(payload: payload, signedDateMilliseconds: date, scan: scan, path: signer.path)
    }

    private func signer(of signed: SignedPayload) throws(VerificationError) -> Signer {
        guard let header = Base64URL.decode(signed.bytes.span.extracting(signed.header)) else { throw Self.notBase64URL("header") }
        return try Signer(JWSHeader(header), roots: roots)
    }

    /// When it was signed: `signedDate`, in app transactions `receiptCreationDate`.
    private static func date(in payload: Span<UInt8>, _ scan: JSONScan) throws(VerificationError) -> Int64? {
        if let date = try date("signedDate", in: payload, scan) { return date }
        return try date("receiptCreationDate", in: payload, scan)
    }

    /// A whole number of milliseconds, not negative.
    private static func date(_ member: String, in payload: Span<UInt8>, _ scan: JSONScan) throws(VerificationError) -> Int64? {
        guard let value = scan.value(of: member) else { return nil }
        var date: Int64 = 0
        for index in value {
            let digit = Int64(payload[index]) - 0x30
            let (tens, overflow) = date.multipliedReportingOverflow(by: 10)
            guard (0...9).contains(digit), !overflow, tens <= .max - digit else {
                throw VerificationError(.malformed, "\(member) is not a whole number of milliseconds since the epoch")
            }
            date = tens + digit
        }
        return date
    }

    private static func notBase64URL(_ part: String) -> VerificationError {
        VerificationError(.malformed, "the \(part) is not canonical base64url")
    }
}
