import Domain

/// One link of the chain that seals the trail: whoever alters, drops or inserts an entry of the log breaks it from there on.
package struct AuditSeal: Hashable, Sendable {
    /// 1, 2, 3, …
    package var position: Int64
    /// The log entry that is sealed.
    package var entry: Int64
    /// The name of the token whose holder did it; nil for the desk itself.
    package var actor: String?
    /// Random, so that the hash of what was forgotten does not give it away; nil once it was forgotten.
    package var salt: [UInt8]?
    package var contentSHA256: [UInt8]
    /// Of the link before, the position and the content.
    package var sha256: [UInt8]

    package init(position: Int64, entry: Int64, actor: String?, salt: [UInt8]?, contentSHA256: [UInt8], sha256: [UInt8]) {
        self.position = position
        self.entry = entry
        self.actor = actor
        self.salt = salt
        self.contentSHA256 = contentSHA256
        self.sha256 = sha256
    }
}

/// A link with the log entry it seals.
package struct SealedEntry: Hashable, Sendable {
    package var seal: AuditSeal
    package var entry: LogEntry

    package init(seal: AuditSeal, entry: LogEntry) {
        self.seal = seal
        self.entry = entry
    }
}

extension LogEntry.Kind {
    /// The kinds that belong to the trail: consent and what else the owner said of customers, decisions, answers, administrators' acts.
    package static let audited: [LogEntry.Kind] = allCases.filter(\.isAudited)

    package var isAudited: Bool {
        switch self {
        case .consent, .delivery, .userLink, .preference, .tags, .outages, .decision, .answer, .attempt, .act: true
        case .notification, .transaction, .status, .usage, .statusConfirmation: false
        }
    }
}

package protocol AuditReading {
    /// The chain's newest link; nil before the first.
    func newestSeal() throws(StoreError) -> AuditSeal?
    /// The link that seals an entry of the log.
    func seal(ofEntry sequence: Int64) throws(StoreError) -> AuditSeal?
    /// The links that seal entries of these ledgers, newest first.
    func auditTrail(in ledgers: [Ledger], page: PageRequest) throws(StoreError) -> Page<SealedEntry>
    /// The links behind a position, oldest first; one whose entry is gone from the log has nil.
    func seals(after position: Int64, limit: Int) throws(StoreError) -> [(seal: AuditSeal, entry: LogEntry?)]
    /// How many entries of the audited kinds are younger than the oldest sealed one and sealed by no link.
    func unsealedEntryCount() throws(StoreError) -> Int64
}

package protocol AuditWriting {
    /// Adds a link to the end of the chain, at the latest as the transaction's last step: where several write at once, nobody waits
    /// for the chain longer than that.
    ///
    /// - Parameter link: Makes the link from the newest one.
    func append(in ledger: Ledger, _ link: @escaping @Sendable (AuditSeal?) -> AuditSeal) throws(StoreError)
    func put(_ seal: AuditSeal, in ledger: Ledger) throws(StoreError)
}
