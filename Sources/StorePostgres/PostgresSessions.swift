import Domain
import Postgres
import Store

private enum SQL {
    static let find: StaticString = "SELECT sha256, token_sha256, created_at_ms, seen_at_ms FROM sessions WHERE sha256 = $1"
    static let add: StaticString = "INSERT INTO sessions (sha256, token_sha256, created_at_ms, seen_at_ms) VALUES ($1, $2, $3, $4)"
    static let seen: StaticString = "UPDATE sessions SET seen_at_ms = $2 WHERE sha256 = $1"
    static let end: StaticString = "DELETE FROM sessions WHERE sha256 = $1"
    // A desk has few sessions: no index is worth its upkeep.
    static let endExpired: StaticString = "DELETE FROM sessions WHERE created_at_ms < $1 OR seen_at_ms < $2"
}

extension PostgresSession {
    func session(sha256: [UInt8]) throws(StoreError) -> SessionRow? {
        try postgres { try $0.first("sessions.find", SQL.find, sha256) { try SessionRow($0) } }
    }

    func add(_ session: SessionRow) throws(StoreError) {
        try postgres {
            try $0.run("sessions.add", SQL.add, session.sha256, session.tokenSHA256, session.createdAt, session.seenAt)
        }
    }

    func setSeen(_ sha256: [UInt8], at now: Timestamp) throws(StoreError) {
        try postgres { try $0.run("sessions.seen", SQL.seen, sha256, now) }
    }

    @discardableResult
    func endSession(sha256: [UInt8]) throws(StoreError) -> Bool {
        try postgres { try $0.run("sessions.end", SQL.end, sha256) == 1 }
    }

    func endSessions(createdBefore: Timestamp, seenBefore: Timestamp) throws(StoreError) {
        try postgres { try $0.run("sessions.endExpired", SQL.endExpired, createdBefore, seenBefore) }
    }
}

extension SessionRow {
    fileprivate init(_ row: borrowing Row) throws(PostgresError) {
        var column = 0
        self.init(
            sha256: try row.blob(&column), tokenSHA256: try row.blob(&column), createdAt: try row.timestamp(&column),
            seenAt: try row.timestamp(&column))
    }
}
