"""Issue 3: `reconcile`, beside a running server."""

import unittest

from desk import Desk
from histories import Customer, status_answer
from payloads import APP, period, renewal
from signing import DAY, now_ms


class Issue3Reconcile(unittest.TestCase):
    def setUp(self):
        self.desk = Desk()
        self.addCleanup(self.desk.close)
        now = now_ms()
        self.old = period(start=now - 31 * DAY)
        self.new = period(start=now - DAY, original=self.old["transactionId"], appTransactionId=self.old["appTransactionId"])
        at = self.old["purchaseDate"]
        self.desk.post("SUBSCRIBED", "INITIAL_BUY", self.old | {"signedDate": at}, renewal(self.old) | {"signedDate": at}, signed=at)

    def active(self):
        return [row["until"] for row in self.desk.entitlements(self.old["appTransactionId"])["entitlements"] if row["active"]]

    def test_a_renewal_that_was_never_told_is_found(self):
        self.assertEqual(self.active(), [])
        known = Customer(self.old["appTransactionId"], None, "Production", statuses={self.old["transactionId"]: (1, self.new, renewal(self.new))})
        self.desk.store.statuses[self.old["transactionId"]] = lambda: status_answer(known, self.old["transactionId"])
        said = self.desk.run("reconcile", "--app", APP).stdout
        self.assertEqual(said.strip(), "1 subscriptions asked about, 0 without an answer")
        self.assertEqual(self.active(), [self.new["expiresDate"]])
        self.assertEqual(self.desk.run("reconcile", "--app", APP).stdout.strip(), "0 subscriptions asked about, 0 without an answer")
        self.desk.check_replay()

    def test_no_answer_from_apple_is_said(self):
        self.desk.store.is_down = True
        said = self.desk.run("reconcile", "--app", APP, code=1)
        self.assertIn("1 without an answer", said.stdout)
        self.assertIn(self.old["transactionId"], said.stderr)

    def test_an_unknown_app(self):
        self.assertIn("--app", self.desk.run("reconcile", "--app", "nobody", code=2).stderr)
