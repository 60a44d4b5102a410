"""Issue 4: usage of the disputed period, drafts tried on the past, the sealed trail. The chain is computed here anew, by docs/audit.md."""

import hashlib
import json
import os
import sqlite3
import struct
import unittest

from desk import Desk
from field_reports import field_report
from payloads import APP, COINS, PRO, notification, period, purchase, request
from signing import DAY, HOUR, MINUTE, now_ms
from test_rounds import answer_status

BLANKET = {"consent": {"mode": "blanket", "attestation": "the tests"}}
PRODUCTS = {
    COINS: {"sampleContentProvided": True, "delivery": "DELIVERED", "meter": "coins", "granted": 100},
    PRO: {"sampleContentProvided": True, "delivery": "DELIVERED", "costs": {"generations": {"unit": 40, "currency": "USD"}}},
    "*": {"sampleContentProvided": True, "delivery": "DELIVERED"}}


def events(desk, *items):
    """Reports usage; each item is (id, customer or None, transaction or None, meter, quantity, at)."""
    said = [{"id": i, "meter": m, "quantity": q, "at": at} | ({"customer": c} if c else {"transactionId": t}) for i, c, t, m, q, at in items]
    status, answer, _ = desk.http("POST", f"/v1/apps/{APP}/usage", {"events": said})
    assert status == 202, answer
    return answer


class Issue4Usage(unittest.TestCase):
    def months(self, count=5):
        """A commitment whose month `count` runs; the months, oldest first."""
        start = now_ms() - (count - 1) * 30 * DAY - 5 * DAY
        first = period(start=start, billingPlanType="MONTHLY", commitmentInfo=self.commitment(1, start))
        chain = [first]
        for number in range(2, count + 1):
            chain.append(period(start=start + (number - 1) * 30 * DAY, original=first["originalTransactionId"], appTransactionId=first["appTransactionId"],
                                billingPlanType="MONTHLY", commitmentInfo=self.commitment(number, start)))
        return chain

    @staticmethod
    def commitment(number, start):
        return {"billingPeriodNumber": number, "totalBillingPeriods": 12, "commitmentExpiresDate": start + 360 * DAY, "commitmentPrice": 83880}

    @field_report(88)
    def test_month_two_is_decided_by_its_own_usage_while_month_five_runs(self):
        rules = [
            {"name": "heavy past month", "when": {"currentPeriod": False, "usage.generations": {"atLeast": 300}, "usageCost": {"atLeast": 12}, "currency": "USD"},
             "then": {"prefer": "DECLINE"}},
            {"name": "unused", "when": {"usage.generations": {"below": 1}}, "then": {"prefer": "GRANT_FULL"}}]
        with Desk(app=BLANKET | {"products": PRODUCTS, "policy": {"rules": rules, "default": {"answer": "data-only"}}}) as desk:
            chain = self.months()
            for month in chain:
                desk.post_payload(notification("DID_RENEW", transaction=month))
            second, fifth = chain[1], chain[4]
            customer = second["appTransactionId"]
            events(desk, *[(f"e{n}", customer, None, "generations", 1, second["purchaseDate"] + n * 60 * MINUTE) for n in range(300)])
            events(desk, ("edge-1", customer, None, "generations", 5, second["purchaseDate"] - 1),
                   ("edge-2", customer, None, "generations", 5, second["expiresDate"]))
            desk.post_payload(request(second))
            decision = answer_status(desk, second, "accepted")["rounds"][0]["decision"]
            self.assertEqual((decision["rule"], decision["preference"], decision["isCurrentPeriod"]), ("heavy past month", "DECLINE", False))
            desk.post_payload(request(fifth))
            decision = answer_status(desk, fifth, "accepted")["rounds"][0]["decision"]
            self.assertEqual((decision["rule"], decision["isCurrentPeriod"]), ("unused", True))
            for answer in desk.store.answers():
                self.assertNotIn("consumptionPercentage", answer["body"])
            desk.check_replay()

    def test_a_customers_usage_counts_for_the_oldest_pack(self):
        with Desk(app=BLANKET | {"products": PRODUCTS}) as desk:
            now = now_ms()
            first = purchase(purchaseDate=now - 3 * HOUR)
            second = purchase(purchaseDate=now - 2 * HOUR, appTransactionId=first["appTransactionId"])
            for each in (first, second):
                desk.post_payload(notification("ONE_TIME_CHARGE", transaction=each))
            self.assertEqual(events(desk, ("a", first["appTransactionId"], None, "coins", 112.5, now - HOUR))["accepted"], 1)
            self.assertEqual(events(desk, ("a", first["appTransactionId"], None, "coins", 112.5, now - HOUR))["duplicates"], 1)
            for each, share in ((first, 100000), (second, 12500)):
                desk.post_payload(request(each))
                answer = answer_status(desk, each, "accepted")["rounds"][0]["answer"]
                self.assertEqual((answer["body"]["consumptionPercentage"], answer["percentageSource"]), (share, "usage"))


class Issue4PolicyTest(unittest.TestCase):
    def test_a_draft_over_the_past(self):
        with Desk(app=BLANKET | {"products": PRODUCTS}) as desk:
            asked = [purchase() for _ in range(4)]
            for index, each in enumerate(asked):
                desk.post_payload(notification("ONE_TIME_CHARGE", transaction=each))
                events(desk, (f"u{index}", None, each["transactionId"], "coins", 95 if index < 3 else 5, now_ms()))
                desk.post_payload(request(each))
                answer_status(desk, each, "accepted")
            # What is known only now was not known then.
            events(desk, ("later", None, asked[3]["transactionId"], "coins", 90, now_ms()))
            desk.write("draft.json5", b"{ rules: [{ name: 'used up', when: { consumedPercentage: { atLeast: 80 } }, then: { prefer: 'DECLINE' } }] }")
            done = json.loads(desk.run("policy", "test", "--app", APP, "--draft", "draft.json5", "--json").stdout)
            self.assertEqual((done["requests"], done["changed"]), (4, 3))
            self.assertEqual([(r["name"], r["requests"], r["customers"], r["shareOfCustomers"]) for r in done["rules"]],
                             [("used up", 3, 3, 0.75), ("default", 1, 1, 0.25)])
            self.assertEqual({c["transactionId"] for c in done["changes"]}, {each["transactionId"] for each in asked[:3]})
            self.assertEqual(done["changes"][0]["becomes"]["preference"], "DECLINE")
            self.assertTrue(any("5.6" in w and "3 of 4" in w for w in done["warnings"]), done["warnings"])
            same = json.loads(desk.run("policy", "test", "--app", APP, "--json").stdout)
            self.assertEqual((same["requests"], same["changed"], same["warnings"]), (4, 0, []))
            text = desk.run("policy", "test", "--app", APP, "--draft", "draft.json5").stdout
            self.assertIn("4 requests, 3 of them would be decided otherwise", text)
            self.assertEqual(json.loads(desk.run("policy", "test", "--app", APP, "--since", "2030-01-01", "--json").stdout)["requests"], 0)

    def test_mistakes(self):
        with Desk(start=False) as desk:
            desk.write("draft.json5", b"{ rules: [{ name: 'x', when: { prize: 3 }, then: { prefer: 'DECLINE' } }] }")
            for words, said in ((("--draft", "draft.json5"), "price"), (("--draft", "none.json5"), "cannot be read"), (("--since", "soon"), "2026-11-01")):
                self.assertIn(said, desk.run("policy", "test", "--app", APP, *words, code=2).stderr)
            self.assertIn(APP, desk.run("policy", "test", "--app", "nobody", code=2).stderr)


class Issue4MissingDatabase(unittest.TestCase):
    def test_a_command_that_only_looks_makes_no_database(self):
        with Desk(start=False) as desk:
            for words in (("audit", "verify"), ("replay", "--check"), ("policy", "test", "--app", APP), ("export",), ("forget", "--app", APP, "--customer", "x")):
                self.assertIn("there is no file", desk.run(*words, code=2).stderr, words)
            self.assertFalse(os.path.exists(f"{desk.folder}/desk.db"))


class Issue4Audit(unittest.TestCase):
    """The trail proves who said what, and any tampering shows."""

    @staticmethod
    def content_hash(item):
        parts = [str(item["sequence"]), item["kind"], APP if item["environment"] else "", item["environment"] or "Production",
                 {"act": "owner"}.get(item["kind"], "owner" if item["kind"] in ("consent", "delivery", "userLink", "preference", "tags", "outages") else "desk"),
                 item["transactionId"] or "", str(item["at"]), item["actor"] or "", item["content"]]
        encoded = b"".join(struct.pack(">Q", len(p.encode())) + p.encode() for p in parts)
        return hashlib.sha256(bytes.fromhex(item["salt"]) + encoded).hexdigest()

    def test_the_chain_can_be_checked_by_anyone(self):
        with Desk() as desk:
            coins = purchase()
            desk.post_payload(notification("ONE_TIME_CHARGE", transaction=coins))
            said = desk.http("PUT", f"/v1/apps/{APP}/customers/{coins['appTransactionId']}/consent",
                             {"consented": True, "source": "in-app dialog", "textVersion": "2026-10"})[1]
            desk.post_payload(request(coins))
            answer_status(desk, coins, "accepted")
            items = desk.items("/audit")
            self.assertEqual({i["kind"] for i in items}, {"act", "consent", "decision", "answer", "attempt"})
            previous = "00" * 32
            for item in sorted(items, key=lambda i: i["position"]):
                self.assertEqual(item["contentHash"], self.content_hash(item), item)
                link = bytes.fromhex(previous) + struct.pack(">Q", item["position"]) + bytes.fromhex(item["contentHash"])
                self.assertEqual(item["hash"], hashlib.sha256(link).hexdigest())
                previous = item["hash"]
            consent = next(i for i in items if i["kind"] == "consent")
            self.assertEqual((consent["hash"], consent["actor"]), (said["auditHash"], "tests"))
            history = desk.items(f"/customers/{coins['appTransactionId']}/consent")
            self.assertEqual(history[0]["auditHash"], said["auditHash"])
            done = json.loads(desk.run("audit", "verify", "--hash", said["auditHash"], "--json").stdout)
            self.assertEqual((done["links"], done["head"], done["faults"]), (len(items), previous, []))
            self.assertIn("holds no link", desk.run("audit", "verify", "--hash", "ab" * 32, code=1).stdout)
            self.assertIn("64 hexadecimal digits", desk.run("audit", "verify", "--hash", "xyz", code=2).stderr)
            desk.check_replay()
            with sqlite3.connect(f"{desk.folder}/desk.db") as database:
                database.execute("UPDATE log SET body = CAST(replace(CAST(body AS TEXT), 'true', 'null') AS BLOB) WHERE kind = 'consent'")
            self.assertIn("was altered", desk.run("audit", "verify", code=1).stdout)


if __name__ == "__main__":
    unittest.main()
