import Domain
import SQLite
import Store

private enum SQL {
    static let facts: StaticString = "SELECT facts FROM case_facts WHERE ledger_id = ?1 AND transaction_id = ?2"
    static let putFacts: StaticString = """
        REPLACE INTO case_facts (ledger_id, transaction_id, facts) VALUES (?1, ?2, ?3)
        """
    static let dropFacts: StaticString = "DELETE FROM case_facts WHERE ledger_id = ?1 AND transaction_id = ?2"
    static let addToCases: StaticString = """
        INSERT INTO case_sums (
            ledger_id, basis, dimension, tier, utc_day, pacific_day, value, currency, shard, requests, unasked, rounds, undecided,
            declined, granted_full, granted_prorated, granted_seats, reversed, asked_again, declined_then_refunded, price,
            refunded_amount, reversed_amount
        ) VALUES (
            ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23
        )
        ON CONFLICT DO UPDATE SET
            requests = requests + excluded.requests, unasked = unasked + excluded.unasked, rounds = rounds + excluded.rounds,
            undecided = undecided + excluded.undecided, declined = declined + excluded.declined,
            granted_full = granted_full + excluded.granted_full,
            granted_prorated = granted_prorated + excluded.granted_prorated,
            granted_seats = granted_seats + excluded.granted_seats, reversed = reversed + excluded.reversed,
            asked_again = asked_again + excluded.asked_again,
            declined_then_refunded = declined_then_refunded + excluded.declined_then_refunded, price = price + excluded.price,
            refunded_amount = refunded_amount + excluded.refunded_amount,
            reversed_amount = reversed_amount + excluded.reversed_amount
        """
    static let addToSums: StaticString = """
        INSERT INTO report_sums (
            ledger_id, series, dimension, tier, utc_day, pacific_day, value, outcome, currency, shard, count, units, amount
        )
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
        ON CONFLICT DO UPDATE SET
            count = count + excluded.count, units = units + excluded.units, amount = amount + excluded.amount
        """
    static let caseSums: StaticString = """
        SELECT CASE WHEN ?6 THEN value ELSE '' END AS value_, currency,
            CASE WHEN ?7 THEN CASE WHEN ?8 THEN pacific_day ELSE utc_day END END AS day_,
            sum(requests), sum(unasked), sum(rounds), sum(undecided), sum(declined), sum(granted_full), sum(granted_prorated),
            sum(granted_seats), sum(reversed), sum(asked_again), sum(declined_then_refunded), sum(price), sum(refunded_amount),
            sum(reversed_amount)
        FROM case_sums
        WHERE ledger_id = ?1 AND basis = ?2 AND dimension = ?3 AND tier = ?9 AND utc_day >= ?4 AND utc_day <= ?10
            AND CASE WHEN ?8 THEN pacific_day ELSE utc_day END >= ?4
            AND CASE WHEN ?8 THEN pacific_day ELSE utc_day END < ?5
        GROUP BY 1, 2, 3
        HAVING sum(requests) <> 0 OR sum(unasked) <> 0
        """
    static let reportSums: StaticString = """
        SELECT CASE WHEN ?6 THEN value ELSE '' END AS value_, outcome, currency,
            CASE WHEN ?7 THEN CASE WHEN ?8 THEN pacific_day ELSE utc_day END END AS day_,
            sum(count), sum(units), sum(amount)
        FROM report_sums
        WHERE ledger_id = ?1 AND series = ?2 AND dimension = ?3 AND tier = ?9 AND utc_day >= ?4 AND utc_day <= ?10
            AND CASE WHEN ?8 THEN pacific_day ELSE utc_day END >= ?4
            AND CASE WHEN ?8 THEN pacific_day ELSE utc_day END < ?5
        GROUP BY 1, 2, 3, 4
        HAVING sum(count) <> 0
        """
}

extension SQLiteSession {
    func note(_ change: ReportChange) { pendingReports.note(change) }

    /// Counts what the transaction changed: its last step.
    func writePendingReports() throws(StoreError) {
        guard !pendingReports.isEmpty else { return }
        let pending = pendingReports
        pendingReports = PendingReports()
        try pending.write(to: self)
    }

    /// There is one writer.
    func holdForCounting(_: [LedgerCase]) throws(StoreError) {}

    func caseFacts(_ id: TransactionID, in ledger: Ledger) throws(StoreError) -> CaseFacts? {
        guard let ledger = try number(of: ledger) else { return nil }
        return try sqlite {
            try $0.first("reports.facts", SQL.facts, ledger, id) { row in
                guard let facts: CaseFacts = JSONText.decode(try row.text(0)) else { throw row.mismatch(0, "the facts of a case") }
                return facts
            }
        }
    }

    func put(_ facts: CaseFacts?, of id: TransactionID, in ledger: Ledger) throws(StoreError) {
        let ledger = try numberForWriting(to: ledger)
        guard let facts else {
            try sqlite { connection in try connection.run("reports.dropFacts", SQL.dropFacts, ledger, id) }
            return
        }
        let text = try JSONText.encode(facts, "reports.putFacts")
        try sqlite { connection in try connection.run("reports.putFacts", SQL.putFacts, ledger, id, text) }
    }

    func add(_ contribution: ReportContribution, in ledger: Ledger) throws(StoreError) {
        let ledger = try numberForWriting(to: ledger)
        for (key, sums) in contribution.cases.sorted(by: { $0.key < $1.key }) { try add(sums, to: key, ledger) }
        for (key, sums) in contribution.sums.sorted(by: { $0.key < $1.key }) { try add(sums, to: key, ledger) }
    }

    /// One writer shares counters with nobody.
    private var shard: Int64 { 0 }

    private func add(_ sums: CaseSums, to key: CaseSumKey, _ ledger: Int64) throws(StoreError) {
        try sqlite { connection in
            try connection.run(
                "reports.addToCases", SQL.addToCases, ledger, key.basis.rawValue, key.dimension.rawValue, key.tier.rawValue, key.day.utc,
                key.day.pacific, key.value, key.currency, shard, sums.requests, sums.unasked, sums.rounds, sums.undecided, sums.declined,
                sums.grantedFull,
                sums.grantedProrated, sums.grantedSeats, sums.reversed, sums.askedAgain, sums.declinedThenRefunded, sums.price,
                sums.refundedAmount, sums.reversedAmount)
        }
    }

    private func add(_ sums: ReportSums, to key: ReportSumKey, _ ledger: Int64) throws(StoreError) {
        try sqlite { connection in
            try connection.run(
                "reports.addToSums", SQL.addToSums, ledger, key.series.rawValue, key.dimension, key.tier.rawValue, key.day.utc,
                key.day.pacific, key.value, key.outcome, key.currency, shard, sums.count, sums.units, sums.amount)
        }
    }
}

extension SQLiteSession {
    func caseSums(_ query: CaseSumQuery) throws(StoreError) -> [CaseSumRow] {
        guard let ledger = try number(of: query.ledger) else { return [] }
        var rows: [CaseSumRow] = []
        for piece in query.span.pieces(query.days) {
            rows += try sqlite {
                try $0.rows(
                    "reports.caseSums", SQL.caseSums, ledger, query.basis.rawValue, query.dimension.rawValue, piece.from, piece.to,
                    query.byValue, query.days != .together, query.span.zone == .pacific, piece.tier.rawValue, piece.lastUTC
                ) { try CaseSumRow($0) }
            }
        }
        return CaseSumRow.joined(rows)
    }

    func reportSums(_ query: ReportSumQuery) throws(StoreError) -> [ReportSumRow] {
        guard let ledger = try number(of: query.ledger) else { return [] }
        var rows: [ReportSumRow] = []
        for piece in query.span.pieces(query.days) {
            rows += try sqlite {
                try $0.rows(
                    "reports.reportSums", SQL.reportSums, ledger, query.series.rawValue, query.dimension, piece.from, piece.to,
                    query.byValue, query.days != .together, query.span.zone == .pacific, piece.tier.rawValue, piece.lastUTC
                ) { try ReportSumRow($0) }
            }
        }
        return ReportSumRow.joined(rows)
    }
}

extension CaseSumRow {
    fileprivate init(_ row: borrowing Row) throws(SQLiteError) {
        var column = 0
        self.init(
            value: try row.text(&column), currency: try row.text(&column), day: try row.optionalInt64(&column), sums: CaseSums())
        for member in CaseSums.members { sums[keyPath: member] = try row.int64(&column) }
    }
}

extension ReportSumRow {
    fileprivate init(_ row: borrowing Row) throws(SQLiteError) {
        var column = 0
        self.init(
            value: try row.text(&column), outcome: try row.text(&column), currency: try row.text(&column),
            day: try row.optionalInt64(&column), sums: ReportSums())
        sums.count = try row.int64(&column)
        sums.units = try row.int64(&column)
        sums.amount = try row.int64(&column)
    }
}
