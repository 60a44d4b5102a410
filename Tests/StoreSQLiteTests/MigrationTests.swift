import Domain
import SQLite
import Store
import StoreConformance
import StoreSQLite
import Testing

@Suite struct MigrationTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("desk.db") }

    init() throws { folder = try TemporaryFolder() }

    @Test func stepsAreRecordedOnceWithTheirInstant() async throws {
        for seconds in [1, 2] as [Int64] { await (try await SQLiteStore.open(path: path, now: at(seconds))).close() }
        let file = try Connection(path: path, mode: .readOnly)
        let rows = try file.rows("test.migrations", "SELECT number, name, applied_at_ms FROM migrations ORDER BY number") { row in
            [try row.value(0), try row.value(1), try row.value(2)]
        }
        #expect(rows == migrations.map { [.integer(Int64($0.number)), .text($0.name), .integer(at(1).milliseconds)] })
    }

    @Test func aStepThatLandsLateIsMadeUp() async throws {
        await (try await SQLiteStore.open(path: path, now: at(1))).close()
        let (late, isThere): (Int, StaticString) = (5, "SELECT count(*) FROM sqlite_schema WHERE name = 'log_arrivals'")
        do {
            let file = try Connection(path: path, mode: .readWriteCreate)
            try file.executeScript("test.before", "DROP INDEX log_requests; DROP INDEX log_arrivals; DROP INDEX outbox_dead")
            try file.run("test.before", "DELETE FROM migrations WHERE number = ?1", late)
        }
        await (try await SQLiteStore.open(path: path, now: at(2))).close()
        let file = try Connection(path: path, mode: .readOnly)
        #expect(try file.first("test.after", isThere) { try $0.int64(0) } == 1)
        #expect(try file.first("test.after", "SELECT max(applied_at_ms) FROM migrations") { try $0.int64(0) } == at(2).milliseconds)
    }

    /// Usage that the first version summed without time is summed anew from its log.
    @Test func usageOfTheFirstSchemaIsKept() async throws {
        do {
            let file = try Connection(path: path, mode: .readWriteCreate)
            try file.executeScript("test.first", migrations[0].sqlite)
            try file.run("test.migrations", "CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT, applied_at_ms INTEGER)")
            try file.run("test.migrations", "INSERT INTO migrations VALUES (1, 'first', 0)")
            try file.run("test.ledger", "INSERT INTO ledgers (id, app, environment) VALUES (1, 'demo', 'Production')")
            try file.run(
                "test.usage",
                """
                INSERT INTO log (kind, ledger_id, result, source, received_at_ms, body) VALUES
                ('usage', 1, 'accepted', 'owner', 9, CAST('{"at":86400005,"id":"a","meter":"coins","millionths":5,"subject":{"customer":{"ref":"u"}}}' AS BLOB)),
                ('usage', 1, 'accepted', 'owner', 9, CAST('{"at":-1,"id":"b","meter":"coins","millionths":-2,"subject":{"customer":{"ref":"u"}}}' AS BLOB)),
                ('usage', 1, 'accepted', 'owner', 9, CAST('{"at":7,"id":"c","meter":"coins","millionths":3,"subject":{"transaction":{"_0":"1"}}}' AS BLOB))
                """)
        }
        let store = try await SQLiteStore.open(path: path, now: at(0))
        try await store.read { tx throws(StoreError) in
            let customer = UsageFact.Subject.customer(ref: "u")
            let epoch = Timestamp(milliseconds: 0)
            #expect(try tx.usage(of: customer, in: demo) == ["coins": 3])
            #expect(try tx.usage(of: .transaction(TransactionID("1")), in: demo) == ["coins": 3])
            #expect(try tx.usage(of: customer, meter: "coins", in: demo, from: epoch - .milliseconds(1), to: epoch) == -2)
            #expect(try tx.usage(of: customer, meter: "coins", in: demo, from: epoch + .days(1), to: epoch + .days(2)) == 5)
            #expect(
                try tx.usage(of: customer, meter: "coins", in: demo, from: epoch + .milliseconds(86_400_005), to: epoch + .days(2)) == 5)
            #expect(
                try tx.usage(of: customer, meter: "coins", in: demo, from: epoch + .milliseconds(86_400_006), to: epoch + .days(2)) == 0)
        }
        await store.close()
    }

    @Test func aNewerDatabaseIsRefusedAndLeftAlone() async throws {
        await (try await SQLiteStore.open(path: path, now: at(0))).close()
        let file = try Connection(path: path, mode: .readWriteCreate)
        try file.run("test.newer", "INSERT INTO migrations (number, name, applied_at_ms) VALUES (99, 'later', 0)")
        let error = await failure { try await SQLiteStore.open(path: path, now: at(0)) }
        #expect(error?.code == .schema)
        let known = try #require(migrations.last?.number)
        #expect(error?.detail == "desk.db has schema 99, but this version knows schemas up to \(known): run the newer version")
    }

    @Test func anotherProgramsDatabaseIsRefusedAndLeftAlone() async throws {
        let file = try Connection(path: path, mode: .readWriteCreate)
        try file.run("test.table", "CREATE TABLE recipes (id INTEGER PRIMARY KEY)")
        let error = await failure { try await SQLiteStore.open(path: path, now: at(0)) }
        #expect(error?.code == .schema)
        #expect(try file.tables() == ["recipes"])
    }

    @Test func twoProcessesMayOpenANewDatabaseAtOnce() async throws {
        let path = path
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { await (try await SQLiteStore.open(path: path, now: at(0))).close() } }
            try await group.waitForAll()
        }
    }

    @Test func whatIsNoDatabaseIsCorrupt() async throws {
        try folder.write(Array("this is not a database, it is a text of some length".utf8), to: "desk.db")
        let error = await failure { try await SQLiteStore.open(path: path, now: at(0)) }
        #expect(error?.code == .corrupt)
        #expect(error?.detail.contains("restore desk.db from a backup") == true)
    }

    @Test func aMissingFolderIsNamed() async throws {
        let error = await failure { try await SQLiteStore.open(path: folder.file("missing/desk.db"), now: at(0)) }
        #expect(error?.code == .unavailable)
        #expect(error?.detail.contains("missing/desk.db") == true)
    }

    @Test func everyFoldedTableExists() async throws {
        await (try await SQLiteStore.open(path: path, now: at(0))).close()
        let tables = try Connection(path: path, mode: .readOnly).tables()
        #expect(foldedTables.allSatisfy(tables.contains))
    }
}
