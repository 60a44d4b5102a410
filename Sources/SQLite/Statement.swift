import CSQLite

/// One prepared statement; finalized when released.
@safe final class Statement {
    let handle: OpaquePointer

    /// - Parameters:
    ///   - sql: One statement in UTF-8. A second one breaks the caller's contract and traps.
    ///   - isCached: Whether it will be used many times.
    init(
        _ operation: StaticString, _ sql: UnsafeBufferPointer<UInt8>, on database: OpaquePointer, isCached: Bool
    ) throws(SQLiteError) {
        var prepared: OpaquePointer?
        var tail: UnsafePointer<CChar>?
        let flags = isCached ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
        let result = unsafe sql.withMemoryRebound(to: CChar.self) { text in
            unsafe sqlite3_prepare_v3(database, text.baseAddress, Int32(text.count), flags, &prepared, &tail)
        }
        guard result == SQLITE_OK else { throw unsafe SQLiteError(result, operation, on: database) }
        guard let handle = unsafe prepared else { preconditionFailure("\(operation): the SQL is empty") }
        unsafe self.handle = handle
        let end = UInt(bitPattern: tail) - UInt(bitPattern: sql.baseAddress)
        let isWhole = unsafe sql[Int(end)...].allSatisfy { [UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: ";")].contains($0) }
        precondition(isWhole, "\(operation): the SQL holds more than one statement")
    }

    deinit {
        unsafe sqlite3_finalize(handle)  // Repeats the last step's error, which was thrown then.
    }

    /// Whether it is being stepped, so that a call from within must not disturb it.
    var isRunning: Bool { unsafe sqlite3_stmt_busy(handle) != 0 }

    /// Binds all parameters. SQLite copies text and blobs, so nothing must outlive the call.
    func bind(_ operation: StaticString, _ values: [any Bindable]) throws(SQLiteError) {
        let expected = unsafe Int(sqlite3_bind_parameter_count(handle))
        precondition(values.count == expected, "\(operation): \(expected) parameters, but \(values.count) values")
        for (offset, value) in values.enumerated() {
            let result = bind(value.sqliteValue, at: Int32(offset + 1))
            guard result == SQLITE_OK else {
                reset()
                throw failure(result, operation)
            }
        }
    }

    private func bind(_ value: Value, at index: Int32) -> Int32 {
        switch value {
        case .null:
            return unsafe sqlite3_bind_null(handle, index)
        case .integer(let integer):
            return unsafe sqlite3_bind_int64(handle, index, integer)
        case .real(let real):
            return unsafe sqlite3_bind_double(handle, index, real)
        case .text(var text):
            return text.withUTF8 { unsafe csqlite_bind_text(handle, index, $0.baseAddress, UInt64($0.count)) }
        case .blob(let bytes):
            return unsafe bytes.withUnsafeBufferPointer { unsafe csqlite_bind_blob(handle, index, $0.baseAddress, UInt64($0.count)) }
        }
    }

    /// Moves to the next row.
    ///
    /// - Returns: Whether there is one.
    func step(_ operation: StaticString) throws(SQLiteError) -> Bool {
        let result = unsafe sqlite3_step(handle)
        switch result {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw failure(result, operation)
        }
    }

    /// Ends a successful use. A change left before its last row is committed only here, so this too may fail.
    func finish(_ operation: StaticString) throws(SQLiteError) {
        let result = unsafe sqlite3_reset(handle)
        guard result == SQLITE_OK else { throw failure(result, operation) }
        unsafe sqlite3_clear_bindings(handle)
    }

    /// Ends a use that has failed already.
    func reset() {
        unsafe sqlite3_reset(handle)
        unsafe sqlite3_clear_bindings(handle)
    }

    private func failure(_ result: Int32, _ operation: StaticString) -> SQLiteError {
        unsafe SQLiteError(result, operation, on: sqlite3_db_handle(handle))
    }
}
