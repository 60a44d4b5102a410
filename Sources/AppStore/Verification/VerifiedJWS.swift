import Crypto
import Foundation

/// A payload that the App Store signed. Only ``SignedPayloadVerifier`` makes one.
package struct VerifiedJWS: Sendable {
    /// The JSON object, as signed.
    package let payload: [UInt8]
    /// When Apple signed it, in milliseconds since the epoch; nil where the payload does not say.
    package let signedDateMilliseconds: Int64?

    /// Of the payload as it was signed. Hashes on each call.
    package var payloadSHA256: [UInt8] { signedSHA256 ?? SHA256Digest.hash(payload) }
    /// Where the payload was reduced since: what it was before.
    private let signedSHA256: [UInt8]?

    /// The chain that proved it; nil for what comes from our own log.
    let path: CertificatePath?
    private let scan: JSONScan?

    init(
        payload: [UInt8], signedDateMilliseconds: Int64?, scan: JSONScan? = nil, path: CertificatePath? = nil, signedSHA256: [UInt8]? = nil
    ) {
        self.signedSHA256 = signedSHA256
        self.payload = payload
        self.signedDateMilliseconds = signedDateMilliseconds
        self.scan = scan
        self.path = path
    }

    /// - Throws: `malformed`, with the member whose JSON type is another than Apple's.
    package func decode<Payload: Decodable>(_ type: Payload.Type = Payload.self) throws(VerificationError) -> Payload {
        do {
            guard type is any WireObject.Type else { return try JSONDecoder().decode(type, from: Data(payload)) }
            return try type.init(from: PayloadDecoder(payload, scan ?? JSONScan.ofObject(payload.span)))
        } catch {
            throw VerificationError(.malformed, "the payload's \(member(of: error)) has another type than Apple documents")
        }
    }
}

/// A verified payload, decoded.
package struct Verified<Payload: Sendable>: Sendable {
    package let payload: Payload
    package let jws: VerifiedJWS

    /// The chain that proved it.
    package var paths: [CertificatePath] { [jws.path].compactMap(\.self) }
}

/// Where decoding failed, in Apple's names.
private func member(of error: any Error) -> String {
    let path: [any CodingKey] =
        switch error {
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.keyNotFound(_, let context), DecodingError.dataCorrupted(let context):
            context.codingPath
        default: []
        }
    return path.isEmpty ? "JSON" : path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
}
