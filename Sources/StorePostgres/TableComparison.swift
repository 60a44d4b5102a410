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

/// Rows that count nothing are as good as none.
private let caseTotals = """
    (SELECT ledger_id, basis, dimension, tier, utc_day, pacific_day, value, currency, sum(requests)::bigint AS requests,
        sum(unasked)::bigint AS unasked, sum(rounds)::bigint AS rounds, sum(undecided)::bigint AS undecided,
        sum(declined)::bigint AS declined, sum(granted_full)::bigint AS granted_full, sum(granted_prorated)::bigint AS granted_prorated,
        sum(granted_seats)::bigint AS granted_seats, sum(reversed)::bigint AS reversed, sum(asked_again)::bigint AS asked_again,
        sum(declined_then_refunded)::bigint AS declined_then_refunded, sum(price)::bigint AS price,
        sum(refunded_amount)::bigint AS refunded_amount, sum(reversed_amount)::bigint AS reversed_amount
    FROM case_sums GROUP BY ledger_id, basis, dimension, tier, utc_day, pacific_day, value, currency
    HAVING sum(requests) <> 0 OR sum(unasked) <> 0 OR sum(rounds) <> 0 OR sum(undecided) <> 0 OR sum(declined) <> 0 OR
        sum(granted_full) <> 0 OR sum(granted_prorated) <> 0 OR sum(granted_seats) <> 0 OR sum(reversed) <> 0 OR sum(asked_again) <> 0 OR
        sum(declined_then_refunded) <> 0 OR sum(price) <> 0 OR sum(refunded_amount) <> 0 OR sum(reversed_amount) <> 0) AS case_totals
    """
private let reportTotals = """
    (SELECT ledger_id, series, dimension, tier, utc_day, pacific_day, value, outcome, currency, sum(count)::bigint AS count,
        sum(units)::bigint AS units, sum(amount)::bigint AS amount
    FROM report_sums GROUP BY ledger_id, series, dimension, tier, utc_day, pacific_day, value, outcome, currency
    HAVING sum(count) <> 0 OR sum(units) <> 0 OR sum(amount) <> 0) AS report_totals
    """
private let totals = ["case_totals": caseTotals, "report_totals": reportTotals]

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
        for (table, view) in foldedTables.map({ ($0, FoldedCounters.views[$0] ?? $0) }) {
            let (columns, key) = try postgres { try $0.columns(of: table) }
            tables.append(TableComparison(table: table, view: totals[view] ?? view, key: key, columns: columns))
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
