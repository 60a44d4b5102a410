/// Where everything is kept. One writer at a time; reads see what was committed before they began.
///
/// Bodies run on the engine's own thread and must not wait for anything: they read, fold and write.
package protocol Store: Sendable {
    /// Runs the body in a transaction and returns after that is durable. Many calls may share one commit; a body that throws
    /// changes nothing and does not disturb the others.
    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any WriteTransaction) throws(StoreError) -> Result
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

    /// Signals where another process committed since the last call: what it scheduled reaches the workers so. Cheap: for once a second.
    func noticeOtherWriters() async

    func close() async
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
    EventReading, TokenReading, AuditReading, WatchReading, CatchUpReading
{}

package protocol WriteTransaction: ReadTransaction, LogWriting, PurchaseWriting, CustomerWriting, CaseWriting, OwnerFactWriting,
    OutboxWriting, EventWriting, TokenWriting, AuditWriting, CatchUpWriting, ForgettingWriting
{}

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
