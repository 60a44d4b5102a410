import Crypto
import Foundation

/// Signs JSON as the App Store does: a compact JWS, ES256, with the three certificates in its header.
package struct SimulatorSigner: Sendable {
    private let key: P256PrivateKey
    /// The encoded header and the dot behind it: the same in every message.
    private let head: String

    package init(key: P256PrivateKey, x5c: [String]) {
        let certificates = x5c.map { "\"\($0)\"" }.joined(separator: ",")
        self.init(key: key, header: #"{"alg":"ES256","x5c":[\#(certificates)]}"#)
    }

    /// - Parameter header: JSON as it is to stand in the message, right or wrong.
    package init(key: P256PrivateKey, header: String) {
        self.key = key
        head = Base64URL.encode(Array(header.utf8)) + "."
    }

    /// - Parameter json: The payload, byte for byte. It is not looked at.
    package func sign(_ json: [UInt8]) -> String {
        let signed = head + Base64URL.encode(json)
        return signed + "." + Base64URL.encode(key.sign(Array(signed.utf8)))
    }

    package func sign(_ json: String) -> String { sign(Array(json.utf8)) }

    package func sign(_ payload: some Encodable) -> String { sign(encodeJSON(payload)) }
}

/// Compact JSON with sorted keys, so that equal values give equal bytes.
func encodeJSON(_ value: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // What is encoded here holds text, whole numbers and booleans: none can fail.
    guard let data = try? encoder.encode(value) else { preconditionFailure("a payload that is JSON") }
    return [UInt8](data)
}
