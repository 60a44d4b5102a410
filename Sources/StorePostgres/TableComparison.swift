import Domain
import Postgres
import Store

extension TableCursor {
    /// The next row in the store's words.
    fileprivate mutating func nextStored(_ session: PostgresSession) throws(StoreError) -> [StoredValue]? {
        do { return try nextRow()?.map(StoredValue.init) } catch { throw StoreError(error, database: session.database) }
    }
}

extension StoredValue {
    fileprivate init(_ value: Value) {
        self =
            switch value {
            case .null: .null
            case .integer(let number): .integer(number)
            case .bool(let flag): .integer(flag ? 1 : 0)
            case .text(let text): .text(text)
            case .bytes(let bytes): .blob(bytes)
            case .integers: .null  // No column holds an array.
            }
    }
}

/// A customer's number means nothing outside its database: its first alias stands for it.
private let aliasGroups = """
    (SELECT ledger_id, kind, value, (
        SELECT first.kind || ' ' || first.value FROM aliases AS first WHERE first.customer_id = aliases.customer_id
        ORDER BY first.ledger_id, first.kind, first.value LIMIT 1
    ) AS customer FROM aliases) AS alias_groups
    """

extension PostgresSession {
    func compare(_ table: TableComparison, with rebuilt: PostgresSession, _ differences: inout Differences) throws(StoreError) {
        var mine = try rows(of: table)
        var theirs = try rebuilt.rows(of: table)
        try table.compare(
            { () throws(StoreError) in try mine.nextStored(self) }, { () throws(StoreError) in try theirs.nextStored(rebuilt) },
            ledger: ledgerName, &differences)
    }

    func export(_ table: TableComparison, _ line: (FoldedLine) -> Void) throws(StoreError) {
        var rows = try rows(of: table)
        while let row = try rows.nextStored(self) { line(try table.folded(row, ledger: ledgerName)) }
    }

    func comparedTables() throws(StoreError) -> [TableComparison] {
        var tables: [TableComparison] = []
        for table in foldedTables {
            let (columns, key) = try postgres { try $0.columns(of: table) }
            let others = columns.filter { !key.contains($0) }
            tables.append(TableComparison(table: table, view: table, columns: key + others, keyCount: key.count))
        }
        let names = ["ledger_id", "kind", "value", "customer"]
        return tables + [TableComparison(table: "aliases", view: aliasGroups, columns: names, keyCount: 3)]
    }

    private func rows(of table: TableComparison) throws(StoreError) -> TableCursor {
        let connection = try postgres { $0 }
        do {
            return try TableCursor(
                table.view, columns: table.columns, ordered: table.keyCount, name: "rows_of_\(table.table)", on: connection)
        } catch { throw StoreError(error, database: database) }
    }

    private func ledgerName(_ number: Int64) throws(StoreError) -> String {
        let ledger = try ledger(number)
        return "\(ledger.app)/\(ledger.environment.rawValue)"
    }
}
