import Dispatch
import Domain
import Store
import StoreConformance
import Synchronization
import Testing

@testable import StorePostgres

@Suite(.enabled(if: PostgresServer.url != nil, PostgresServer.missing), .timeLimit(.minutes(1))) struct RepairTests {
    private static let fold: @Sendable (LogEntry, any WriteTransaction) throws(StoreError) -> Void = { entry, tx throws(StoreError) in
        let id = entry.identity ?? ""
        try tx.put(Purchase(.bare(id)), in: entry.ledger)
        // Unlike a purchase this must not happen twice.
        try tx.add(UsageFact(id: id, subject: .customer(ref: "c"), meter: "m", millionths: 1, at: at(0)), in: entry.ledger)
    }

    private static func take(_ identity: String, _ tx: any WriteTransaction) throws(StoreError) {
        var entry = LogEntry.notification(identity)
        guard let sequence = try tx.append(entry) else { return }
        entry.sequence = sequence
        try fold(entry, tx)
    }

    /// A transaction has its number in the log already and commits only after the log was read behind it.
    @Test func whatCommitsDuringARepairUnderAnEarlierNumberIsNotLost() async throws {
        let url = try #require(PostgresServer.url)
        let schema = try TemporarySchema(url)
        let store = try await PostgresStore.open(url: url, schema: schema.name, now: at(0))
        try await store.write { tx throws(StoreError) in try Self.take("first", tx) }
        let isNumbered = Atomic(false)
        let mayCommit = DispatchSemaphore(value: 0)
        async let slow: Void = store.write { tx throws(StoreError) in
            try Self.take("slow", tx)
            isNumbered.store(true, ordering: .releasing)
            mayCommit.wait()
        }
        while !isNumbered.load(ordering: .acquiring) { await Task.yield() }
        try await store.write { tx throws(StoreError) in try Self.take("quick", tx) }
        try schema.execute("UPDATE purchases SET quantity = 77; UPDATE usage_sums SET millionths = 1000")
        let report = try await store.replay(repair: true) { entry, tx throws(StoreError) in
            if entry.identity == "quick" { mayCommit.signal() }
            try Self.fold(entry, tx)
        }
        try await slow
        #expect(report.entries == 2)
        let after = try await store.replay(repair: false, fold: Self.fold)
        #expect(after.entries == 3)
        #expect(after.differences == [])
        await store.close()
    }

    @Test func numbersThatNothingStandsUnderAreRemembered() {
        var folded = FoldedLog()
        for sequence in [1, 2, 5, 6, 9] as [Int64] { folded.note(sequence) }
        #expect(folded.gaps == [3...4, 7...8])
        #expect(folded.last == 9 && folded.entries == 5)
        folded.note(1_000_000)
        folded.forgetOldGaps()
        #expect(folded.gaps == [10...999_999])
    }
}
