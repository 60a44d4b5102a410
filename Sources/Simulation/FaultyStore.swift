import Domain
import Store
import Synchronization

/// A store whose disk may be full and whose process may end, around a real one. What it says it committed is committed, unless it is
/// the broken one of a canary.
final class FaultyStore: Store {
    let inner: any Store
    private let life: Life
    private let weather: Weather
    private let sabotage: StoreSabotage?
    private struct Ledger {
        var commits = 0
        var lastWasCommitted = false
    }
    private let book = Mutex(Ledger())

    init(_ inner: any Store, life: Life, weather: Weather, sabotage: StoreSabotage?) {
        self.inner = inner
        self.life = life
        self.weather = weather
        self.sabotage = sabotage
    }

    /// How many writes were committed, heard of or not.
    var commits: Int { book.withLock { $0.commits } }
    /// Whether the last write was committed, whatever its caller heard.
    var lastWasCommitted: Bool { book.withLock { $0.lastWasCommitted } }

    var outboxSignal: OutboxSignal { inner.outboxSignal }

    func write<Result: Sendable>(
        touching names: [String], _ body: @escaping @Sendable (any WriteTransaction) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        book.withLock { $0.lastWasCommitted = false }
        switch life.step() {
        case .over, .endsBefore: throw .ended
        case .endsAfter:
            _ = try await commit(names, body)
            throw .ended
        case .alive: break
        }
        switch weather.diskFault() {
        case nil: return try await commit(names, body)
        case .before: throw .diskFull
        case .midst:
            return try await inner.write { tx throws(StoreError) in
                _ = try body(tx)
                throw .diskFull
            }
        case .after:
            _ = try await commit(names, body)
            throw .diskFull
        }
    }

    private func commit<Result: Sendable>(
        _ names: [String], _ body: @escaping @Sendable (any WriteTransaction) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        if let sabotage, sabotage.dropsCommit() { return try await pretend(body) }
        let result = try await inner.write(touching: names) { [sabotage] tx throws(StoreError) in
            guard let sabotage else { return try body(tx) }
            return try sabotage.perform(body, tx)
        }
        book.withLock { book in
            book.commits += 1
            book.lastWasCommitted = true
        }
        return result
    }

    /// Runs the body, undoes it, and tells the caller that all is well.
    private func pretend<Result: Sendable>(
        _ body: @escaping @Sendable (any WriteTransaction) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        let outcome = Mutex<Result?>(nil)
        do throws(StoreError) {
            return try await inner.write { tx throws(StoreError) in
                let result = try body(tx)
                outcome.withLock { $0 = result }
                throw .diskFull
            }
        } catch {
            guard let result = outcome.withLock({ $0 }) else { throw error }
            return result
        }
    }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any ReadTransaction) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        guard !life.isOver else { throw .ended }
        return try await inner.read(body)
    }

    func replay(
        repair: Bool, fold: @escaping @Sendable (LogEntry, any WriteTransaction) throws(StoreError) -> Void
    ) async throws(StoreError) -> ReplayReport {
        try await inner.replay(repair: repair, fold: fold)
    }

    func exportFolded(_ line: @escaping @Sendable (FoldedLine) -> Void) async throws(StoreError) { try await inner.exportFolded(line) }
    func isLeader() async -> Bool { await inner.isLeader() }
    func tidy(at now: Timestamp) async throws(StoreError) -> [String] { try await inner.tidy(at: now) }
    func noticeOtherWriters() async { await inner.noticeOtherWriters() }
    func close() async { await inner.close() }
}

extension StoreError {
    static let diskFull = StoreError(code: .unavailable, operation: "simulated", detail: "the disk is full")
    static let ended = StoreError(code: .unavailable, operation: "simulated", detail: "the process has ended")
}
