import Postgres
import Store
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

private enum SQL {
    // The array is sorted, and its elements are taken in order: two batches that share names cannot wait for each other.
    static let lock: StaticString = "SELECT pg_advisory_xact_lock(name) FROM unnest($1::bigint[]) AS name"
    static let notify: StaticString = "SELECT pg_notify('refund_desk_outbox', $1)"
}

/// One connection that writes, a batch at a time.
actor PostgresWriter {
    /// How often a body that others were in the way of is tried alone.
    private static let attempts = 6

    private let executor: SerialQueueExecutor
    private let session: PostgresSession
    /// Names this process when it tells others of scheduled work.
    private let sender: String
    /// Commits so far: each costs the server one flush of its disk.
    private(set) var commitCount = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ target: Target, number: Int, sender: String) {
        executor = SerialQueueExecutor(label: "store.writer.\(number)")
        session = PostgresSession(target)
        self.sender = sender
    }

    /// Runs all bodies and commits; afterwards each has its outcome.
    ///
    /// - Returns: Whether work was scheduled.
    func perform(_ batch: [any PendingWrite]) -> Bool {
        session.hasScheduled = false
        var failure = attempt(batch)
        // A connection that broke while nobody used it is no reason to refuse anyone.
        if let first = failure as? PostgresError, first.code == .connectionLost { failure = attempt(batch) }
        guard let failure else { return tellOthers() }
        if let error = failure as? PostgresError, batch.count > 1, error.isOneBodys {
            var hasScheduled = false
            for write in batch { hasScheduled = perform([write]) || hasScheduled }
            return hasScheduled
        }
        for write in batch { write.fail(retried(write, after: failure)) }
        return tellOthers()
    }

    /// Runs something that is no body of a transaction.
    func alone<Result: Sendable>(_ work: @Sendable (PostgresSession) throws(StoreError) -> Result) throws(StoreError) -> Result {
        try work(session)
    }

    func close() { session.disconnect() }

    /// Others were in the way: soon they are not.
    ///
    /// - Returns: The last failure; nil once the body came to an end of its own.
    private func retried(_ write: any PendingWrite, after failure: any Error) -> StoreError? {
        var failure = failure
        for attempt in 1..<PostgresWriter.attempts {
            guard let error = failure as? PostgresError, error.code == .conflict || error.code == .unique else { break }
            usleep(UInt32.random(in: 1_000...(4_000 << attempt)))
            guard let again = self.attempt([write]) else { return nil }
            failure = again
        }
        return StoreError(failure, database: session.database)
    }

    /// - Returns: What failed the transaction as a whole; then nothing of it remains, or nobody knows.
    private func attempt(_ batch: [any PendingWrite]) -> (any Error)? {
        let names = Set(batch.flatMap(\.names)).sorted()
        do {
            try session.transaction("store.write") {
                if !names.isEmpty { try session.postgres { try $0.queue("store.lock", SQL.lock, Value.integers(names)) } }
                if batch.count == 1 { try batch[0].run(in: session) } else { for write in batch { try runNested(write) } }
            }
            commitCount += 1
            return nil
        } catch let error as StoreError {
            // A body's own error is its outcome; one that a statement caused is the transaction's.
            return session.failure ?? (batch.count == 1 && batch[0].isRefused ? nil : error)
        } catch {
            return error
        }
    }

    /// Runs one body of several, so that if it throws it is undone alone.
    private func runNested(_ write: any PendingWrite) throws {
        let (seals, mark) = (session.pendingSeals.count, session.pendingReports.mark)
        do {
            try session.postgres { connection in try connection.savepoint("store.write") { try write.run(in: session) } }
        } catch {
            guard session.failure == nil else { throw error }
            session.forget()
            session.heldCustomers = []  // Undone with the savepoint, and so are the locks.
            session.pendingSeals.removeLast(session.pendingSeals.count - seals)
            session.pendingReports.undo(to: mark)
        }
    }

    private func tellOthers() -> Bool {
        guard session.hasScheduled else { return false }
        // Lost calls are made up for by the workers' own clock.
        _ = try? session.postgres { try $0.tell("store.notify", SQL.notify, sender) }
        return true
    }
}

extension PostgresError {
    /// Whether one body of a batch may be the cause, so that the others can go on without it.
    fileprivate var isOneBodys: Bool {
        switch code {
        case .conflict, .unique, .constraint, .mismatch, .timeout, .corrupt, .other: true
        case .connectionLost, .refused, .exhausted, .readOnly: false
        }
    }
}

/// A body that waits for a writer, whatever its result.
protocol PendingWrite: Sendable {
    /// What it announced to touch.
    var names: [Int64] { get }
    /// Whether the body itself threw.
    var isRefused: Bool { get }
    /// Runs the body and keeps its result, or its error, which is thrown as well.
    func run(in session: PostgresSession) throws(StoreError)
    /// The transaction failed, whatever the body came to; nil leaves its outcome.
    func fail(_ error: StoreError?)
    /// Lets the caller have the outcome.
    func settle()
}

final class BodyWrite<Result: Sendable>: PendingWrite {
    let names: [Int64]
    private let body: @Sendable (any WriteTransaction) throws(StoreError) -> Result
    private let kept = Mutex<Swift.Result<Result, StoreError>?>(nil)
    private let caller: CheckedContinuation<Swift.Result<Result, StoreError>, Never>

    init(
        touching names: [String], _ caller: CheckedContinuation<Swift.Result<Result, StoreError>, Never>,
        _ body: @escaping @Sendable (any WriteTransaction) throws(StoreError) -> Result
    ) {
        self.names = names.map { AdvisoryKey.name($0).number }
        self.caller = caller
        self.body = body
    }

    var isRefused: Bool { kept.withLock { if case .failure = $0 { true } else { false } } }

    func run(in session: PostgresSession) throws(StoreError) {
        let outcome = Swift.Result { () throws(StoreError) in try body(session) }
        kept.withLock { $0 = outcome }
        _ = try outcome.get()
    }

    func fail(_ error: StoreError?) {
        if let error { kept.withLock { $0 = .failure(error) } }
    }

    func settle() {
        caller.resume(returning: kept.withLock { $0 } ?? .failure(.closed))
    }
}

extension StoreError {
    static let closed = StoreError(code: .unavailable, operation: "store", detail: "the database is closed: the desk is stopping")
}
