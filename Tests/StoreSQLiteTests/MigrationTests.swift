import Domain
import SQLite
import Store
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
