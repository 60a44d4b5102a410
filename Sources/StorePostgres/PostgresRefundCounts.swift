import Domain
import Postgres
import Store

private enum SQL {
    static let ofCustomer: StaticString = """
        SELECT
            count(*) FILTER (WHERE EXISTS (
                SELECT 1 FROM case_events AS asked WHERE asked.ledger_id = cases.ledger_id AND asked.transaction_id = cases.transaction_id
                    AND asked.kind = 'requested' AND asked.signed_at_ms >= $2 AND asked.signed_at_ms < $3
            )),
            count(*) FILTER (WHERE cases.state = 'refunded' AND refunded_at_ms >= $2 AND refunded_at_ms < $3)
        FROM (
            SELECT cases.ledger_id, cases.transaction_id, cases.state, coalesce((
                SELECT max(told.signed_at_ms) FROM case_events AS told WHERE told.ledger_id = cases.ledger_id
                    AND told.transaction_id = cases.transaction_id AND told.kind IN ('refunded', 'seatsRefunded')
            ), revoked_at_ms, opened_at_ms) AS refunded_at_ms
            FROM aliases JOIN cases ON cases.ledger_id = aliases.ledger_id AND cases.original_transaction_id = aliases.value
            LEFT JOIN purchases ON purchases.ledger_id = cases.ledger_id AND purchases.transaction_id = cases.transaction_id
            WHERE aliases.customer_id = $1 AND aliases.kind = $4 AND cases.transaction_id IS DISTINCT FROM $5
        ) AS cases
        """
    // Only what the window holds is read: requests by their date, and of the cases those whose refund stands.
    static let candidates: StaticString = """
        WITH refunded AS (
            SELECT cases.original_transaction_id, coalesce((
                SELECT max(told.signed_at_ms) FROM case_events AS told WHERE told.ledger_id = cases.ledger_id
                    AND told.transaction_id = cases.transaction_id AND told.kind IN ('refunded', 'seatsRefunded')
            ), revoked_at_ms, opened_at_ms) AS refunded_at_ms
            FROM cases LEFT JOIN purchases
                ON purchases.ledger_id = cases.ledger_id AND purchases.transaction_id = cases.transaction_id
            WHERE cases.ledger_id = $1 AND cases.state = 'refunded'
        ), counted AS (
            SELECT original_transaction_id, 1 AS granted, 0 AS requested FROM refunded WHERE refunded_at_ms >= $2
            UNION ALL
            SELECT cases.original_transaction_id, 0, 1
            FROM case_events JOIN cases
                ON cases.ledger_id = case_events.ledger_id AND cases.transaction_id = case_events.transaction_id
            WHERE case_events.ledger_id = $1 AND case_events.signed_at_ms >= $2 AND case_events.kind = 'requested'
        )
        SELECT aliases.customer_id FROM counted JOIN aliases
            ON aliases.ledger_id = $1 AND aliases.kind = $3 AND aliases.value = counted.original_transaction_id
        WHERE aliases.customer_id > $4
        GROUP BY aliases.customer_id HAVING sum(granted) >= $5 OR sum(requested) >= $6
        ORDER BY aliases.customer_id LIMIT $7
        """
}

extension PostgresSession {
    func refundCandidates(
        granted: Int, requested: Int, since: Timestamp, in ledger: Ledger, page: PageRequest
    ) throws(StoreError) -> Page<CustomerID> {
        let after = try page.number ?? 0
        guard let ledger = try number(of: ledger) else { return Page(items: [], nextCursor: nil) }
        let found = try postgres {
            try $0.rows(
                "refundCounts.candidates", SQL.candidates, ledger, since, Alias.Kind.originalTransactionID.rawValue, after, granted,
                requested, page.rowsToRead
            ) { CustomerID(try $0.int64(0)) }
        }
        return Page(found, page) { "\($0.rawValue)" }
    }

    func refundCounts(
        of customer: CustomerID, from: Timestamp?, to: Timestamp?, without excluded: TransactionID?
    ) throws(StoreError) -> RefundCounts {
        let (first, end) = (from?.milliseconds ?? .min, to?.milliseconds ?? .max)
        let counts = try postgres {
            try $0.first(
                "refundCounts.of", SQL.ofCustomer, customer.rawValue, first, end, Alias.Kind.originalTransactionID.rawValue, excluded
            ) { RefundCounts(requested: try $0.int(0), granted: try $0.int(1)) }
        }
        return counts ?? RefundCounts()
    }
}
