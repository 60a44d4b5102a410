import CSQLite

/// Each call names its operation, such as `"outbox.claim"`, for the error it may throw. The SQL is a literal, so no value can be spliced in.
/// It holds one statement with as many parameters as there are bindings; anything else traps. An error that `map` throws, other than
/// an `SQLiteError`, arrives as the cause of one with code `mismatch`.
extension Connection {
    /// All rows of a query, or of a change with RETURNING.
    package func rows<Element>(
        _ operation: StaticString, _ sql: StaticString, _ bindings: any Bindable...,
        map: (borrowing Row) throws -> Element
    ) throws(SQLiteError) -> [Element] {
        var elements: [Element] = []
        try perform(operation, sql, bindings) { row in
            elements.append(try map(row))
            return true
        }
        return elements
    }

    /// The first row of a query, or of a change with RETURNING.
    package func first<Element>(
        _ operation: StaticString, _ sql: StaticString, _ bindings: any Bindable...,
        map: (borrowing Row) throws -> Element
    ) throws(SQLiteError) -> Element? {
        var element: Element?
        try perform(operation, sql, bindings) { row in
            element = try map(row)
            return false
        }
        return element
    }

    /// Runs a statement whose rows, if any, do not matter.
    ///
    /// - Returns: How many rows an INSERT, UPDATE or DELETE changed; means nothing for other statements.
    @discardableResult
    package func run(_ operation: StaticString, _ sql: StaticString, _ bindings: any Bindable...) throws(SQLiteError) -> Int {
        try perform(operation, sql, bindings) { _ in true }
        return unsafe Int(sqlite3_changes64(handle))
    }

    /// Runs any number of statements without parameters: a migration. The failing one ends it; those before it stay, unless in a transaction.
    package func executeScript(_ operation: StaticString, _ sql: String) throws(SQLiteError) {
        try requireTransactionIntact(operation)
        let result = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        guard result == SQLITE_OK else { throw failure(result, operation) }
    }

    /// The rowid of the last INSERT on this connection; 0 before any.
    package var lastInsertedRowID: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

    /// Steps through the rows for as long as `body` returns true.
    private func perform(
        _ operation: StaticString, _ sql: StaticString, _ bindings: [any Bindable],
        _ body: (borrowing Row) throws -> Bool
    ) throws(SQLiteError) {
        try requireTransactionIntact(operation)
        let statement = try statement(operation, sql)
        try statement.bind(operation, bindings)
        do {
            while try statement.step(operation), try body(Row(of: statement, operation)) {}
        } catch {
            statement.reset()
            throw error as? SQLiteError ?? SQLiteError(.mismatch, operation, "a row cannot be read", cause: error)
        }
        try statement.finish(operation)
    }
}
