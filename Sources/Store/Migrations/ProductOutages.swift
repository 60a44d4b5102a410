/// Outages that the owner records beside the configured ones; and indexes for what is asked of cases by time.
let productOutages = Migration(
    3, "product outages",
    sqlite: """
        CREATE TABLE product_outages (
            ledger_id INTEGER NOT NULL, product_id TEXT NOT NULL, position INTEGER NOT NULL,
            from_ms INTEGER NOT NULL, to_ms INTEGER NOT NULL, status TEXT NOT NULL CHECK (status LIKE 'UNDELIVERED_%'),
            PRIMARY KEY (ledger_id, product_id, position), CHECK (from_ms < to_ms)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX cases_deadline ON cases (ledger_id, deadline_ms) WHERE deadline_ms IS NOT NULL;
        CREATE INDEX case_events_signed ON case_events (ledger_id, signed_at_ms, transaction_id, kind);
        """,
    postgres: """
        CREATE TABLE product_outages (
            ledger_id BIGINT NOT NULL, product_id TEXT NOT NULL, position BIGINT NOT NULL,
            from_ms BIGINT NOT NULL, to_ms BIGINT NOT NULL, status TEXT NOT NULL CHECK (status LIKE 'UNDELIVERED_%'),
            PRIMARY KEY (ledger_id, product_id, position), CHECK (from_ms < to_ms)
        );
        CREATE INDEX cases_deadline ON cases (ledger_id, deadline_ms) WHERE deadline_ms IS NOT NULL;
        CREATE INDEX case_events_signed ON case_events (ledger_id, signed_at_ms, transaction_id, kind);
        """)
