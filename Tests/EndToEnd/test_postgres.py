"""Issue 6: several desks on one PostgreSQL, the death of one, the absence of the database, the way there from SQLite."""

import http.client
import itertools
import json
import random
import signal
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

from desk import Background, Desk
from payloads import APP, PRO, body, notification, period, purchase, renewal, request, revoked
from postgres import Postgres, needs_pgbouncer, needs_postgres
from receiver import Receiver
from signing import DAY, now_ms
from waiting import eventually

READY = r"^refund-desk listening on http://127\.0\.0\.1:(\d+)$"
PROCESSES, ROUNDS, POSTERS = 3, 5, 6


class Load:
    """Posters that know several desks, and come again like Apple where one does not take a message.

    Customers are few and their names overlap, so that posters keep meeting at the same customers and joining them."""

    def __init__(self, ports, seed, token=None):
        self.ports, self.stopped, self.token = ports, threading.Event(), token
        self.acknowledged, self.statuses, self.asked, self.lock = [], {}, set(), threading.Lock()
        self.customers = [("704" + str(10_000 + number), f"00000000-0000-4000-8000-{number:012d}") for number in range(8)]
        self.known = [self.transaction(random.Random(f"{seed} {number}")) for number in range(6)]
        self.threads = [threading.Thread(target=self.post, args=(random.Random(f"{seed} poster {n}"),), daemon=True) for n in range(POSTERS)]
        if token:
            self.threads.append(threading.Thread(target=self.report, args=(random.Random(f"{seed} usage"),), daemon=True))
        for thread in self.threads:
            thread.start()

    def transaction(self, chance):
        account, token = chance.choice(self.customers)[0], chance.choice(self.customers)[1]
        start = now_ms() - chance.randrange(1, 25) * DAY
        names = {"appTransactionId": account if chance.random() < 0.7 else None, "appAccountToken": token if chance.random() < 0.3 else None}
        made = purchase(purchaseDate=start, **names) if chance.random() < 0.5 else period(start=start, **names)
        return {key: value for key, value in made.items() if value is not None}

    def message(self, chance):
        transaction = chance.choice(self.known) if chance.random() < 0.3 else self.transaction(chance)
        kind = chance.choice(("purchase", "refund", "request", "request", "declined"))
        if kind == "request":
            return request(transaction), transaction["transactionId"]
        if kind == "refund":
            return notification("REFUND", transaction=revoked(transaction, now_ms())), None
        if kind == "declined":
            return notification("REFUND_DECLINED", transaction=transaction), None
        if "expiresDate" in transaction:
            return notification("SUBSCRIBED", "INITIAL_BUY", transaction, renewal(transaction), signed=transaction["signedDate"]), None
        return notification("ONE_TIME_CHARGE", transaction=transaction, signed=transaction["signedDate"]), None

    def post(self, chance):
        while not self.stopped.is_set():
            payload, asked = self.message(chance)
            data, taken = body(payload), False
            # Sometimes two desks get it at once.
            twin = threading.Thread(target=self.send, args=(chance.choice(self.ports), data)) if chance.random() < 0.2 else None
            if twin:
                twin.start()
            while not taken and not self.stopped.is_set():
                taken = self.send(chance.choice(self.ports), data) == 200
                if not taken:
                    time.sleep(0.05)
            if twin:
                twin.join()
            if taken:
                with self.lock:
                    self.acknowledged.append(payload["notificationUUID"])
                    self.asked |= {asked} if asked else set()

    def report(self, chance):
        """The truth moves on while answers are on their way: their bytes must not."""
        for number in itertools.count():
            if self.stopped.wait(0.02):
                return
            with self.lock:
                asked = sorted(self.asked)
            if asked:
                event = {"id": f"moved-{number}", "transactionId": chance.choice(asked), "meter": "coins", "quantity": 1, "at": now_ms()}
                self.send(chance.choice(self.ports), json.dumps({"events": [event]}).encode(), "/usage")

    def send(self, port, data, path="/notifications"):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"} if path == "/usage" else {}
            connection.request("POST", f"/v1/apps/{APP}{path}", data, headers)
            status = connection.getresponse().status
        except (OSError, http.client.HTTPException):
            status = None
        finally:
            connection.close()
        with self.lock:
            self.statuses[status] = self.statuses.get(status, 0) + 1
        return status

    def stop(self):
        self.stopped.set()
        for thread in self.threads:
            thread.join(90)


@needs_postgres
class Issue6Postgres(unittest.TestCase):
    WEIGHT = 20

    def setUp(self):
        self.postgres = Postgres()
        self.addCleanup(self.postgres.close)

    def desk(self, url=None, **app):
        desk = Desk(app={"consent": {"mode": "blanket", "attestation": "the tests"}} | app, top={"database": url or self.postgres.url})
        self.addCleanup(desk.close)
        return desk

    def is_there(self, desk, uuids):
        kept = {item["notificationUUID"] for item in desk.items("/notifications", limit=100)}
        missing = set(uuids) - kept
        self.assertEqual(missing, set(), f"{len(missing)} of {len(set(uuids))} acknowledged notifications are lost")

    def one_body_a_round(self, desk):
        """Whatever was sent for a round, by whichever desk and however often, is the body that its case shows."""
        for transaction in {call["path"].rsplit("/", 1)[1] for call in desk.store.answers()}:
            rounds = [each for each in desk.case(transaction)["rounds"] if each["answer"] and each["answer"]["attempts"]]
            began = [min(attempt["at"] for attempt in each["answer"]["attempts"]) for each in rounds]
            for call in desk.store.answers(transaction):
                number = max((n for n, at in enumerate(began) if at <= call["at"]), default=None)
                self.assertIsNotNone(number, f"{transaction}: a call of no round at {call['at']}, rounds began at {began}")
                bodies = [rounds[number]["answer"]["body"]]
                if number and call["at"] < began[number] + 1_000:  # It may have been on its way when the next round began.
                    bodies.append(rounds[number - 1]["answer"]["body"])
                self.assertIn(call["body"], bodies, f"{transaction}, round {rounds[number]['number']}")

    def test_three_desks_and_the_death_of_one_again_and_again(self):
        receiver = Receiver()
        self.addCleanup(receiver.stop)
        desk = self.desk(webhooks=[receiver.configuration()])
        others = [Background(["serve", "--config", "desk.json5"], READY, desk.folder) for _ in range(PROCESSES - 1)]
        processes = [desk.running] + others
        self.addCleanup(lambda: [process.stop(signal.SIGKILL) for process in processes if process.process.poll() is None])
        seed = random.randrange(1 << 32)
        chance = random.Random(seed)
        with self.subTest(seed=seed):
            desk.store.delay = 0.15  # So that a death falls upon calls.
            load = Load([int(process.match[1]) for process in processes], seed, desk.token)
            # Each dies, the first one too, and some twice.
            for victim in chance.sample(range(PROCESSES), PROCESSES) + [chance.randrange(PROCESSES) for _ in range(ROUNDS - PROCESSES)]:
                enough = len(load.acknowledged) + chance.randrange(40, 120)
                eventually(lambda: len(load.acknowledged) >= enough, 120, "enough was acknowledged")
                processes[victim].stop(signal.SIGKILL)
                time.sleep(chance.random())
                processes[victim] = Background(["serve", "--config", "desk.json5"], READY, desk.folder)
                load.ports[victim] = int(processes[victim].match[1])
                if victim == 0:
                    desk.running, desk.port = processes[0], load.ports[0]
            load.stop()
            desk.store.delay = 0.0
            self.assertEqual(set(load.statuses) - {200, 202, 503, None}, set(), load.statuses)
            self.is_there(desk, load.acknowledged)
            # What was being sent when a process died is leased for a minute.
            def unsettled():
                return [t for t in load.asked for case in [desk.case(t)] if case is None
                        or any((r.get("answer") or {}).get("status") in ("scheduled", "retrying") for r in case["rounds"])]
            eventually(lambda: not unsettled(), 150, "every answer is sent or settled")
            self.one_body_a_round(desk)
            self.assertEqual(receiver.faults, [])
            self.every_number_once(receiver)
            for process in processes[1:]:
                self.assertEqual(process.stop(), 0)
            desk.check_replay()

    def every_number_once(self, receiver):
        """Of one customer no two events have the same number."""
        numbers = {}
        for event in receiver.events():
            name = event["data"]["customer"]["appTransactionId"]
            if name:
                numbers.setdefault((name, event["sequence"]), set()).add(event["id"])
        self.assertEqual({key: ids for key, ids in numbers.items() if len(ids) > 1}, {})

    def test_the_database_is_restarted_under_load(self):
        desk = self.desk()
        load = Load([desk.port], "restart")
        eventually(lambda: len(load.acknowledged) >= 60, 60)
        self.postgres.halt()
        before = load.statuses.get(503, 0)
        eventually(lambda: load.statuses.get(503, 0) > before + 5, 30, "503 while the database is away")
        self.assertEqual(desk.http("GET", "/healthz", token=False)[0], 200)
        self.postgres.resume()
        enough = len(load.acknowledged) + 60
        eventually(lambda: len(load.acknowledged) >= enough, 60, "it goes on by itself")
        load.stop()
        self.assertEqual(set(load.statuses) - {200, 503}, set(), load.statuses)
        self.is_there(desk, load.acknowledged)
        self.assertNotIn(urlsplit(self.postgres.url).password, desk.errors())
        desk.check_replay()

    def test_a_call_wakes_the_other_desk(self):
        desk = self.desk()
        other = Background(["serve", "--config", "desk.json5"], READY, desk.folder)
        self.addCleanup(other.stop, signal.SIGKILL)
        transactions = [purchase() for _ in range(20)]
        for transaction in transactions:
            desk.post_payload(request(transaction))
        eventually(lambda: len(desk.store.answers()) == len(transactions), 10)
        self.assertEqual(other.stop(), 0)
        desk.check_replay()

    def test_a_wrong_password_is_told_and_not_shown(self):
        desk = self.desk()
        desk.stop()
        desk.configuration["database"] = self.postgres.url.replace("@", "x@")
        desk.configure()
        done = desk.run("replay", "--check", code=2)
        self.assertIn("password authentication failed", done.stderr)
        self.assertNotIn(urlsplit(self.postgres.url).password, done.stderr + done.stdout)

    def test_short_commands_end_whole(self):
        """They exit while connections are still opened or closed; one in a hundred crashed in libcrypto's own clean-up."""
        desk = Desk(top={"database": self.postgres.url}, start=False)
        self.addCleanup(desk.close)
        desk.run("token", "create", "--name", "taken")
        with ThreadPoolExecutor(6) as pool:
            ends = pool.map(lambda _: desk.run("token", "create", "--name", "taken", code=None).returncode, range(240))
        self.assertEqual(set(ends), {1})

    def test_from_sqlite_to_postgres(self):
        desk = Desk(app={"consent": {"mode": "blanket", "attestation": "the tests"}})
        self.addCleanup(desk.close)
        transactions = [purchase(appTransactionId="70477"), period(appTransactionId="70477"), purchase()]
        for transaction in transactions:
            desk.post_payload(request(transaction))
        desk.post("REFUND", None, revoked(transactions[0], now_ms()))
        desk.api("POST", "/usage", {"events": [{"id": "1", "customer": "70477", "meter": "coins", "quantity": 3.5, "at": now_ms()}]}, 202)
        def settled():
            found = [round["answer"]["status"] for case in desk.items("/cases") for round in case["rounds"] if round["answer"]]
            return len(found) == 3 and set(found) == {"accepted"}
        eventually(settled, what="each answer is on record")
        before = desk.entitlements("70477", at=now_ms())
        cases = sorted(json.dumps(case, sort_keys=True) for case in desk.items("/cases"))
        self.assertEqual(desk.stop(), 0)
        missing = desk.run("migrate", "--from", f"sqlite:{desk.folder}/desk.db", "--to", "${TARGET_OF_THE_MOVE}", code=2)
        self.assertIn("TARGET_OF_THE_MOVE is not set", missing.stderr)
        environment = {"TARGET_OF_THE_MOVE": self.postgres.url}
        done = desk.run("migrate", "--from", f"sqlite:{desk.folder}/desk.db", "--to", "${TARGET_OF_THE_MOVE}", environment=environment)
        self.assertIn("both databases hold the same", done.stdout)
        self.assertEqual(done.stderr, "")
        again = desk.run("migrate", "--from", f"sqlite:{desk.folder}/desk.db", "--to", self.postgres.url, code=1)
        self.assertIn("in use", again.stderr)
        self.assertIn("password stands in the list of processes", again.stderr)
        desk.configuration["database"] = self.postgres.url
        desk.configure()
        self.assertIn("up to date", desk.run("migrate").stdout)
        checks = {check["name"]: check for check in json.loads(desk.run("doctor", "--json", code=None).stdout)["checks"]}
        self.assertEqual([checks[name]["status"] for name in ("database", "schema", "connections")], ["ok"] * 3)
        desk.start()
        self.assertEqual(desk.entitlements("70477", at=before["asOf"]), before)
        self.assertEqual(sorted(json.dumps(case, sort_keys=True) for case in desk.items("/cases")), cases)
        desk.post_payload(request(purchase()))
        eventually(lambda: len(desk.store.answers()) == 4)
        desk.run("audit", "verify")
        desk.check_replay()

    @needs_pgbouncer
    def test_through_pgbouncer_in_transaction_mode(self):
        desk = self.desk(self.postgres.bounce())
        other = Background(["serve", "--config", "desk.json5"], READY, desk.folder)
        self.addCleanup(other.stop, signal.SIGKILL)
        load = Load([desk.port, int(other.match[1])], "bouncer")
        eventually(lambda: len(load.acknowledged) >= 100, 90)
        load.stop()
        self.assertEqual(set(load.statuses), {200}, load.statuses)
        self.is_there(desk, load.acknowledged)
        asked = purchase()
        desk.post_payload(request(asked))
        eventually(lambda: any(call["path"].endswith(asked["transactionId"]) for call in desk.store.answers()), 30, "the request is answered")
        self.assertEqual(other.stop(), 0)
        desk.check_replay()

    @needs_pgbouncer
    def test_a_pooler_that_nobody_told_the_desk_of_is_named(self):
        desk = Desk(top={"database": self.postgres.bounce().replace("?pooling=transaction", "")}, start=False)
        self.addCleanup(desk.close)
        with ThreadPoolExecutor(8) as pool:
            ends = list(pool.map(lambda n: desk.run("token", "create", "--name", f"t{n}", code=None), range(40)))
        said = [end.stderr for end in ends if end.returncode]
        self.assertTrue(said, "without its parameter the desk cannot work through such a pooler")
        self.assertTrue(any("pooling=transaction" in text for text in said), said[:3])
