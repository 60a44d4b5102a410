import Domain
import SQLite
import Store

/// The store in one SQLite file: one writer, a few readers that never wait for it.
package final class SQLiteStore: Store {
    private static let readerCount = 3

    private let path: String
    private let checkpointer: Checkpointer
    let writer: Writer
    private let readers = Readers(count: SQLiteStore.readerCount)

    package var outboxSignal: OutboxSignal { writer.outboxSignal }

    private init(path: String) {
        self.path = path
        checkpointer = Checkpointer()
        writer = Writer(checkpointer)
    }

    /// Opens a database and brings its schema up to date; makes it, readable by its owner alone, where there is none.
    ///
    /// - Parameter now: When a migration counts as applied.
    /// - Throws: `schema` where the database is newer than this program, `unavailable` where the file cannot be opened.
    package static func open(path: String, now: Timestamp) async throws(StoreError) -> SQLiteStore {
        guard !path.isEmpty, path != ":memory:" else {
            throw StoreError(code: .unavailable, operation: "store.open", detail: "several connections share the database: name a file")
        }
        let store = SQLiteStore(path: path)
        try await store.writer.open { () throws(StoreError) in
            let session = try SQLiteSession.forWriting(path)
            try session.migrate(by: migrations, at: now)
            return session
        }
        try await store.checkpointer.open { () throws(StoreError) in try SQLiteSession.forCheckpoints(path) }
        try await store.readers.open { () throws(StoreError) in try SQLiteSession.forReading(path) }
        return store
    }

    package func write<Result: Sendable>(
        touching _: [String], _ body: @escaping @Sendable (any WriteTransaction) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        try await writer.write(body)
    }

    package func read<Result: Sendable>(
        _ body: @escaping @Sendable (any ReadTransaction) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        try await readers.read(body)
    }

    package func replay(
        repair: Bool, fold: @escaping @Sendable (LogEntry, any WriteTransaction) throws(StoreError) -> Void
    ) async throws(StoreError) -> ReplayReport {
        let scratch = ScratchFile(beside: path)
        defer { scratch.remove() }
        let finding = try await Replayer().compare(path, with: scratch, fold)
        let tables = finding.differences.tables
        if repair, !tables.isEmpty {
            try await writer.alone { session throws(StoreError) in
                try session.repair(tables, from: scratch, after: finding, fold)
            }
        }
        return ReplayReport(entries: finding.entries, differences: finding.differences.lines)
    }

    package func exportFolded(_ line: @escaping @Sendable (FoldedLine) -> Void) async throws(StoreError) {
        try await Replayer().export(path, line)
    }

    package func noticeOtherWriters() async { await writer.noticeOtherWriters() }

    /// One process serves a file.
    package func isLeader() async -> Bool { true }

    /// Nothing: SQLite has no parts of tables.
    package func tidy(at now: Timestamp) async throws(StoreError) -> [String] { [] }

    /// Ends all work. What is called later fails; what was written stays.
    package func close() async {
        await readers.close()
        await writer.close()
        await checkpointer.close()
    }
}
