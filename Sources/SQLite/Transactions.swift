import CSQLite

extension Connection {
    package enum TransactionKind: Sendable {
        /// Takes the write lock at once, so no statement inside fails for want of it.
        case write
        /// Reads one unchanging snapshot, from the first query on.
        case read
    }

    /// Runs `body` in a transaction: commits when it returns, rolls back when it throws.
    ///
    /// After any error nothing of it remains. Transactions do not nest; see `savepoint`.
    ///
    /// - Throws: What `body` throws, unchanged, or an ``SQLiteError``.
    @discardableResult
    package func transaction<Result>(
        _ operation: StaticString, _ kind: TransactionKind = .write, _ body: () throws -> Result
    ) throws -> Result {
        switch kind {
        case .write: try run(operation, "BEGIN IMMEDIATE")
        case .read: try run(operation, "BEGIN")
        }
        isInTransaction = true
        do {
            let result = try body()
            try run(operation, "COMMIT")
            isInTransaction = false
            return result
        } catch {
            isInTransaction = false
            if !isAutocommit { _ = try? run(operation, "ROLLBACK") }  // The cause is what the caller needs.
            throw error
        }
    }

    /// Runs `body` so that, if it throws, its changes alone are undone and the transaction around it can go on.
    ///
    /// Savepoints nest. Where SQLite had to give up the whole transaction, every further call in it throws `rolledBack`.
    ///
    /// - Throws: What `body` throws, unchanged, or an ``SQLiteError``.
    @discardableResult
    package func savepoint<Result>(
        _ operation: StaticString, _ body: () throws -> Result
    ) throws -> Result {
        precondition(isInTransaction, "\(operation): a savepoint outside a transaction")
        try run(operation, "SAVEPOINT nested")  // A name may repeat: the innermost is meant.
        do {
            let result = try body()
            try run(operation, "RELEASE nested")
            return result
        } catch {
            if !isAutocommit {
                try run(operation, "ROLLBACK TO nested")
                try run(operation, "RELEASE nested")
            }
            throw error
        }
    }

    /// Some failures, such as a full disk, make SQLite roll back everything on its own; what follows would then commit alone.
    func requireTransactionIntact(_ operation: StaticString) throws(SQLiteError) {
        guard isInTransaction, isAutocommit else { return }
        throw SQLiteError(.rolledBack, operation, "an earlier error rolled back the transaction")
    }

    private var isAutocommit: Bool { unsafe sqlite3_get_autocommit(handle) != 0 }
}
