/// What watching needs: how often refunds are asked for, when Apple was last heard, what the outbox gave up.
let watching = Migration(5, "watching", sqlite: sql, postgres: sql)

// Partial indexes: a row that nobody watches costs nothing.
private let sql = """
    CREATE INDEX log_requests ON log (ledger_id, signed_at_ms, transaction_id)
        WHERE notification_type = 'CONSUMPTION_REQUEST' AND kind = 'notification' AND result = 'accepted';
    CREATE INDEX log_arrivals ON log (ledger_id, received_at_ms) WHERE kind = 'notification' AND source = 'live';
    CREATE INDEX outbox_dead ON outbox (ledger_id, kind, id) WHERE state = 'dead';
    """
