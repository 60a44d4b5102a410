import Domain
import Postgres
import Store

/// The store in a PostgreSQL database that any number of processes share.
package final class PostgresStore: Store {
    private static let writerCount = 4
    private static let readerCount = 4

    private let target: Target
    let writers: WriterPool
    private let readers: Readers
    private let ear: NotificationEar
    private let leadership: Leadership

    package var outboxSignal: OutboxSignal { writers.outboxSignal }

    private init(_ target: Target) {
        self.target = target
        let sender = "\(UInt64.random(in: .min ... .max))"
        writers = WriterPool(target, count: target.writers ?? PostgresStore.writerCount, sender: sender)
        readers = Readers(target, count: target.readers ?? PostgresStore.readerCount)
        leadership = Leadership(target)
        ear = NotificationEar(target, sender: sender, writers.outboxSignal)
    }

    /// Connects, and brings the schema up to date.
    ///
    /// - Parameters:
    ///   - url: `postgres://user:password@host:port/database?…`; see ``Target``.
    ///   - schema: The schema in which the tables are; nil for the role's own.
    ///   - now: When a migration counts as applied.
    /// - Throws: `schema` where the database is newer than this program, `unavailable` where it cannot be reached.
    package static func open(url: String, schema: String? = nil, now: Timestamp) async throws(StoreError) -> PostgresStore {
        var target: Target
        do { target = try Target(url: url) } catch { throw StoreError(error, database: "the database") }
        target.schema = schema
        let store = PostgresStore(target)
        try await store.writers.alone { session throws(StoreError) in
            try session.migrate(by: migrations, at: now)
            // Where others are in the way the next ``tidy(at:)`` makes them: until then bodies stand in the rest.
            _ = try? session.makeMonths(from: now)
        }
        if target.pooling == .session { store.ear.start() }
        return store
    }

    /// How many connections a process has, the one that listens and the one that leads included.
    static func connectionCount(_ target: Target) -> Int {
        (target.writers ?? writerCount) + (target.readers ?? readerCount) + (target.pooling == .session ? 2 : 0)
    }

    package func write<Result: Sendable>(
        touching names: [String], _ body: @escaping @Sendable (any WriteTransaction) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        try await writers.write(touching: names, body)
    }

    package func read<Result: Sendable>(
        _ body: @escaping @Sendable (any ReadTransaction) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        try await readers.read(body)
    }

    package func replay(
        repair: Bool, fold: @escaping @Sendable (LogEntry, any WriteTransaction) throws(StoreError) -> Void
    ) async throws(StoreError) -> ReplayReport {
        let finding = try await PostgresReplayer(target).replay(repair: repair, fold)
        return ReplayReport(entries: finding.folded.entries, differences: finding.differences.lines)
    }

    package func exportFolded(_ line: @escaping @Sendable (FoldedLine) -> Void) async throws(StoreError) {
        try await PostgresReplayer(target).export(line)
    }

    /// Nothing to look for: other processes say so by NOTIFY, and what one schedules it performs itself.
    package func noticeOtherWriters() async {}

    package func isLeader() async -> Bool { await leadership.isMine() }

    package func tidy(at now: Timestamp) async throws(StoreError) -> [String] { try await MonthKeeper(target).tidy(at: now) }

    /// Ends all work. What is called later fails; what was written stays.
    package func close() async {
        ear.stop()
        await leadership.giveUp()
        await readers.close()
        await writers.close()
    }
}
