import Domain
import Ingest
import Store
import Synchronization
import Testing

@testable import Outbox

@Suite struct RetentionKeeperTests {
    private final class Notes: Sendable {
        private let kept = Mutex<[RetentionKeeper.Note]>([])
        func add(_ note: RetentionKeeper.Note) { kept.withLock { $0.append(note) } }
        var all: [RetentionKeeper.Note] { kept.withLock { $0 } }
    }

    private static func keeper(_ world: World, _ retention: Retention, _ notes: Notes) -> RetentionKeeper {
        var app = world.app
        app.retention = retention
        return RetentionKeeper(
            store: world.store, apps: [app], time: world.clock, metrics: world.metrics, report: { notes.add($0) })
    }

    /// Steps until the round ends.
    ///
    /// - Returns: How many steps that were.
    @discardableResult
    private static func goRound(_ keeper: RetentionKeeper, at now: Timestamp, most: Int = 200) async throws -> Int {
        var round = RetentionKeeper.Round()
        for step in 1...most where try await keeper.step(at: now, &round) == now + RetentionKeeper.interval { return step }
        Issue.record("the round does not end")
        return most
    }

    private static func fill(_ world: World, usage count: Int) async throws {
        let (ledger, now) = (world.ledger, day(0))
        try await world.store.write { [app = world.app] tx throws(StoreError) in
            let desk = OwnerDesk(app: app, ledger: ledger, tx: tx, now: now)
            for index in 0..<count {
                _ = try desk.record(
                    UsageFact(id: "\(index)", subject: .customer(ref: "\(index % 7)"), meter: "coins", millionths: 1, at: now))
            }
            for index in 0..<3 {
                try tx.enqueue(OutboxRow(kind: .webhook, ledger: ledger, subject: "\(index)", key: "0", dueAt: now, createdAt: now))
                guard let row = try tx.outboxRow(.webhook, subject: "\(index)", key: "0", in: ledger) else { continue }
                try tx.finish(row.id, state: .done, at: now + .days(Int64(index) * 20))
            }
        }
    }

    @Test func aRoundDoesItAllAndSaysSoOnce() async throws {
        let world = try await World()
        let notes = Notes()
        try await Self.fill(world, usage: 350)
        let keeper = Self.keeper(world, Retention(usage: .days(30), bodies: .days(30)), notes)
        let steps = try await Self.goRound(keeper, at: day(40))
        #expect(steps > 6, "batches are small")
        #expect(notes.all == [.round(.init(bodies: 0, usage: 350, outbox: 1))])
        let counts = Dictionary(world.metrics.snapshot.map { ($0.key.labels.joined(), $0.value) }) { first, _ in first }
        #expect(counts["what=\"usage\""] == 350 && counts["what=\"outbox\""] == 1)
        // What was done is not done again, and not worth a word.
        try await Self.goRound(keeper, at: day(41))
        #expect(notes.all.count == 1)
        try await Self.goRound(keeper, at: day(51))
        #expect(notes.all.last == .round(.init(bodies: 0, usage: 0, outbox: 1)))
        #expect(try await world.store.replay(repair: false, fold: foldLogEntry).differences == [])
    }

    @Test func whoComesAfterAnEndInTheMiddleDoesTheRest() async throws {
        let world = try await World()
        let notes = Notes()
        try await Self.fill(world, usage: 700)
        let retention = Retention(usage: .days(30))
        var (total, steps) = (0, 0)
        while total < 700 {
            steps += 1
            // Each lives for a few steps only.
            let keeper = Self.keeper(world, retention, notes)
            var round = RetentionKeeper.Round()
            for _ in 0..<min(steps, 6) { _ = try await keeper.step(at: day(40), &round) }
            #expect(try await world.store.replay(repair: false, fold: foldLogEntry).differences == [])
            let left = try await world.store.read { [ledger = world.ledger] tx throws(StoreError) in
                try tx.usageEntries(in: ledger, .behind(nil, before: day(99)), limit: .max).count
            }
            #expect(700 - left >= total)
            total = 700 - left
            try #require(steps < 50)
        }
        #expect(total == 700)
    }

    @Test func withoutRetentionOnlyTheOutboxIsPurged() async throws {
        let world = try await World()
        let notes = Notes()
        try await Self.fill(world, usage: 50)
        try await Self.goRound(Self.keeper(world, Retention(), notes), at: day(400))
        #expect(notes.all == [.round(.init(bodies: 0, usage: 0, outbox: 3))])
    }
}
