import SQLite
import Store

/// Moves committed pages from the write-ahead log into the database, on a connection and a queue of its own, so that no commit
/// waits for it.
actor Checkpointer {
    /// After how many changed rows it is time; a row makes about one page of the log.
    static let dueAfterChanges: Int64 = 4_000

    private let executor = SerialQueueExecutor(label: "store.checkpointer")
    private var session: SQLiteSession?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameter open: Runs on the checkpointer's own queue.
    func open(_ open: @Sendable () throws(StoreError) -> sending SQLiteSession) throws(StoreError) {
        session = try open()
    }

    func close() {
        session = nil
    }

    /// - Returns: Whether all pages are moved; not where the writer went on meanwhile, or a reader needs older ones.
    func movePages() -> Bool { session?.movePages() ?? true }
}

extension SQLiteSession {
    /// - Returns: Whether all pages are moved.
    func movePages() -> Bool {
        // A failure loses nothing: the pages stay in the log, and a disk that fails will fail the next commit, which tells.
        (try? connection.checkpoint(.passive)) == 0
    }
}
