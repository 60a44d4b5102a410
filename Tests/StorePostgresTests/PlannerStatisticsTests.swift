import Domain
import Postgres
import Store
import StoreConformance
import Testing

@testable import StorePostgres

@Test func statisticsAreDueAtTenTimesAsMany() {
    var schedule = StatisticsSchedule()
    let due = (1...30_000 as ClosedRange<Int64>).filter { schedule.isDue(after: $0) }
    #expect(due == [200, 2_000, 20_000])
    #expect(schedule.isDue(after: 3_000_000) && !schedule.isDue(after: 3_000_001), "those that were passed are not made up for")
}

/// Plans made for empty tables would read all names of a ledger for each name looked up.
@Suite(.enabled(if: PostgresServer.url != nil, PostgresServer.missing), .timeLimit(.minutes(1))) struct PlannerStatisticsTests {
    private static let known: StaticString = """
        SELECT coalesce(max(reltuples), -1)::bigint FROM pg_class WHERE oid = to_regclass('aliases')
        """

    @Test func aNewDatabaseIsLookedAtAfterItsFirstHundredsOfWrites() async throws {
        let url = try #require(PostgresServer.url)
        let schema = try TemporarySchema(url)
        let store = try await PostgresStore.open(url: url, schema: schema.name, now: at(0))
        var target = try Target(url: url)
        target.schema = schema.name
        let connection = try Connection(target)
        func known() throws -> Int64 { try connection.first("test.known", Self.known) { try $0.int64(0) } ?? -1 }
        func take(_ names: ClosedRange<Int>) async throws {
            for name in names {
                try await store.write(touching: []) { tx throws(StoreError) in
                    _ = try tx.append(.notification("\(name)"))
                    _ = try tx.join([Alias(.userID, "\(name)")], in: demo)
                }
            }
        }
        try await take(1...199)
        #expect(try known() <= 0)
        try await take(200...200)
        while try known() < 200 { try await Task.sleep(for: .milliseconds(5)) }
        await store.close()
    }
}
