import Domain
import SQLite
import Store

/// One connection with what was learnt through it: the view that bodies get of the database.
///
/// Confined to the actor that made it. The protocols' methods stand in a file each.
final class SQLiteSession: WriteTransaction {
    let connection: Connection
    /// The file's name, for messages.
    let database: String
    var ledgers = LedgerNumbers()
    var jwsHeaders = JWSHeaderNumbers()
    /// Whether work was scheduled since the last commit.
    var hasScheduled = false
    /// What the running transaction has to count before it ends.
    var pendingReports = PendingReports()
    /// Where header segments are read, if not here.
    var jwsHeaderSource: SQLiteSession?

    init(_ connection: Connection, database: String) {
        self.connection = connection
        self.database = database
    }

    /// Runs statements and puts their failure in the store's words. The body throws nothing but SQLite's errors and the store's.
    @discardableResult
    func sqlite<Result>(_ body: (Connection) throws -> Result) throws(StoreError) -> Result {
        do { return try body(connection) } catch { throw StoreError(error, database: database) }
    }

    /// Forgets rows that a rollback may have undone.
    func forget() {
        ledgers = LedgerNumbers()
        jwsHeaders = JWSHeaderNumbers()
    }
}

extension SQLiteSession {
    /// Runs `body` in a transaction of its own.
    @discardableResult
    func transaction<Result>(
        _ operation: StaticString, _ kind: Connection.TransactionKind = .write, _ body: () throws -> Result
    ) throws(StoreError) -> Result {
        pendingReports = PendingReports()
        do {
            return try connection.transaction(operation, kind) {
                let result = try body()
                try writePendingReports()
                return result
            }
        } catch {
            forget()
            throw StoreError(error, database: database)
        }
    }
}
