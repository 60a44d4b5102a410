extension Connection {
    /// The names of a table's columns in the order of the schema, and those of its primary key in the order of the key.
    package func columns(of table: String) throws(PostgresError) -> (all: [String], key: [String]) {
        let all = try rows("postgres.columns", Catalogue.columns, table) { try $0.text(0) }
        let key = try rows("postgres.key", Catalogue.key, table) { try $0.text(0) }
        return (all, key)
    }

    /// The tables of the schema in which new ones would be made, in alphabetical order.
    package func tables() throws(PostgresError) -> [String] {
        try rows("postgres.tables", Catalogue.tables) { try $0.text(0) }
    }

    private enum Catalogue {
        static let tables: StaticString = """
            SELECT tablename::text FROM pg_catalog.pg_tables WHERE schemaname = current_schema() ORDER BY 1
            """
        static let columns: StaticString = """
            SELECT attname::text FROM pg_catalog.pg_attribute
            WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped ORDER BY attnum
            """
        static let key: StaticString = """
            SELECT a.attname::text FROM pg_catalog.pg_index i
            CROSS JOIN LATERAL unnest(i.indkey::smallint[]) WITH ORDINALITY AS k (number, place)
            JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number
            WHERE i.indrelid = to_regclass($1) AND i.indisprimary ORDER BY k.place
            """
    }
}

/// Reads a table row by row, ordered by the chosen columns from left to right, in pages: two databases can be compared in step. Lives inside
/// one transaction.
package struct TableCursor: ~Copyable {
    private static let pageSize = 1_000

    private let connection: Connection
    private let fetch: String
    private var page: [[Value]] = []
    private var next = 0
    private var isAtEnd = false

    /// - Parameters:
    ///   - source: A table's name, or a query in parentheses with a name; a literal of the program's own.
    ///   - columns: At least one.
    ///   - name: Unlike any other open cursor's of this connection.
    package init(_ source: String, columns: [String], ordered: Int, name: String, on connection: Connection) throws(PostgresError) {
        let names = columns.map { "\"\($0)\"" }
        let order = names.prefix(ordered).joined(separator: ", ")
        self.connection = connection
        fetch = "FETCH \(TableCursor.pageSize) FROM \"\(name)\""
        _ = try connection.dynamicRows(
            "postgres.cursor",
            "DECLARE \"\(name)\" NO SCROLL CURSOR FOR SELECT \(names.joined(separator: ", ")) FROM \(source) ORDER BY \(order)")
    }

    /// The next row, or `nil` after the last.
    package mutating func nextRow() throws(PostgresError) -> [Value]? {
        if next == page.count, !isAtEnd {
            page = try connection.dynamicRows("postgres.cursor", fetch)
            next = 0
            isAtEnd = page.count < TableCursor.pageSize
        }
        guard next < page.count else { return nil }
        next += 1
        return page[next - 1]
    }
}
