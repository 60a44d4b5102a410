"""The machine's clock jumps while the desk serves: tokens follow Apple's clock, nothing is sent late, nothing is lost or waits for days.

The clock of the desk alone is off, by a small library that is loaded before the C library; Apple, the receivers and these tests keep the true one."""

import os
import shutil
import signal
import struct
import subprocess
import threading
import time
import unittest
from pathlib import Path

from desk import Desk
from payloads import notification, period, purchase, renewal, request
from receiver import Receiver
from signing import HOUR, MINUTE, now_ms
from test_rounds import answer_status
from waiting import eventually

SOURCE = Path(__file__).with_name("clock.c")


class WaryReceiver(Receiver):
    """Refuses what is dated wrongly, as a receiver does that checks the signature's date."""

    def answer(self, method, path, headers, raw):
        if abs(int(headers["webhook-timestamp"]) - time.time()) > 240:
            return 503, None
        return super().answer(method, path, headers, raw)


@unittest.skipUnless(shutil.which("cc"), "there is no C compiler")
class ClockJumps(unittest.TestCase):
    WEIGHT = 5

    @classmethod
    def library(cls, folder) -> str:
        made = os.path.join(folder, "clock.so")
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", made, SOURCE, "-ldl"], check=True)
        return made

    def setUp(self):
        self.receiver = WaryReceiver()
        self.addCleanup(self.receiver.stop)
        self.desk = Desk(app={"consent": {"mode": "blanket", "attestation": "the tests"}, "webhooks": [self.receiver.configuration()]}, start=False)
        self.addCleanup(self.desk.close)
        self.clock = os.path.join(self.desk.folder, "clock")
        self.set(0)
        self.desk.token = self.desk.run("token", "create", "--name", "tests", "--scope", "admin").stdout.strip()
        self.desk.environment = {"LD_PRELOAD": self.library(self.desk.folder), "CLOCK_OFFSET_FILE": self.clock}
        self.desk.start()

    def set(self, offset):
        """The desk's clock is off by so many hours from now on."""
        with open(self.clock, "r+b" if os.path.exists(self.clock) else "w+b", buffering=0) as file:
            file.write(struct.pack("=q", offset * HOUR))

    def received_at(self) -> int:
        """What the desk takes for now."""
        uuid = self.desk.post("TEST")
        return self.desk.api("GET", f"/notifications/{uuid}")["receivedAt"]

    def test_tokens_follow_apples_clock(self):
        for hours in (3, -1, 0):
            self.set(hours)
            self.assertLess(abs(self.received_at() - now_ms() - hours * HOUR), MINUTE, "the clock did jump")
            transaction = purchase()
            self.desk.post_payload(request(transaction))
            attempts = answer_status(self.desk, transaction, "accepted")["rounds"][0]["answer"]["attempts"]
            self.assertEqual(attempts[-1]["httpStatus"], 202)
            self.assertLessEqual([each["httpStatus"] for each in attempts[:-1]], [401], "refused once at most, and signed anew at once")
            other = purchase()
            self.desk.post_payload(request(other))
            attempts = answer_status(self.desk, other, "accepted")["rounds"][0]["answer"]["attempts"]
            self.assertEqual([each["httpStatus"] for each in attempts], [202], "by then the clock is known")

    def test_an_hour_back_sends_nothing_after_the_window(self):
        self.set(-1)
        known = purchase()
        self.desk.post_payload(request(known))
        answer_status(self.desk, known, "accepted")
        late = purchase()
        self.desk.post_payload(request(late, signed=now_ms() - 12 * HOUR - 2 * MINUTE))
        open_still = purchase()
        self.desk.post_payload(request(open_still, signed=now_ms() - 11 * HOUR))
        answer_status(self.desk, open_still, "accepted")
        self.set(0)
        answer_status(self.desk, late, "expired", seconds=60)
        self.assertEqual(self.desk.store.answers(late["transactionId"]), [])

    def test_two_days_ahead_an_hour_back_and_right_again_under_load(self):
        acknowledged, stopped = [], threading.Event()

        def load():
            while not stopped.is_set():
                transaction = period()
                acknowledged.append(self.desk.post("SUBSCRIBED", "INITIAL_BUY", transaction, renewal(transaction)))
        threads = [threading.Thread(target=load, daemon=True) for _ in range(3)]
        for thread in threads:
            thread.start()
        for offset in (48, 0, -1, 0):
            self.set(offset)
            enough, until = len(acknowledged) + 20, time.monotonic() + 3  # Long enough to be noticed.
            eventually(lambda: len(acknowledged) >= enough and time.monotonic() > until, 60, "the load goes on")
        enough = len(acknowledged) + 20
        eventually(lambda: len(acknowledged) >= enough, 60, "the load goes on")
        stopped.set()
        for thread in threads:
            thread.join(30)
        # Tries that failed while the clock ran ahead would be due in two days.
        told = lambda: [event["data"]["notificationUUID"] for event in self.receiver.events("notification.received")]
        eventually(lambda: set(acknowledged) <= set(told()), 120, "every notification is told soon")
        self.assertEqual((len(told()), self.receiver.faults), (len(set(told())), []), "each as one event")
        self.assertIn('"clock-set-back"', self.desk.errors())
        kept = {item["notificationUUID"] for item in self.desk.items("/notifications", limit=100)}
        self.assertEqual(set(acknowledged) - kept, set())
        self.desk.check_replay()

    def test_killed_while_it_ran_ahead(self):
        """Leases and waits from two days ahead are found at the next start."""
        self.set(48)
        transaction = period()
        self.desk.post_payload(notification("SUBSCRIBED", "INITIAL_BUY", transaction, renewal(transaction)))
        eventually(lambda: all(item["attempts"] for item in self.desk.items("/webhooks/deliveries")), 20, "the first tries failed")
        self.desk.store.delay = 5
        asked = purchase()
        self.desk.post_payload(request(asked, signed=now_ms() + 47 * HOUR))
        eventually(lambda: self.desk.store.answers(asked["transactionId"]), 20, "an answer is on its way")
        self.desk.stop(signal.SIGKILL)
        self.desk.store.delay = 0
        self.set(0)
        began = time.monotonic()
        self.desk.start()
        eventually(lambda: self.receiver.events("access.granted"), 30, "webhooks do not wait for two days")
        eventually(lambda: len(self.desk.store.answers(asked["transactionId"])) >= 2, 30, "nor does the answer")
        self.assertLess(time.monotonic() - began, 30 + 30)
        self.assertEqual(len({call["raw"] for call in self.desk.store.answers(asked["transactionId"])}), 1)
        self.assertEqual(self.receiver.faults, [])
