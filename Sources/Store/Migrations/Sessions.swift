/// Who is logged in to the dashboard, and the newest decisions at hand for its pages.
let sessions = Migration(
    10, "sessions of the dashboard", sqlite: sql,
    postgres: sql.replacing(" STRICT, WITHOUT ROWID;", with: ";").replacing(" INTEGER", with: " BIGINT").replacing(" BLOB", with: " BYTEA"))

private let sql = """
    CREATE TABLE sessions (
        sha256 BLOB PRIMARY KEY NOT NULL, token_sha256 BLOB NOT NULL, created_at_ms INTEGER NOT NULL, seen_at_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX decisions_judged ON decisions (ledger_id, at_ms, sequence) WHERE basis IS NOT NULL;
    """
