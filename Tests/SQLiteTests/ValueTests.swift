import SQLite
import Testing

@Suite struct ValueTests {
    @Test(
        arguments: [
            .null, .integer(0), .integer(.min), .integer(.max), .integer(-1), .real(0.1), .real(-.greatestFiniteMagnitude),
            .real(.infinity), .text(""), .text("a\0b"), .text("naïve 日本 👩‍👩‍👧"), .text(String(repeating: "long ", count: 10_000)), .blob([]),
            .blob([0, 255, 0]), .blob([UInt8](repeating: 7, count: 100_000)),
        ] as [Value])
    func everyValueComesBackAsItWas(_ value: Value) throws {
        let connection = try Connection(path: ":memory:", mode: .readWriteCreate)
        try connection.executeScript("test.schema", "CREATE TABLE kept (value ANY) STRICT")
        try connection.run("test.insert", "INSERT INTO kept VALUES (?1)", value)
        let read = try connection.first("test.read", "SELECT value FROM kept") { try $0.value(0) }
        #expect(read == value)
    }

    @Test func typedColumns() throws {
        let connection = try Connection(path: ":memory:", mode: .readWriteCreate)
        try connection.first(
            "test.typed", "SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8", Int64.min, Int.max, Int32.min, true, 1.5, "text", [UInt8](), Int64?.none
        ) { row throws in
            #expect(try row.int64(0) == .min)
            #expect(try row.int(1) == .max)
            #expect(try row.int32(2) == .min)
            #expect(try row.bool(3))
            #expect(try row.double(4) == 1.5)
            #expect(try row.text(5) == "text")
            #expect(try row.blob(6) == [])
            #expect(row.isNull(7) && !row.isNull(6))
            #expect(try row.optionalInt64(0) == .min)
            #expect(try row.optionalInt(7) == nil)
            #expect(try row.optionalInt32(7) == nil)
            #expect(try row.optionalBool(3) == true)
            #expect(try row.optionalDouble(7) == nil)
            #expect(try row.optionalText(5) == "text")
            #expect(try row.optionalBlob(6) == [])
        }
    }

    @Test func anotherTypeIsAnErrorThatNamesTheColumn() throws {
        let connection = try Connection(path: ":memory:", mode: .readWriteCreate)
        let error = failure {
            _ = try connection.first("test.read", "SELECT 'secret' AS due_at_ms") { try $0.int64(0) }
        }
        #expect(error?.code == .mismatch)
        #expect(error?.message == "column due_at_ms does not hold an integer")
    }

    @Test(arguments: ["SELECT NULL", "SELECT 2", "SELECT 3000000000", "SELECT CAST(x'ff' AS TEXT)", "SELECT 1.5"] as [StaticStringCase])
    func unreadableColumns(_ sql: StaticStringCase) throws {
        let connection = try Connection(path: ":memory:", mode: .readWriteCreate)
        let error = failure {
            _ = try connection.first("test.read", sql.sql) { row in
                if failure({ try row.text(0) }) == nil { return }
                if failure({ try row.bool(0) }) == nil { return }
                if failure({ try row.blob(0) }) == nil { return }
                _ = try row.int32(5)  // No such column.
            }
        }
        #expect(error?.code == .mismatch)
    }
}

struct StaticStringCase: ExpressibleByStringLiteral, Sendable {
    let sql: StaticString
    init(stringLiteral sql: StaticString) { self.sql = sql }
}
