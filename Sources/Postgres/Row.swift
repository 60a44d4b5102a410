import CLibpq

/// What one statement returned; freed with its last use.
@safe final class QueryResult {
    let handle: OpaquePointer
    init(_ handle: OpaquePointer) { unsafe self.handle = handle }
    deinit { unsafe PQclear(handle) }

    var status: ExecStatusType { unsafe PQresultStatus(handle) }
    var rowCount: Int32 { unsafe PQntuples(handle) }
    /// How many rows an INSERT, UPDATE or DELETE changed.
    var changedCount: Int { unsafe Int(String(cString: PQcmdTuples(handle))) ?? 0 }
}

/// One row of a result; lent to a closure and gone after it.
///
/// Columns count from 0. A column of another type than asked for, or NULL where none was expected, is an error of code `mismatch`.
@safe package struct Row: ~Copyable {
    private let result: QueryResult
    private let index: Int32
    private let operation: StaticString

    init(_ result: QueryResult, _ index: Int32, _ operation: StaticString) {
        self.result = result
        self.index = index
        self.operation = operation
    }

    package func isNull(_ column: Int) -> Bool { unsafe PQgetisnull(result.handle, index, Int32(column)) == 1 }

    /// An integer of 16, 32 or 64 bits, or a truth value as 0 or 1.
    package func int64(_ column: Int) throws(PostgresError) -> Int64 {
        let type = type(of: column)
        guard type == .int8 || type == .int4 || type == .int2 || type == .bool else { throw mismatch(column, "an integer") }
        let bytes = try bytes(column)
        // Sign first, then the bytes from the greatest on.
        let sign: Int64 = type != .bool && bytes.first.map({ $0 >= 128 }) == true ? -1 : 0
        return bytes.reduce(sign) { $0 << 8 | Int64($1) }
    }

    package func int(_ column: Int) throws(PostgresError) -> Int {
        guard let value = Int(exactly: try int64(column)) else { throw mismatch(column, "an integer in range") }
        return value
    }

    package func int32(_ column: Int) throws(PostgresError) -> Int32 {
        guard let value = Int32(exactly: try int64(column)) else { throw mismatch(column, "an integer of 32 bits") }
        return value
    }

    package func bool(_ column: Int) throws(PostgresError) -> Bool {
        switch try int64(column) {
        case 0: return false
        case 1: return true
        default: throw mismatch(column, "0 or 1")
        }
    }

    package func text(_ column: Int) throws(PostgresError) -> String {
        guard type(of: column) == .text else { throw mismatch(column, "text") }
        guard let text = String(validating: try bytes(column), as: UTF8.self) else { throw mismatch(column, "text in UTF-8") }
        return text
    }

    package func blob(_ column: Int) throws(PostgresError) -> [UInt8] {
        guard type(of: column) == .bytea else { throw mismatch(column, "bytes") }
        return try bytes(column)
    }

    package var columnCount: Int { unsafe Int(PQnfields(result.handle)) }

    /// Whatever the column holds.
    package func value(_ column: Int) throws(PostgresError) -> Value {
        if isNull(column) { return .null }
        return switch type(of: column) {
        case .text: .text(try text(column))
        case .bytea: .bytes(try blob(column))
        default: .integer(try int64(column))
        }
    }

    /// All columns, left to right.
    package func values() throws(PostgresError) -> [Value] {
        var values: [Value] = []
        for column in 0..<columnCount { values.append(try value(column)) }
        return values
    }

    /// The error to throw where a column's value is none that the caller knows.
    ///
    /// - Parameter expected: What was expected, such as `"a product type"`.
    package func mismatch(_ column: Int, _ expected: StaticString) -> PostgresError {
        let name = unsafe PQfname(result.handle, Int32(column)).map { unsafe String(cString: $0) } ?? "\(column)"
        return PostgresError(.mismatch, operation, "column \(name) does not hold \(expected)")
    }

    private enum ColumnType { case int2, int4, int8, bool, text, bytea, other }

    /// By the type's number in PostgreSQL's catalogue, which is fixed.
    private func type(of column: Int) -> ColumnType {
        switch unsafe PQftype(result.handle, Int32(column)) {
        case 16: .bool
        case 17: .bytea
        case 20: .int8
        case 21: .int2
        case 23: .int4
        case 25, 19, 1043: .text
        default: .other
        }
    }

    private func bytes(_ column: Int) throws(PostgresError) -> [UInt8] {
        guard !isNull(column) else { throw mismatch(column, "a value") }
        let count = unsafe Int(PQgetlength(result.handle, index, Int32(column)))
        return unsafe [UInt8](UnsafeRawBufferPointer(start: PQgetvalue(result.handle, index, Int32(column)), count: count))
    }
}

/// The same, with `nil` for NULL.
extension Row {
    package func optionalInt64(_ column: Int) throws(PostgresError) -> Int64? { isNull(column) ? nil : try int64(column) }
    package func optionalInt(_ column: Int) throws(PostgresError) -> Int? { isNull(column) ? nil : try int(column) }
    package func optionalInt32(_ column: Int) throws(PostgresError) -> Int32? { isNull(column) ? nil : try int32(column) }
    package func optionalBool(_ column: Int) throws(PostgresError) -> Bool? { isNull(column) ? nil : try bool(column) }
    package func optionalText(_ column: Int) throws(PostgresError) -> String? { isNull(column) ? nil : try text(column) }
    package func optionalBlob(_ column: Int) throws(PostgresError) -> [UInt8]? { isNull(column) ? nil : try blob(column) }
}
