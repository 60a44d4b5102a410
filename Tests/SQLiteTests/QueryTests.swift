import SQLite
import Testing

@Suite struct QueryTests {
    @Test func runTellsChangesAndRowID() throws {
        let connection = try itemDatabase()
        try connection.insert("a")
        try connection.insert("b")
        #expect(connection.lastInsertedRowID == 2)
        #expect(try connection.run("test.rename", "UPDATE item SET name = name || ?1", "!") == 2)
        #expect(try connection.names() == ["a!", "b!"])
    }

    @Test func firstOfNoRowsIsNil() throws {
        let connection = try itemDatabase()
        #expect(try connection.first("test.first", "SELECT id FROM item") { try $0.int64(0) } == nil)
    }

    @Test func firstKeepsEveryChangeOfReturning() throws {
        let connection = try itemDatabase()
        let sql: StaticString = "INSERT INTO item (name) VALUES ('a'), ('b') RETURNING id"
        #expect(try connection.first("test.insert", sql) { try $0.int64(0) } == 1)
        #expect(try connection.names() == ["a", "b"])
    }

    @Test func aQueryMayRunItselfFromWithin() throws {
        let connection = try itemDatabase()
        try connection.insert("a")
        try connection.insert("b")
        func pairs(_ depth: Int) throws(SQLiteError) -> [String] {
            try connection.rows("test.pairs", "SELECT name FROM item ORDER BY id") { row in
                depth == 0 ? try row.text(0) : try row.text(0) + pairs(depth - 1).joined()
            }
        }
        #expect(try pairs(1) == ["aab", "bab"])
        #expect(try pairs(1) == ["aab", "bab"])
    }

    @Test func anErrorInTheMapEndsTheQueryCleanly() throws {
        let connection = try itemDatabase()
        for name in ["a", "b", "c"] { try connection.insert(name) }
        var seen = 0
        let error = failure {
            _ = try connection.rows("test.each", "SELECT name FROM item") { row in
                seen += 1
                if seen == 2 { throw row.mismatch(0, "a product type") }
            }
        }
        #expect(error?.message == "column name does not hold a product type")
        #expect(seen == 2)
        try connection.executeScript("test.drop", "DROP TABLE item")  // Refused while a statement is running.
    }

    @Test func aForeignErrorInTheMapIsKeptAsTheCause() throws {
        let connection = try Connection(path: ":memory:", mode: .readWriteCreate)
        let error = failure { try connection.first("test.read", "SELECT 1") { _ in throw Unknown() } }
        #expect(error?.code == .mismatch && error?.cause is Unknown)
    }

    @Test func constraintErrorsKeepValuesOut() throws {
        let connection = try itemDatabase()
        try connection.insert("customer-secret")
        let unique = failure { try connection.insert("customer-secret") }
        #expect(unique?.code == .constraint && unique?.isUniqueViolation == true && unique?.isRetryable == false)
        #expect(unique.map { "\($0)" } == "test.insert: UNIQUE constraint failed: item.name (SQLite code 2067)")
        let key = failure { try connection.run("test.key", "INSERT INTO item VALUES (1, 'b')") }
        #expect(key?.isUniqueViolation == true)
        let null = failure {
            try connection.run("test.null", "INSERT INTO item (name) VALUES (?1)", String?.none)
        }
        #expect(null?.code == .constraint && null?.isUniqueViolation == false)
    }

    @Test func foreignKeysAreEnforced() throws {
        let connection = try itemDatabase()
        try connection.executeScript("test.schema", "CREATE TABLE part (item_id INTEGER NOT NULL REFERENCES item(id)) STRICT")
        let error = failure { try connection.run("test.part", "INSERT INTO part VALUES (9)") }
        #expect(error?.code == .constraint)
    }

    @Test func doubleQuotesAreNeverAString() throws {
        let connection = try itemDatabase()
        let error = failure { try connection.run("test.quotes", #"SELECT * FROM item WHERE name = "typo""#) }
        #expect(error?.message == "no such column: typo")
    }

    @Test func aFullDatabaseSaysSo() throws {
        let connection = try itemDatabase()
        try connection.run("test.limit", "PRAGMA max_page_count = 8")
        let error = failure { try connection.insert(String(repeating: "x", count: 100_000)) }
        #expect(error?.code == .full && error?.isRetryable == true)
        try connection.insert("small")
        #expect(try connection.names() == ["small"])
    }
}

private struct Unknown: Error {}
