import Domain

/// One row of the append-only log: a fact exactly as it came in, or as the desk itself stated it.
package struct LogEntry: Sendable, Hashable {
    package enum Kind: String, Sendable, CaseIterable {
        /// Signed by Apple; the body is the packed request body.
        case notification, transaction
        /// A row of Get All Subscription Statuses; the body is packed JSON of both signed infos.
        case status
        /// Said by the owner's backend; the body is JSON.
        case consent, delivery, userLink, usage, preference, tags, outages
        /// Done by an administrator; the body is JSON. Nothing is folded from it.
        case act
        /// Done by the desk; the body is JSON.
        case decision, answer, attempt, statusConfirmation

        /// Whether the body is what Apple signed.
        package var isSigned: Bool { [.notification, .transaction, .status].contains(self) }
    }
    package enum Result: String, Sendable { case accepted, quarantined }
    package enum Source: String, Sendable { case live, history, client, owner, desk }

    /// Position in the log; 0 before it is appended.
    package var sequence: Int64 = 0
    package var kind: Kind
    /// Makes a fact count once: the `notificationUUID`, `sha256:` of a bare transaction's payload, `usage:` of the owner's id.
    /// nil for facts that are new each time.
    package var identity: String?
    package var ledger: Ledger
    package var result: Result = .accepted
    /// Why it is quarantined.
    package var reason: String?
    package var source: Source
    package var rawNotificationType: String?
    package var rawSubtype: String?
    /// What the payload claims; differs from the ledger's where it is quarantined.
    package var rawEnvironment: String?
    package var transactionID: TransactionID?
    package var signedDate: Timestamp?
    package var receivedAt: Timestamp
    package var body: [UInt8]
    /// When the body was reduced to what is folded of it; nil where it is as it came.
    package var reducedAt: Timestamp?
    /// Where a usage entry is found; read only by ``RetentionReading``.
    package var place: UsagePlace?

    package init(
        kind: Kind, identity: String? = nil, ledger: Ledger, source: Source, receivedAt: Timestamp, body: [UInt8]
    ) {
        self.kind = kind
        self.identity = identity
        self.ledger = ledger
        self.source = source
        self.receivedAt = receivedAt
        self.body = body
    }
}

/// Which log entries are wanted; only signed ones are listed.
package struct LogQuery: Sendable {
    package var app: AppID
    /// nil lists every ledger of the app.
    package var environment: Environment?
    package var rawNotificationType: String?
    package var result: LogEntry.Result?
    package var page: PageRequest

    package init(
        app: AppID, environment: Environment?, rawNotificationType: String? = nil, result: LogEntry.Result? = nil,
        page: PageRequest = PageRequest()
    ) {
        self.app = app
        self.environment = environment
        self.rawNotificationType = rawNotificationType
        self.result = result
        self.page = page
    }
}

package protocol LogReading {
    func logEntry(identity: String) throws(StoreError) -> LogEntry?
    func logEntry(sequence: Int64) throws(StoreError) -> LogEntry?
    /// The entries behind a sequence, oldest first, of all kinds and ledgers.
    func logEntries(after sequence: Int64, limit: Int) throws(StoreError) -> [LogEntry]
    func logEntries(_ query: LogQuery) throws(StoreError) -> Page<LogEntry>
    /// The bytes of a JWS header segment stored once under this id.
    func jwsHeader(id: Int64) throws(StoreError) -> [UInt8]?
}

package protocol LogWriting {
    /// Appends an entry.
    ///
    /// - Returns: Its sequence; nil where its identity is known already, and then nothing is changed.
    func append(_ entry: LogEntry) throws(StoreError) -> Int64?
    /// The id of a JWS header segment, stored on first sight. Certificates are most of a message and always the same.
    func jwsHeaderID(_ segment: [UInt8]) throws(StoreError) -> Int64
}
