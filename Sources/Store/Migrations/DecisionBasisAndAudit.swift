/// What verdicts were based on, and the chain of hashes that seals the trail of consents, decisions, answers and acts.
let decisionBasisAndAudit = Migration(
    6, "basis of decisions, audit trail", sqlite: auditSchema,
    postgres: auditSchema.replacing(" STRICT;", with: ";").replacing(" INTEGER", with: " BIGINT").replacing(" BLOB", with: " BYTEA"))

private let auditSchema = """
    ALTER TABLE decisions ADD COLUMN basis TEXT;
    ALTER TABLE answers ADD COLUMN percentage_source TEXT;
    CREATE TABLE audit (
        position INTEGER PRIMARY KEY, log_sequence INTEGER NOT NULL UNIQUE, ledger_id INTEGER NOT NULL, actor TEXT, salt BLOB,
        content_sha256 BLOB NOT NULL, sha256 BLOB NOT NULL
    ) STRICT;
    CREATE INDEX audit_trail ON audit (ledger_id, position);
    """
