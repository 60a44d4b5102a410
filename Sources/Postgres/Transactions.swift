extension Connection {
    package enum TransactionKind: Sendable {
        /// Each statement sees what was committed before it; what must not change meanwhile is locked by hand.
        case write
        /// Reads one unchanging snapshot, from the first query on.
        case read
    }

    private enum Verb {
        static let write: StaticString = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
        static let read: StaticString = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
        static let commit: StaticString = "COMMIT"
        static let rollback: StaticString = "ROLLBACK"
        static let savepoint: StaticString = "SAVEPOINT nested"
        static let release: StaticString = "RELEASE SAVEPOINT nested"
        static let undo: StaticString = "ROLLBACK TO SAVEPOINT nested"
    }

    /// Runs `body` in a transaction: commits when it returns, rolls back when it throws. It costs as many round trips as the body has
    /// queries, and one for the commit; one that only reads is left without waiting.
    ///
    /// After any error nothing of it remains, but where the connection was lost while committing: then nobody knows, and
    /// ``PostgresError/CommitInDoubt`` is thrown. Transactions do not nest; see `savepoint`.
    ///
    /// - Throws: What `body` throws, unchanged, a ``PostgresError`` or ``PostgresError/CommitInDoubt``.
    @discardableResult
    package func transaction<Result>(
        _ operation: StaticString, _ kind: TransactionKind = .write, _ body: () throws -> Result
    ) throws -> Result {
        try settle(operation)
        isInTransaction = true
        failed = nil
        defer { isInTransaction = false }
        do {
            try send(operation, kind == .write ? Verb.write : Verb.read, [])
            if target.pooling == .transaction { try send(operation, SQL.limits, [Value.bool(true), target.schema]) }
            let result = try body()
            try end(operation, kind)
            return result
        } catch {
            rollBack(operation)
            throw error
        }
    }

    private func end(_ operation: StaticString, _ kind: TransactionKind) throws {
        try send(operation, Verb.commit, [])
        try synchronize(operation)
        guard kind == .write else { return try flush(operation) }
        do throws(PostgresError) { _ = try drain(operation) } catch {
            // A failure that the server names came before the commit, or is the commit's own: nothing remains.
            if isLost { throw PostgresError.CommitInDoubt(error: error) }
            throw error
        }
    }

    private func rollBack(_ operation: StaticString) {
        guard !isLost else { return }
        do throws(PostgresError) {
            try settle(operation)
            try send(operation, Verb.rollback, [])
            try synchronize(operation)
            _ = try drain(operation)
        } catch { abandon() }  // The cause is what the caller needs; the server rolls back what is cut off.
    }

    /// Runs `body` so that, if it throws, its changes alone are undone and the transaction around it can go on. No round trip.
    ///
    /// Where a statement failed, and not merely the body, the whole transaction has failed: ``hasFailed``.
    ///
    /// - Throws: What `body` throws, unchanged, or a ``PostgresError``.
    @discardableResult
    package func savepoint<Result>(_ operation: StaticString, _ body: () throws -> Result) throws -> Result {
        precondition(isInTransaction, "\(operation): a savepoint outside a transaction")
        try send(operation, Verb.savepoint, [])
        do {
            let result = try body()
            try send(operation, Verb.release, [])
            return result
        } catch {
            if !hasFailed, !isLost {
                try send(operation, Verb.undo, [])
                try send(operation, Verb.release, [])
            }
            throw error
        }
    }
}

extension PostgresError {
    /// The connection was lost between the order to commit and its confirmation.
    package struct CommitInDoubt: Error {
        package var error: PostgresError
    }
}
