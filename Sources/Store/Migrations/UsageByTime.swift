/// Usage by time, so that it can be summed over any billing period; what was reported before is summed anew from the log.
let usageByTime = Migration(
    2, "usage by time", sqlite: usageTables + sqliteUsageFromLog,
    postgres: usageTables.replacing(" STRICT, WITHOUT ROWID;", with: ";").replacing(" INTEGER", with: " BIGINT") + postgresUsageFromLog)

private let usageTables = """
    DROP TABLE usage_sums;
    CREATE TABLE usage_sums (
        ledger_id INTEGER NOT NULL, subject_kind TEXT NOT NULL CHECK (subject_kind IN ('transaction', 'customer')),
        subject TEXT NOT NULL, meter TEXT NOT NULL,
        span_ms INTEGER NOT NULL CHECK (span_ms IN (1, 60000, 86400000)), start_ms INTEGER NOT NULL, millionths INTEGER NOT NULL,
        PRIMARY KEY (ledger_id, subject_kind, subject, meter, span_ms, start_ms)
    ) STRICT, WITHOUT ROWID;

    """

private let sqliteUsageFromLog = """
    INSERT INTO usage_sums (ledger_id, subject_kind, subject, meter, span_ms, start_ms, millionths)
    WITH spans (span) AS (VALUES (1), (60000), (86400000)),
        facts (ledger, fact) AS (SELECT ledger_id, CAST(body AS TEXT) FROM log WHERE kind = 'usage' AND result = 'accepted'),
        said (ledger, kind, subject, meter, at, millionths) AS (
            SELECT ledger, CASE WHEN fact ->> '$.subject.transaction._0' IS NULL THEN 'customer' ELSE 'transaction' END,
                coalesce(fact ->> '$.subject.transaction._0', fact ->> '$.subject.customer.ref'), fact ->> '$.meter',
                fact ->> '$.at', fact ->> '$.millionths'
            FROM facts
        )
    SELECT ledger, kind, subject, meter, span, at - ((at % span) + span) % span, CAST(total(millionths) AS INTEGER)
    FROM said CROSS JOIN spans GROUP BY 1, 2, 3, 4, 5, 6;
    """

private let postgresUsageFromLog = """
    INSERT INTO usage_sums (ledger_id, subject_kind, subject, meter, span_ms, start_ms, millionths)
    WITH spans (span) AS (VALUES (1::bigint), (60000), (86400000)),
        facts (ledger, fact) AS (
            SELECT ledger_id, convert_from(body, 'UTF8')::json FROM log WHERE kind = 'usage' AND result = 'accepted'
        ),
        said (ledger, kind, subject, meter, at, millionths) AS (
            SELECT ledger, CASE WHEN fact #>> '{subject,transaction,_0}' IS NULL THEN 'customer' ELSE 'transaction' END,
                coalesce(fact #>> '{subject,transaction,_0}', fact #>> '{subject,customer,ref}'), fact ->> 'meter',
                (fact ->> 'at')::bigint, (fact ->> 'millionths')::bigint
            FROM facts
        )
    SELECT ledger, kind, subject, meter, span, at - ((at % span) + span) % span,
        greatest(least(sum(millionths), 9223372036854775807), -9223372036854775808)::bigint
    FROM said CROSS JOIN spans GROUP BY 1, 2, 3, 4, 5, 6;
    """
