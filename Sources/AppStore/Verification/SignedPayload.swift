import Crypto
import Foundation

/// A JWS in compact form, as received: nothing in it is proven. ``SignedPayloadVerifier`` makes a ``VerifiedJWS`` of it.
package struct SignedPayload: Sendable {
    /// Apple states no maximum; real messages are below 20 kB.
    package static let maximumByteCount = 1 << 20
    /// Of the encoded header. Apple's, with three certificates, have below 6 kB.
    static let maximumHeaderByteCount = 1 << 16

    /// What was received. It may hold more than the JWS, so that a request's body need not be copied.
    let bytes: [UInt8]
    /// Where the three parts lie.
    let header: Range<Int>
    let payload: Range<Int>
    let signature: Range<Int>
    /// What the signature is over: the first two parts and the dot between them.
    var signedRange: Range<Int> { header.lowerBound..<payload.upperBound }

    package init(_ text: String) throws(VerificationError) { try self.init(Array(text.utf8)) }

    package init(_ bytes: [UInt8]) throws(VerificationError) { try self.init(bytes, at: 0..<bytes.count) }

    /// Takes the member `signedPayload` of the body of a notification.
    package init(body: [UInt8]) throws(VerificationError) {
        guard body.count <= Self.maximumByteCount else { throw Self.tooLarge }
        let value = try JSONScan.ofObject(body.span).value(of: "signedPayload")
        guard let value, value.count >= 2, body[value.lowerBound] == UInt8(ascii: "\"") else {
            throw VerificationError(.malformed, "the body has no text member signedPayload")
        }
        let text = value.lowerBound + 1..<value.upperBound - 1
        if body.span.contains(UInt8(ascii: "\\"), in: text) {
            try self.init(Self.unescaped(body[value]))
        } else {
            try self.init(body, at: text)
        }
    }

    /// The text of a JSON string with escapes in it, which is legal JSON though nobody needs them here.
    private static func unescaped(_ literal: ArraySlice<UInt8>) throws(VerificationError) -> [UInt8] {
        guard let text = try? JSONDecoder().decode(String.self, from: Data(literal)) else {
            throw VerificationError(.malformed, "the member signedPayload is not a JSON string")
        }
        return Array(text.utf8)
    }

    private init(_ bytes: [UInt8], at range: Range<Int>) throws(VerificationError) {
        guard range.count <= Self.maximumByteCount else { throw Self.tooLarge }
        // From both ends: a dot further inside is no character of base64url and fails there.
        guard let first = bytes.span.firstIndex(of: UInt8(ascii: "."), from: range.lowerBound), first < range.upperBound,
            let second = bytes[range].lastIndex(of: UInt8(ascii: ".")), first < second
        else { throw VerificationError(.malformed, "not a compact JWS of three parts") }
        guard first - range.lowerBound <= Self.maximumHeaderByteCount else {
            throw VerificationError(.malformed, "a header of more than \(Self.maximumHeaderByteCount) bytes")
        }
        self.bytes = bytes
        header = range.lowerBound..<first
        payload = first + 1..<second
        signature = second + 1..<range.upperBound
    }

    private static let tooLarge = VerificationError(.malformed, "larger than \(maximumByteCount) bytes")
}
