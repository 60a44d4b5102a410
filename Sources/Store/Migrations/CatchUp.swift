/// How far each ledger is known to be complete, what is being read of Apple's histories, and how far refunds were read.
let catchUp = Migration(
    4, "catch-up", sqlite: catchUpTables,
    postgres: catchUpTables.replacing(" STRICT, WITHOUT ROWID;", with: ";").replacing(" STRICT;", with: ";")
        .replacing(" INTEGER", with: " BIGINT"))

private let catchUpTables = """
    CREATE TABLE contacts (
        ledger_id INTEGER PRIMARY KEY REFERENCES ledgers (id),
        complete_until_ms INTEGER, looked_at_ms INTEGER, failed_at_ms INTEGER, failure TEXT,
        send_failed_at_ms INTEGER, send_failure TEXT,
        CHECK ((failed_at_ms IS NULL) = (failure IS NULL)), CHECK ((send_failed_at_ms IS NULL) = (send_failure IS NULL))
    ) STRICT;
    CREATE TABLE history_reads (
        ledger_id INTEGER NOT NULL REFERENCES ledgers (id), reader TEXT NOT NULL CHECK (reader IN ('server', 'command')),
        from_ms INTEGER NOT NULL, to_ms INTEGER NOT NULL, only_failures INTEGER NOT NULL CHECK (only_failures IN (0, 1)),
        completes INTEGER NOT NULL CHECK (completes IN (0, 1)), pagination_token TEXT, restarts INTEGER NOT NULL,
        pages INTEGER NOT NULL, seen INTEGER NOT NULL, new INTEGER NOT NULL, duplicates INTEGER NOT NULL,
        quarantined INTEGER NOT NULL, refused INTEGER NOT NULL, failed_sends INTEGER NOT NULL, failures_after_ms INTEGER,
        outage_began_ms INTEGER, follow_up TEXT, ended_at_ms INTEGER,
        PRIMARY KEY (ledger_id, reader), CHECK (from_ms <= to_ms)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE refund_revisions (
        ledger_id INTEGER NOT NULL REFERENCES ledgers (id), any_transaction_id TEXT NOT NULL, revision TEXT NOT NULL,
        at_ms INTEGER NOT NULL,
        PRIMARY KEY (ledger_id, any_transaction_id)
    ) STRICT, WITHOUT ROWID;
    """
