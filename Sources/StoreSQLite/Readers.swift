import SQLite
import Store
import Synchronization

/// A few connections that only read, each on a queue of its own; whoever finds none free waits in line.
final class Readers: Sendable {
    private struct Line {
        var free: [Reader]
        var waiting: [CheckedContinuation<Reader, Never>] = []
    }
    private let all: [Reader]
    private let line: Mutex<Line>

    init(count: Int) {
        let all = (1...count).map { Reader(label: "store.reader.\($0)") }
        self.all = all
        line = Mutex(Line(free: all))
    }

    /// - Parameter open: Runs on each reader's own queue.
    func open(_ open: @escaping @Sendable () throws(StoreError) -> sending SQLiteSession) async throws(StoreError) {
        for reader in all { try await reader.open(open) }
    }

    func close() async {
        for reader in all { await reader.close() }
    }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any ReadTransaction) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        let reader = await takeReader()
        defer { giveBack(reader) }
        return try await reader.read(body)
    }

    private func takeReader() async -> Reader {
        await withCheckedContinuation { continuation in
            let reader = line.withLock { line -> Reader? in
                if let reader = line.free.popLast() { return reader }
                line.waiting.append(continuation)
                return nil
            }
            if let reader { continuation.resume(returning: reader) }
        }
    }

    private func giveBack(_ reader: Reader) {
        let next = line.withLock { line -> CheckedContinuation<Reader, Never>? in
            if !line.waiting.isEmpty { return line.waiting.removeFirst() }
            line.free.append(reader)
            return nil
        }
        next?.resume(returning: reader)
    }
}

/// One connection that only reads.
private actor Reader {
    private let executor: SerialQueueExecutor
    private var session: SQLiteSession?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(label: String) {
        executor = SerialQueueExecutor(label: label)
    }

    func open(_ open: @Sendable () throws(StoreError) -> sending SQLiteSession) throws(StoreError) {
        session = try open()
    }

    func close() {
        session = nil
    }

    func read<Result: Sendable>(
        _ body: @Sendable (any ReadTransaction) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        guard let session else { throw .closed }
        return try session.transaction("store.read", .read) { try body(session) }
    }
}
