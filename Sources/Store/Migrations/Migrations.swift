/// One step of the schema. A landed step is never edited; a missing dialect does not compile.
package struct Migration: Sendable {
    package var number: Int
    package var name: String
    package var sqlite: String
    package var postgres: String

    init(_ number: Int, _ name: String, sqlite: String, postgres: String) {
        self.number = number
        self.name = name
        self.sqlite = sqlite
        self.postgres = postgres
    }
}

/// The whole schema, oldest step first.
package let migrations: [Migration] = [
    Migration(1, "log, folded state, outbox, tokens", sqlite: sqliteSchema1, postgres: postgresSchema1),
    usageByTime,
    productOutages,
    catchUp,
    watching,
    decisionBasisAndAudit,
    postgresNumbers,
    bodiesByMonth,
    retention,
    sessions,
    callAllowances,
    reportCounters,
    salesFiles,
]

/// Tables that are folded from the log and nothing else: `replay` rebuilds and compares them. Columns that depend on the order of
/// arrival (a customer's number) are compared by what they stand for.
package let foldedTables = [
    "purchases", "chains", "case_events", "cases", "consents", "deliveries", "product_outages", "user_links", "usage_sums",
    "customer_settings", "decisions", "answers", "attempts", "case_facts", "case_sums", "report_sums",
]

private let sqliteSchema1 = """
    CREATE TABLE ledgers (
        id INTEGER PRIMARY KEY, app TEXT NOT NULL, environment TEXT NOT NULL CHECK (environment IN ('Production', 'Sandbox')),
        UNIQUE (app, environment)
    ) STRICT;
    CREATE TABLE jws_headers (id INTEGER PRIMARY KEY, segment BLOB NOT NULL UNIQUE) STRICT;
    CREATE TABLE log (
        sequence INTEGER PRIMARY KEY AUTOINCREMENT,
        kind TEXT NOT NULL, identity TEXT, ledger_id INTEGER NOT NULL REFERENCES ledgers (id),
        result TEXT NOT NULL CHECK (result IN ('accepted', 'quarantined')), reason TEXT, source TEXT NOT NULL,
        notification_type TEXT, subtype TEXT, claimed_environment TEXT, transaction_id TEXT,
        signed_at_ms INTEGER, received_at_ms INTEGER NOT NULL, body BLOB NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX log_identity ON log (identity) WHERE identity IS NOT NULL;
    CREATE INDEX log_listed ON log (ledger_id, sequence) WHERE kind IN ('notification', 'transaction');
    CREATE INDEX log_listed_by_type ON log (ledger_id, notification_type, sequence) WHERE notification_type IS NOT NULL;
    CREATE INDEX log_quarantined ON log (ledger_id, sequence) WHERE result = 'quarantined';
    CREATE TABLE purchases (
        ledger_id INTEGER NOT NULL, transaction_id TEXT NOT NULL, original_transaction_id TEXT NOT NULL,
        product_id TEXT NOT NULL, type TEXT NOT NULL, purchased_at_ms INTEGER NOT NULL, signed_at_ms INTEGER NOT NULL,
        notification_uuid TEXT NOT NULL, payload_sha256 BLOB NOT NULL, last_reversal_ms INTEGER,
        app_transaction_id TEXT, app_account_token TEXT, web_order_line_item_id TEXT, subscription_group TEXT,
        quantity INTEGER NOT NULL, original_purchase_at_ms INTEGER, expires_at_ms INTEGER, storefront TEXT,
        price INTEGER, currency TEXT, transaction_reason TEXT, ownership TEXT, is_upgraded INTEGER NOT NULL CHECK (is_upgraded IN (0, 1)),
        offer_type INTEGER, offer_identifier TEXT, offer_discount_type TEXT, offer_period TEXT,
        revoked_at_ms INTEGER, revocation_reason INTEGER, revocation_type TEXT, revocation_percentage INTEGER,
        billing_plan_type TEXT, billing_period_number INTEGER, total_billing_periods INTEGER, commitment_expires_at_ms INTEGER,
        commitment_price INTEGER, has_commitment INTEGER NOT NULL CHECK (has_commitment IN (0, 1)),
        is_advanced_commerce INTEGER NOT NULL CHECK (is_advanced_commerce IN (0, 1)), previous_original_transaction_id TEXT,
        invitation_management TEXT, revoked_seat_quantity INTEGER,
        PRIMARY KEY (ledger_id, transaction_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX purchases_chain ON purchases (ledger_id, original_transaction_id, purchased_at_ms);
    CREATE TABLE chains (
        ledger_id INTEGER NOT NULL, original_transaction_id TEXT NOT NULL, status_confirmed_at_ms INTEGER,
        signed_at_ms INTEGER, notification_uuid TEXT, payload_sha256 BLOB,
        product_id TEXT, auto_renew_product_id TEXT, auto_renew_status INTEGER, renewal_at_ms INTEGER, renewal_price INTEGER,
        currency TEXT, expiration_intent INTEGER, is_in_billing_retry INTEGER, grace_period_expires_at_ms INTEGER,
        price_increase_status INTEGER, offer_type INTEGER, offer_identifier TEXT, app_transaction_id TEXT, app_account_token TEXT,
        recent_subscription_start_ms INTEGER, renewal_billing_plan_type TEXT, has_commitment INTEGER NOT NULL CHECK (has_commitment IN (0, 1)),
        commitment_auto_renew_product_id TEXT, commitment_auto_renew_status INTEGER, commitment_renewal_billing_plan_type TEXT,
        commitment_renewal_at_ms INTEGER, commitment_renewal_price INTEGER,
        PRIMARY KEY (ledger_id, original_transaction_id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE customers (
        id INTEGER PRIMARY KEY AUTOINCREMENT, ledger_id INTEGER NOT NULL, event_sequence INTEGER NOT NULL DEFAULT 0, told_at_ms INTEGER
    ) STRICT;
    CREATE INDEX customers_ledger ON customers (ledger_id, id);
    CREATE TABLE aliases (
        ledger_id INTEGER NOT NULL, kind INTEGER NOT NULL CHECK (kind BETWEEN 1 AND 4), value TEXT NOT NULL,
        customer_id INTEGER NOT NULL REFERENCES customers (id),
        PRIMARY KEY (ledger_id, kind, value)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX aliases_customer ON aliases (customer_id);
    CREATE TABLE user_links (
        ledger_id INTEGER NOT NULL, original_transaction_id TEXT NOT NULL, user_id TEXT NOT NULL, at_ms INTEGER NOT NULL,
        PRIMARY KEY (ledger_id, original_transaction_id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE case_events (
        ledger_id INTEGER NOT NULL, transaction_id TEXT NOT NULL, notification_uuid TEXT NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('requested', 'declined', 'refunded', 'seatsRefunded', 'reversed')),
        signed_at_ms INTEGER NOT NULL, reason TEXT, revoked_at_ms INTEGER, revocation_reason INTEGER, revocation_type TEXT,
        revocation_percentage INTEGER, revoked_seats INTEGER,
        PRIMARY KEY (ledger_id, transaction_id, notification_uuid)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE cases (
        ledger_id INTEGER NOT NULL, transaction_id TEXT NOT NULL, original_transaction_id TEXT NOT NULL, product_id TEXT,
        state TEXT NOT NULL CHECK (state IN ('open', 'refunded', 'declined', 'reversed')), reason TEXT,
        opened_at_ms INTEGER NOT NULL, deadline_ms INTEGER,
        PRIMARY KEY (ledger_id, transaction_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX cases_newest ON cases (ledger_id, opened_at_ms, transaction_id);
    CREATE INDEX cases_state ON cases (ledger_id, state, opened_at_ms, transaction_id);
    CREATE INDEX cases_chain ON cases (ledger_id, original_transaction_id, opened_at_ms, transaction_id);
    CREATE TABLE consents (
        sequence INTEGER PRIMARY KEY, ledger_id INTEGER NOT NULL, ref TEXT NOT NULL, at_ms INTEGER NOT NULL,
        consented INTEGER NOT NULL CHECK (consented IN (0, 1)), source TEXT NOT NULL, text_version TEXT
    ) STRICT;
    CREATE INDEX consents_ref ON consents (ledger_id, ref, sequence);
    CREATE TABLE deliveries (
        ledger_id INTEGER NOT NULL, transaction_id TEXT NOT NULL, status TEXT NOT NULL, at_ms INTEGER NOT NULL,
        PRIMARY KEY (ledger_id, transaction_id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE usage_sums (
        ledger_id INTEGER NOT NULL, subject_kind TEXT NOT NULL CHECK (subject_kind IN ('transaction', 'customer')),
        subject TEXT NOT NULL, meter TEXT NOT NULL, millionths INTEGER NOT NULL,
        PRIMARY KEY (ledger_id, subject_kind, subject, meter)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE customer_settings (
        ledger_id INTEGER NOT NULL, kind TEXT NOT NULL CHECK (kind IN ('preference', 'tags')), ref TEXT NOT NULL,
        sequence INTEGER NOT NULL, json TEXT, at_ms INTEGER NOT NULL,
        PRIMARY KEY (ledger_id, kind, ref)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE decisions (
        sequence INTEGER PRIMARY KEY, ledger_id INTEGER NOT NULL, transaction_id TEXT NOT NULL, anchor TEXT NOT NULL,
        at_ms INTEGER NOT NULL, decision TEXT NOT NULL
    ) STRICT;
    CREATE INDEX decisions_case ON decisions (ledger_id, transaction_id, sequence);
    CREATE TABLE answers (
        ledger_id INTEGER NOT NULL, transaction_id TEXT NOT NULL, anchor TEXT NOT NULL,
        status TEXT NOT NULL CHECK (status IN ('scheduled', 'retrying', 'accepted', 'failed', 'expired', 'cancelled')),
        body TEXT, is_in_doubt INTEGER NOT NULL CHECK (is_in_doubt IN (0, 1)), at_ms INTEGER NOT NULL,
        PRIMARY KEY (ledger_id, transaction_id, anchor)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE attempts (
        sequence INTEGER PRIMARY KEY, ledger_id INTEGER NOT NULL, transaction_id TEXT NOT NULL, anchor TEXT NOT NULL,
        at_ms INTEGER NOT NULL, http_status INTEGER, error_code INTEGER, error TEXT
    ) STRICT;
    CREATE INDEX attempts_case ON attempts (ledger_id, transaction_id, sequence);
    CREATE TABLE outbox (
        id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, lane TEXT NOT NULL, ledger_id INTEGER NOT NULL, subject TEXT NOT NULL,
        key TEXT NOT NULL,
        due_at_ms INTEGER NOT NULL, attempt INTEGER NOT NULL DEFAULT 0,
        is_leased INTEGER NOT NULL DEFAULT 0 CHECK (is_leased IN (0, 1)), payload BLOB NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('pending', 'done', 'dead')), created_at_ms INTEGER NOT NULL, ended_at_ms INTEGER,
        UNIQUE (kind, ledger_id, subject, key)
    ) STRICT;
    CREATE INDEX outbox_due ON outbox (lane, due_at_ms, id) WHERE state = 'pending';
    CREATE TABLE delivery_attempts (
        id INTEGER PRIMARY KEY, outbox_id INTEGER NOT NULL REFERENCES outbox (id), at_ms INTEGER NOT NULL, http_status INTEGER, error TEXT
    ) STRICT;
    CREATE INDEX delivery_attempts_row ON delivery_attempts (outbox_id, id);
    CREATE TABLE tokens (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL, scope TEXT NOT NULL CHECK (scope IN ('read', 'write', 'admin')),
        sha256 BLOB NOT NULL UNIQUE, created_at_ms INTEGER NOT NULL, revoked_at_ms INTEGER
    ) STRICT;
    CREATE UNIQUE INDEX tokens_name ON tokens (name) WHERE revoked_at_ms IS NULL;
    """

/// The same tables in PostgreSQL's words.
private let postgresSchema1 =
    sqliteSchema1
    .replacing(" STRICT, WITHOUT ROWID;", with: ";").replacing(" STRICT;", with: ";")
    .replacing("INTEGER PRIMARY KEY AUTOINCREMENT", with: "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY")
    .replacing(" INTEGER", with: " BIGINT").replacing(" BLOB", with: " BYTEA")
