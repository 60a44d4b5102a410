"""Backups as docs/operations.md describes them, taken from a desk under load, and the drill with a copy."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

from desk import APP, Desk, command
from payloads import body, notification, period, purchase, renewal, request
from postgres import Postgres, needs_postgres
from signing import now_ms, payload_of
from test_rounds import BLANKET, answer_status

COPIES = {
    "vacuum": lambda source, copy: ["sqlite3", source, f"VACUUM INTO '{copy}'"],
    "online backup": lambda source, copy: ["sqlite3", "-cmd", ".timeout 10000", source, f".backup '{copy}'"],
}


def exported_notifications(text: str) -> set[str]:
    """The `notificationUUID`s in what `export` wrote."""
    bodies = [json.loads(line).get("body") for line in text.splitlines()]
    payloads = [payload_of(json.loads(each)["signedPayload"]) for each in bodies if each and "signedPayload" in each]
    return {payload["notificationUUID"] for payload in payloads}


class Load:
    """Clients that post new customers' notifications until they are told to stop; `taken` has what was acknowledged."""

    def __init__(self, desk, clients=3):
        self.desk, self.over, self.taken = desk, threading.Event(), []
        self.threads = [threading.Thread(target=self._post) for _ in range(clients)]
        for thread in self.threads:
            thread.start()

    def _post(self):
        while not self.over.is_set():
            bought = period()
            payload = notification("SUBSCRIBED", "INITIAL_BUY", bought, renewal(bought))
            status, answer = self.desk.post_raw(body(payload))
            if status == 200 and answer["result"] == "accepted":
                self.taken.append(payload["notificationUUID"])

    def wait_for(self, count):
        while len(self.taken) < count:
            assert any(thread.is_alive() for thread in self.threads)
            self.over.wait(0.01)

    def stop(self):
        self.over.set()
        for thread in self.threads:
            thread.join()


@unittest.skipUnless(shutil.which("sqlite3"), "there is no sqlite3: run scripts/setup --tests")
class SQLiteBackup(unittest.TestCase):
    def setUp(self):
        self.desk = Desk(app=BLANKET)
        self.addCleanup(self.desk.close)
        self.place = tempfile.mkdtemp(prefix="desk-backup-")
        self.addCleanup(shutil.rmtree, self.place, True)

    def copy_under_load(self, how) -> set[str]:
        """Takes a copy while notifications come in; those acknowledged before it began."""
        load = Load(self.desk)
        try:
            load.wait_for(60)
            before = set(load.taken)
            done = subprocess.run(COPIES[how](os.path.join(self.desk.folder, "desk.db"), os.path.join(self.place, "desk.db")),
                                  capture_output=True, text=True, timeout=120)
            during = len(load.taken)
            load.wait_for(during + 30)  # The desk goes on as before.
        finally:
            load.stop()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return before

    def drill(self):
        """The copy beside the files that the configuration names, checked as the page says."""
        for file in Path(self.desk.folder).iterdir():
            if file.suffix in (".json5", ".p8", ".pem"):
                shutil.copy2(file, self.place)
        configuration = os.path.join(self.place, "desk.json5")
        for words in (("replay", "--check"), ("audit", "verify")):
            done = command(*words, "--config", configuration)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        exported = command("export", "--config", configuration)
        self.assertEqual(exported.returncode, 0, exported.stderr)
        return exported_notifications(exported.stdout)

    def restore(self):
        """Puts the copy in the place of the database, which is lost."""
        self.desk.stop(signal.SIGKILL)
        for suffix in ("", "-wal", "-shm"):
            Path(self.desk.folder, "desk.db" + suffix).unlink(missing_ok=True)
        shutil.copy2(os.path.join(self.place, "desk.db"), self.desk.folder)

    def test_a_copy_under_load_is_whole(self):
        for how in COPIES:
            with self.subTest(how):
                before = self.copy_under_load(how)
                self.assertEqual(before - self.drill(), set())
                os.remove(os.path.join(self.place, "desk.db"))

    def test_a_desk_that_comes_back_from_a_copy(self):
        """What came after the copy is gone, and read again from Apple's history where it was Apple's."""
        self.desk.consent("u-before")
        before = self.copy_under_load("vacuum")
        bought = purchase(signedDate=now_ms())
        lost = notification("ONE_TIME_CHARGE", None, bought, signed=now_ms())
        self.desk.post_payload(lost)
        self.desk.consent("u-after")
        self.restore()
        self.desk.start()
        known = {item["notificationUUID"] for item in self.desk.items("/notifications", limit=200)}
        self.assertLessEqual(before, known)
        self.assertNotIn(lost["notificationUUID"], known)
        self.desk.post_payload(lost)  # As Apple's history brings it: new to the copy.
        self.assertEqual(len(self.desk.items("/customers/u-before/consent")), 1)
        self.assertEqual(self.desk.items("/customers/u-after/consent"), [])
        asked = purchase()
        self.desk.post_payload(request(asked))
        self.assertIsNotNone(self.desk.case(asked["transactionId"]))
        self.desk.check_replay()

    def test_nothing_is_sent_until_withdrawals_since_the_copy_are_recorded_again(self):
        for customer in ("7041", "7042"):
            self.desk.consent(customer)
        done = subprocess.run(COPIES["vacuum"](os.path.join(self.desk.folder, "desk.db"), os.path.join(self.place, "desk.db")),
                              capture_output=True, text=True, timeout=120)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.desk.consent("7041", False)
        self.restore()
        self.desk.start("--no-answers")
        withdrawn, agreed = (purchase(appTransactionId=customer) for customer in ("7041", "7042"))
        for bought in (withdrawn, agreed):
            self.desk.post_payload(request(bought))
            answer_status(self.desk, bought, "scheduled")
        self.desk.consent("7041", False)
        withdrawn_round = self.desk.case(withdrawn["transactionId"])["rounds"][-1]
        self.assertEqual((withdrawn_round["decision"]["because"], withdrawn_round["answer"]), (["consent-withdrawn"], None))
        self.assertEqual(self.desk.stop(), 0)
        self.assertEqual(self.desk.store.answers(), [])
        self.assertIn("no-answers", self.desk.errors())
        self.desk.start()
        answer_status(self.desk, agreed, "accepted")
        self.assertEqual(self.desk.store.answers(withdrawn["transactionId"]), [])
        self.desk.check_replay()


class PostgresBackup(unittest.TestCase):
    @needs_postgres
    def test_a_dump_under_load_is_whole(self):
        postgres = Postgres()
        self.addCleanup(postgres.close)
        desk = Desk(app=BLANKET, top={"database": postgres.url})
        self.addCleanup(desk.close)
        load = Load(desk)
        dump = os.path.join(desk.folder, "desk.dump")
        try:
            load.wait_for(60)
            before = set(load.taken)
            self.run_tool("pg_dump", "--format=custom", "--file", dump, postgres.url)
        finally:
            load.stop()
        self.run_tool("psql", postgres.url, "-qc", "CREATE DATABASE drill")
        restored = postgres.url.rsplit("/", 1)[0] + "/drill"
        self.run_tool("pg_restore", "--no-owner", "--dbname", restored, dump)
        desk.write("drill.json5", json.dumps(desk.configuration | {"database": restored}).encode())
        configuration = os.path.join(desk.folder, "drill.json5")
        for words in (("replay", "--check"), ("audit", "verify")):
            done = command(*words, "--config", configuration)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        exported = command("export", "--config", configuration, "--app", APP)
        self.assertEqual(before - exported_notifications(exported.stdout), set())

    def run_tool(self, *words):
        done = subprocess.run(words, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
