import CSQLite

/// An open database.
///
/// It takes no lock of its own: one actor or thread owns it. Foreign keys are enforced; `"name"` is never taken for a string.
/// It closes when released; the statements it keeps are finalized before.
@safe package final class Connection {
    package enum Mode: Sendable {
        case readOnly
        /// Creates the file if it is missing, readable by its owner alone. SQLite gives its companions (`-wal`, `-shm`) the same mode.
        case readWriteCreate
    }

    let handle: OpaquePointer
    /// Prepared statements by the address of their SQL, which a `StaticString` keeps for good.
    private var statements: [UInt: Statement] = [:]
    /// Whether `transaction` is running.
    var isInTransaction = false

    /// Opens a database file and reads its header.
    ///
    /// - Parameters:
    ///   - path: The file, in a folder that exists; `":memory:"` for a database that vanishes on closing.
    ///   - busyTimeout: How long a call waits for another connection's lock.
    /// - Throws: `cannotOpen`, `corrupt` if the file is no database, or `busy`.
    package init(path: String, mode: Mode, busyTimeout: Duration = .seconds(5)) throws(SQLiteError) {
        if mode == .readWriteCreate, path != ":memory:" {
            _ = PrivateFile.create(path)  // Where it fails, opening fails too and says why.
        }
        unsafe handle = try Connection.open(path, mode)
        do throws(SQLiteError) {
            try configure(busyTimeout)
            _ = try first("sqlite.open", "PRAGMA schema_version") { try $0.int64(0) }
        } catch {
            throw error.about(path)
        }
    }

    deinit {
        statements.removeAll()
        unsafe sqlite3_close_v2(handle)
    }

    private static func open(_ path: String, _ mode: Mode) throws(SQLiteError) -> OpaquePointer {
        let access = mode == .readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
        var opened: OpaquePointer?
        let result = unsafe sqlite3_open_v2(path, &opened, access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        if result == SQLITE_OK, let handle = unsafe opened { return unsafe handle }
        var error = unsafe SQLiteError(result, "sqlite.open", on: opened)
        let reason = unsafe sqlite3_system_errno(opened)
        if reason != 0 { error.message += ", \(PrivateFile.reason(reason))" }
        unsafe sqlite3_close_v2(opened)  // SQLite gives a handle even when it fails.
        throw error.about(path)
    }

    private func configure(_ busyTimeout: Duration) throws(SQLiteError) {
        unsafe BusyWait.install(on: handle, limit: busyTimeout)
        let options = [
            (SQLITE_DBCONFIG_ENABLE_FKEY, true), (SQLITE_DBCONFIG_DEFENSIVE, true), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
            (SQLITE_DBCONFIG_DQS_DML, false), (SQLITE_DBCONFIG_DQS_DDL, false),
        ]
        for (option, isOn) in options {
            let result = unsafe csqlite_configure(handle, option, isOn ? 1 : 0)
            guard result == SQLITE_OK else { throw failure(result, "sqlite.open") }
        }
    }

    /// Switches to the write-ahead log, in which a commit returns only once it is on the disk and readers do not block the writer.
    ///
    /// - Throws: `other` where the file system cannot hold the log, as a network's cannot.
    package func useWriteAheadLog() throws(SQLiteError) {
        let mode = try first("sqlite.useWriteAheadLog", "PRAGMA journal_mode = WAL") { try $0.text(0) }
        guard mode == "wal" else {
            throw SQLiteError(.other, "sqlite.useWriteAheadLog", "the database cannot keep a write-ahead log; put it on a local disk")
        }
        try run("sqlite.useWriteAheadLog", "PRAGMA synchronous = FULL")
    }

    /// The prepared statement for `sql`, kept for the next call; a fresh one where that is in use further up the stack.
    func statement(_ operation: StaticString, _ sql: StaticString) throws(SQLiteError) -> Statement {
        let key = unsafe UInt(bitPattern: sql.utf8Start)
        let kept = statements[key]
        if let kept, !kept.isRunning { return kept }
        let text = unsafe UnsafeBufferPointer(start: sql.utf8Start, count: sql.utf8CodeUnitCount)
        let statement = unsafe try Statement(operation, text, on: handle, isCached: true)
        if kept == nil { statements[key] = statement }
        return statement
    }

    func failure(_ result: Int32, _ operation: StaticString) -> SQLiteError {
        unsafe SQLiteError(result, operation, on: handle)
    }
}

extension SQLiteError {
    fileprivate func about(_ path: String) -> SQLiteError {
        var error = self
        error.message = "\(path): \(message)"
        return error
    }
}
