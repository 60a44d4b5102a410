import Domain
import Postgres
import Store

private enum SQL {
    static let facts: StaticString = "SELECT facts FROM case_facts WHERE ledger_id = $1 AND transaction_id = $2"
    static let putFacts: StaticString = """
        INSERT INTO case_facts (ledger_id, transaction_id, facts) VALUES ($1, $2, $3)
        ON CONFLICT (ledger_id, transaction_id) DO UPDATE SET facts = excluded.facts
        """
    static let dropFacts: StaticString = "DELETE FROM case_facts WHERE ledger_id = $1 AND transaction_id = $2"
    static let addToCases: StaticString = """
        INSERT INTO case_sums (
            ledger_id, basis, dimension, tier, utc_day, pacific_day, value, currency, shard, requests, unasked, rounds, undecided,
            declined, granted_full, granted_prorated, granted_seats, reversed, asked_again, declined_then_refunded, price,
            refunded_amount, reversed_amount
        ) VALUES (
            $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23
        )
        ON CONFLICT (ledger_id, basis, dimension, tier, utc_day, pacific_day, value, currency, shard) DO UPDATE SET
            requests = case_sums.requests + excluded.requests, unasked = case_sums.unasked + excluded.unasked,
            rounds = case_sums.rounds + excluded.rounds, undecided = case_sums.undecided + excluded.undecided,
            declined = case_sums.declined + excluded.declined, granted_full = case_sums.granted_full + excluded.granted_full,
            granted_prorated = case_sums.granted_prorated + excluded.granted_prorated,
            granted_seats = case_sums.granted_seats + excluded.granted_seats,
            reversed = case_sums.reversed + excluded.reversed, asked_again = case_sums.asked_again + excluded.asked_again,
            declined_then_refunded = case_sums.declined_then_refunded + excluded.declined_then_refunded,
            price = case_sums.price + excluded.price, refunded_amount = case_sums.refunded_amount + excluded.refunded_amount,
            reversed_amount = case_sums.reversed_amount + excluded.reversed_amount
        """
    static let addToSums: StaticString = """
        INSERT INTO report_sums (
            ledger_id, series, dimension, tier, utc_day, pacific_day, value, outcome, currency, shard, count, units, amount
        )
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
        ON CONFLICT (ledger_id, series, dimension, tier, utc_day, pacific_day, value, outcome, currency, shard) DO UPDATE SET
            count = report_sums.count + excluded.count, units = report_sums.units + excluded.units, amount = report_sums.amount + excluded.amount
        """
    static let caseSums: StaticString = """
        SELECT CASE WHEN $6::bigint <> 0 THEN value ELSE '' END AS value_, currency,
            CASE WHEN $7::bigint <> 0 THEN CASE WHEN $8::bigint <> 0 THEN pacific_day ELSE utc_day END END AS day_,
            sum(requests)::bigint, sum(unasked)::bigint, sum(rounds)::bigint, sum(undecided)::bigint, sum(declined)::bigint,
            sum(granted_full)::bigint, sum(granted_prorated)::bigint, sum(granted_seats)::bigint, sum(reversed)::bigint,
            sum(asked_again)::bigint, sum(declined_then_refunded)::bigint, sum(price)::bigint, sum(refunded_amount)::bigint,
            sum(reversed_amount)::bigint
        FROM case_sums
        WHERE ledger_id = $1 AND basis = $2 AND dimension = $3 AND tier = $9 AND utc_day >= $4 AND utc_day <= $10
            AND CASE WHEN $8::bigint <> 0 THEN pacific_day ELSE utc_day END >= $4
            AND CASE WHEN $8::bigint <> 0 THEN pacific_day ELSE utc_day END < $5
        GROUP BY 1, 2, 3
        HAVING sum(requests) <> 0 OR sum(unasked) <> 0
        """
    static let reportSums: StaticString = """
        SELECT CASE WHEN $6::bigint <> 0 THEN value ELSE '' END AS value_, outcome, currency,
            CASE WHEN $7::bigint <> 0 THEN CASE WHEN $8::bigint <> 0 THEN pacific_day ELSE utc_day END END AS day_,
            sum(count)::bigint, sum(units)::bigint, sum(amount)::bigint
        FROM report_sums
        WHERE ledger_id = $1 AND series = $2 AND dimension = $3 AND tier = $9 AND utc_day >= $4 AND utc_day <= $10
            AND CASE WHEN $8::bigint <> 0 THEN pacific_day ELSE utc_day END >= $4
            AND CASE WHEN $8::bigint <> 0 THEN pacific_day ELSE utc_day END < $5
        GROUP BY 1, 2, 3, 4
        HAVING sum(count) <> 0
        """
    static let lock: StaticString = "SELECT pg_advisory_xact_lock(name) FROM unnest($1::bigint[]) AS name"
}

extension PostgresSession {
    func note(_ change: ReportChange) { pendingReports.note(change) }

    /// Counts what the transaction changed: its last step, but for the links of the audit trail.
    func writePendingReports() throws(StoreError) {
        guard !pendingReports.isEmpty else { return }
        let pending = pendingReports
        pendingReports = PendingReports()
        try pending.write(to: self)
    }

    func holdForCounting(_ cases: [LedgerCase]) throws(StoreError) {
        guard !cases.isEmpty else { return }
        let names = Set(cases.map { AdvisoryKey.countedCase($0).number }).sorted()
        try postgres { try $0.queue("reports.lock", SQL.lock, Value.integers(names)) }
    }

    func caseFacts(_ id: TransactionID, in ledger: Ledger) throws(StoreError) -> CaseFacts? {
        guard let ledger = try number(of: ledger) else { return nil }
        return try postgres {
            try $0.first("reports.facts", SQL.facts, ledger, id) { row in
                guard let facts: CaseFacts = JSONText.decode(try row.text(0)) else { throw row.mismatch(0, "the facts of a case") }
                return facts
            }
        }
    }

    func put(_ facts: CaseFacts?, of id: TransactionID, in ledger: Ledger) throws(StoreError) {
        let ledger = try numberForWriting(to: ledger)
        guard let facts else {
            try postgres { connection in try connection.queue("reports.dropFacts", SQL.dropFacts, ledger, id) }
            return
        }
        let text = try JSONText.encode(facts, "reports.putFacts")
        try postgres { connection in try connection.queue("reports.putFacts", SQL.putFacts, ledger, id, text) }
    }

    func add(_ contribution: ReportContribution, in ledger: Ledger) throws(StoreError) {
        let ledger = try numberForWriting(to: ledger)
        for (key, sums) in contribution.cases.sorted(by: { $0.key < $1.key }) { try add(sums, to: key, ledger) }
        for (key, sums) in contribution.sums.sorted(by: { $0.key < $1.key }) { try add(sums, to: key, ledger) }
    }

    private func add(_ sums: CaseSums, to key: CaseSumKey, _ ledger: Int64) throws(StoreError) {
        try postgres { connection in
            try connection.queue(
                "reports.addToCases", SQL.addToCases, ledger, key.basis.rawValue, key.dimension.rawValue, key.tier.rawValue, key.day.utc,
                key.day.pacific, key.value, key.currency, shard, sums.requests, sums.unasked, sums.rounds, sums.undecided, sums.declined,
                sums.grantedFull,
                sums.grantedProrated, sums.grantedSeats, sums.reversed, sums.askedAgain, sums.declinedThenRefunded, sums.price,
                sums.refundedAmount, sums.reversedAmount)
        }
    }

    private func add(_ sums: ReportSums, to key: ReportSumKey, _ ledger: Int64) throws(StoreError) {
        try postgres { connection in
            try connection.queue(
                "reports.addToSums", SQL.addToSums, ledger, key.series.rawValue, key.dimension, key.tier.rawValue, key.day.utc,
                key.day.pacific, key.value, key.outcome, key.currency, shard, sums.count, sums.units, sums.amount)
        }
    }
}

extension PostgresSession {
    func caseSums(_ query: CaseSumQuery) throws(StoreError) -> [CaseSumRow] {
        guard let ledger = try number(of: query.ledger) else { return [] }
        var rows: [CaseSumRow] = []
        for piece in query.span.pieces(query.days) {
            rows += try postgres {
                try $0.rows(
                    "reports.caseSums", SQL.caseSums, ledger, query.basis.rawValue, query.dimension.rawValue, piece.from, piece.to,
                    query.byValue ? Int64(1) : 0, query.days != .together ? Int64(1) : 0, query.span.zone == .pacific ? Int64(1) : 0,
                    piece.tier.rawValue, piece.lastUTC
                ) { try CaseSumRow($0) }
            }
        }
        return CaseSumRow.joined(rows)
    }

    func reportSums(_ query: ReportSumQuery) throws(StoreError) -> [ReportSumRow] {
        guard let ledger = try number(of: query.ledger) else { return [] }
        var rows: [ReportSumRow] = []
        for piece in query.span.pieces(query.days) {
            rows += try postgres {
                try $0.rows(
                    "reports.reportSums", SQL.reportSums, ledger, query.series.rawValue, query.dimension, piece.from, piece.to,
                    query.byValue ? Int64(1) : 0, query.days != .together ? Int64(1) : 0, query.span.zone == .pacific ? Int64(1) : 0,
                    piece.tier.rawValue, piece.lastUTC
                ) { try ReportSumRow($0) }
            }
        }
        return ReportSumRow.joined(rows)
    }
}

extension CaseSumRow {
    fileprivate init(_ row: borrowing Row) throws(PostgresError) {
        var column = 0
        self.init(
            value: try row.text(&column), currency: try row.text(&column), day: try row.optionalInt64(&column), sums: CaseSums())
        for member in CaseSums.members { sums[keyPath: member] = try row.int64(&column) }
    }
}

extension ReportSumRow {
    fileprivate init(_ row: borrowing Row) throws(PostgresError) {
        var column = 0
        self.init(
            value: try row.text(&column), outcome: try row.text(&column), currency: try row.text(&column),
            day: try row.optionalInt64(&column), sums: ReportSums())
        sums.count = try row.int64(&column)
        sums.units = try row.int64(&column)
        sums.amount = try row.int64(&column)
    }
}
