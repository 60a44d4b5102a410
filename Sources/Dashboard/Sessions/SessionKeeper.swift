import Crypto
import Domain
import Ingest
import Store

/// Somebody who is logged in.
struct Session: Sendable {
    /// The token's name, which stands on the trail for what is done.
    var actor: String
    var scope: TokenRow.Scope
    var sha256: [UInt8]

    /// Whether more than looking is allowed.
    var mayAct: Bool { scope >= .write }
}

/// Begins sessions, finds them and ends them. They stand in the database, so a log-out or a revoked token ends one at once, whichever
/// process serves the next request.
struct SessionKeeper: Sendable {
    /// A session ends so long after the person last did something, and so long after it began.
    static let idle = Span.hours(12)
    static let longest = Span.days(7)
    /// Looking around is noted once in so long.
    private static let grain = Span.minutes(1)
    private static let longestSecret = 64

    let store: any Store

    /// - Parameter isActive: Whether a person asks, not a page that keeps itself up to date.
    /// - Returns: nil where there is none, it has expired or its token was revoked.
    func find(_ secret: String, isActive: Bool, at now: Timestamp) async throws(StoreError) -> Session? {
        guard secret.utf8.count <= SessionKeeper.longestSecret else { return nil }
        let sha256 = SHA256Digest.hash(Array(secret.utf8))
        let (row, token) = try await store.read { tx throws(StoreError) -> (SessionRow?, TokenRow?) in
            guard let row = try tx.session(sha256: sha256) else { return (nil, nil) }
            return (row, try tx.token(sha256: row.tokenSHA256))
        }
        guard let row, let token, token.revokedAt == nil, constantTimeEquals(row.sha256, sha256) else { return nil }
        guard now < row.seenAt + SessionKeeper.idle, now < row.createdAt + SessionKeeper.longest else { return nil }
        if isActive, now - row.seenAt >= SessionKeeper.grain {
            try await store.write { tx throws(StoreError) in try tx.setSeen(sha256, at: now) }
        }
        return Session(actor: token.name, scope: token.scope, sha256: sha256)
    }

    /// Logs in with an API token.
    ///
    /// - Returns: The secret for the browser's cookie; nil where there is no such token.
    func begin(withToken token: String, at now: Timestamp) async throws(StoreError) -> String? {
        let sha256 = SHA256Digest.hash(Array(token.utf8))
        let secret = Base64URL.encode(randomBytes(32))
        let row = SessionRow(sha256: SHA256Digest.hash(Array(secret.utf8)), tokenSHA256: sha256, createdAt: now, seenAt: now)
        let known = try await store.read { tx throws(StoreError) in try tx.token(sha256: sha256) }
        guard let known, known.revokedAt == nil, constantTimeEquals(known.sha256, sha256) else { return nil }
        try await store.write { tx throws(StoreError) in
            try tx.endSessions(createdBefore: now - SessionKeeper.longest, seenBefore: now - SessionKeeper.idle)
            try tx.add(row)
            try AdministratorDesk(tx: tx, now: now, actor: known.name).note(Act("dashboard login", known.name))
        }
        return secret
    }

    func end(_ session: Session) async throws(StoreError) {
        try await store.write { tx throws(StoreError) in _ = try tx.endSession(sha256: session.sha256) }
    }
}
