import Domain
import SQLite
import Store

private enum SQL {
    static let casesOfChain: StaticString = """
        SELECT transaction_id FROM cases WHERE ledger_id = ?1 AND original_transaction_id = ?2 ORDER BY transaction_id
        """
    static let newestBasis: StaticString = """
        SELECT basis FROM decisions WHERE ledger_id = ?1 AND transaction_id = ?2 AND basis IS NOT NULL ORDER BY sequence DESC LIMIT 1
        """
    static let ledgers: StaticString = "SELECT app, environment FROM ledgers ORDER BY app, environment"
    static let purchases: StaticString = """
        SELECT transaction_id FROM purchases WHERE ledger_id = ?1 AND transaction_id > ?2 ORDER BY transaction_id LIMIT ?3
        """
    static let cases: StaticString = """
        SELECT transaction_id FROM cases WHERE ledger_id = ?1 AND transaction_id > ?2 ORDER BY transaction_id LIMIT ?3
        """
    static let fillDone: StaticString = "DROP TABLE report_fill_due"
}

/// What counting reads of cases and purchases, one by one or all of them.
extension SQLiteSession {
    func caseIDs(original: TransactionID, in ledger: Ledger) throws(StoreError) -> [TransactionID] {
        guard let ledger = try number(of: ledger) else { return [] }
        return try sqlite { try $0.rows("reports.casesOfChain", SQL.casesOfChain, ledger, original) { TransactionID(try $0.text(0)) } }
    }

    func newestBasis(_ id: TransactionID, in ledger: Ledger) throws(StoreError) -> DecisionBasis? {
        guard let ledger = try number(of: ledger) else { return nil }
        return try sqlite {
            try $0.first("reports.newestBasis", SQL.newestBasis, ledger, id) { row in
                guard let basis: DecisionBasis = JSONText.decode(try row.text(0)) else { throw row.mismatch(0, "a decision's basis") }
                return basis
            }
        }
    }

    func allLedgers() throws(StoreError) -> [Ledger] {
        try sqlite {
            try $0.rows("reports.ledgers", SQL.ledgers) { row in
                var column = 0
                return Ledger(app: try row.id(&column), environment: try row.word(&column))
            }
        }
    }

    func purchases(after id: TransactionID, limit: Int, in ledger: Ledger) throws(StoreError) -> [Purchase] {
        guard let number = try number(of: ledger) else { return [] }
        let ids = try sqlite {
            try $0.rows("reports.purchases", SQL.purchases, number, id, Int64(limit)) { TransactionID(try $0.text(0)) }
        }
        var purchases: [Purchase] = []
        for id in ids { if let purchase = try purchase(id, in: ledger) { purchases.append(purchase) } }
        return purchases
    }

    func caseIDs(after id: TransactionID, limit: Int, in ledger: Ledger) throws(StoreError) -> [TransactionID] {
        guard let ledger = try number(of: ledger) else { return [] }
        return try sqlite { try $0.rows("reports.cases", SQL.cases, ledger, id, Int64(limit)) { TransactionID(try $0.text(0)) } }
    }

    /// Counts what was there before there were counters, in one transaction.
    func fillReports() throws(StoreError) {
        guard try isFillDue() else { return }
        try transaction("reports.fill") {
            // Another process may have done it meanwhile.
            guard try isFillDue() else { return }
            try ReportFill.run(self)
            try sqlite { connection in try connection.run("reports.fillDone", SQL.fillDone) }
        }
    }

    private func isFillDue() throws(StoreError) -> Bool { try sqlite { try $0.tables() }.contains(ReportFill.dueTable) }
}
