import Crypto
import Domain
import Foundation

/// A token by which Apple's APIs know who calls.
///
/// - Source: Generating JSON Web Tokens for API requests; Generating tokens for API requests: ES256 for both.
struct BearerToken {
    var issuerID: String
    var keyID: String
    /// Only the App Store Server API wants it.
    var bundleID: String?
    var issuedAt: Timestamp
    var lifetime: Domain.Span

    func signed(by key: P256PrivateKey) -> String {
        let header = Header(alg: "ES256", kid: keyID, typ: "JWT")
        let seconds = issuedAt.milliseconds / 1000
        let claims = Claims(
            iss: issuerID, iat: seconds, exp: seconds + lifetime.milliseconds / 1000, aud: "appstoreconnect-v1", bid: bundleID)
        let message = Self.segment(header) + "." + Self.segment(claims)
        return message + "." + Base64URL.encode(key.sign(Array(message.utf8)))
    }

    private static func segment(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let json = try? encoder.encode(value) else { preconditionFailure("strings and integers always encode") }
        return Base64URL.encode(Array(json))
    }

    private struct Header: Encodable { var alg, kid, typ: String }
    private struct Claims: Encodable {
        var iss: String
        var iat, exp: Int64
        var aud: String
        var bid: String?
    }
}
