"""How much disk a notification takes in PostgreSQL, table by table: `python Tests/EndToEnd/sizes.py [COUNT]`.

Each notification is the first purchase of a customer of its own."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from desk import Desk
from payloads import body, notification, period, renewal
from postgres import Postgres

SIZES = """
    SELECT coalesce(p.relname, c.relname), sum(pg_total_relation_size(c.oid)) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    LEFT JOIN pg_inherits i ON i.inhrelid = c.oid LEFT JOIN pg_class p ON p.oid = i.inhparent
    WHERE n.nspname = 'public' AND c.relkind = 'r' GROUP BY 1
"""


def sizes(url: str) -> dict:
    psql = sorted(Path("/usr/lib/postgresql").glob("*/bin/psql"))[-1]
    done = subprocess.run([psql, url, "-AtF", " ", "-c", SIZES], capture_output=True, text=True, check=True)
    return {name: int(size) for name, size in (line.split() for line in done.stdout.splitlines())}


def main(count: int):
    postgres = Postgres()
    try:
        with Desk(top={"database": postgres.url}) as desk:
            desk.post("TEST")
            before = sizes(postgres.url)
            length = 0

            def post(_):
                bought = period()
                data = body(notification("SUBSCRIBED", "INITIAL_BUY", bought, renewal(bought), signed=bought["signedDate"]))
                assert desk.post_raw(data)[0] == 200
                return len(data)

            with ThreadPoolExecutor(16) as pool:
                length = sum(pool.map(post, range(count)))
            added = {name: size - before.get(name, 0) for name, size in sizes(postgres.url).items()}
    finally:
        postgres.close()
    print(f"{count} notifications of {length / count / 1000:.1f} kB: {sum(added.values()) / count / 1000:.2f} kB each")
    for name, size in sorted(added.items(), key=lambda item: -item[1]):
        if size / count > 50:
            print(f"  {name:20} {size / count / 1000:.2f} kB")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3_000)
