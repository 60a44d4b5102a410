extension Migration {
    /// How far each ledger is known to be complete, what is being read of Apple's histories, and how far refunds were read.
    static let catchUp = Migration(
        4, "catch-up",
        sqlite: """
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
            """,
        postgres: """
            CREATE TABLE contacts (
                ledger_id BIGINT PRIMARY KEY REFERENCES ledgers (id),
                complete_until_ms BIGINT, looked_at_ms BIGINT, failed_at_ms BIGINT, failure TEXT,
                send_failed_at_ms BIGINT, send_failure TEXT,
                CHECK ((failed_at_ms IS NULL) = (failure IS NULL)), CHECK ((send_failed_at_ms IS NULL) = (send_failure IS NULL))
            );
            CREATE TABLE history_reads (
                ledger_id BIGINT NOT NULL REFERENCES ledgers (id), reader TEXT NOT NULL CHECK (reader IN ('server', 'command')),
                from_ms BIGINT NOT NULL, to_ms BIGINT NOT NULL, only_failures BIGINT NOT NULL CHECK (only_failures IN (0, 1)),
                completes BIGINT NOT NULL CHECK (completes IN (0, 1)), pagination_token TEXT, restarts BIGINT NOT NULL,
                pages BIGINT NOT NULL, seen BIGINT NOT NULL, new BIGINT NOT NULL, duplicates BIGINT NOT NULL,
                quarantined BIGINT NOT NULL, refused BIGINT NOT NULL, failed_sends BIGINT NOT NULL, failures_after_ms BIGINT,
                outage_began_ms BIGINT, follow_up TEXT, ended_at_ms BIGINT,
                PRIMARY KEY (ledger_id, reader), CHECK (from_ms <= to_ms)
            );
            CREATE TABLE refund_revisions (
                ledger_id BIGINT NOT NULL REFERENCES ledgers (id), any_transaction_id TEXT NOT NULL, revision TEXT NOT NULL,
                at_ms BIGINT NOT NULL,
                PRIMARY KEY (ledger_id, any_transaction_id)
            );
            """)
}
