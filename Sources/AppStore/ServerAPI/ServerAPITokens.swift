import Domain
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
        let token = BearerToken(
            issuerID: credentials.issuerID, keyID: credentials.keyID, bundleID: credentials.bundleID, issuedAt: now,
            lifetime: Self.lifetime)
        return Token(text: token.signed(by: credentials.privateKey), issuedAt: now)
    }
}
