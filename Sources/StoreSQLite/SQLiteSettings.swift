import SQLite
import Store

private enum SQL {
    // Three entries of the log to a page; in pages of 4 kB each would leave a third of one empty.
    static let pageSize: StaticString = "PRAGMA page_size = 8192"
    static let inMemory: StaticString = "PRAGMA temp_store = MEMORY"
    static let writerCache: StaticString = "PRAGMA cache_size = -32768"
    static let readerCache: StaticString = "PRAGMA cache_size = -4096"
    static let journalLimit: StaticString = "PRAGMA journal_size_limit = 67108864"
}

extension SQLiteSession {
    enum Role { case writer, reader }

    /// Opens the file for the writer. A commit returns only once it is on the disk.
    static func forWriting(_ path: String) throws(StoreError) -> SQLiteSession {
        try opened(path, .readWriteCreate, as: .writer) { connection in
            try connection.useWriteAheadLog()
            try connection.run("store.open", SQL.journalLimit)
        }
    }

    static func forReading(_ path: String) throws(StoreError) -> SQLiteSession {
        try opened(path, .readOnly, as: .reader) { _ in }
    }

    static func opened(
        _ path: String, _ mode: Connection.Mode, as role: Role, _ configure: (Connection) throws -> Void
    ) throws(StoreError) -> SQLiteSession {
        let database = path.split(separator: "/").last.map(String.init) ?? path
        do {
            let connection = try Connection(path: path, mode: mode)
            try connection.run("store.open", SQL.pageSize)
            try connection.run("store.open", SQL.inMemory)
            try connection.run("store.open", role == .writer ? SQL.writerCache : SQL.readerCache)
            try configure(connection)
            return SQLiteSession(connection, database: database)
        } catch {
            throw StoreError(error, database: database)
        }
    }
}
