/// In PostgreSQL what Apple signed stands by the month of its arrival, so that a month that nobody needs any more is dropped whole. The log's
/// own rows, and with them the identities, stay in one table: they are unique over all months. Bodies that were kept before stay in `log`.
///
/// The months themselves are made by the desk, ahead of time; what comes for a month that is not there stands in the rest.
let bodiesByMonth = Migration(
    8, "signed bodies by month in PostgreSQL", sqlite: "",
    postgres: """
        CREATE TABLE log_bodies (
            sequence BIGINT NOT NULL, received_at_ms BIGINT NOT NULL, body BYTEA NOT NULL, PRIMARY KEY (sequence, received_at_ms)
        ) PARTITION BY RANGE (received_at_ms);
        CREATE TABLE log_bodies_rest PARTITION OF log_bodies DEFAULT;
        CREATE VIEW log_entries AS
        SELECT sequence, kind, identity, ledger_id, result, reason, source, notification_type, subtype, claimed_environment,
            transaction_id, signed_at_ms, received_at_ms,
            CASE body WHEN '' THEN coalesce((
                SELECT b.body FROM log_bodies b WHERE b.sequence = log.sequence AND b.received_at_ms = log.received_at_ms
            ), '') ELSE body END AS body
        FROM log;
        """)
