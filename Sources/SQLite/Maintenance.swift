import CSQLite

extension Connection {
    /// Copies the database, as of now, to a new file that only its owner may read; other connections go on reading and, with a
    /// write-ahead log, writing.
    ///
    /// - Parameter path: A file that does not exist yet. It is removed if the copy fails.
    /// - Throws: `cannotOpen` if the file exists or cannot be created, `full` and whatever reading and writing may throw.
    package func backup(to path: String) throws(SQLiteError) {
        let problem = PrivateFile.create(path)
        guard problem == 0 else {
            throw SQLiteError(.cannotOpen, "sqlite.backup", "\(path): \(PrivateFile.reason(problem))")
        }
        do throws(SQLiteError) {
            try copy(to: Connection(path: path, mode: .readWriteCreate))
        } catch {
            PrivateFile.remove(path)
            throw error
        }
    }

    private func copy(to target: Connection) throws(SQLiteError) {
        guard let backup = unsafe sqlite3_backup_init(target.handle, "main", handle, "main") else {
            throw target.failure(unsafe sqlite3_extended_errcode(target.handle), "sqlite.backup")
        }
        let result = unsafe sqlite3_backup_step(backup, -1)  // All pages at once: one snapshot.
        unsafe sqlite3_backup_finish(backup)  // Says nothing of a lock; the step does.
        guard result == SQLITE_DONE else { throw unsafe SQLiteError(result, "sqlite.backup", on: nil) }
    }

    package enum CheckpointMode: Sendable {
        /// Moves what it can without waiting for readers or writers.
        case passive
        /// Waits for them up to the busy timeout, moves everything and empties the log file.
        case truncate
    }

    /// Moves pages from the write-ahead log into the database file.
    ///
    /// - Returns: How many pages remain in the log.
    /// - Throws: `busy` in mode `truncate` if a reader or writer did not finish in time.
    @discardableResult
    package func checkpoint(_ mode: CheckpointMode = .passive) throws(SQLiteError) -> Int {
        var logged: Int32 = 0
        var moved: Int32 = 0
        let sqliteMode = mode == .passive ? SQLITE_CHECKPOINT_PASSIVE : SQLITE_CHECKPOINT_TRUNCATE
        let result = unsafe sqlite3_wal_checkpoint_v2(handle, "main", sqliteMode, &logged, &moved)
        guard result == SQLITE_OK else { throw failure(result, "sqlite.checkpoint") }
        return Int(logged - moved)
    }

    /// Reads the whole file, indexes and CHECK rules included.
    ///
    /// - Returns: SQLite's words on each problem, at most 100; empty if the file is sound.
    package func integrityProblems() throws(SQLiteError) -> [String] {
        do throws(SQLiteError) {
            let lines = try rows("sqlite.integrityProblems", "PRAGMA integrity_check") { try $0.text(0) }
            return lines == ["ok"] ? [] : lines
        } catch  where error.code == .corrupt {
            return [error.message]  // Too damaged for SQLite to go on.
        }
    }
}
