import Domain
import Postgres
import Store

private enum SQL {
    // Every event is in a sum of each resolution; the days are the fewest. The index has the meter before the resolution, so one meter is
    // looked up after the other instead of reading all that was ever reported.
    static let totals: StaticString = """
        WITH RECURSIVE meters (meter) AS (
            (
                SELECT meter FROM usage_sums WHERE ledger_id = $1 AND subject_kind = $2 AND subject = $3
                ORDER BY ledger_id, subject_kind, subject, meter LIMIT 1
            )
            UNION ALL
            SELECT (
                SELECT u.meter FROM usage_sums u
                WHERE u.ledger_id = $1 AND u.subject_kind = $2 AND u.subject = $3 AND u.meter > meters.meter
                ORDER BY u.ledger_id, u.subject_kind, u.subject, u.meter LIMIT 1
            ) FROM meters WHERE meter IS NOT NULL
        )
        SELECT meters.meter, days.millionths FROM meters CROSS JOIN LATERAL (
            SELECT millionths FROM usage_sums
            WHERE ledger_id = $1 AND subject_kind = $2 AND subject = $3 AND meter = meters.meter AND span_ms = 86400000 OFFSET 0
        ) AS days
        """
    static let piece: StaticString = """
        SELECT millionths FROM usage_sums
        WHERE ledger_id = $1 AND subject_kind = $2 AND subject = $3 AND meter = $4 AND span_ms = $5 AND start_ms >= $6 AND start_ms < $7
        """
    static let refs: StaticString = """
        SELECT DISTINCT value FROM aliases
        WHERE customer_id = $1 AND EXISTS (
            SELECT 1 FROM usage_sums u WHERE u.ledger_id = aliases.ledger_id AND u.subject_kind = 'customer' AND u.subject = aliases.value)
        ORDER BY value
        """
    // A sum beyond 64 bits stays at the greatest integer.
    static let add: StaticString = """
        INSERT INTO usage_sums (ledger_id, subject_kind, subject, meter, span_ms, start_ms, millionths)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
        ON CONFLICT (ledger_id, subject_kind, subject, meter, span_ms, start_ms) DO UPDATE SET millionths =
            greatest(least(usage_sums.millionths::numeric + excluded.millionths, 9223372036854775807), -9223372036854775808)::bigint
        """
}

extension PostgresSession {
    func usage(of subject: UsageFact.Subject, in ledger: Ledger) throws(StoreError) -> [String: Int64] {
        guard let ledger = try number(of: ledger) else { return [:] }
        let days = try postgres {
            try $0.rows("usage.totals", SQL.totals, ledger, subject.kind, subject.text) { (try $0.text(0), try $0.int64(1)) }
        }
        return Dictionary(days, uniquingKeysWith: saturatingSum)
    }

    func usage(of subject: UsageFact.Subject, meter: String, in ledger: Ledger, from: Timestamp, to: Timestamp)
        throws(StoreError) -> Int64
    {
        guard let ledger = try number(of: ledger) else { return 0 }
        var sum: Int64 = 0
        for piece in UsageResolution.pieces(from: from, to: to) {
            let sums = try postgres {
                try $0.rows(
                    "usage.piece", SQL.piece, ledger, subject.kind, subject.text, meter, piece.resolution.rawValue, piece.from, piece.to
                ) { try $0.int64(0) }
            }
            sum = sums.reduce(sum, saturatingSum)
        }
        return sum
    }

    func usageRefs(of customer: CustomerID) throws(StoreError) -> [String] {
        try postgres { try $0.rows("usage.refs", SQL.refs, customer.rawValue) { try $0.text(0) } }
    }

    func add(_ fact: UsageFact, in ledger: Ledger) throws(StoreError) {
        let ledger = try numberForWriting(to: ledger)
        for resolution in UsageResolution.allCases {
            try postgres { connection in
                try connection.queue(
                    "usage.add", SQL.add, ledger, fact.subject.kind, fact.subject.text, fact.meter, resolution.rawValue,
                    resolution.start(of: fact.at), fact.millionths)
            }
        }
    }
}
