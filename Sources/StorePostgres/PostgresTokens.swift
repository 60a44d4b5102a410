import Domain
import Postgres
import Store

private enum SQL {
    static let find: StaticString = "SELECT name, scope, sha256, created_at_ms, revoked_at_ms FROM tokens WHERE sha256 = $1"
    static let all: StaticString = "SELECT name, scope, sha256, created_at_ms, revoked_at_ms FROM tokens ORDER BY id"
    static let add: StaticString = """
        INSERT INTO tokens (name, scope, sha256, created_at_ms, revoked_at_ms) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT DO NOTHING
        """
    static let revoke: StaticString = "UPDATE tokens SET revoked_at_ms = $2 WHERE name = $1 AND revoked_at_ms IS NULL"
}

extension PostgresSession {
    func token(sha256: [UInt8]) throws(StoreError) -> TokenRow? {
        try postgres { try $0.first("tokens.find", SQL.find, sha256) { try TokenRow($0) } }
    }

    /// In the order they were added.
    func tokens() throws(StoreError) -> [TokenRow] {
        try postgres { try $0.rows("tokens.all", SQL.all) { try TokenRow($0) } }
    }

    func add(_ token: TokenRow) throws(StoreError) -> Bool {
        try postgres {
            try $0.run("tokens.add", SQL.add, token.name, token.scope.rawValue, token.sha256, token.createdAt, token.revokedAt) == 1
        }
    }

    func revokeToken(name: String, at now: Timestamp) throws(StoreError) -> Bool {
        try postgres { try $0.run("tokens.revoke", SQL.revoke, name, now) == 1 }
    }
}

extension TokenRow {
    fileprivate init(_ row: borrowing Row) throws(PostgresError) {
        var column = 0
        self.init(
            name: try row.text(&column), scope: try row.word(&column), sha256: try row.blob(&column),
            createdAt: try row.timestamp(&column), revokedAt: try row.optionalTimestamp(&column))
    }
}
