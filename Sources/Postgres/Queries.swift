/// Each call names its operation, such as `"outbox.claim"`, for the error it may throw. The SQL is a literal, so no value can be spliced in.
/// It holds one statement with as many parameters as there are bindings. An error that `map` throws, other than a `PostgresError`, arrives
/// as the cause of one with code `mismatch`. What was queued before runs first, in order; its failure is thrown by the next call that waits.
extension Connection {
    /// All rows of a query, or of a change with RETURNING. One round trip.
    package func rows<Element>(
        _ operation: StaticString, _ sql: StaticString, _ bindings: any Bindable...,
        map: (borrowing Row) throws -> Element
    ) throws(PostgresError) -> [Element] {
        guard let result = try perform(operation, sql, bindings) else { return [] }
        var elements: [Element] = []
        elements.reserveCapacity(Int(result.rowCount))
        for index in 0..<result.rowCount { elements.append(try read(Row(result, index, operation), operation, map)) }
        return elements
    }

    /// The first row of a query, or of a change with RETURNING. One round trip.
    package func first<Element>(
        _ operation: StaticString, _ sql: StaticString, _ bindings: any Bindable...,
        map: (borrowing Row) throws -> Element
    ) throws(PostgresError) -> Element? {
        guard let result = try perform(operation, sql, bindings), result.rowCount > 0 else { return nil }
        return try read(Row(result, 0, operation), operation, map)
    }

    /// Runs a statement whose rows, if any, do not matter. One round trip.
    ///
    /// - Returns: How many rows an INSERT, UPDATE or DELETE changed.
    @discardableResult
    package func run(_ operation: StaticString, _ sql: StaticString, _ bindings: any Bindable...) throws(PostgresError) -> Int {
        try perform(operation, sql, bindings)?.changedCount ?? 0
    }

    /// Sends a change whose result nobody needs; no round trip. It has happened, or its failure is thrown, when the next query returns or
    /// the transaction is committed.
    package func queue(_ operation: StaticString, _ sql: StaticString, _ bindings: any Bindable...) throws(PostgresError) {
        precondition(isInTransaction, "\(operation): a statement queued outside a transaction")
        try send(operation, sql, bindings)
    }

    /// Sends a statement outside any transaction and waits for nothing. A failure is met, and forgotten, by the next transaction.
    package func tell(_ operation: StaticString, _ sql: StaticString, _ bindings: any Bindable...) throws(PostgresError) {
        precondition(!isInTransaction, "\(operation): inside a transaction it would be part of it")
        try send(operation, sql, bindings)
        try synchronize(operation)
        try flush(operation)
    }

    /// All rows of a statement that is no literal, whatever they hold.
    func dynamicRows(_ operation: StaticString, _ sql: String) throws(PostgresError) -> [[Value]] {
        try send(operation, dynamic: sql)
        guard let result = try drain(operation) else { return [] }
        var rows: [[Value]] = []
        rows.reserveCapacity(Int(result.rowCount))
        for index in 0..<result.rowCount { rows.append(try Row(result, index, operation).values()) }
        return rows
    }

    private func perform(
        _ operation: StaticString, _ sql: StaticString, _ bindings: [any Bindable]
    ) throws(PostgresError) -> QueryResult? {
        if !isInTransaction { try settle(operation) }
        try send(operation, sql, bindings)
        if !isInTransaction { try synchronize(operation) }
        return try drain(operation)
    }

    private func read<Element>(
        _ row: borrowing Row, _ operation: StaticString, _ map: (borrowing Row) throws -> Element
    ) throws(PostgresError) -> Element {
        do { return try map(row) } catch {
            throw error as? PostgresError ?? PostgresError(.mismatch, operation, "a row cannot be read", cause: error)
        }
    }

    /// Reads what an earlier use left unread. Only a broken connection matters now.
    func settle(_ operation: StaticString) throws(PostgresError) {
        do throws(PostgresError) { _ = try drain(operation) } catch { if isLost { throw error } }
    }
}
