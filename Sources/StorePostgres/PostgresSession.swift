import Domain
import Postgres
import Store

/// One connection with what was learnt through it: the view that bodies get of the database. A connection that broke is replaced before the
/// next transaction, never inside one.
///
/// Confined to the actor that made it. The protocols' methods stand in a file each.
final class PostgresSession: WriteTransaction {
    let target: Target
    private var kept: Connection?
    /// Host, port and name, for messages.
    var database: String { target.name }
    var ledgers = LedgerNumbers()
    var jwsHeaders = JWSHeaderNumbers()
    /// Whether work was scheduled since the last commit.
    var hasScheduled = false
    /// Where header segments are read, if not here.
    var jwsHeaderSource: PostgresSession?
    /// Links that are added to the audit trail's chain as the transaction's last step.
    var pendingSeals: [(ledger: Ledger, link: @Sendable (AuditSeal?) -> AuditSeal)] = []
    /// What the running transaction has to count before it ends.
    var pendingReports = PendingReports()
    /// Spreads counters that many share: writers of different shards do not wait for each other.
    let shard = Int64.random(in: 0..<4)
    /// Customers whose rows this transaction has locked.
    var heldCustomers: Set<CustomerID> = []

    init(_ target: Target) {
        self.target = target
    }

    /// The connection, opened anew where there is none that works.
    func connected() throws(PostgresError) -> Connection {
        if let kept, !kept.isLost { return kept }
        kept = nil
        forget()
        let connection = try Connection(target)
        kept = connection
        return connection
    }

    func disconnect() { kept = nil }

    /// Why the transaction has failed; nil where it has not.
    var failure: PostgresError? {
        if let failed = kept?.failed { return failed }
        return kept?.isLost == true ? PostgresError.connectionLost("store") : nil
    }

    /// Runs statements and puts their failure in the store's words. The body throws nothing but PostgreSQL's errors and the store's.
    @discardableResult
    func postgres<Result>(_ body: (Connection) throws -> Result) throws(StoreError) -> Result {
        do { return try body(try kept ?? connected()) } catch { throw StoreError(error, database: database) }
    }

    /// Forgets rows that a rollback may have undone.
    func forget() {
        ledgers = LedgerNumbers()
        jwsHeaders = JWSHeaderNumbers()
    }
}

extension PostgresSession {
    /// Runs `body` in a transaction of its own.
    ///
    /// - Throws: What the body throws, or PostgreSQL's errors.
    @discardableResult
    func transaction<Result>(
        _ operation: StaticString, _ kind: Connection.TransactionKind = .write, _ body: () throws -> Result
    ) throws -> Result {
        let connection = try connected()
        pendingSeals = []
        pendingReports = PendingReports()
        heldCustomers = []
        do {
            return try connection.transaction(operation, kind) {
                let result = try body()
                try writePendingReports()
                try appendPendingSeals()
                return result
            }
        } catch {
            forget()
            throw error
        }
    }

    /// The same, with every failure in the store's words.
    @discardableResult
    func ownTransaction<Result>(
        _ operation: StaticString, _ kind: Connection.TransactionKind = .write, _ body: () throws -> Result
    ) throws(StoreError) -> Result {
        do { return try transaction(operation, kind, body) } catch { throw StoreError(error, database: database) }
    }
}
