import Domain
import Store
import TestSupport
import Testing

@testable import AppStoreSimulator
@testable import Outbox

@Suite(.timeLimit(.minutes(1)))
struct OutboxWorkerTests {
    private struct Finisher: OutboxHandler {
        let store: any Store
        let now: Timestamp
        func perform(_ row: OutboxRow) async throws(StoreError) {
            try await store.write { tx throws(StoreError) in try tx.finish(row.id, state: .done, at: now) }
        }
    }

    /// Reads as ever, and refuses every write.
    private struct FullDisk: Store {
        let inner: any Store
        let writes = Counter()
        var outboxSignal: OutboxSignal { inner.outboxSignal }
        func write<Result: Sendable>(
            touching names: [String], _ body: @escaping @Sendable (any WriteTransaction) throws(StoreError) -> Result
        ) async throws(StoreError) -> Result {
            _ = writes.next()
            throw StoreError(code: .unavailable, operation: "test", detail: "the disk is full")
        }
        func read<Result: Sendable>(
            _ body: @escaping @Sendable (any ReadTransaction) throws(StoreError) -> Result
        ) async throws(StoreError) -> Result { try await inner.read(body) }
        func replay(
            repair: Bool, fold: @escaping @Sendable (LogEntry, any WriteTransaction) throws(StoreError) -> Void
        ) async throws(StoreError) -> ReplayReport { try await inner.replay(repair: repair, fold: fold) }
        func exportFolded(_ line: @escaping @Sendable (FoldedLine) -> Void) async throws(StoreError) {}
        func noticeOtherWriters() async {}
        func isLeader() async -> Bool { true }
        func tidy(at now: Timestamp) async throws(StoreError) -> [String] { [] }
        func close() async {}
    }

    private func world(dueAt due: [Timestamp]) async throws -> World {
        let world = try await World()
        let ledger = world.ledger
        try await world.store.write { tx throws(StoreError) in
            for (index, due) in due.enumerated() {
                try tx.enqueue(OutboxRow(kind: .turn, ledger: ledger, subject: "\(index)", key: "", dueAt: due, createdAt: due))
            }
        }
        return world
    }

    private func worker(_ world: World, _ store: any Store) -> OutboxWorker {
        OutboxWorker(
            name: "turns", store: store, handlers: [OutboxRow.Lane(.turn): Finisher(store: store, now: world.clock.now())],
            time: world.clock, concurrency: 8, report: { _ in })
    }

    @Test func aStepPerformsWhatIsDueAndSaysWhenToComeBack() async throws {
        let world = try await world(dueAt: [day(0), day(0), day(1)])
        let worker = worker(world, world.store)
        #expect(await worker.step() == day(1))
        #expect(try await world.depth(.turn) == 1)
        world.clock.set(day(1))
        #expect(await worker.step() == nil)
        #expect(try await world.depth(.turn) == 0)
    }

    /// What is due stays due while the disk is full: that is no reason to ask for it two hundred times a second.
    @Test func aFullDiskIsNotAskedAgainAtOnce() async throws {
        let world = try await world(dueAt: [day(0)])
        let disk = FullDisk(inner: world.store)
        #expect(await worker(world, disk).step() == day(0) + .seconds(5))
        let worker = worker(world, disk)
        let running = Task { try await worker.run() }
        while world.clock.now() < day(0) + .minutes(5) { await Task.yield() }
        running.cancel()
        try await running.value
        let elapsed = (world.clock.now() - day(0)).milliseconds
        #expect(Int64(disk.writes.next()) <= elapsed / 5_000 + 3, "every five seconds")
    }
}
