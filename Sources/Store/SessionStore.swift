import Domain

/// A person who is logged in to the dashboard with a token. The browser's secret is kept hashed, as the token is.
package struct SessionRow: Hashable, Sendable {
    /// Of the secret in the browser's cookie.
    package var sha256: [UInt8]
    /// The token that was logged in with: its revocation ends the session.
    package var tokenSHA256: [UInt8]
    package var createdAt: Timestamp
    /// When the person last did something; kept to the minute, so that looking around writes little.
    package var seenAt: Timestamp

    package init(sha256: [UInt8], tokenSHA256: [UInt8], createdAt: Timestamp, seenAt: Timestamp) {
        self.sha256 = sha256
        self.tokenSHA256 = tokenSHA256
        self.createdAt = createdAt
        self.seenAt = seenAt
    }
}

package protocol SessionReading {
    func session(sha256: [UInt8]) throws(StoreError) -> SessionRow?
}

package protocol SessionWriting {
    func add(_ session: SessionRow) throws(StoreError)
    func setSeen(_ sha256: [UInt8], at now: Timestamp) throws(StoreError)
    /// - Returns: false where there was none.
    @discardableResult
    func endSession(sha256: [UInt8]) throws(StoreError) -> Bool
    /// Takes away what has expired: begun or last seen before these instants.
    func endSessions(createdBefore: Timestamp, seenBefore: Timestamp) throws(StoreError)
}
