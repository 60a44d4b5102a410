"""How long `refund-desk report` takes over a year with ten million cases, on the built binary and either engine, in seconds.

The counters of such a year are written into the tables of reports: products, reasons and offers in forty currencies, sixty storefronts, each
on every day of UTC under both days of Pacific Time that it has, for every shard that writers use, by day and by month. That is more rows
than an app of that size has.

usage: PYTHONPATH=Tests/EndToEnd year.py [sqlite|postgres]...      REFUND_DESK names the binary"""

import csv
import os
import sqlite3
import subprocess
import sys
import time
from datetime import date, timedelta

from desk import Desk
from payloads import APP
from postgres import Postgres

CASES, FIRST, DAYS = 10_000_000, date(2026, 1, 1), 365
CURRENCIES = [f"C{number:02d}" for number in range(40)]
STORES = [(f"S{number:02d}", CURRENCIES[number % 40]) for number in range(60)]
DIMENSIONS = {"product": 20, "reason": 6, "offer": 6, "age": 10, "commitment": 13, "rule": 5}
CASE_FIGURES = ("requests", "unasked", "rounds", "undecided", "declined", "granted_full", "granted_prorated", "granted_seats", "reversed", "asked_again",
                "declined_then_refunded", "price", "refunded_amount", "reversed_amount")
CASE_COLUMNS = ("ledger_id", "basis", "dimension", "tier", "utc_day", "pacific_day", "value", "currency", "shard", *CASE_FIGURES)
SUM_COLUMNS = ("ledger_id", "series", "dimension", "tier", "utc_day", "pacific_day", "value", "outcome", "currency", "shard", "count", "units", "amount")
REPORTS = [("refunds", by) for by in ("product", "day", "week", "month", "reason", "storefront", "offer", "daysSincePurchase", "commitmentMonth", "rule")] \
    + [("costs", by) for by in ("product", "day", "week", "month", "reason", "storefront")] + [("outcomes", None), ("prevention", None)]


def days():
    """(tier, day of UTC, day of Pacific Time, how many days it stands for)."""
    whole = (FIRST - date(1970, 1, 1)).days
    months = {}
    for number in range(DAYS):
        day = FIRST + timedelta(number)
        for pacific in (day - timedelta(1), day):
            yield "day", whole + number, (pacific - date(1970, 1, 1)).days, 1
            first = tuple((each.replace(day=1) - date(1970, 1, 1)).days for each in (day, pacific))
            months[first] = months.get(first, 0) + 1
    for (utc, pacific), count in months.items():
        yield "month", utc, pacific, count


def values(dimension, count):
    return [(f"{dimension} {number}", currency) for number in range(count) for currency in CURRENCIES]


def case_rows(ledger, shards):
    for tier, utc, pacific, stands_for in days():
        for dimension, names in [(name, values(name, count)) for name, count in DIMENSIONS.items()] + [("storefront", STORES)]:
            share = max(CASES * stands_for // (DAYS * 2 * len(names) * shards), 1)
            for value, currency in names:
                for basis in ("requested", "purchased"):
                    for shard in range(shards):
                        yield (ledger, basis, dimension, tier, utc, pacific, value, currency, shard, share, 0, share, 0, share - share // 2, share // 2,
                               0, 0, 0, 0, 0, share * 9_990, share // 2 * 9_990, 0)


def sum_rows(ledger, shards):
    sent = ["DECLINE", "GRANT_FULL", "GRANT_PRORATED", "data-only", "nothing"]
    named = [("sale", "product", *name, "paid") for name in values("product", 20)] + [("sale", "storefront", *name, "paid") for name in STORES] \
        + [("cost", "product", *name, kind) for name in values("product", 20) for kind in ("first-year", "unit-costs")] \
        + [("cost", "storefront", *name, kind) for name in STORES for kind in ("first-year", "unit-costs", "commitment")] \
        + [("cost", "reason", *name, "first-year") for name in values("reason", 6)] \
        + [("round", kind, each, "", outcome) for kind in ("sent", "rule") for each in sent for outcome in ("refunded", "declined", "undecided")] \
        + [("time", "sent", each, "", str(bucket)) for each in sent for bucket in range(60, 200)]
    for tier, utc, pacific, stands_for in days():
        share = max(CASES * stands_for // (DAYS * 2 * 800 * shards), 1)
        for series, dimension, value, currency, outcome in named:
            for shard in range(shards):
                yield ledger, series, dimension, tier, utc, pacific, value, outcome, currency, shard, share, share, share * 9_990


def fill_sqlite(desk):
    database = sqlite3.connect(os.path.join(desk.folder, "desk.db"))
    ledger = database.execute("SELECT id FROM ledgers WHERE app = ? AND environment = 'Production'", (APP,)).fetchone()[0]
    count = 0
    for table, columns, rows in (("case_sums", CASE_COLUMNS, case_rows(ledger, 1)), ("report_sums", SUM_COLUMNS, sum_rows(ledger, 1))):
        database.executemany(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})", rows)
        count += database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    database.commit()
    database.close()
    return count


def psql(url, *words, **more):
    return subprocess.run(["psql", url, "-v", "ON_ERROR_STOP=1", "-qAt", *words], check=True, capture_output=True, text=True, **more).stdout.strip()


def fill_postgres(desk, url):
    ledger = int(psql(url, "-c", f"SELECT id FROM ledgers WHERE app = '{APP}' AND environment = 'Production'"))
    count = 0
    for table, columns, rows in (("case_sums", CASE_COLUMNS, case_rows(ledger, 4)), ("report_sums", SUM_COLUMNS, sum_rows(ledger, 4))):
        name = os.path.join(desk.folder, table)
        with open(name, "w", newline="") as file:
            csv.writer(file).writerows([str(each) for each in row] for row in rows)
        psql(url, "-c", f"\\copy {table} ({', '.join(columns)}) FROM '{name}' WITH (FORMAT csv, FORCE_NOT_NULL ({', '.join(columns)}))")
        os.remove(name)
        count += int(psql(url, "-c", f"SELECT count(*) FROM {table}"))
    psql(url, "-c", "ANALYZE")
    return count


def measure(desk, count):
    print(f"{count} rows of counters", flush=True)
    for kind, by in REPORTS:
        words = ["report", kind, "--app", APP, "--from", "2026-01-01", "--to", "2027-01-01", "--zone", "Pacific", "--format", "json"]
        taken = []
        for _ in range(3):
            start = time.monotonic()
            said = desk.run(*words, *(["--by", by] if by else [])).stdout
            taken.append(time.monotonic() - start)
            assert len(said) > 500, said
        print(f"{kind}{f' by {by}' if by else ''}: {sorted(taken)[1]:.2f} s", flush=True)


def main():
    for engine in sys.argv[1:] or ["sqlite", "postgres"]:
        print(engine)
        if engine == "sqlite":
            with Desk() as desk:
                desk.post("TEST")
                desk.stop()
                measure(desk, fill_sqlite(desk))
        else:
            server = Postgres()
            try:
                with Desk(top={"database": server.url}) as desk:
                    desk.post("TEST")
                    desk.stop()
                    measure(desk, fill_postgres(desk, server.url))
            finally:
                server.close()


main()
