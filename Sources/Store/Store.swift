import Domain

/// Where everything is kept. Reads see what was committed before they began.
///
/// Bodies run on the engine's own thread and must not wait for anything: they read, fold and write.
package protocol Store: Sendable {
    /// Runs the body in a transaction and returns after that is durable. Many calls may share one commit; a body that throws
    /// changes nothing and does not disturb the others.
    ///
    /// - Parameter names: What the body reads and then writes, by names that all who write the same give: such bodies run one after
    ///   the other, whichever process they are in. An engine with a single writer needs none.
    func write<Result: Sendable>(
        touching names: [String], _ body: @escaping @Sendable (any WriteTransaction) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result

    /// Runs the body on one consistent view.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any ReadTransaction) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result

    /// Rebuilds all folded state from the log in a scratch database, by the given fold, and compares it with what is kept.
    ///
    /// - Parameter repair: Whether to put the rebuilt state in place of what differs.
    /// - Returns: One line per difference, the first hundred.
    func replay(repair: Bool, fold: @escaping @Sendable (LogEntry, any WriteTransaction) throws(StoreError) -> Void)
        async throws(StoreError) -> ReplayReport

    /// Called after each commit that scheduled work.
    var outboxSignal: OutboxSignal { get }

    /// Writes out all folded state, row by row, in words that mean the same in every engine: positions in the log and the database's own
    /// numbers are left out. Rows of one table and ledger come in the order of their key.
    func exportFolded(_ line: @escaping @Sendable (FoldedLine) -> Void) async throws(StoreError)

    /// Signals where another process committed since the last call: what it scheduled reaches the workers so. Cheap: for once a second.
    func noticeOtherWriters() async

    /// Whether this is the process, of all that share the database, that does what one of them has to do. To be asked before each piece of
    /// such work: another may take over once this one is gone, and for a moment both may think so.
    func isLeader() async -> Bool

    /// Makes what the engine needs to have ready ahead of time, and gives back what holds nothing any more. For the leader, now and then.
    ///
    /// - Returns: One line for each thing done, for the operator.
    func tidy(at now: Timestamp) async throws(StoreError) -> [String]

    func close() async
}

extension Store {
    /// Runs the body in a transaction and returns after that is durable. It touches nothing that another could lose.
    package func write<Result: Sendable>(
        _ body: @escaping @Sendable (any WriteTransaction) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result { try await write(touching: [], body) }
}

/// One row of folded state as text.
package struct FoldedLine: Hashable, Sendable {
    package var ledger: String
    package var table: String
    package var text: String

    package init(ledger: String, table: String, text: String) {
        self.ledger = ledger
        self.table = table
        self.text = text
    }
}

/// What a rebuild from the log found.
package struct ReplayReport: Sendable {
    package var entries: Int64
    package var differences: [String]
    package init(entries: Int64, differences: [String]) {
        self.entries = entries
        self.differences = differences
    }
}

package protocol ReadTransaction: LogReading, PurchaseReading, CustomerReading, CaseReading, OwnerFactReading, OutboxReading,
    EventReading, TokenReading, AuditReading, WatchReading, CatchUpReading, CallAllowanceReading, SessionReading, RetentionReading,
    ReportReading, SalesReading
{}

package protocol WriteTransaction: ReadTransaction, LogWriting, PurchaseWriting, CustomerWriting, CaseWriting, OwnerFactWriting,
    OutboxWriting, EventWriting, TokenWriting, AuditWriting, CatchUpWriting, CallAllowanceWriting, ForgettingWriting, SessionWriting,
    RetentionWriting, ReportWriting, SalesWriting
{
    /// Changes nothing, but has to reach the disk all the same: shows whether a write would.
    func touchDisk() throws(StoreError)
}

/// One page of a list, newest first where nothing else is said.
package struct Page<Item: Sendable>: Sendable {
    package var items: [Item]
    /// Where the next page begins; nil at the end. Opaque to clients.
    package var nextCursor: String?
    package init(items: [Item], nextCursor: String?) {
        self.items = items
        self.nextCursor = nextCursor
    }
}

/// Which page of a list is wanted.
package struct PageRequest: Sendable {
    package var limit: Int
    package var cursor: String?
    package init(limit: Int = 50, cursor: String? = nil) {
        self.limit = limit
        self.cursor = cursor
    }
}
