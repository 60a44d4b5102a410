import Crypto
import Foundation

/// A notification taken apart for reading: the payload's own text, so that no number is lost and no order changed, with each JWS
/// inside it replaced by its payload.
///
/// Nothing is verified here: the log holds only what was.
package struct DecodedNotification: Sendable {
    package var signedPayload: String
    package var json: [UInt8]

    /// - Parameter body: The request body as it was posted.
    /// - Returns: nil where it is no notification.
    package init?(body: [UInt8]) {
        struct Envelope: Decodable { var signedPayload: String }
        guard let envelope = try? JSONDecoder().decode(Envelope.self, from: Data(body)),
            let json = DecodedNotification.payload(of: Array(envelope.signedPayload.utf8)[...], depth: 0)
        else { return nil }
        signedPayload = envelope.signedPayload
        self.json = json
    }

    private static let deepest = 3

    /// The payload of a compact JWS, where it is a JSON object.
    private static func payload(of jws: ArraySlice<UInt8>, depth: Int) -> [UInt8]? {
        let parts = jws.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard depth < deepest, parts.count == 3, let payload = Base64URL.decode(Array(parts[1])),
            (try? JSONSerialization.jsonObject(with: Data(payload))) is [String: Any]
        else { return nil }
        return decodingStrings(in: payload, depth: depth + 1)
    }

    /// Replaces every string that is a compact JWS. A JWS has no escapes, so its text is what stands between the quotes.
    private static func decodingStrings(in json: [UInt8], depth: Int) -> [UInt8] {
        let quote = UInt8(ascii: "\"")
        var out: [UInt8] = []
        var position = 0
        while let opening = json[position...].firstIndex(of: quote), let closing = end(ofString: opening, in: json) {
            let text = json[(opening + 1)..<closing]
            out += json[position..<opening]
            out += payload(of: text, depth: depth) ?? Array(json[opening...closing])
            position = closing + 1
        }
        return out + json[position...]
    }

    /// Where the string that begins at this quote ends.
    private static func end(ofString opening: Int, in json: [UInt8]) -> Int? {
        var position = opening + 1
        while position < json.count, json[position] != UInt8(ascii: "\"") {
            position += json[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        return position < json.count ? position : nil
    }
}
