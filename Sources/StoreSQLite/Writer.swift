import SQLite
import Store
import Synchronization

/// The one connection that writes. Whatever came in while a commit was under way shares the next one.
///
/// A caller first puts its body on the backlog and then waits for its turn on the actor. The first whose turn it is performs all that
/// waits; the others then find theirs done. So nothing is delayed to gather more, and nobody waits for a commit after their own.
actor Writer {
    /// How many bodies one commit takes at most; bounds how long the first of them waits.
    static let batchLimit = 256

    private let executor = SerialQueueExecutor(label: "store.writer")
    private let backlog = Mutex<[any PendingWrite]>([])
    private let checkpointer: Checkpointer
    private var session: SQLiteSession?
    /// Called after each commit that scheduled work.
    nonisolated let outboxSignal = OutboxSignal()
    private var checkpointing: Task<Void, Never>?
    private var changesAtCheckpoint: Int64 = 0
    /// Changes where another connection than this one committed.
    private var dataVersion: Int64?
    /// Commits so far: each costs the disk one flush.
    private(set) var commitCount = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ checkpointer: Checkpointer) {
        self.checkpointer = checkpointer
    }

    /// - Parameter open: Runs on the writer's own queue.
    func open(_ open: @Sendable () throws(StoreError) -> sending SQLiteSession) throws(StoreError) {
        session = try open()
    }

    func close() async {
        await checkpointing?.value
        session = nil
    }

    nonisolated func write<Result: Sendable>(
        _ body: @escaping @Sendable (any WriteTransaction) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        let write = BodyWrite(body)
        backlog.withLock { $0.append(write) }
        return try await settle(write)
    }

    /// Runs something that is no body of a transaction, while nothing else is written.
    func alone(_ work: @Sendable (SQLiteSession) throws(StoreError) -> Void) throws(StoreError) {
        guard let session else { throw .closed }
        try work(session)
    }

    /// Signals where another process committed since the last call.
    func noticeOtherWriters() {
        guard let seen = session?.dataVersion, seen != dataVersion else { return }
        if dataVersion != nil { outboxSignal.signal() }
        dataVersion = seen
    }

    /// How many bodies wait now.
    nonisolated var waiting: Int { backlog.withLock { $0.count } }

    private func settle<Result>(_ write: BodyWrite<Result>) throws(StoreError) -> Result {
        while true {
            if let outcome = write.outcome { return try outcome.get() }
            performBatch()
        }
    }

    private func performBatch() {
        let batch = backlog.withLock { backlog in
            let batch = Array(backlog.prefix(Writer.batchLimit))
            backlog.removeFirst(batch.count)
            return batch
        }
        guard let session else {
            for write in batch { write.fail(.closed) }
            return
        }
        session.hasScheduled = false
        do throws(StoreError) {
            try session.commit(batch)
            if session.hasScheduled { outboxSignal.signal() }
            commitCount += 1
            checkpointWhereDue(session)
        } catch {
            for write in batch { write.fail(error) }
        }
    }
}

extension Writer {
    /// Has the log's pages moved elsewhere while writing goes on, then here what came in meanwhile: only where nobody writes can the
    /// log begin anew instead of growing.
    private func checkpointWhereDue(_ session: SQLiteSession) {
        let changes = session.changeCount
        guard checkpointing == nil, changes - changesAtCheckpoint >= Checkpointer.dueAfterChanges else { return }
        changesAtCheckpoint = changes
        checkpointing = Task {
            if await !checkpointer.movePages() { _ = self.session?.movePages() }
            checkpointing = nil
        }
    }
}

private enum SQL {
    static let changes: StaticString = "SELECT total_changes()"
    static let dataVersion: StaticString = "PRAGMA data_version"
}

extension SQLiteSession {
    /// - Source: PRAGMA data_version: the same value as long as no other connection commits; nil where it cannot be read now.
    fileprivate var dataVersion: Int64? { (try? connection.first("store.dataVersion", SQL.dataVersion) { try $0.int64(0) }) ?? nil }

    /// How many rows this connection has changed.
    fileprivate var changeCount: Int64 {
        (try? connection.first("store.changes", SQL.changes) { try $0.int64(0) }) ?? 0
    }

    /// Runs all bodies in one transaction; one that throws is undone by itself.
    ///
    /// - Throws: Where the transaction failed as a whole; then nothing of it remains.
    fileprivate func commit(_ batch: [any PendingWrite]) throws(StoreError) {
        guard batch.count > 1 else {
            for write in batch { try transaction("store.write") { try write.run(in: self) } }
            return
        }
        var lastFailure: StoreError?
        do throws(StoreError) {
            try transaction("store.write") {
                for write in batch { lastFailure = try attempt(write) ?? lastFailure }
            }
        } catch {
            // Where SQLite gave up the transaction in the midst of a body, that body met the reason.
            if let lastFailure, lastFailure.code == .unavailable, error.code == .unavailable { throw lastFailure }
            throw error
        }
    }

    /// Runs one body of several.
    ///
    /// - Returns: The error by which the body failed alone.
    /// - Throws: What fails all of them.
    private func attempt(_ write: any PendingWrite) throws(StoreError) -> StoreError? {
        let mark = pendingReports.mark
        do {
            try connection.savepoint("store.write") { try write.run(in: self) }
            return nil
        } catch let error as StoreError {
            forget()
            pendingReports.undo(to: mark)
            return error
        } catch {
            throw StoreError(error, database: database)
        }
    }
}

/// A body that waits for the writer, whatever its result.
private protocol PendingWrite: Sendable {
    /// Runs the body and keeps its result, or its error, which is thrown as well.
    func run(in session: SQLiteSession) throws(StoreError)
    /// The transaction failed, whatever the body came to.
    func fail(_ error: StoreError)
}

private final class BodyWrite<Result: Sendable>: PendingWrite {
    private let body: @Sendable (any WriteTransaction) throws(StoreError) -> Result
    private let kept = Mutex<Swift.Result<Result, StoreError>?>(nil)

    init(_ body: @escaping @Sendable (any WriteTransaction) throws(StoreError) -> Result) {
        self.body = body
    }

    /// nil until its batch is committed: the writer looks only between batches.
    var outcome: Swift.Result<Result, StoreError>? { kept.withLock { $0 } }

    func run(in session: SQLiteSession) throws(StoreError) {
        let outcome = Swift.Result { () throws(StoreError) in try body(session) }
        kept.withLock { $0 = outcome }
        _ = try outcome.get()
    }

    func fail(_ error: StoreError) {
        kept.withLock { $0 = .failure(error) }
    }
}

extension StoreError {
    static let closed = StoreError(code: .unavailable, operation: "store", detail: "the database is closed: the desk is stopping")
}
