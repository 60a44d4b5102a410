import Domain
import Postgres
import Store

private enum SQL {
    static let isUsed: StaticString = """
        SELECT EXISTS (SELECT 1 FROM log) OR EXISTS (SELECT 1 FROM tokens) OR EXISTS (SELECT 1 FROM outbox)
            OR EXISTS (SELECT 1 FROM ledgers)
        """
    static let noLimit: StaticString = """
        SELECT set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true),
            set_config('idle_in_transaction_session_timeout', '0', true)
        """
    // Numbers go on after the greatest that came along.
    static let renumber: StaticString = """
        DO $$
        DECLARE place record; greatest bigint;
        BEGIN
            FOR place IN SELECT table_name, column_name FROM information_schema.columns
                WHERE table_schema = current_schema() AND is_identity = 'YES'
            LOOP
                EXECUTE format('SELECT coalesce(max(%I), 0) + 1 FROM %I', place.column_name, place.table_name) INTO greatest;
                PERFORM setval(pg_get_serial_sequence(quote_ident(place.table_name), place.column_name), greatest, false);
            END LOOP;
        END $$
        """
}

/// An empty desk's database that takes in all rows of another one, in one transaction.
package final class PostgresSink: DatabaseSink {
    private let session: PostgresSession
    private let advance: @Sendable (Int) -> Void

    private init(_ session: PostgresSession, _ advance: @escaping @Sendable (Int) -> Void) {
        self.session = session
        self.advance = advance
    }

    /// Lends a sink and commits what it took.
    ///
    /// - Parameter advance: Told of rows that came in.
    /// - Throws: `schema` where the database holds anything already; whatever `body` throws, and then nothing was taken.
    package static func fill(
        url: String, advance: @escaping @Sendable (Int) -> Void, _ body: (PostgresSink) throws(StoreError) -> Void
    ) throws(StoreError) {
        let target: Target
        do { target = try Target(url: url) } catch { throw StoreError(error, database: "the database") }
        let session = PostgresSession(target)
        try session.ownTransaction("copy.write") {
            try session.postgres { try $0.queue("copy.limit", SQL.noLimit) }
            guard try session.postgres({ try $0.first("copy.isUsed", SQL.isUsed) { try $0.bool(0) } }) == false else {
                throw StoreError(
                    code: .schema, operation: "copy.check", detail: "\(session.database) is in use: copy into an empty database")
            }
            try body(PostgresSink(session, advance))
            try session.postgres { try $0.run("copy.renumber", SQL.renumber) }
            try session.analyze()
        }
    }

    package func put(_ rows: [[StoredValue]], into table: String, columns: [String]) throws(StoreError) {
        try session.postgres { connection in
            try connection.copyIn(table, columns: columns) { try $0.put(rows.map { $0.map(Value.init) }) }
        }
        advance(rows.count)
    }
}

extension Value {
    fileprivate init(_ value: StoredValue) {
        self =
            switch value {
            case .null: .null
            case .integer(let number): .integer(number)
            case .text(let text): .text(text)
            case .blob(let bytes): .bytes(bytes)
            }
    }
}
