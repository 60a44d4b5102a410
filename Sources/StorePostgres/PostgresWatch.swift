import Domain
import Postgres
import Store

// Conditions are written as in the partial indexes, so that PostgreSQL takes those.
private enum SQL {
    static let requested: StaticString = """
        SELECT count(DISTINCT transaction_id) FROM log
        WHERE notification_type = 'CONSUMPTION_REQUEST' AND kind = 'notification' AND result = 'accepted'
            AND ledger_id = $1 AND signed_at_ms >= $2 AND signed_at_ms < $3
        """
    static let firstRequest: StaticString = """
        SELECT signed_at_ms FROM log
        WHERE notification_type = 'CONSUMPTION_REQUEST' AND kind = 'notification' AND result = 'accepted'
            AND ledger_id = $1 AND signed_at_ms IS NOT NULL
        ORDER BY signed_at_ms LIMIT 1
        """
    static let lastArrival: StaticString = """
        SELECT received_at_ms FROM log WHERE kind = 'notification' AND source = 'live' AND ledger_id = $1
        ORDER BY received_at_ms DESC LIMIT 1
        """
    static let nextArrival: StaticString = """
        SELECT received_at_ms FROM log WHERE kind = 'notification' AND source = 'live' AND ledger_id = $1 AND received_at_ms >= $2
        ORDER BY received_at_ms LIMIT 1
        """
    static let quarantined: StaticString = "SELECT count(*) FROM log WHERE ledger_id = $1 AND result = 'quarantined'"
}

extension PostgresSession {
    func requestedPurchases(in ledger: Ledger, from: Timestamp, to: Timestamp) throws(StoreError) -> Int64 {
        guard let number = try number(of: ledger) else { return 0 }
        return try postgres { try $0.first("watch.requested", SQL.requested, number, from, to) { try $0.int64(0) } } ?? 0
    }

    func firstRequest(in ledger: Ledger) throws(StoreError) -> Timestamp? {
        guard let number = try number(of: ledger) else { return nil }
        return try postgres { try $0.first("watch.firstRequest", SQL.firstRequest, number) { Timestamp(milliseconds: try $0.int64(0)) } }
    }

    func lastArrival(in ledger: Ledger) throws(StoreError) -> Timestamp? {
        guard let number = try number(of: ledger) else { return nil }
        return try postgres { try $0.first("watch.lastArrival", SQL.lastArrival, number) { Timestamp(milliseconds: try $0.int64(0)) } }
    }

    /// Leaps from one to the next: as many steps as there are spans, not rows.
    func arrivals(in ledger: Ledger, since: Timestamp, apart: Span) throws(StoreError) -> [Timestamp] {
        guard let number = try number(of: ledger) else { return [] }
        var found: [Timestamp] = []
        var from = since
        while let next = try postgres({
            try $0.first("watch.nextArrival", SQL.nextArrival, number, from) { Timestamp(milliseconds: try $0.int64(0)) }
        }) {
            found.append(next)
            from = next + max(apart, .milliseconds(1))
        }
        return found
    }

    func quarantinedCount(in ledger: Ledger) throws(StoreError) -> Int64 {
        guard let number = try number(of: ledger) else { return 0 }
        return try postgres { try $0.first("watch.quarantined", SQL.quarantined, number) { try $0.int64(0) } } ?? 0
    }
}
