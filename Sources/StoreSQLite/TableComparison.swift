import Domain
import SQLite
import Store

extension TableCursor {
    /// The next row in the store's words.
    mutating func nextStored(_ session: SQLiteSession) throws(StoreError) -> [StoredValue]? {
        do { return try next()?.map(StoredValue.init) } catch { throw StoreError(error, database: session.database) }
    }
}

extension StoredValue {
    fileprivate init(_ value: Value) {
        self =
            switch value {
            case .null: .null
            case .integer(let number): .integer(number)
            case .real(let number): .text("\(number)")
            case .text(let text): .text(text)
            case .blob(let bytes): .blob(bytes)
            }
    }
}

extension SQLiteSession {
    func compare(_ table: TableComparison, with rebuilt: SQLiteSession, _ differences: inout Differences) throws(StoreError) {
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

    private func rows(of table: TableComparison) throws(StoreError) -> TableCursor { try cursor(table.view, table.columns) }

    func cursor(_ table: String, _ columns: [String]) throws(StoreError) -> TableCursor {
        do { return try TableCursor(table, columns: columns, on: connection) } catch {
            throw StoreError(error, database: database)
        }
    }

    private func ledgerName(_ number: Int64) throws(StoreError) -> String {
        let ledger = try ledger(number)
        return "\(ledger.app)/\(ledger.environment.rawValue)"
    }
}

private enum SQL {
    // A customer's number means nothing outside its database: its first alias stands for it.
    static let groups: StaticString = """
        CREATE TEMP VIEW alias_groups AS
        SELECT ledger_id, kind, value, (
            SELECT first.kind || ' ' || first.value FROM aliases AS first WHERE first.customer_id = aliases.customer_id
            ORDER BY first.ledger_id, first.kind, first.value LIMIT 1
        ) AS customer FROM aliases
        """
    // Rows that count nothing are as good as none.
    static let caseTotals: StaticString = """
        CREATE TEMP VIEW case_totals AS
        SELECT ledger_id, basis, dimension, tier, utc_day, pacific_day, value, currency, sum(requests) AS requests, sum(unasked) AS unasked,
            sum(rounds) AS rounds, sum(undecided) AS undecided, sum(declined) AS declined, sum(granted_full) AS granted_full,
            sum(granted_prorated) AS granted_prorated, sum(granted_seats) AS granted_seats, sum(reversed) AS reversed,
            sum(asked_again) AS asked_again, sum(declined_then_refunded) AS declined_then_refunded, sum(price) AS price,
            sum(refunded_amount) AS refunded_amount, sum(reversed_amount) AS reversed_amount
        FROM case_sums GROUP BY ledger_id, basis, dimension, tier, utc_day, pacific_day, value, currency
        HAVING sum(requests) <> 0 OR sum(unasked) <> 0 OR sum(rounds) <> 0 OR sum(undecided) <> 0 OR sum(declined) <> 0 OR
            sum(granted_full) <> 0 OR sum(granted_prorated) <> 0 OR sum(granted_seats) <> 0 OR sum(reversed) <> 0 OR
            sum(asked_again) <> 0 OR sum(declined_then_refunded) <> 0 OR sum(price) <> 0 OR sum(refunded_amount) <> 0 OR
            sum(reversed_amount) <> 0
        """
    static let reportTotals: StaticString = """
        CREATE TEMP VIEW report_totals AS
        SELECT ledger_id, series, dimension, tier, utc_day, pacific_day, value, outcome, currency, sum(count) AS count, sum(units) AS units,
            sum(amount) AS amount
        FROM report_sums GROUP BY ledger_id, series, dimension, tier, utc_day, pacific_day, value, outcome, currency
        HAVING sum(count) <> 0 OR sum(units) <> 0 OR sum(amount) <> 0
        """
    static let key: StaticString = "SELECT name FROM pragma_table_info(?1) WHERE pk > 0 ORDER BY pk"
    static let nameless: StaticString = """
        SELECT id FROM customers WHERE NOT EXISTS (SELECT 1 FROM aliases WHERE customer_id = customers.id) ORDER BY id LIMIT 100
        """
}

extension SQLiteSession {
    /// To be called before the transaction in which tables are compared.
    func prepareComparison() throws(StoreError) {
        try sqlite { connection in
            for view in [SQL.groups, SQL.caseTotals, SQL.reportTotals] { try connection.run("replay.view", view) }
        }
    }

    func comparedTables() throws(StoreError) -> [TableComparison] {
        var tables: [TableComparison] = []
        for (table, view) in foldedTables.map({ ($0, FoldedCounters.views[$0] ?? $0) }) {
            let (key, columns) = try sqlite {
                (try $0.rows("replay.key", SQL.key, table) { try $0.text(0) }, try $0.columns(of: table))
            }
            tables.append(TableComparison(table: table, view: view, key: key, columns: columns))
        }
        let names = ["ledger_id", "kind", "value", "customer"]
        return tables + [TableComparison(table: "aliases", view: "alias_groups", columns: names, keyCount: 3)]
    }

    func findNamelessCustomers(_ differences: inout Differences) throws(StoreError) {
        for id in try sqlite({ try $0.rows("replay.nameless", SQL.nameless) { try $0.int64(0) } }) {
            differences.add("customers", "\(id): kept, but has no name")
        }
    }
}
