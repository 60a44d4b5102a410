import Postgres
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

    init(_ target: Target, count: Int) {
        let all = (1...count).map { Reader(target, label: "store.reader.\($0)") }
        self.all = all
        line = Mutex(Line(free: all))
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
    private let session: PostgresSession
    private var isClosed = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ target: Target, label: String) {
        executor = SerialQueueExecutor(label: label)
        session = PostgresSession(target)
    }

    func close() {
        isClosed = true
        session.disconnect()
    }

    func read<Result: Sendable>(
        _ body: @Sendable (any ReadTransaction) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        guard !isClosed else { throw .closed }
        do { return try perform(body) } catch {
            // Reading changes nothing: where the connection broke it is done again on another one, once.
            guard session.failure?.code == .connectionLost else { throw StoreError(error, database: session.database) }
        }
        do { return try perform(body) } catch { throw StoreError(error, database: session.database) }
    }

    private func perform<Result>(_ body: (any ReadTransaction) throws(StoreError) -> Result) throws -> Result {
        try session.transaction("store.read", .read) { try body(session) }
    }
}
