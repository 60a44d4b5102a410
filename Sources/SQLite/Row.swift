import CSQLite

/// The row a statement stands on; lent to a closure and gone after it.
///
/// Columns count from 0. A column of another type than asked for, or NULL where none was expected, is an error of code `mismatch`.
@safe package struct Row: ~Copyable {
    private let handle: OpaquePointer
    private let operation: StaticString

    init(of statement: Statement, _ operation: StaticString) {
        unsafe handle = statement.handle
        self.operation = operation
    }

    package func isNull(_ column: Int) -> Bool { type(of: column) == SQLITE_NULL }

    package func int64(_ column: Int) throws(SQLiteError) -> Int64 {
        guard type(of: column) == SQLITE_INTEGER else { throw mismatch(column, "an integer") }
        return unsafe sqlite3_column_int64(handle, Int32(column))
    }

    package func int(_ column: Int) throws(SQLiteError) -> Int {
        guard let value = Int(exactly: try int64(column)) else { throw mismatch(column, "an integer in range") }
        return value
    }

    package func int32(_ column: Int) throws(SQLiteError) -> Int32 {
        guard let value = Int32(exactly: try int64(column)) else { throw mismatch(column, "an integer of 32 bits") }
        return value
    }

    package func bool(_ column: Int) throws(SQLiteError) -> Bool {
        switch try int64(column) {
        case 0: return false
        case 1: return true
        default: throw mismatch(column, "0 or 1")
        }
    }

    /// A real number, or an integer, which SQLite may give for a computed column.
    package func double(_ column: Int) throws(SQLiteError) -> Double {
        guard [SQLITE_FLOAT, SQLITE_INTEGER].contains(type(of: column)) else { throw mismatch(column, "a number") }
        return unsafe sqlite3_column_double(handle, Int32(column))
    }

    package func text(_ column: Int) throws(SQLiteError) -> String {
        guard type(of: column) == SQLITE_TEXT else { throw mismatch(column, "text") }
        let start = unsafe sqlite3_column_text(handle, Int32(column))
        let bytes = unsafe UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, Int32(column))))
        guard let text = unsafe String(validating: bytes, as: UTF8.self) else { throw mismatch(column, "text in UTF-8") }
        return text
    }

    package func blob(_ column: Int) throws(SQLiteError) -> [UInt8] {
        guard type(of: column) == SQLITE_BLOB else { throw mismatch(column, "a blob") }
        let start = unsafe sqlite3_column_blob(handle, Int32(column))  // Null if empty.
        return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, Int32(column)))))
    }

    package func value(_ column: Int) throws(SQLiteError) -> Value {
        switch type(of: column) {
        case SQLITE_INTEGER: .integer(try int64(column))
        case SQLITE_FLOAT: .real(try double(column))
        case SQLITE_TEXT: .text(try text(column))
        case SQLITE_BLOB: .blob(try blob(column))
        default: .null
        }
    }

    /// All columns, left to right.
    package func values() throws(SQLiteError) -> [Value] {
        var values: [Value] = []
        for column in 0..<(unsafe Int(sqlite3_data_count(handle))) { values.append(try value(column)) }
        return values
    }

    /// The error to throw where a column's value is none that the caller knows.
    ///
    /// - Parameter expected: What was expected, such as `"a product type"`.
    package func mismatch(_ column: Int, _ expected: StaticString) -> SQLiteError {
        let name = unsafe sqlite3_column_name(handle, Int32(column)).map { unsafe String(cString: $0) } ?? "\(column)"
        return SQLiteError(.mismatch, operation, "column \(name) does not hold \(expected)")
    }

    private func type(of column: Int) -> Int32 { unsafe sqlite3_column_type(handle, Int32(column)) }
}

/// The same, with `nil` for NULL.
extension Row {
    package func optionalInt64(_ column: Int) throws(SQLiteError) -> Int64? { isNull(column) ? nil : try int64(column) }
    package func optionalInt(_ column: Int) throws(SQLiteError) -> Int? { isNull(column) ? nil : try int(column) }
    package func optionalInt32(_ column: Int) throws(SQLiteError) -> Int32? { isNull(column) ? nil : try int32(column) }
    package func optionalBool(_ column: Int) throws(SQLiteError) -> Bool? { isNull(column) ? nil : try bool(column) }
    package func optionalDouble(_ column: Int) throws(SQLiteError) -> Double? { isNull(column) ? nil : try double(column) }
    package func optionalText(_ column: Int) throws(SQLiteError) -> String? { isNull(column) ? nil : try text(column) }
    package func optionalBlob(_ column: Int) throws(SQLiteError) -> [UInt8]? { isNull(column) ? nil : try blob(column) }
}
