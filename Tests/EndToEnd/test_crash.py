"""Issue 2, point 8: what was answered 200 is there after any end of the process, and the folded state is that of the log."""

import http.client
import random
import signal
import threading
import time
import unittest

from desk import Desk
from field_reports import field_report
from payloads import APP, body, notification, period, purchase, renewal, request, revoked
from signing import DAY, HOUR, now_ms
from waiting import eventually

ROUNDS, POSTERS = 4, 6


class Load:
    """Threads that post until the desk is gone, and remember what was acknowledged."""

    def __init__(self, desk, seed):
        self.desk, self.acknowledged, self.unanswered, self.requests = desk, [], 0, []
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self.post_until_gone, args=(random.Random(f"{seed} {n}"),), daemon=True) for n in range(POSTERS)]
        for thread in self.threads:
            thread.start()

    def post_until_gone(self, chance):
        connection = http.client.HTTPConnection("127.0.0.1", self.desk.port, timeout=30)
        while True:
            payload, asked = self.message(chance)
            for data in [body(payload)] * chance.choice((1, 1, 1, 2)):
                try:
                    connection.request("POST", f"/v1/apps/{APP}/notifications", data)
                    answer = connection.getresponse()
                    answer.read()
                except (OSError, http.client.HTTPException):
                    self.unanswered += 1
                    return connection.close()
                if answer.status == 503:  # It is stopping: Apple would come again.
                    return connection.close()
                assert answer.status == 200, answer.status
                with self.lock:
                    self.acknowledged.append(payload["notificationUUID"])
                    self.requests += [asked] if asked else []

    @staticmethod
    def message(chance):
        """A purchase, a renewal, a refund or a request, and the transaction that was asked about."""
        start = now_ms() - chance.randrange(1, 25) * DAY
        transaction = purchase(purchaseDate=start) if chance.random() < 0.5 else period(start=start)
        kind = chance.choice(("purchase", "refund", "request"))
        if kind == "request":
            return request(transaction), transaction["transactionId"]
        if kind == "refund":
            return notification("REFUND", transaction=revoked(transaction, now_ms())), None
        if "expiresDate" in transaction:
            return notification("SUBSCRIBED", "INITIAL_BUY", transaction, renewal(transaction), signed=start), None
        return notification("ONE_TIME_CHARGE", transaction=transaction, signed=start), None

    def wait(self):
        for thread in self.threads:
            thread.join(60)


class Issue2Point8Crash(unittest.TestCase):
    WEIGHT = 10

    def setUp(self):
        self.desk = Desk(app={"consent": {"mode": "blanket", "attestation": "the tests"}})
        self.addCleanup(self.desk.close)

    def is_there(self, uuids):
        kept = {item["notificationUUID"] for item in self.desk.items("/notifications", limit=100)}
        missing = set(uuids) - kept
        self.assertEqual(missing, set(), f"{len(missing)} of {len(set(uuids))} acknowledged notifications are lost")

    def test_kill_9_under_load_again_and_again(self):
        seed = random.randrange(1 << 32)
        chance, acknowledged, asked = random.Random(seed), [], set()
        for number in range(ROUNDS):
            with self.subTest(seed=seed, round=number):
                load = Load(self.desk, f"{seed} {number}")
                enough = chance.randrange(20, 80)
                eventually(lambda: len(load.acknowledged) >= enough, 60, "enough was acknowledged")
                self.desk.stop(signal.SIGKILL)
                load.wait()
                acknowledged += load.acknowledged
                asked |= set(load.requests)
                self.desk.start()
                self.is_there(acknowledged)
        self.assertEqual(sum(self.desk.case(transaction) is None for transaction in asked), 0)
        # What was being sent when the process died is sent again at the next start.
        eventually(lambda: asked <= {call["path"].rsplit("/", 1)[1] for call in self.desk.store.answers() if call.get("status") == 202}, 30,
                   "every request that was acknowledged is answered")
        self.assertEqual(self.desk.store.faults, [])
        self.desk.check_replay()

    def test_sigterm_under_load_loses_nothing_and_exits_0(self):
        load = Load(self.desk, "term")
        eventually(lambda: len(load.acknowledged) >= 20, 60)
        self.assertEqual(self.desk.stop(signal.SIGTERM), 0, self.desk.errors()[-500:])
        load.wait()
        self.desk.start()
        self.is_there(load.acknowledged)
        self.desk.check_replay()

    def test_sigterm_finishes_the_request_that_is_in_flight(self):
        data = body(request(purchase()))
        connection = http.client.HTTPConnection("127.0.0.1", self.desk.port, timeout=30)
        connection.putrequest("POST", f"/v1/apps/{APP}/notifications")
        connection.putheader("Content-Length", str(len(data)))
        connection.endheaders()
        connection.send(data[:100])
        eventually(lambda: self.desk.http("GET", "/healthz", token=False)[0] == 200)
        self.desk.running.process.send_signal(signal.SIGTERM)
        time.sleep(1)  # In this time it notices; the request is half sent.
        connection.send(data[100:])
        self.assertEqual(connection.getresponse().status, 200)
        connection.close()
        self.assertEqual(self.desk.stop(), 0)

    def test_sigterm_right_after_the_ready_line_exits_0(self):
        self.desk.stop()
        codes = []
        for _ in range(10):
            self.desk.start()
            try:
                codes.append(self.desk.running.stop(signal.SIGTERM, 10))
            except AssertionError as error:
                codes.append(str(error))
        self.assertEqual(codes, [0] * 10)

    def test_sigterm_waits_for_the_answer_on_the_wire(self):
        transaction = purchase()
        self.desk.store.delay = 1.5
        self.desk.post_payload(request(transaction))
        eventually(lambda: self.desk.store.answers(), what="the call to the App Store")
        self.assertEqual(self.desk.stop(signal.SIGTERM), 0, self.desk.errors()[-500:])
        self.desk.start()
        answer = self.desk.case(transaction["transactionId"])["rounds"][0]["answer"]
        self.assertEqual((answer["status"], [each["httpStatus"] for each in answer["attempts"]]), ("accepted", [202]))
        self.assertEqual(len(self.desk.store.answers()), 1)

    @field_report(59)
    def test_field_report_59_replay_rebuilds_the_same_state(self):
        transaction = period()
        self.desk.post("SUBSCRIBED", "INITIAL_BUY", transaction, renewal(transaction), signed=now_ms() - 5 * DAY)
        self.desk.post("DID_RENEW", None, transaction, renewal(transaction), signed=now_ms() - DAY)
        self.desk.post("DID_RENEW", None, transaction, renewal(transaction), signed=now_ms() - DAY + 4 * HOUR)
        before = self.desk.entitlements(transaction["appTransactionId"], at=now_ms())
        self.assertEqual(self.desk.stop(), 0)
        self.desk.run("replay")
        self.desk.start()
        self.assertEqual(self.desk.entitlements(transaction["appTransactionId"], at=before["asOf"]), before)
        self.desk.check_replay()
