"""Field reports: what went wrong elsewhere, each row down to its last column. Those that other tests prove are marked there."""

import json
import os
import re
import threading
import unittest
from pathlib import Path

from appstore import LocalServer, Sent
from desk import ROOT, Desk, command
from field_reports import field_report
from payloads import (APP, APP_ID, BASIC, BUNDLE, COINS, LIFETIME, PRO, YEARLY, body, new_id, notification, period, purchase, renewal,
                      request, revoked)
from receiver import Receiver
from signing import CHAIN, DAY, HOUR, MINUTE, SECOND, Chain, now_ms
from test_rounds import answer_status
from waiting import eventually

APPLE = Path(os.environ.get("REFUND_DESK_SHARED") or ROOT.parent / "shared", "vectors/apple")
needs_apple = unittest.skipUnless(APPLE.is_dir(), f"Apple's test data is not at {APPLE}: set REFUND_DESK_SHARED")
BLANKET = {"consent": {"mode": "blanket", "attestation": "the tests"}}


class Forwarded(LocalServer):
    """Another service that is passed Apple's bodies."""

    def __init__(self):
        self.bodies, self.lock = [], threading.Lock()
        super().__init__()

    def answer(self, method, path, headers, raw):
        with self.lock:
            self.bodies.append(raw)
        return 200, None


class FieldReports(unittest.TestCase):
    app = BLANKET

    def setUp(self):
        self.desk = Desk(app=self.app)
        self.addCleanup(self.desk.close)
        self.now = now_ms()

    def told(self, kind, subtype, transaction, info=None, at=None, **fields):
        at = at or now_ms()
        return self.desk.post(kind, subtype, transaction | {"signedDate": at}, info and info | {"signedDate": at}, signed=at, **fields)

    def bought(self, transaction):
        at = transaction["purchaseDate"]
        if "expiresDate" in transaction:
            self.told("SUBSCRIBED", "INITIAL_BUY", transaction, renewal(transaction), at, status=1)
        else:
            self.told("ONE_TIME_CHARGE", None, transaction, None, at)
        return transaction

    def row(self, transaction, at=None) -> dict:
        rows = self.desk.entitlements(transaction["appTransactionId"], at)["entitlements"]
        return {each["originalTransactionId"]: each for each in rows}[transaction["originalTransactionId"]]

    def money(self, transaction) -> tuple:
        """What a customer paid and was given back, by currency."""
        customer = self.desk.api("GET", f"/customers/{transaction['appTransactionId']}")
        return tuple({each["currency"]: each["amount"] for each in customer[key]} for key in ("paid", "refunded"))


class Verify(FieldReports):
    @field_report(7)
    def test_a_history_outlives_its_signers(self):
        chain = Chain(leaf_days=(-400, -90))
        self.desk.stop()
        self.desk.write("root.pem", CHAIN.root_pem + chain.root_pem)
        at = self.now - 92 * DAY
        transaction = period(start=at)
        late = self.now - 89 * DAY
        payloads = [notification("DID_RENEW", None, each, renewal(each, signedDate=signed), chain=chain, signed=signed)
                    for each, signed in ((transaction, at), (period(start=late), late))]
        self.desk.store.history = [Sent({"signedDate": each["signedDate"], "signedPayload": chain.sign(each)}, "TIMED_OUT") for each in payloads]
        done = self.desk.run("backfill", "--app", APP, "--json", "--environment", "Production", "--since", str(self.now - 170 * DAY))
        found = json.loads(done.stdout)["ledgers"][0]
        self.assertEqual([found[key] for key in ("seen", "new", "refused")], [2, 1, 1], "only what was signed while the leaf was good")
        self.desk.start()
        self.assertTrue(self.row(transaction, at + DAY)["active"])

    @field_report(9)
    def test_leaves_roll_over(self):
        other = CHAIN.with_another_leaf()
        self.assertNotEqual(other.x5c[0], CHAIN.x5c[0])
        for chain in (CHAIN, other, CHAIN, other):
            transaction = purchase()
            data = body(notification("ONE_TIME_CHARGE", transaction=transaction, chain=chain), chain)
            self.assertEqual(self.desk.post_raw(data), (200, {"result": "accepted"}))
        mixed = notification("ONE_TIME_CHARGE", transaction=purchase(), chain=other)
        self.assertEqual(self.desk.post_raw(body(mixed)), (200, {"result": "accepted"}), "one leaf outside, another inside")

    def apples(self, name) -> str:
        return (APPLE / "mock_signed_data" / name).read_text().strip()

    @needs_apple
    @field_report(11, 18, 29)
    def test_apples_own_test_messages(self):
        app = {"bundleId": "com.example", "appAppleId": 1234, "environments": ["Sandbox"]}
        with Desk(app=app, start=False) as desk:
            desk.write("root.pem", (APPLE / "testCA.der").read_bytes())
            desk.token = desk.run("token", "create", "--name", "tests", "--scope", "admin").stdout.strip()
            desk.start()
            post = lambda name: desk.post_raw(json.dumps({"signedPayload": self.apples(name)}).encode())
            self.assertEqual(post("testNotification"), (200, {"result": "accepted"}))
            status, problem = post("missingX5CHeaderClaim")
            self.assertEqual((status, problem["code"]), (400, "malformed"))
            # It has no date either: nothing that could be filed.
            status, answer = post("wrongBundleId")
            self.assertTrue((status, answer.get("code")) == (400, "malformed") or (status, answer) == (
                200, {"result": "quarantined", "reason": "wrong-app"}), (status, answer))
            self.assertEqual([each["notificationType"] for each in desk.items("/notifications", environment="Sandbox")
                              if each["result"] == "accepted"], ["TEST"])
        root = str(APPLE / "testCA.der")
        verdict = lambda name, *more: command("verify", "-", "--root", root, *more, stdin=self.apples(name)).returncode
        self.assertEqual(verdict("testNotification", "--bundle-id", "com.example"), 0)
        self.assertEqual(verdict("wrongBundleId", "--bundle-id", "com.example"), 1)
        self.assertEqual(verdict("missingX5CHeaderClaim"), 1)

    @field_report(17)
    def test_a_chain_of_another_length_is_known_by_its_reason(self):
        """It is not kept: Apple sends it again for three days and its history holds it longer, after whatever change of ours."""
        payload = notification("ONE_TIME_CHARGE", transaction=purchase())
        for x5c in (CHAIN.x5c[:1], CHAIN.x5c[:2], CHAIN.x5c + CHAIN.x5c[2:]):
            status, problem = self.desk.post_raw(body(payload, x5c=x5c))
            self.assertEqual((status, problem["code"]), (400, "chain-length"))
        counted = self.desk_metrics()
        self.assertIn('refund_desk_rejected_total{code="chain-length"} 3', counted)
        self.desk.post_payload(payload)

    def desk_metrics(self) -> str:
        import urllib.request
        asked = urllib.request.Request(f"http://127.0.0.1:{self.desk.port}/metrics", headers={"Authorization": f"Bearer {self.desk.token}"})
        with urllib.request.urlopen(asked, timeout=20) as answer:
            return answer.read().decode()

    @needs_apple
    @field_report(23)
    def test_what_xcode_signed_stays_out(self):
        signed = (APPLE / "xcode/xcode-signed-transaction").read_text().strip()
        problem = self.desk.api("POST", "/transactions", {"signedTransactionInfo": signed}, 400)
        self.assertEqual(problem["code"], "chain-length")
        for environment in ("Production", "Sandbox"):
            done = command("verify", "-", "--json", "--environment", environment, stdin=signed)
            self.assertEqual((done.returncode, json.loads(done.stdout)["code"]), (1, "chain-length"))
        self.assertEqual(command("verify", "-", "--environment", "Xcode", stdin=signed).returncode, 2, "there is no profile that lets it in")
        self.assertEqual(self.desk.items("/notifications", environment="all"), [])


class Forwarding(FieldReports):
    def setUp(self):
        self.service, self.receiver = Forwarded(), Receiver()
        self.addCleanup(self.service.stop)
        self.addCleanup(self.receiver.stop)
        self.app = BLANKET | {"forward": [{"url": self.service.url + "/apple"}], "webhooks": [self.receiver.configuration()]}
        super().setUp()

    def goes_through(self, payload, environment=None) -> dict:
        """Taken, passed on byte for byte and told to the backend; its entry in the log."""
        data = body(payload)
        self.assertEqual(self.desk.post_raw(data), (200, {"result": "accepted"}))
        posted = json.loads(data)["signedPayload"]
        eventually(lambda: any(json.loads(each)["signedPayload"] == posted for each in self.service.bodies), what="it is forwarded")
        heard = lambda: [event["data"] for event in self.receiver.events("notification.received")
                         if event["data"]["notificationUUID"] == payload["notificationUUID"]]
        event = eventually(heard, what="it is told")[0]
        self.assertEqual((event["notificationType"], event.get("subtype")), (payload["notificationType"], payload.get("subtype")))
        return self.desk.api("GET", f"/notifications/{payload['notificationUUID']}", environment=environment)

    def no_ledger_line(self):
        for environment in ("Production", "Sandbox"):
            self.assertEqual((self.desk.items("/customers", environment=environment), self.desk.items("/cases", environment=environment)), ([], []))

    @field_report(34)
    def test_external_purchase_tokens(self):
        for subtype, kind in (("CREATED", "ACQUISITION"), ("ACTIVE_TOKEN_REMINDER", "SERVICES")):
            token = {"externalPurchaseId": new_id(), "tokenCreationDate": self.now, "appAppleId": APP_ID, "bundleId": BUNDLE,
                     "tokenType": kind, "tokenExpirationDate": self.now + HOUR}
            entry = self.goes_through(notification("EXTERNAL_PURCHASE_TOKEN", subtype, top={"data": None, "externalPurchaseToken": token}))
            self.assertEqual(entry["decoded"]["externalPurchaseToken"], token)
        self.no_ledger_line()

    def rescinded(self, chain=CHAIN, **fields):
        inner = {"receiptType": "Production", "appAppleId": APP_ID, "bundleId": BUNDLE, "applicationVersion": "1",
                 "receiptCreationDate": self.now, "originalPurchaseDate": self.now, "originalApplicationVersion": "1"} | fields
        return notification("RESCIND_CONSENT", top={"data": None, "appData": {
            "appAppleId": APP_ID, "bundleId": BUNDLE, "environment": "Production", "signedAppTransactionInfo": chain.sign(inner)}})

    @field_report(35)
    def test_rescinded_consent(self):
        self.goes_through(self.rescinded())
        self.no_ledger_line()
        status, problem = self.desk.post_raw(body(self.rescinded(Chain())))
        self.assertEqual((status, problem["code"]), (400, "untrusted-chain"), "the app transaction is verified too")

    @field_report(37)
    def test_test_notifications(self):
        for environment in ("Production", "Sandbox"):
            entry = self.goes_through(notification("TEST", environment=environment), environment)
            self.assertEqual((entry["notificationType"], entry["transactionId"], entry["result"]), ("TEST", None, "accepted"))
        self.no_ledger_line()

    @field_report(40, 145)
    def test_types_of_the_future(self):
        transaction = self.bought(period())
        before = self.desk.entitlements(transaction["appTransactionId"], self.now)
        entry = self.goes_through(notification("FUTURE_EVENT", "FUTURE_SUB", revoked(transaction, self.now)))
        self.assertEqual((entry["notificationType"], entry["subtype"]), ("FUTURE_EVENT", "FUTURE_SUB"))
        self.assertEqual(self.desk.entitlements(transaction["appTransactionId"], self.now), before)
        self.assertIn("refund_desk_unknown_type_total 1\n", Verify.desk_metrics(self))

    @field_report(44)
    def test_ids_are_never_numbers(self):
        ids = {"transactionId": "2000001024998954", "originalTransactionId": "2000001024998954", "appTransactionId": "904897469903383919"}
        transaction = self.bought(purchase(LIFETIME, "Non-Consumable", **ids))
        data = eventually(lambda: [event["data"] for event in self.receiver.events("access.granted")])[0]
        self.assertEqual((data["transactionId"], data["customer"]["appTransactionId"]), (ids["transactionId"], ids["appTransactionId"]))
        self.assertEqual(self.row(transaction)["transactionId"], ids["transactionId"])
        self.desk.post_payload(request(transaction))
        answer_status(self.desk, transaction, "accepted")
        self.assertEqual([call["path"].rsplit("/", 1)[1] for call in self.desk.store.answers()], [ids["transactionId"]])
        exported = [json.loads(line) for line in self.desk.run("export").stdout.splitlines()]
        self.assertIn(ids["transactionId"], json.dumps(exported))
        # A number that a client sends is taken as it is or refused, never rounded: beyond 2^53 a double would be off.
        usage = {"meter": "coins", "quantity": 1, "at": self.now}
        for number, exact in enumerate((2**53 + 1, 904897469903383919)):
            counted = {"id": f"u{number}", "transactionId": exact}
            self.assertEqual(self.desk.api("POST", "/usage", {"events": [usage | counted]}, 202), {"accepted": 1, "duplicates": 0})
        listed = self.desk.run("export").stdout
        self.assertTrue('9007199254740993' in listed and '9007199254740992' not in listed, "the number is exact")
        for odd in ("904897469903383919.5", "904897469903383919.0000001", "1e400", "18446744073709551616000"):
            for member in ("transactionId", "customer"):
                data = json.dumps({"events": [usage | {"id": "odd", member: "ODD"}]}).replace('"ODD"', odd).encode()
                status, problem, _ = self.desk.http("POST", f"/v1/apps/{APP}/usage", data)
                self.assertIn((status, problem.get("code")), ((422, "invalid"), (400, "malformed")), (member, odd, problem))
        for whole in ("904897469903383919.0", "9.04897469903383919e17"):
            data = json.dumps({"events": [usage | {"id": whole, "customer": "ODD"}]}).replace('"ODD"', whole).encode()
            self.assertIn(self.desk.http("POST", f"/v1/apps/{APP}/usage", data)[0], (202, 400, 422))
        exported = self.desk.run("export").stdout
        self.assertEqual({each for each in re.findall(r"90489746990338\d{4}", exported)}, {"904897469903383919"}, "taken exactly or refused")

    @field_report(139)
    def test_fields_of_a_commitment_reach_the_far_end(self):
        term = self.now + 330 * DAY
        info = {"billingPeriodNumber": 2, "totalBillingPeriods": 12, "commitmentExpiresDate": term, "commitmentPrice": 131_880}
        month = period(YEARLY, self.now - 5 * DAY, billingPlanType="MONTHLY", commitmentInfo=info)
        payload = notification("DID_RENEW", None, month, renewal(month, renewalBillingPlanType="MONTHLY", commitmentInfo={
            "commitmentAutoRenewProductId": YEARLY, "commitmentAutoRenewStatus": 1, "commitmentRenewalDate": term}), signed=month["purchaseDate"])
        decoded = json.dumps(self.goes_through(payload)["decoded"], sort_keys=True)
        self.assertIn(json.dumps(info, sort_keys=True), decoded)
        self.assertIn('"billingPlanType": "MONTHLY"', decoded)
        data = eventually(lambda: [event["data"] for event in self.receiver.events("commitment.started")])[0]
        wanted = {"billingPeriodNumber": 2, "totalBillingPeriods": 12, "expiresDate": term}
        self.assertEqual({key: data["commitment"][key] for key in wanted}, wanted)
        self.assertEqual({key: data["entitlements"][0]["commitment"][key] for key in wanted}, wanted)


class Answers(FieldReports):
    def sent(self, transaction) -> dict:
        """The one call about a transaction, once Apple took it."""
        case = answer_status(self.desk, transaction, "accepted")
        attempts = case["rounds"][-1]["answer"]["attempts"]
        self.assertEqual((attempts[-1]["httpStatus"], attempts[-1]["errorCode"], attempts[-1]["error"]), (202, None, None))
        return self.desk.store.answers(transaction["transactionId"])[-1]

    @field_report(81, 83, 94)
    def test_the_second_version_of_the_endpoint_in_words(self):
        self.desk.app["policy"] = {"rules": [], "default": {"prefer": "DECLINE"}}
        self.desk.configure()
        self.desk.stop()
        self.desk.start()
        for transaction in (purchase(), purchase(LIFETIME, "Non-Consumable"), period()):
            self.desk.post_payload(request(transaction))
            call = self.sent(transaction)
            self.assertEqual((call["method"], call["path"]), ("PUT", f"/inApps/v2/transactions/consumption/{transaction['transactionId']}"))
            self.assertEqual(call["body"], {"customerConsented": True, "deliveryStatus": "DELIVERED", "sampleContentProvided": True,
                                            "refundPreference": "DECLINE"}, "no field of the first version, and no number")
        self.assertEqual(self.desk.store.faults, [])

    @field_report(86)
    def test_shares_in_milliunits_and_none_for_what_renews(self):
        self.desk.app["policy"] = {"rules": [{"name": "renews", "when": {"productType": "Auto-Renewable Subscription"},
                                              "then": {"prefer": "GRANT_PRORATED"}}], "default": {"answer": "data-only"}}
        self.desk.configure()
        self.desk.stop()
        self.desk.start()
        coins, subscription = self.bought(purchase()), self.bought(period())
        self.desk.api("POST", "/usage", {"events": [{"id": "u", "transactionId": coins["transactionId"], "meter": "coins", "quantity": 45.2,
                                                     "at": self.now - HOUR}]}, 202)
        for each in (coins, subscription):
            self.desk.post_payload(request(each))
        self.assertEqual(self.sent(coins)["body"]["consumptionPercentage"], 45_200)
        answer = self.sent(subscription)["body"]
        self.assertEqual((answer["refundPreference"], "consumptionPercentage" in answer), ("GRANT_PRORATED", False))

    def scripted(self, *replies):
        """Apple answers consumption information so, one after another; then it takes it."""
        rest, usual = list(replies), self.desk.store.reply

        def reply(call, headers):
            if "/consumption/" in call["path"] and rest:
                code = rest.pop(0)
                return code // 10_000, {"errorCode": code, "errorMessage": "As told."}
            return usual(call, headers)
        self.desk.store.reply = reply

    @field_report(78)
    def test_which_refusals_are_final(self):
        self.scripted(4_000_006)
        final = purchase()
        self.desk.post_payload(request(final))
        case = answer_status(self.desk, final, "failed")
        self.assertEqual([each["errorCode"] for each in case["rounds"][0]["answer"]["attempts"]], [4_000_006])
        for code in (4_040_002, 4_040_004, 4_040_006, 5_000_001, 4_040_010):
            self.scripted(code)
            transaction = purchase()
            self.desk.post_payload(request(transaction))
            attempts = answer_status(self.desk, transaction, "accepted")["rounds"][0]["answer"]["attempts"]
            self.assertEqual([each["errorCode"] for each in attempts], [code, None])
            self.assertTrue(4 * SECOND <= attempts[1]["at"] - attempts[0]["at"] < 12 * SECOND, attempts)
        # In the Sandbox the schedule is short: never found, it ends after three more tries.
        missing = purchase(environment="Sandbox")
        self.desk.sandbox.reply = lambda call, headers: (404, {"errorCode": 4_040_010, "errorMessage": "Transaction id not found."})
        self.desk.post_payload(request(missing))
        attempts = eventually(lambda: (case := self.desk.case(missing["transactionId"], "Sandbox"))["rounds"][0]["answer"]["status"] == "failed"
                              and case, 120, "it is given up")["rounds"][0]["answer"]["attempts"]
        self.assertEqual([each["errorCode"] for each in attempts], [4_040_010] * 4)
    test_which_refusals_are_final.WEIGHT = 5

    @field_report(91)
    def test_the_same_request_three_times_in_a_day(self):
        transaction, asked = purchase(), self.now - 11 * HOUR
        payload = request(transaction, signed=asked)
        self.desk.post_payload(payload)
        self.sent(transaction)
        for _ in range(2):
            self.desk.post_payload(payload, "duplicate")
        fence = purchase()
        self.desk.post_payload(request(fence))
        self.sent(fence)
        self.assertEqual(len(self.desk.store.answers(transaction["transactionId"])), 1)
        self.assertEqual(len(self.desk.case(transaction["transactionId"])["rounds"]), 1)

    @field_report(88)
    def test_the_earlier_period_with_its_own_dates_and_usage(self):
        self.desk.app["products"][PRO] = {"sampleContentProvided": True, "delivery": "DELIVERED"}
        self.desk.app["policy"] = {"rules": [{"name": "used then", "when": {"usage.hours": {"atLeast": 5}}, "then": {"prefer": "DECLINE"}}]}
        self.desk.configure()
        self.desk.stop()
        self.desk.start()
        old = self.bought(period(BASIC, self.now - 33 * DAY))
        new = period(PRO, self.now - 3 * DAY, original=old["transactionId"], originalPurchaseDate=old["purchaseDate"])
        self.told("DID_RENEW", None, new, renewal(new), new["purchaseDate"])
        customer = old["appTransactionId"]
        self.desk.api("POST", "/usage", {"events": [
            {"id": f"u{n}", "customer": customer, "meter": "hours", "quantity": 1, "at": old["purchaseDate"] + n * HOUR} for n in range(6)]}, 202)
        self.desk.post_payload(request(old, renewal=renewal(new), status=1))
        self.assertEqual(self.sent(old)["body"]["refundPreference"], "DECLINE")
        case = self.desk.case(old["transactionId"])
        self.assertEqual([case[key] for key in ("productId", "purchaseDate", "expiresDate")], [BASIC, old["purchaseDate"], old["expiresDate"]])
        self.assertFalse(case["period"]["isCurrent"])
        self.desk.post_payload(request(new))
        self.assertNotIn("refundPreference", self.sent(new)["body"], "nothing was used in the newer one")
        ids = {call["path"].rsplit("/", 1)[1] for call in self.desk.store.answers()}
        self.assertEqual(ids, {old["transactionId"], new["transactionId"]})

    @field_report(96)
    def test_a_question_is_no_refund_and_a_refund_needs_no_question(self):
        asked, silent = self.bought(period(start=self.now - 40 * DAY, days=90)), self.bought(period(start=self.now - 40 * DAY, days=90))
        self.desk.post_payload(request(asked, signed=self.now - 30 * DAY))
        case = self.desk.case(asked["transactionId"])
        self.assertEqual((case["state"], case["rounds"][0]["outcome"], case["refund"]), ("open", None, None))
        self.assertEqual([self.row(asked)[key] for key in ("active", "until")], [True, asked["expiresDate"]])
        self.told("REFUND", None, revoked(silent, self.now - HOUR), at=self.now - HOUR)
        case = self.desk.case(silent["transactionId"])
        self.assertEqual((case["state"], case["rounds"], self.row(silent)["active"]), ("refunded", [], False))
        self.assertEqual(self.desk.store.answers(), [], "thirty days later there is nothing to answer")


class LedgerReports(FieldReports):
    @field_report(53)
    def test_the_price_is_the_total(self):
        transaction = self.bought(purchase(quantity=3, price=2_970))
        self.assertEqual(self.money(transaction), ({"USD": 2_970}, {}))
        self.told("REFUND", None, revoked(transaction, self.now))
        self.assertEqual(self.desk.case(transaction["transactionId"])["refund"]["amount"], {"amount": 2_970, "currency": "USD"})
        self.assertEqual(self.money(transaction)[1], {"USD": 2_970})

    @field_report(57, 59)
    def test_one_renewal_told_under_two_ids_is_money_once(self):
        first = self.bought(period(start=self.now - 40 * DAY))
        second = period(start=self.now - 10 * DAY, original=first["transactionId"])
        at = second["purchaseDate"]
        payload = notification("DID_RENEW", None, second, renewal(second), signed=at)
        self.desk.post_payload(payload)
        self.desk.post_payload(payload, "duplicate")
        before = self.desk.entitlements(first["appTransactionId"], self.now)
        self.told("DID_RENEW", None, second, renewal(second), at + 4 * HOUR)
        self.assertEqual(self.desk.entitlements(first["appTransactionId"], self.now), before)
        self.assertEqual(len(self.desk.items("/notifications")), 3, "both are stored, the repeat is not")
        self.assertEqual(self.money(first), ({"USD": 19_980}, {}))
        self.assertIn('refund_desk_received_total{result="duplicate",source="live"} 1', Verify.desk_metrics(self))

    @field_report(99, 102)
    def test_a_reversal_gives_back_access_to_the_old_end_and_the_money(self):
        transaction = self.bought(period(start=self.now - 20 * DAY))
        self.told("REFUND", None, revoked(transaction, self.now - 10 * DAY), at=self.now - 10 * DAY)
        self.assertEqual((self.row(transaction)["active"], self.money(transaction)[1]), (False, {"USD": 9_990}))
        for at in (self.now - 6 * DAY, self.now - 5 * DAY):  # Told twice, credited once.
            self.told("REFUND_REVERSED", None, transaction, renewal(transaction), at)
        self.assertEqual([self.row(transaction)[key] for key in ("active", "until")], [True, transaction["expiresDate"]])
        self.assertEqual(self.money(transaction), ({"USD": 9_990}, {}))
        self.assertFalse(self.row(transaction, transaction["expiresDate"])["active"])

    @field_report(110, 127)
    def test_a_family_in_any_order(self):
        for order in (0, 1):
            buyer, member = period(start=self.now - 9 * DAY), period(start=self.now - 9 * DAY, inAppOwnershipType="FAMILY_SHARED", price=None)
            for each in (member, buyer) if order else (buyer, member):
                self.told("SUBSCRIBED", "INITIAL_BUY", each, renewal(each | {"price": 9_990}), each["purchaseDate"])
            self.assertEqual([self.row(each)["ownership"] for each in (buyer, member)], ["PURCHASED", "FAMILY_SHARED"])
            customers = [set(self.desk.api("GET", f"/customers/{each['appTransactionId']}")["originalTransactionIds"]) for each in (buyer, member)]
            self.assertEqual(customers, [{buyer["transactionId"]}, {member["transactionId"]}], "nobody is linked by a guess")
            self.assertEqual([self.money(each)[0] for each in (buyer, member)], [{"USD": 9_990}, {}])
            ends = [("REFUND", revoked(buyer, self.now - HOUR)),
                    ("REVOKE", revoked(member, self.now - HOUR, revocationType="FAMILY_REVOKE", revocationPercentage=None))]
            for kind, each in reversed(ends) if order else ends:
                self.told(kind, None, each, at=self.now - HOUR)
            self.assertEqual([self.row(each)["active"] for each in (buyer, member)], [False, False])
            self.assertEqual([self.money(each)[1] for each in (buyer, member)], [{"USD": 9_990}, {}])

    @field_report(106)
    def test_an_orphan_finds_its_customer(self):
        orphan = {key: value for key, value in purchase().items() if key != "appTransactionId"}
        self.told("REFUND", None, revoked(orphan, self.now - HOUR), at=self.now - HOUR)
        self.assertEqual([case["transactionId"] for case in self.desk.items("/cases")], [orphan["transactionId"]])
        self.desk.api("PUT", f"/transactions/{orphan['originalTransactionId']}/user", {"userId": "u-8001"})
        balance = self.desk.entitlements("u-8001")["balances"]
        self.assertEqual([(each["purchased"], each["refunded"], each["net"]) for each in balance], [(100, 100, 0)])
        self.told("REFUND", None, revoked(orphan, self.now - HOUR), at=self.now - HOUR + MINUTE)
        self.assertEqual(self.desk.entitlements("u-8001")["balances"], balance)

    @field_report(123)
    def test_the_first_purchase_is_told_once_however_late(self):
        receiver = Receiver()
        self.addCleanup(receiver.stop)
        with Desk(app={"webhooks": [receiver.configuration()]}) as self.desk:
            first = period(start=self.now - 31 * DAY)
            second = period(start=self.now - DAY, original=first["transactionId"])
            self.told("DID_RENEW", None, second, renewal(second), second["purchaseDate"])
            late = notification("SUBSCRIBED", "INITIAL_BUY", first, renewal(first), signed=first["purchaseDate"])
            self.desk.post_payload(late)
            self.desk.post_payload(late, "duplicate")
            self.desk.post("TEST")
            told = lambda: [event["data"] for event in receiver.events("notification.received")]
            eventually(lambda: any(each["notificationType"] == "TEST" for each in told()))
            bought = [each for each in told() if each["notificationType"] == "SUBSCRIBED"]
            self.assertEqual([each["notificationUUID"] for each in bought], [late["notificationUUID"]])
            self.assertTrue(self.row(second)["active"] and self.row(second, self.now - 20 * DAY)["active"])

    @field_report(137)
    def test_a_thirteenth_month_begins_another_commitment(self):
        start, other = self.now - 365 * DAY, "com.example.plus.yearly"
        term = start + 360 * DAY

        def month(number, product, begins, ends, original=None):
            return period(product, begins, original=original, originalPurchaseDate=start, billingPlanType="MONTHLY", commitmentInfo={
                "billingPeriodNumber": number, "totalBillingPeriods": 12, "commitmentExpiresDate": ends, "commitmentPrice": 131_880})
        first = self.bought(month(1, YEARLY, start, term))
        twelfth = month(12, YEARLY, start + 330 * DAY, term, first["transactionId"])
        self.told("DID_RENEW", None, twelfth, renewal(twelfth), twelfth["purchaseDate"])
        self.assertEqual(self.row(first)["commitment"]["billingPeriodNumber"], 12)
        thirteenth = month(1, other, term, term + 360 * DAY, first["transactionId"])
        self.told("DID_RENEW", None, thirteenth, renewal(thirteenth), thirteenth["purchaseDate"])
        row = self.row(first)
        self.assertEqual((row["productId"], row["active"], row["commitment"]), (other, True, {
            "state": "running", "billingPeriodNumber": 1, "totalBillingPeriods": 12, "expiresDate": term + 360 * DAY, "endsAfterTerm": False}))
        self.assertEqual(len(self.desk.entitlements(first["appTransactionId"])["entitlements"]), 1, "one chain, unbroken")


class Figures(FieldReports):
    @field_report(148)
    def test_instants_are_instants_and_a_day_names_its_zone(self):
        """Everything that goes out says when in milliseconds UTC. A report that counts by day names the zone."""
        for at in (1_772_343_000_000, 1_772_965_800_000):  # 2026-03-01T05:30Z and 2026-03-08T10:30Z, before and after the change of the clock.
            transaction = self.bought(purchase(purchaseDate=at - DAY))
            self.told("REFUND", None, revoked(transaction, at), at=at)
            self.assertEqual(self.desk.case(transaction["transactionId"])["refund"]["revocationDate"], at)
            exported = [json.loads(line) for line in self.desk.run("export").stdout.splitlines()]
            self.assertIn(str(at), json.dumps(exported))
        for zone, days in (("UTC", ["2026-03-01", "2026-03-08"]), ("America/Los_Angeles", ["2026-02-28", "2026-03-08"])):
            words = ["--by", "day", "--zone", zone, "--from", "2026-02-01", "--to", "2026-04-01", "--format", "csv"]
            lines = self.desk.run("report", "costs", "--app", APP, *words).stdout.splitlines()[1:]
            self.assertTrue(all(f",{zone}," in line for line in lines), lines)
            self.assertTrue(set(days) <= {line.split(",")[5] for line in lines}, lines)

    @field_report(150)
    def test_a_price_is_a_list_price(self):
        described = self.desk.http("GET", "/openapi.json", token=False)[1]
        self.assertIn("list price", described["components"]["schemas"]["Money"]["description"])
        self.assertNotIn('"proceeds"', json.dumps(described))
        names = {"appTransactionId": "704" + new_id()[-13:]}
        dollars, euros = (self.bought(purchase(COINS, price=price, currency=currency, **names)) for price, currency in ((990, "USD"), (1_090, "EUR")))
        self.assertEqual(self.money(dollars)[0], {"USD": 990, "EUR": 1_090}, "currencies stay apart")
        self.told("REFUND", None, revoked(euros, self.now))
        self.assertEqual(self.money(euros)[1], {"EUR": 1_090})
