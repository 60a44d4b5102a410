import Postgres
import Testing

@Suite(.enabled(if: Server.url != nil, Server.missing)) struct ConnectionTests {
    private static func table(_ connection: Connection) throws {
        try connection.executeScript(
            "test.table",
            "SET client_min_messages = warning; CREATE TEMP TABLE t (id BIGINT PRIMARY KEY, text TEXT, bytes BYTEA, flag BIGINT)")
    }

    private enum SQL {
        static let insert: StaticString = "INSERT INTO t (id, text, bytes, flag) VALUES ($1, $2, $3, $4)"
        static let all: StaticString = "SELECT id, text, bytes, flag FROM t ORDER BY id"
        static let count: StaticString = "SELECT count(*) FROM t"
        static let divide: StaticString = "SELECT 1 / (SELECT count(*) FROM t WHERE id < 0)"
        static let any: StaticString = "SELECT id FROM t WHERE id = ANY ($1) ORDER BY id"
        static let die: StaticString = "SELECT pg_terminate_backend(pg_backend_pid())"
        static let types: StaticString = "SELECT 7::smallint, -8::int, 9::bigint, true, 'x'::text, ''::text, '\\x00ff'::bytea, NULL::bigint"
    }

    @Test func valuesComeBackAsTheyWereBound() throws {
        let connection = try Server.connect()
        try Self.table(connection)
        try connection.run("test.insert", SQL.insert, Int64.min, "é\u{1F600}'; --", [UInt8](0...255), true)
        try connection.run("test.insert", SQL.insert, Int64.max, "", [UInt8](), false)
        try connection.run("test.insert", SQL.insert, 0, String?.none, [UInt8]?.none, Bool?.none)
        let rows = try connection.rows("test.all", SQL.all) { row in
            "\(try row.int64(0)) \(try row.optionalText(1) ?? "-") \(try row.optionalBlob(2)?.count ?? -1) \(try row.optionalBool(3).map { "\($0)" } ?? "-")"
        }
        #expect(rows == ["\(Int64.min) é\u{1F600}'; -- 256 true", "0 - -1 -", "\(Int64.max)  0 false"])
        let chosen = try connection.rows("test.any", SQL.any, Value.integers([0, .max, 5])) { try $0.int64(0) }
        #expect(chosen == [0, .max])
        #expect(try connection.rows("test.any", SQL.any, Value.integers([])) { try $0.int64(0) } == [])
    }

    @Test func aZeroCharacterIsReplaced() throws {
        let connection = try Server.connect()
        try Self.table(connection)
        try connection.run("test.insert", SQL.insert, 1, "a\0b", [UInt8]([0]), true)
        #expect(try connection.first("test.all", SQL.all) { try $0.text(1) } == "a\u{FFFD}b")
    }

    @Test func integersOfAllWidthsAreRead() throws {
        let values = try Server.connect().first("test.types", SQL.types) { row in
            [try row.int(0), try row.int(1), try row.int(2), try row.int(3)].map { "\($0)" } + [try row.text(4), try row.text(5)]
        }
        #expect(values == ["7", "-8", "9", "1", "x", ""])
    }

    @Test(arguments: ["", "?pooling=transaction"]) func whatIsQueuedHasHappenedWhenTheNextQueryReturns(_ parameters: String) throws {
        let connection = try Server.connect(parameters)
        // A temporary table belongs to the session; without a pooler between, that is this connection.
        try Self.table(connection)
        let counts = try connection.transaction("test") {
            for id in 0..<500 { try connection.queue("test.insert", SQL.insert, id, "x", [UInt8](), true) }
            let before = try connection.first("test.count", SQL.count) { try $0.int(0) }
            try connection.queue("test.insert", SQL.insert, 1_000, "x", [UInt8](repeating: 7, count: 200_000), true)
            return before
        }
        #expect(counts == 500)
        #expect(try connection.first("test.count", SQL.count) { try $0.int(0) } == 501)
    }

    @Test func aFailureOfAQueuedStatementUndoesTheTransactionAndTheConnectionGoesOn() throws {
        let connection = try Server.connect()
        try Self.table(connection)
        do {
            try connection.transaction("test") {
                try connection.queue("test.first", SQL.insert, 1, "x", [UInt8](), true)
                try connection.queue("test.second", SQL.insert, 1, "secret", [UInt8](), true)
            }
            Issue.record("two rows of one key")
        } catch let error as PostgresError {
            #expect(error.code == .unique)
            #expect(error.isRetryable)
            #expect("\(error)".hasPrefix("test.second: ") && !"\(error)".contains("secret"))
        }
        #expect(connection.hasFailed && !connection.isLost)
        #expect(try connection.first("test.count", SQL.count) { try $0.int(0) } == 0)
        try connection.transaction("test") { try connection.queue("test.insert", SQL.insert, 1, "x", [UInt8](), true) }
        #expect(try connection.first("test.count", SQL.count) { try $0.int(0) } == 1)
    }

    @Test func aBodyThatThrowsIsUndoneAloneInItsSavepoint() throws {
        struct Refusal: Error {}
        let connection = try Server.connect()
        try Self.table(connection)
        try connection.transaction("test") {
            try connection.savepoint("a") { try connection.queue("test.insert", SQL.insert, 1, "x", [UInt8](), true) }
            do {
                try connection.savepoint("b") {
                    try connection.queue("test.insert", SQL.insert, 2, "x", [UInt8](), true)
                    throw Refusal()
                }
                Issue.record("the body's error is gone")
            } catch is Refusal {}
            try connection.savepoint("c") { try connection.queue("test.insert", SQL.insert, 3, "x", [UInt8](), true) }
        }
        #expect(try connection.rows("test.all", SQL.all) { try $0.int64(0) } == [1, 3])
    }

    @Test func aStatementThatFailsFailsItsTransaction() throws {
        let connection = try Server.connect()
        try Self.table(connection)
        #expect(throws: PostgresError.self) {
            try connection.transaction("test") {
                try connection.savepoint("a") { _ = try connection.first("test.divide", SQL.divide) { try $0.int(0) } }
            }
        }
        #expect(try connection.first("test.count", SQL.count) { try $0.int(0) } == 0)
    }

    @Test func aLostConnectionSaysSoAndIsGoodForNothingMore() throws {
        let connection = try Server.connect()
        do {
            try connection.transaction("test") { _ = try connection.first("test.die", SQL.die) { try $0.bool(0) } }
            Issue.record("the connection survived")
        } catch let error as PostgresError {
            #expect(error.code == .connectionLost)
        }
        #expect(connection.isLost)
        #expect(throws: PostgresError.self) { try connection.first("test.types", SQL.types) { try $0.int(0) } }
    }

    @Test func aCallIsHeard() throws {
        let listener = try Listener(Target(url: Server.url ?? ""), channel: "refund_desk_test")
        let connection = try Server.connect()
        try connection.tell("test.notify", "SELECT pg_notify('refund_desk_test', $1)", "me")
        var heard: [String] = []
        for _ in 0..<50 where heard.isEmpty { heard = try listener.wait(milliseconds: 100) }
        #expect(heard == ["me"])
    }

    @Test func aServerThatIsNotThereIsWorthAnotherTry() throws {
        let target = try Target(url: "postgres://u:secret-word@127.0.0.1:1/desk")
        do {
            _ = try Connection(target)
            Issue.record("connected to nothing")
        } catch {
            #expect(error.code == .connectionLost && error.isRetryable)
            #expect(!"\(error)".contains("secret-word"))
        }
    }
}
