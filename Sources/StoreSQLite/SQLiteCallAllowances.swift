import Domain
import SQLite
import Store

private enum SQL {
    static let find: StaticString = """
        SELECT left_millionths, as_of_ms, closed_until_ms FROM call_allowances WHERE ledger_id = ?1 AND family = ?2
        """
    static let put: StaticString = """
        REPLACE INTO call_allowances (ledger_id, family, left_millionths, as_of_ms, closed_until_ms) VALUES (?1, ?2, ?3, ?4, ?5)
        """
}

extension SQLiteSession {
    func callAllowance(_ family: String, of ledger: Ledger) throws(StoreError) -> CallAllowanceRow? {
        guard let ledger = try number(of: ledger) else { return nil }
        return try sqlite {
            try $0.first("callAllowances.find", SQL.find, ledger, family) { try CallAllowanceRow($0, family: family) }
        }
    }

    func put(_ row: CallAllowanceRow, of ledger: Ledger) throws(StoreError) {
        let ledger = try numberForWriting(to: ledger)
        try sqlite { connection in
            try connection.run("callAllowances.put", SQL.put, ledger, row.family, row.leftMillionths, row.asOf, row.closedUntil)
        }
    }
}

extension CallAllowanceRow {
    fileprivate init(_ row: borrowing Row, family: String) throws(SQLiteError) {
        var column = 0
        self.init(
            family: family, leftMillionths: try row.int64(&column), asOf: try row.timestamp(&column),
            closedUntil: try row.optionalTimestamp(&column))
    }
}
