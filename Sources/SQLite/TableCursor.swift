extension Connection {
    /// The names of all tables but SQLite's own, in alphabetical order.
    package func tables() throws(SQLiteError) -> [String] {
        try rows(
            "sqlite.tables", "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*' ORDER BY name"
        ) { try $0.text(0) }
    }

    /// How many rows a table has.
    package func rowCount(of table: String) throws(SQLiteError) -> Int64 {
        let sql = [UInt8]("SELECT count(*) FROM \(TableCursor.quoted(table))".utf8)
        let statement = unsafe try sql.withUnsafeBufferPointer { text throws(SQLiteError) in
            unsafe try Statement("sqlite.rowCount", text, on: handle, isCached: false)
        }
        return try statement.step("sqlite.rowCount") ? Row(of: statement, "sqlite.rowCount").int64(0) : 0
    }

    /// The names of a table's columns, in the order of the schema; empty if there is no such table.
    package func columns(of table: String) throws(SQLiteError) -> [String] {
        try rows("sqlite.columns", "SELECT name FROM pragma_table_info(?1) ORDER BY cid", table) { try $0.text(0) }
    }
}

/// Reads a table row by row, ordered by the chosen columns from left to right; two databases can be compared in step.
package struct TableCursor: ~Copyable {
    private let connection: Connection  // Kept open for as long as the statement.
    private let statement: Statement
    private var isAtEnd = false

    /// - Parameter columns: At least one.
    /// - Throws: `other` if there is no such table or column.
    package init(_ table: String, columns: [String], on connection: Connection) throws(SQLiteError) {
        let names = columns.map(TableCursor.quoted).joined(separator: ", ")
        let sql = [UInt8]("SELECT \(names) FROM \(TableCursor.quoted(table)) ORDER BY \(names)".utf8)
        self.connection = connection
        statement = unsafe try sql.withUnsafeBufferPointer { text throws(SQLiteError) in
            unsafe try Statement("sqlite.tableCursor", text, on: connection.handle, isCached: false)
        }
    }

    /// The next row, or `nil` after the last.
    package mutating func next() throws(SQLiteError) -> [Value]? {
        guard !isAtEnd, try statement.step("sqlite.tableCursor") else {
            isAtEnd = true
            return nil
        }
        return try Row(of: statement, "sqlite.tableCursor").values()
    }

    fileprivate static func quoted(_ name: String) -> String {
        "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}
