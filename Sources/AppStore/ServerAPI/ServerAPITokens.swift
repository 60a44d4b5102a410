import Crypto
import Domain
import Foundation
import Synchronization

/// Signs the bearer tokens of one app, and keeps the current one until shortly before it ends.
///
/// - Source: Generating JSON Web Tokens for API requests: ES256, at most 60 minutes.
final class ServerAPITokens: Sendable {
    static let lifetime = Domain.Span.minutes(15)
    /// So long before its end a token is not used for another request.
    static let margin = Domain.Span.minutes(1)

    private let credentials: ServerAPICredentials
    private let current = Mutex<Token?>(nil)

    private struct Token {
        var text: String
        var issuedAt: Timestamp
    }

    init(_ credentials: ServerAPICredentials) { self.credentials = credentials }

    /// The kept token, or a new one where that is near its end or dated after `now`, which a clock set back leaves behind.
    func token(at now: Timestamp) -> String {
        current.withLock { current in
            if let kept = current, kept.issuedAt <= now, now < kept.issuedAt + Self.lifetime - Self.margin { return kept.text }
            let fresh = sign(at: now)
            current = fresh
            return fresh.text
        }
    }

    /// Signs anew, whatever is kept.
    func renew(at now: Timestamp) { current.withLock { $0 = sign(at: now) } }

    private func sign(at now: Timestamp) -> Token {
        let header = Header(alg: "ES256", kid: credentials.keyID, typ: "JWT")
        let seconds = now.milliseconds / 1000
        let claims = Claims(
            iss: credentials.issuerID, iat: seconds, exp: seconds + Self.lifetime.milliseconds / 1000, aud: "appstoreconnect-v1",
            bid: credentials.bundleID)
        let message = Self.segment(header) + "." + Self.segment(claims)
        let signature = credentials.privateKey.sign(Array(message.utf8))
        return Token(text: message + "." + Base64URL.encode(signature), issuedAt: now)
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
        var aud, bid: String
    }
}
