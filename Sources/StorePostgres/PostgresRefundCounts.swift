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
}

extension PostgresSession {
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
