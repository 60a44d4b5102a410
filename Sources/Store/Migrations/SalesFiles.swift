/// What Apple's sales files tell of refunds. The owner imports them; they are no facts of the log.
let salesFiles = Migration(
    13, "sales files", sqlite: salesTables,
    postgres: salesTables.replacing(" STRICT, WITHOUT ROWID;", with: ";").replacing(" INTEGER", with: " BIGINT"))

private let salesTables = """
    CREATE TABLE sales_days (
        app TEXT NOT NULL, kind TEXT NOT NULL CHECK (kind IN ('summary', 'event', 'subscriber')), vendor TEXT NOT NULL, day INTEGER NOT NULL,
        sha256 TEXT NOT NULL, imported_at_ms INTEGER NOT NULL,
        PRIMARY KEY (app, kind, vendor, day)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE sales_refunds (
        app TEXT NOT NULL, kind TEXT NOT NULL, vendor TEXT NOT NULL, day INTEGER NOT NULL, product TEXT NOT NULL, territory TEXT NOT NULL,
        currency TEXT NOT NULL, units_hundredths INTEGER NOT NULL CHECK (units_hundredths >= 0),
        amount INTEGER NOT NULL CHECK (amount >= 0),
        PRIMARY KEY (app, kind, day, product, territory, currency, vendor)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE sales_products (
        app TEXT NOT NULL, apple_id TEXT NOT NULL, product TEXT NOT NULL,
        PRIMARY KEY (app, apple_id)
    ) STRICT, WITHOUT ROWID;
    """
