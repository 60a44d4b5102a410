import Domain
import Postgres
import Store
import StoreConformance
import Testing

@testable import StorePostgres

@Test(
    arguments: [
        (1_793_491_200_000, "log_bodies_2026_11"), (1_793_491_199_999, "log_bodies_2026_10"), (0, "log_bodies_1970_01"),
        (1_709_251_199_999, "log_bodies_2024_02"), (-1, "log_bodies_1969_12"), (-62_135_596_800_001, "log_bodies_0000_12"),
    ] as [(Int64, String)])
func anInstantHasItsMonth(_ instant: Int64, _ name: String) {
    let month = BodyMonth(of: Timestamp(milliseconds: instant))
    #expect(month.name == name)
    #expect(month.start.milliseconds <= instant && instant < month.end.milliseconds)
    #expect(month == BodyMonth(name: name))
    #expect(BodyMonth(of: month.end) == month.next && month.next.start == month.end)
}

@Test(arguments: ["log_bodies_rest", "log_bodies_2026", "log_bodies_2026_13", "log_bodies_2026_01_01", "log_2026_01"])
func otherTablesAreNoMonths(_ name: String) { #expect(BodyMonth(name: name) == nil) }

@Suite(.enabled(if: PostgresServer.url != nil, PostgresServer.missing), .timeLimit(.minutes(1))) struct MonthTests {
    private let url: String
    private let schema: TemporarySchema
    /// 2026-11-14.
    private let now = Timestamp(milliseconds: 1_794_614_400_000)

    init() throws {
        url = try #require(PostgresServer.url)
        schema = try TemporarySchema(url)
    }

    private func use(at now: Timestamp, _ body: (PostgresStore) async throws -> Void) async throws {
        let store = try await PostgresStore.open(url: url, schema: schema.name, now: now)
        try await body(store)
        await store.close()
    }

    /// What a part of the table holds.
    private func identities(in part: String) throws -> [String] {
        var target = try Target(url: url)
        target.schema = schema.name
        let connection = try Connection(target)
        return try connection.rows("test.part", Self.inPart, part) { try $0.text(0) }
    }

    private static let inPart: StaticString = """
        SELECT identity FROM log JOIN log_bodies b USING (sequence) JOIN pg_class c ON c.oid = b.tableoid WHERE c.relname = $1 ORDER BY 1
        """

    private func parts() throws -> Set<String> {
        var target = try Target(url: url)
        target.schema = schema.name
        return Set(try Connection(target).tables().filter { $0.hasPrefix("log_bodies_") })
    }

    private func take(_ identity: String, at instant: Timestamp, in store: PostgresStore) async throws -> Int64? {
        try await store.write { tx throws(StoreError) in
            var entry = LogEntry.notification(identity)
            entry.receivedAt = instant
            return try tx.append(entry)
        }
    }

    private func bodies(_ store: PostgresStore) async throws -> [String] {
        try await store.read { tx throws(StoreError) in
            try tx.logEntries(after: 0, limit: 100).map { String(decoding: $0.body, as: UTF8.self) }
        }
    }

    @Test func bodiesStandInTheMonthOfTheirArrival() async throws {
        try await use(at: now) { store in
            _ = try await take("a", at: now, in: store)
            _ = try await take("b", at: now + .days(17), in: store)
            _ = try await take("lost-clock", at: at(5), in: store)
            // One identity, whatever the month.
            #expect(try await take("a", at: now + .days(40), in: store) == nil)
            #expect(try identities(in: "log_bodies_2026_11") == ["a"])
            #expect(try identities(in: "log_bodies_2026_12") == ["b"])
            #expect(try identities(in: "log_bodies_rest") == ["lost-clock"])
            #expect(try await bodies(store) == ["a", "b", "lost-clock"])
        }
    }

    /// The desk was away for a year and took messages before anyone made months.
    @Test func whatStoodInTheRestMovesToItsMonth() async throws {
        try await use(at: now) { store in
            let later = now + .days(400)
            for index in 0..<3 { _ = try await take("\(index)", at: later, in: store) }
            #expect(try identities(in: "log_bodies_rest") == ["0", "1", "2"])
            #expect(try await store.tidy(at: later).contains("log_bodies_2027_12 made"))
            #expect(try identities(in: "log_bodies_rest") == [])
            #expect(try identities(in: "log_bodies_2027_12") == ["0", "1", "2"])
            #expect(try await bodies(store) == ["0", "1", "2"])
            #expect(try await store.tidy(at: later).allSatisfy { !$0.hasSuffix("made") })
        }
    }

    @Test func aMonthGoesOnceItIsOverAndEmpty() async throws {
        try await use(at: now) { store in
            let sequence = try #require(try await take("a", at: now, in: store))
            _ = try await take("b", at: now + .days(20), in: store)
            #expect(try await store.tidy(at: now + .days(70)).contains { $0.contains("2026_11 dropped") } == false)
            try await store.write { tx throws(StoreError) in
                guard var entry = try tx.logEntry(sequence: sequence) else { return }
                entry.body = [7]
                try tx.rewrite(entry)
            }
            #expect(try identities(in: "log_bodies_2026_11") == [])
            // The next month is there yet, and this one until it is surely over.
            #expect(try await store.tidy(at: BodyMonth(of: now).end + .days(1)).contains { $0.contains("dropped") } == false)
            #expect(try await store.tidy(at: BodyMonth(of: now).end + .days(3)).contains { $0.contains("2026_11 dropped") })
            #expect(try parts().contains("log_bodies_2026_11") == false)
            let kept = try await store.read { tx throws(StoreError) in try tx.logEntry(identity: "a") }
            #expect(kept?.body == [7])
            #expect(try await take("a", at: now, in: store) == nil)
            #expect(try await take("late", at: now, in: store) != nil)
            #expect(try identities(in: "log_bodies_rest") == ["late"])
        }
    }

    /// A long reading holds its lock on every month: then the months are made another time, and nobody waits for long.
    @Test func aLongReadingIsNotWaitedFor() async throws {
        try await use(at: now) { store in
            var target = try Target(url: url)
            target.schema = schema.name
            let reader = try Connection(target)
            try reader.executeScript("test.hold", "BEGIN; SELECT count(*) FROM log_bodies")
            let error = await failure { try await store.tidy(at: now + .days(400)) }
            #expect(error?.isRetryable == true)
            #expect(try await take("meanwhile", at: now + .days(400), in: store) != nil)
            try reader.executeScript("test.hold", "ROLLBACK")
            #expect(try await store.tidy(at: now + .days(400)).count >= 3)
            #expect(try identities(in: "log_bodies_2027_12") == ["meanwhile"])
        }
    }

    @Test func severalThatStartAtOnceMakeTheMonthsOnce() async throws {
        try await use(at: now) { _ in }
        let later = now + .days(400)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<5 { group.addTask { try await use(at: later) { _ in } } }
            try await group.waitForAll()
        }
        #expect(try parts().isSuperset(of: ["log_bodies_2027_12", "log_bodies_2028_01", "log_bodies_2028_02"]))
    }

    /// What an older version wrote beside this one stands in the log itself.
    @Test func bodiesInTheLogAreReadToo() async throws {
        try await use(at: now) { store in
            let sequence = try #require(try await take("old", at: now, in: store))
            try schema.execute("UPDATE log SET body = 'from before'; DELETE FROM log_bodies")
            let entry = try await store.read { tx throws(StoreError) in try tx.logEntry(sequence: sequence) }
            #expect(entry?.body == Array("from before".utf8))
        }
    }
}
