/// What reports count: the facts of each case, and counters that its changes are added to, by day and by month, of which the days are the
/// first. `shard` spreads counters that many writers share; what counts is the sum over it.
let reportCounters = Migration(
    12, "report counters", sqlite: reportTables,
    postgres: reportTables.replacing(" STRICT, WITHOUT ROWID;", with: ";").replacing(" STRICT;", with: ";")
        .replacing(" INTEGER", with: " BIGINT"))

private let reportTables = """
    CREATE TABLE case_facts (
        ledger_id INTEGER NOT NULL, transaction_id TEXT NOT NULL, facts TEXT NOT NULL,
        PRIMARY KEY (ledger_id, transaction_id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE case_sums (
        ledger_id INTEGER NOT NULL, basis TEXT NOT NULL CHECK (basis IN ('requested', 'purchased')), dimension TEXT NOT NULL,
        tier TEXT NOT NULL CHECK (tier IN ('day', 'month')), utc_day INTEGER NOT NULL, pacific_day INTEGER NOT NULL,
        value TEXT NOT NULL, currency TEXT NOT NULL, shard INTEGER NOT NULL,
        requests INTEGER NOT NULL, unasked INTEGER NOT NULL, rounds INTEGER NOT NULL, undecided INTEGER NOT NULL,
        declined INTEGER NOT NULL, granted_full INTEGER NOT NULL, granted_prorated INTEGER NOT NULL, granted_seats INTEGER NOT NULL,
        reversed INTEGER NOT NULL, asked_again INTEGER NOT NULL, declined_then_refunded INTEGER NOT NULL,
        price INTEGER NOT NULL, refunded_amount INTEGER NOT NULL, reversed_amount INTEGER NOT NULL,
        PRIMARY KEY (ledger_id, basis, dimension, tier, utc_day, pacific_day, value, currency, shard),
        CHECK (pacific_day BETWEEN utc_day - 31 AND utc_day)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE report_sums (
        ledger_id INTEGER NOT NULL, series TEXT NOT NULL, dimension TEXT NOT NULL,
        tier TEXT NOT NULL CHECK (tier IN ('day', 'month')), utc_day INTEGER NOT NULL, pacific_day INTEGER NOT NULL,
        value TEXT NOT NULL, outcome TEXT NOT NULL, currency TEXT NOT NULL,
        shard INTEGER NOT NULL, count INTEGER NOT NULL, units INTEGER NOT NULL, amount INTEGER NOT NULL,
        PRIMARY KEY (ledger_id, series, dimension, tier, utc_day, pacific_day, value, outcome, currency, shard),
        CHECK (pacific_day BETWEEN utc_day - 31 AND utc_day)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE report_fill_due (due INTEGER PRIMARY KEY) STRICT;
    """
