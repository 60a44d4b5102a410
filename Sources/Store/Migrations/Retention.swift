/// What keeping things for a time only needs: which bodies are whole yet, when usage happened, of whom usage was removed, what the outbox ended.
let retention = Migration(
    9, "retention", sqlite: retentionSchema,
    postgres: retentionSchema.replacing(" STRICT, WITHOUT ROWID;", with: ";").replacing(" INTEGER", with: " BIGINT") + """

        CREATE OR REPLACE VIEW log_entries AS
        SELECT sequence, kind, identity, ledger_id, result, reason, source, notification_type, subtype, claimed_environment,
            transaction_id, signed_at_ms, received_at_ms,
            CASE body WHEN '' THEN coalesce((
                SELECT b.body FROM log_bodies b WHERE b.sequence = log.sequence AND b.received_at_ms = log.received_at_ms
            ), '') ELSE body END AS body, reduced_at_ms
        FROM log;
        """)

// A body that was reduced, and a usage entry that was forgotten, cost no place in an index any more.
private let retentionSchema = """
    ALTER TABLE log ADD COLUMN reduced_at_ms INTEGER;
    ALTER TABLE log ADD COLUMN used_at_ms INTEGER;
    ALTER TABLE log ADD COLUMN usage_group INTEGER;
    CREATE INDEX log_whole ON log (ledger_id, received_at_ms, sequence)
        WHERE reduced_at_ms IS NULL AND kind IN ('notification', 'transaction', 'status');
    CREATE INDEX log_usage ON log (ledger_id, used_at_ms, usage_group, sequence) WHERE kind = 'usage' AND reason IS NULL;
    CREATE TABLE usage_removed (
        ledger_id INTEGER NOT NULL, subject_kind TEXT NOT NULL CHECK (subject_kind IN ('transaction', 'customer')),
        subject TEXT NOT NULL, before_ms INTEGER NOT NULL,
        PRIMARY KEY (ledger_id, subject_kind, subject)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX outbox_done ON outbox (ended_at_ms, id) WHERE state = 'done' AND kind <> 'alert';
    """
