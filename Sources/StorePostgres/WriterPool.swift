import Postgres
import Store
import Synchronization

/// Several connections that write. Whatever came in while all of them were at work shares the next commits.
///
/// Bodies that touch the same go one after the other, in the order in which they came; so writers of one process never wait for each
/// other at the server.
final class WriterPool: Sendable {
    /// How many bodies one commit takes at most: bounds how long the first of them waits, and how many locks it holds.
    static let batchLimit = 32

    private struct Line {
        var backlog: [any PendingWrite] = []
        var idle: [PostgresWriter]
        /// What the batches at work touch.
        var held: Set<Int64> = []
        var isClosed = false
        var written: Int64 = 0
        var statistics = StatisticsSchedule()
    }
    private let statistics: PlannerStatistics
    private let writers: [PostgresWriter]
    private let line: Mutex<Line>
    /// Called after each commit that scheduled work.
    let outboxSignal = OutboxSignal()

    init(_ target: Target, count: Int, sender: String) {
        let writers = (1...count).map { PostgresWriter(target, number: $0, sender: sender) }
        self.writers = writers
        statistics = PlannerStatistics(target)
        line = Mutex(Line(idle: writers))
    }

    func write<Result: Sendable>(
        touching names: [String], _ body: @escaping @Sendable (any WriteTransaction) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        let outcome = await withCheckedContinuation { (caller: CheckedContinuation<Swift.Result<Result, StoreError>, Never>) in
            submit(BodyWrite(touching: names, caller, body))
        }
        return try outcome.get()
    }

    private func submit(_ write: any PendingWrite) {
        let (isClosed, writer) = line.withLock { line -> (Bool, PostgresWriter?) in
            if line.isClosed { return (true, nil) }
            line.backlog.append(write)
            return (false, line.idle.popLast())
        }
        if isClosed { write.settle() }
        if let writer { Task { await work(writer) } }
    }

    /// Performs batches for as long as there is something to do.
    private func work(_ writer: PostgresWriter) async {
        while let batch = nextBatch(writer) {
            if await writer.perform(batch) { outboxSignal.signal() }
            let due = line.withLock { line -> Int64? in
                for write in batch { line.held.subtract(write.names) }
                line.written += Int64(batch.count)
                return line.statistics.isDue(after: line.written) ? line.written : nil
            }
            // Where it fails the server's own worker does it later.
            if let due { Task { try? await statistics.refresh(after: due) } }
            for write in batch { write.settle() }
        }
    }

    /// The oldest bodies that touch nothing which another batch, or an older body that has to wait, touches. Without any the writer is idle.
    private func nextBatch(_ writer: PostgresWriter) -> [any PendingWrite]? {
        line.withLock { line in
            var batch: [any PendingWrite] = []
            var left: [any PendingWrite] = []
            var taken = line.held
            for write in line.backlog {
                if batch.count < WriterPool.batchLimit, taken.isDisjoint(with: write.names) {
                    batch.append(write)
                } else {
                    left.append(write)
                    taken.formUnion(write.names)
                }
            }
            line.backlog = left
            guard !batch.isEmpty else {
                line.idle.append(writer)
                return nil
            }
            for write in batch { line.held.formUnion(write.names) }
            return batch
        }
    }

    /// Fails what comes from now on, after what is at work; each writer's connection ends with its last use.
    func close() async {
        let waiting = line.withLock { line -> [any PendingWrite] in
            line.isClosed = true
            defer { line.backlog = [] }
            return line.backlog
        }
        for write in waiting {
            write.fail(.closed)
            write.settle()
        }
        for writer in writers { await writer.close() }
    }

    /// Runs something that is no body of a transaction.
    func alone<Result: Sendable>(
        _ work: @Sendable (PostgresSession) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        try await writers[0].alone(work)
    }

    var commitCount: Int {
        get async {
            var count = 0
            for writer in writers { count += await writer.commitCount }
            return count
        }
    }
}
