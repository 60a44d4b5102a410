import Domain

/// An API token as it is kept: hashed, so that the database does not give it away.
package struct TokenRow: Hashable, Sendable {
    package enum Scope: String, Sendable, CaseIterable, Comparable {
        case read, write, admin
        package static func < (a: Scope, b: Scope) -> Bool { a.rank < b.rank }
        private var rank: Int {
            switch self {
            case .read: 0
            case .write: 1
            case .admin: 2
            }
        }
    }
    package var name: String
    package var scope: Scope
    package var sha256: [UInt8]
    package var createdAt: Timestamp
    package var revokedAt: Timestamp?

    package init(name: String, scope: Scope, sha256: [UInt8], createdAt: Timestamp, revokedAt: Timestamp? = nil) {
        self.name = name
        self.scope = scope
        self.sha256 = sha256
        self.createdAt = createdAt
        self.revokedAt = revokedAt
    }
}

package protocol TokenReading {
    /// The token with this hash, revoked or not.
    func token(sha256: [UInt8]) throws(StoreError) -> TokenRow?
    func tokens() throws(StoreError) -> [TokenRow]
}

package protocol TokenWriting {
    /// - Returns: false where an unrevoked token of that name exists.
    func add(_ token: TokenRow) throws(StoreError) -> Bool
    /// - Returns: false where no unrevoked token has that name.
    func revokeToken(name: String, at now: Timestamp) throws(StoreError) -> Bool
}
