/// What is left of Apple's limits, for all processes that call Apple for a ledger. Calls are counted in millionths, since they come back
/// little by little; below zero means that places ahead are promised.
let callAllowances = Migration(
    11, "shared rate limits", sqlite: callAllowanceTables,
    postgres: callAllowanceTables.replacing(" STRICT, WITHOUT ROWID;", with: ";").replacing(" INTEGER", with: " BIGINT"))

private let callAllowanceTables = """
    CREATE TABLE call_allowances (
        ledger_id INTEGER NOT NULL REFERENCES ledgers (id), family TEXT NOT NULL, left_millionths INTEGER NOT NULL,
        as_of_ms INTEGER NOT NULL, closed_until_ms INTEGER,
        PRIMARY KEY (ledger_id, family)
    ) STRICT, WITHOUT ROWID;
    """
