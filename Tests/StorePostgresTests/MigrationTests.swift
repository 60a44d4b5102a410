import Domain
import Postgres
import Store
import StoreConformance
import Testing

@testable import StorePostgres

@Suite(.enabled(if: PostgresServer.url != nil, PostgresServer.missing)) struct MigrationTests {
    private let url: String
    private let schema: TemporarySchema

    init() throws {
        url = try #require(PostgresServer.url)
        schema = try TemporarySchema(url)
    }

    private func open() async throws -> PostgresStore { try await PostgresStore.open(url: url, schema: schema.name, now: at(0)) }

    @Test func severalThatStartAtOnceMakeOneSchema() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<5 {
                group.addTask {
                    let store = try await open()
                    try await store.write { tx throws(StoreError) in _ = try tx.append(.notification("uuid-\(index)")) }
                    await store.close()
                }
            }
            try await group.waitForAll()
        }
        let store = try await open()
        let page = try await store.read { tx throws(StoreError) in try tx.logEntries(LogQuery(app: demo.app, environment: nil)) }
        #expect(page.items.count == 5)
        await store.close()
    }

    @Test func aNewerSchemaIsRefused() async throws {
        await (try open()).close()
        try schema.execute("INSERT INTO migrations VALUES (9000, 'of the future', 0)")
        let error = await failure { try await open() }
        let known = migrations.map(\.number).max() ?? 0
        #expect(error?.code == .schema)
        #expect(error?.detail.hasSuffix("has schema 9000, but this version knows schemas up to \(known): run the newer version") == true)
    }

    @Test func anotherProgramsTablesAreLeftAlone() async throws {
        try schema.execute("CREATE TABLE theirs (id BIGINT)")
        let error = await failure { try await open() }
        #expect(error?.code == .schema)
        #expect(error?.detail.contains("belongs to another program") == true)
    }

    @Test func aStepThatLandsLaterIsAppliedToo() async throws {
        await (try open()).close()
        try schema.execute("DELETE FROM migrations WHERE number = 5; DROP INDEX log_requests, log_arrivals, outbox_dead")
        await (try open()).close()
        try schema.execute("DROP INDEX log_requests, log_arrivals, outbox_dead")
    }

    @Test func textIsInTheOrderOfItsBytes() async throws {
        let store = try await open()
        try await store.write { tx throws(StoreError) in
            for id in ["b", "B", "a", "A", "é", "_"] { try tx.put(Purchase(.bare(id, original: "chain")), in: demo) }
        }
        let ids = try await store.read { tx throws(StoreError) in
            try tx.purchases(original: TransactionID("chain"), in: demo).map(\.transaction.transactionID.rawValue)
        }
        #expect(ids == ["A", "B", "_", "a", "b", "é"])
        await store.close()
    }
}
