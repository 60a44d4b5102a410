"""What is kept for a time only: bodies, usage, and the death of the desk in the middle of taking them away."""

import json
import signal
import sqlite3
import subprocess
import unittest
from pathlib import Path

from desk import Desk
from payloads import PRO, body, notification, period, purchase, renewal, request
from postgres import Postgres, needs_postgres
from signing import DAY, now_ms
from waiting import eventually

KEEPS = {"usage": "30d", "bodies": "30d"}
COUNT = 150


class Retention(unittest.TestCase):
    def desk(self, **top):
        desk = Desk(app={"consent": {"mode": "blanket", "attestation": "the tests"}}, top=top)
        self.addCleanup(desk.close)
        return desk

    def fill(self, desk):
        """Messages that arrive now, and usage of long ago, which is kept for ever as yet."""
        posted = []
        for _ in range(COUNT):
            bought = period()
            posted.append(body(notification("SUBSCRIBED", "INITIAL_BUY", bought, renewal(bought), signed=bought["signedDate"])))
            self.assertEqual(desk.post_raw(posted[-1])[0], 200)
        asked = purchase()
        desk.post_payload(request(asked))
        eventually(lambda: len(desk.store.answers()) == 1, 20, "the request is answered")
        old = [{"id": f"old-{n}", "customer": f"c{n % 9}", "meter": "coins", "quantity": 1, "at": now_ms() - 60 * DAY + n % 5} for n in range(400)]
        self.assertEqual(desk.api("POST", "/usage", {"events": old}, 202), {"accepted": 400, "duplicates": 0})
        desk.api("POST", "/usage", {"events": [{"id": "young", "customer": "c1", "meter": "coins", "quantity": 2, "at": now_ms()}]}, 202)
        return posted, old

    def settle(self, desk, posted, old, count, sizes):
        """Turns retention on, with the first start dying in the middle of it; then everything holds that held."""
        before = sizes()
        desk.app["retention"] = KEEPS
        desk.configure()
        desk.start()
        eventually(lambda: count()["usage"] < 401 or count()["whole"] < COUNT + 1, 30, "it began")
        desk.stop(signal.SIGKILL)
        desk.run("replay", "--check")
        desk.start()
        eventually(lambda: count() == {"usage": 1, "whole": 0}, 60, "everything old is gone")
        eventually(lambda: '"event":"retention"' in desk.errors(), 20, "a line of the round")
        # A repeat is a repeat, and what is too old counts no more.
        self.assertEqual(desk.post_raw(posted[0])[1], {"result": "duplicate"})
        self.assertEqual(desk.api("POST", "/usage", {"events": old[:3]}, 202), {"accepted": 0, "duplicates": 0, "expired": 3})
        self.assertLess(sizes(), before)
        entry = desk.items("/notifications", limit=100)[-1]
        shown = desk.api("GET", f"/notifications/{entry['notificationUUID']}")
        self.assertTrue(shown["signedPayload"].startswith("eyJhbGciOiJub25lIn0."), shown["signedPayload"][:40])
        self.assertEqual(shown["decoded"]["notificationUUID"], entry["notificationUUID"])
        self.assertEqual(shown["decoded"]["data"]["signedTransactionInfo"]["productId"], PRO)
        desk.check_replay()
        desk.run("audit", "verify")
        lines = [json.loads(line) for line in desk.run("export").stdout.splitlines()]
        self.assertEqual(sum(line["kind"] == "notification" for line in lines), COUNT + 1)
        self.assertEqual([line["fact"]["id"] for line in lines if line["kind"] == "usage"], ["young"])

    def test_a_month_later_on_sqlite(self):
        desk = self.desk()
        posted, old = self.fill(desk)
        self.assertEqual(desk.stop(), 0)
        path = Path(desk.folder, "desk.db")

        def query(sql):
            with sqlite3.connect(path, timeout=20) as file:
                return file.execute(sql).fetchall()

        # The month that passes: the desk was not looking.
        with sqlite3.connect(path) as file:
            file.execute(f"UPDATE log SET received_at_ms = received_at_ms - {31 * DAY} WHERE kind = 'notification'")
        self.settle(desk, posted, old, lambda: {
            "usage": query("SELECT count(*) FROM log WHERE kind = 'usage'")[0][0],
            "whole": query("SELECT count(*) FROM log WHERE kind = 'notification' AND reduced_at_ms IS NULL")[0][0]},
            lambda: query("SELECT sum(length(body)) FROM log")[0][0])

    @needs_postgres
    def test_a_month_later_on_postgres_its_part_is_dropped(self):
        postgres = Postgres()
        self.addCleanup(postgres.close)
        psql = sorted(Path("/usr/lib/postgresql").glob("*/bin/psql"))[-1]

        def query(sql):
            return subprocess.run([psql, postgres.url, "-At", "-c", sql], capture_output=True, text=True, check=True).stdout.split()

        desk = self.desk(database=postgres.url)
        posted, old = self.fill(desk)
        self.assertEqual(desk.stop(), 0)
        # The months that pass: a part of the table of its own, as it was made when it began.
        start = int(query("SELECT (extract(epoch FROM date_trunc('month', now() AT TIME ZONE 'UTC') - interval '3 months') * 1000)::bigint")[0])
        end = int(query(f"SELECT (extract(epoch FROM to_timestamp({start} / 1000) AT TIME ZONE 'UTC' + interval '1 month') * 1000)::bigint")[0])
        name = query(f"SELECT to_char(to_timestamp({start} / 1000) AT TIME ZONE 'UTC', '\"log_bodies_\"YYYY_MM')")[0]
        query(f"CREATE TABLE {name} PARTITION OF log_bodies FOR VALUES FROM ({start}) TO ({end})")
        for table, condition in (("log", "kind = 'notification'"), ("log_bodies", "true")):
            query(f"UPDATE {table} SET received_at_ms = {start} + received_at_ms % {10 * DAY} WHERE {condition}")
        self.assertEqual(query(f"SELECT count(*) FROM {name}"), [str(COUNT + 1)])
        self.settle(desk, posted, old, lambda: {
            "usage": int(query("SELECT count(*) FROM log WHERE kind = 'usage'")[0]),
            "whole": int(query("SELECT count(*) FROM log WHERE kind = 'notification' AND reduced_at_ms IS NULL")[0])},
            lambda: int(query("SELECT sum(length(body)) FROM log_entries")[0]))
        # It is given back with the next round, which begins with the next start.
        desk.start()
        eventually(lambda: query(f"SELECT to_regclass('{name}') IS NULL") == ["t"], 20, "the month is dropped")
        self.assertEqual(desk.post_raw(posted[0])[1], {"result": "duplicate"})
        desk.check_replay()


if __name__ == "__main__":
    unittest.main()
