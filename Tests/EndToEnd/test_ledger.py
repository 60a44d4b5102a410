"""Issue 3: access and balances, one small story each; environments, links, uploads, and what is unknown."""

import itertools
import unittest
import uuid

from desk import Desk
from field_reports import field_report
from payloads import (APP, APP_ID, BASIC, BUNDLE, LIFETIME, MAX, OTHER_BUNDLE, PRO, SEASON, YEARLY, body, new_id, notification, period,
                      purchase, renewal, request, revoked)
from signing import CHAIN, DAY, HOUR, MINUTE, now_ms


class Ledger(unittest.TestCase):
    def setUp(self):
        self.desk = Desk()
        self.addCleanup(self.desk.close)
        self.now = now_ms()

    def told(self, kind, subtype, transaction, info=None, at=None, **fields):
        """A notification signed at an instant, its payloads too."""
        at = at or now_ms()
        self.desk.post(kind, subtype, transaction | {"signedDate": at}, info and info | {"signedDate": at}, signed=at, **fields)

    def bought(self, transaction, **fields):
        if "expiresDate" in transaction:
            self.told("SUBSCRIBED", "INITIAL_BUY", transaction, renewal(transaction, **fields), transaction["purchaseDate"], status=1)
        else:
            self.told("ONE_TIME_CHARGE", None, transaction, None, transaction["purchaseDate"])
        return transaction

    def rows(self, transaction, at=None, environment=None) -> dict:
        listed = self.desk.entitlements(transaction["appTransactionId"], at, environment)["entitlements"]
        return {row["originalTransactionId"]: row for row in listed}

    def row(self, transaction, at=None, environment=None) -> dict:
        return self.rows(transaction, at, environment)[transaction["originalTransactionId"]]

    def active(self, transaction, at=None) -> bool:
        return self.row(transaction, at)["active"]

    def balance(self, transaction, at=None, environment=None) -> tuple:
        return {each["productId"]: (each["purchased"], each["refunded"], each["net"])
                for each in self.desk.entitlements(transaction["appTransactionId"], at, environment)["balances"]}.get(transaction["productId"])


class Issue3Balances(Ledger):
    @field_report(130)
    def test_field_report_130_an_upload_and_its_notification_are_100_coins_once(self):
        transaction = purchase()
        jws = CHAIN.sign(transaction)
        uploaded = lambda text=jws, **more: self.desk.api("POST", "/transactions", {"signedTransactionInfo": text}, **more)
        self.assertEqual(uploaded(), {"result": "accepted"})
        self.bought(transaction)
        self.assertEqual(uploaded(), {"result": "duplicate"})
        self.assertEqual(uploaded(CHAIN.sign(transaction)), {"result": "duplicate"}, "another signature over the same payload")
        self.assertEqual(uploaded(CHAIN.sign(transaction | {"signedDate": now_ms()})), {"result": "accepted"})
        self.assertEqual(self.balance(transaction), (100, 0, 100))
        sources = [item["source"] for item in self.desk.items("/notifications")]
        self.assertTrue(set(sources) <= {"live", "client"}, sources)
        self.assertEqual(uploaded("a.b.c", status=400)["code"], "malformed")
        self.assertEqual(uploaded(CHAIN.sign(purchase(bundleId=OTHER_BUNDLE))), {"result": "quarantined", "reason": "wrong-app"})
        self.assertEqual(uploaded(CHAIN.sign(purchase(signedDate=now_ms() + 25 * HOUR))), {"result": "quarantined", "reason": "future-date"})
        self.assertEqual(uploaded(CHAIN.sign(renewal(period())), status=400)["status"], 400)
        self.desk.check_replay()

    @field_report(102)
    def test_many_units_in_part_rounded_down_and_given_back(self):
        transaction = self.bought(purchase(quantity=3, price=2_970))
        self.assertEqual(self.balance(transaction), (300, 0, 300))
        gone = revoked(transaction, self.now - HOUR, revocationType="REFUND_PRORATED", revocationPercentage=33_333)
        self.told("REFUND", None, gone, at=self.now - HOUR)
        self.assertEqual(self.balance(transaction), (300, 99, 201), "99.999 is rounded down")
        self.assertEqual(self.balance(transaction, self.now - 2 * HOUR), (300, 0, 300))
        case = self.desk.case(transaction["transactionId"])
        self.assertEqual((case["rounds"], case["state"]), ([], "refunded"))
        self.assertEqual((case["refund"]["type"], case["refund"]["percentage"]), ("REFUND_PRORATED", 33_333))
        self.assertEqual(case["refund"]["amount"], {"amount": 989, "currency": "USD"})
        self.told("REFUND_REVERSED", None, transaction, at=self.now - MINUTE)
        self.assertEqual(self.balance(transaction), (300, 0, 300))
        self.assertEqual(self.desk.case(transaction["transactionId"])["state"], "reversed")

    @field_report(53, 109)
    def test_field_reports_53_and_109_a_half_refund_of_a_total_price(self):
        transaction = self.bought(purchase("com.example.gems", quantity=2, price=10_990))
        self.assertEqual(self.balance(transaction), (2, 0, 2), "without `granted` the quantity counts")
        self.told("REFUND", None, revoked(transaction, self.now, revocationType="REFUND_PRORATED", revocationPercentage=50_000))
        self.assertEqual(self.balance(transaction), (2, 1, 1))
        case = self.desk.case(transaction["transactionId"])
        self.assertEqual((case["price"], case["refund"]["amount"]), ({"amount": 10_990, "currency": "USD"}, {"amount": 5_495, "currency": "USD"}))

    def test_several_packs_and_a_refund_of_one(self):
        names = {"appTransactionId": "704" + new_id()[-13:]}
        packs = [self.bought(purchase(purchaseDate=self.now - days * DAY, **names)) for days in (5, 4, 3)]
        self.told("REFUND", None, revoked(packs[1], self.now - DAY), at=self.now - DAY)
        self.assertEqual(self.balance(packs[0]), (300, 100, 200))
        self.assertEqual(self.balance(packs[0], self.now - 4 * DAY - HOUR), (100, 0, 100))

    @field_report(106)
    def test_field_report_106_the_refund_of_a_purchase_never_seen(self):
        transaction = purchase()
        self.told("REFUND", None, revoked(transaction, self.now - HOUR), at=self.now - HOUR)
        self.assertEqual(self.balance(transaction), (100, 100, 0))
        self.bought(transaction)
        self.told("REFUND", None, revoked(transaction, self.now - HOUR), at=self.now - HOUR + MINUTE)
        self.assertEqual(self.balance(transaction), (100, 100, 0))
        self.assertEqual([case["transactionId"] for case in self.desk.items("/cases", state="refunded")], [transaction["transactionId"]])

    @field_report(43, 44, 46, 49)
    def test_field_reports_43_44_46_and_49_numbers_ids_reasons_and_tokens_are_kept_as_they_are(self):
        ids = {"transactionId": "2000001024998954", "appTransactionId": "904897469903383919"}
        dear = self.bought(purchase(price=2_499_000_000, currency="IDR", **ids))
        self.told("REFUND", None, revoked(dear, self.now, revocationReason=0))
        case = self.desk.case("2000001024998954")
        self.assertEqual(case["price"], {"amount": 2_499_000_000, "currency": "IDR"})
        self.assertEqual((case["customer"]["appTransactionId"], case["refund"]["revocationReason"]), ("904897469903383919", 0))
        silent = self.bought(purchase())
        self.told("REFUND", None, silent | {"revocationDate": self.now})
        refund = self.desk.case(silent["transactionId"])["refund"]
        self.assertEqual([refund[key] for key in ("revocationReason", "type", "percentage")], [None, None, None])
        self.assertEqual(refund["amount"], {"amount": 990, "currency": "USD"}, "no share named: all of it")
        empty = purchase(appAccountToken="")
        self.desk.post_payload(notification("ONE_TIME_CHARGE", transaction=empty))
        null = purchase() | {"appAccountToken": None}
        self.desk.post_payload(notification("ONE_TIME_CHARGE", transaction=null))
        for each in (empty, null):
            self.assertEqual(self.balance(each), (100, 0, 100))


class Issue3Access(Ledger):
    @field_report(98)
    def test_field_report_98_the_refund_of_an_old_period(self):
        old = self.bought(period(start=self.now - 40 * DAY))
        new = period(start=self.now - 10 * DAY, original=old["transactionId"], originalPurchaseDate=old["purchaseDate"])
        self.told("DID_RENEW", None, new, renewal(new), new["purchaseDate"])
        self.told("REFUND", None, revoked(old, self.now - DAY), renewal(new), at=self.now - DAY, status=1)
        self.assertEqual((self.row(new)["active"], self.row(new)["until"]), (True, new["expiresDate"]))
        self.assertFalse(self.desk.case(old["transactionId"])["period"]["isCurrent"])
        self.assertTrue(self.active(new, self.now - 35 * DAY), "granted until its revocation")

    @field_report(99, 102)
    def test_field_reports_99_and_102_a_refund_in_mid_period_and_its_reversal(self):
        transaction = self.bought(period())
        gone = revoked(transaction, self.now - 2 * DAY)
        self.told("REFUND", None, gone, at=self.now - 2 * DAY)
        self.assertEqual((self.active(transaction), self.row(transaction)["state"], self.active(transaction, self.now - 3 * DAY)),
                         (False, "revoked", True))
        self.told("REFUND_REVERSED", None, gone, at=self.now - DAY)  # The copy still carries the old date.
        row = self.row(transaction)
        self.assertEqual((row["active"], row["state"], row["until"]), (True, "active", transaction["expiresDate"]))
        self.told("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", gone, renewal(gone, autoRenewStatus=0), at=self.now - HOUR)
        self.assertTrue(self.active(transaction), "a later copy with the old date revokes nothing")
        self.told("REFUND", None, revoked(transaction, self.now - MINUTE), at=self.now - MINUTE)
        self.assertFalse(self.active(transaction))

    @field_report(69)
    def test_field_report_69_an_old_message_changes_nothing_newer(self):
        transaction = period()
        self.told("REFUND", None, revoked(transaction, self.now - DAY), at=self.now - DAY)
        self.bought(transaction)
        self.assertFalse(self.active(transaction))
        self.assertEqual(self.row(transaction)["state"], "revoked")

    @field_report(110)
    def test_field_report_110_the_buyer_is_refunded_and_the_family_revoked(self):
        buyer = self.bought(period())
        member = self.bought(period(inAppOwnershipType="FAMILY_SHARED"))
        self.told("REVOKE", None, revoked(member, self.now, revocationType="FAMILY_REVOKE", revocationPercentage=None))
        self.assertEqual((self.active(buyer), self.active(member)), (True, False), "nothing ties one to the other")
        self.told("REFUND", None, revoked(buyer, self.now))
        self.assertFalse(self.active(buyer))
        self.assertEqual([case["transactionId"] for case in self.desk.items("/cases")], [buyer["transactionId"]], "REVOKE is no refund")
        self.desk.post_payload(request(member))
        self.assertEqual(self.desk.case(member["transactionId"])["rounds"][0]["decision"]["because"], ["family-shared"])

    @field_report(113, 115)
    def test_field_report_113_an_upgrade_and_115_a_downgrade(self):
        old = self.bought(period(PRO, self.now - 10 * DAY))
        new = period(MAX, self.now - 3 * DAY, original=old["transactionId"], transactionReason="PURCHASE", originalPurchaseDate=old["purchaseDate"])
        self.told("DID_CHANGE_RENEWAL_PREF", "UPGRADE", new, renewal(new), new["purchaseDate"])
        self.assertEqual((self.row(new)["productId"], self.row(new)["until"]), (MAX, new["expiresDate"]))
        self.assertEqual(self.row(new, self.now - 5 * DAY)["productId"], PRO)
        self.assertEqual(self.desk.items("/cases"), [], "an upgrade is no refund")
        self.told("DID_CHANGE_RENEWAL_PREF", "DOWNGRADE", new, renewal(new, autoRenewProductId=BASIC), self.now - DAY)
        self.assertEqual((self.row(new)["productId"], self.row(new)["pendingProductId"]), (MAX, BASIC))
        self.told("DID_CHANGE_RENEWAL_PREF", None, new, renewal(new), self.now - HOUR)
        self.assertEqual(self.row(new)["pendingProductId"], None)
        self.told("REFUND", None, revoked(new, self.now), renewal(new))
        self.assertEqual([row["active"] for row in self.rows(new).values()], [False], "the old product does not come back")

    @field_report(117)
    def test_field_report_117_switched_off_and_on_again(self):
        transaction = self.bought(period())
        self.told("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", transaction, renewal(transaction, autoRenewStatus=0), self.now - HOUR)
        self.assertEqual([self.row(transaction)[key] for key in ("active", "willRenew", "state")], [True, False, "active"])
        self.told("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_ENABLED", transaction, renewal(transaction), self.now - MINUTE)
        self.assertTrue(self.row(transaction)["willRenew"])

    @field_report(119, 120)
    def test_field_reports_119_grace_and_120_billing_retry_and_the_clock_alone(self):
        transaction = self.bought(period(start=self.now - 31 * DAY))
        self.assertEqual((self.active(transaction), self.row(transaction)["state"]), (False, "expired"), "no EXPIRED is needed")
        grace = self.now + 6 * DAY
        info = renewal(transaction, isInBillingRetryPeriod=True, expirationIntent=2, gracePeriodExpiresDate=grace)
        self.told("DID_FAIL_TO_RENEW", "GRACE_PERIOD", transaction, info, self.now - HOUR, status=4)
        self.assertEqual([self.row(transaction)[key] for key in ("active", "state", "until")], [True, "grace", grace])
        self.assertEqual((self.active(transaction, grace - 1), self.active(transaction, grace)), (True, False))
        other = self.bought(period(start=self.now - 31 * DAY))
        info = renewal(other, isInBillingRetryPeriod=True, expirationIntent=2)
        self.told("DID_FAIL_TO_RENEW", None, other, info, self.now - HOUR, status=3)
        self.assertEqual([self.row(other)[key] for key in ("active", "state")], [False, "billingRetry"])

    @field_report(122, 123, 126)
    def test_field_reports_122_123_and_126_late_messages(self):
        first = period(start=self.now - 31 * DAY)
        second = period(start=self.now - DAY, original=first["transactionId"], originalPurchaseDate=first["purchaseDate"])
        self.told("DID_RENEW", None, second, renewal(second), self.now - DAY + 2 * HOUR)
        self.told("DID_FAIL_TO_RENEW", None, first, renewal(first, isInBillingRetryPeriod=True), self.now - DAY, status=3)
        self.bought(first)
        self.assertEqual([self.row(second)[key] for key in ("active", "state", "until")], [True, "active", second["expiresDate"]])
        self.assertTrue(self.active(second, self.now - 20 * DAY))
        self.told("DID_FAIL_TO_RENEW", None, second, renewal(second, isInBillingRetryPeriod=True), self.now - HOUR, status=3)
        self.assertTrue(self.active(second), "access goes by the period, until its end")

    def test_bought_again_after_a_refund_and_for_a_season(self):
        names = {"appTransactionId": "704" + new_id()[-13:]}
        first = self.bought(purchase(LIFETIME, "Non-Consumable", purchaseDate=self.now - 9 * DAY, **names))
        self.assertEqual((self.active(first), self.row(first)["until"]), (True, None))
        self.told("REFUND", None, revoked(first, self.now - 5 * DAY), at=self.now - 5 * DAY)
        second = self.bought(purchase(LIFETIME, "Non-Consumable", purchaseDate=self.now - 2 * DAY, **names))
        self.assertEqual([self.rows(first)[each["originalTransactionId"]]["active"] for each in (first, second)], [False, True])
        season = self.bought(purchase(SEASON, "Non-Renewing Subscription", **names))
        self.assertEqual(self.row(season)["until"], season["purchaseDate"] + 30 * DAY)

    def test_an_extension_and_a_migration(self):
        transaction = self.bought(period())
        longer = transaction | {"expiresDate": transaction["expiresDate"] + 7 * DAY}
        self.told("RENEWAL_EXTENDED", None, longer, renewal(longer), self.now - HOUR)
        self.assertEqual(self.row(transaction)["until"], longer["expiresDate"])
        moved = period(start=self.now - 2 * HOUR, appTransactionId=transaction["appTransactionId"],
                       previousOriginalTransactionId=transaction["originalTransactionId"])
        self.told("MIGRATION", None, moved, renewal(moved), self.now - MINUTE)
        self.assertEqual({key: row["active"] for key, row in self.rows(moved).items()},
                         {transaction["originalTransactionId"]: False, moved["originalTransactionId"]: True})

    def test_point_3_time_travel_answers_by_what_is_known_now(self):
        transaction = self.bought(period(start=self.now - 20 * DAY))
        end = transaction["expiresDate"]
        start = self.now - 20 * DAY
        edges = {start - 1: False, start: True, self.now: True, end - 1: True, end: False, 0: False, end + 900 * DAY: False}
        self.assertEqual({at: self.active(transaction, at) for at in edges}, edges)
        self.assertEqual(self.row(transaction, self.now - 21 * DAY)["state"], "upcoming")
        self.told("REFUND", None, revoked(transaction, self.now - 2 * DAY), at=self.now - HOUR)
        self.assertEqual([self.active(transaction, self.now - days * DAY) for days in (3, 2, 1)], [True, False, False])

    def test_seats_of_the_purchaser_stay(self):
        transaction = self.bought(period(quantity=5, multiSeatInfo={"invitationManagement": "DEVELOPER"}))
        fewer = transaction | {"multiSeatInfo": {"invitationManagement": "DEVELOPER", "revokedSeatQuantity": 2}}
        self.told("REFUND", "SEATS", fewer, renewal(fewer))
        self.assertTrue(self.active(transaction))
        self.assertEqual(self.desk.case(transaction["transactionId"])["refund"]["seats"], 2)

    @field_report(134)
    def test_field_report_134_commitment_fields_reach_the_answer(self):
        start, term = self.now - 95 * DAY, self.now + 265 * DAY
        months = []
        for number in range(1, 5):
            month = period(YEARLY, start + (number - 1) * 30 * DAY, original=months and months[0]["transactionId"] or None, price=10_990,
                           billingPlanType="MONTHLY", originalPurchaseDate=start, commitmentInfo={
                               "billingPeriodNumber": number, "totalBillingPeriods": 12, "commitmentExpiresDate": term, "commitmentPrice": 131_880})
            months.append(month)
            word = renewal(month, renewalBillingPlanType="MONTHLY", commitmentInfo={
                "commitmentAutoRenewProductId": YEARLY, "commitmentAutoRenewStatus": 1, "commitmentRenewalDate": term})
            self.told("SUBSCRIBED" if number == 1 else "DID_RENEW", "INITIAL_BUY" if number == 1 else None, month, word, month["purchaseDate"])
        self.assertEqual(self.row(month)["commitment"], {
            "state": "running", "billingPeriodNumber": 4, "totalBillingPeriods": 12, "expiresDate": term, "endsAfterTerm": False})
        word["commitmentInfo"]["commitmentAutoRenewStatus"] = 0
        self.told("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", month, word, self.now - DAY)
        row = self.row(month)
        self.assertEqual((row["active"], row["until"], row["commitment"]["state"], row["commitment"]["endsAfterTerm"]),
                         (True, month["expiresDate"], "running", True))
        self.desk.post_payload(request(months[1]))
        self.assertEqual(self.desk.case(months[1]["transactionId"])["period"], {
            "isCurrent": False, "billingPlanType": "MONTHLY", "billingPeriodNumber": 2, "totalBillingPeriods": 12, "commitmentExpiresDate": term})


class Issue3Point4Environments(Ledger):
    @field_report(30)
    def test_field_report_30_the_sandbox_never_touches_production(self):
        production = self.bought(period())
        coins = self.bought(purchase(appTransactionId=production["appTransactionId"]))
        before = self.desk.entitlements(production["appTransactionId"], self.now)
        sandbox = [each | {"environment": "Sandbox"} for each in (production, coins)]
        for each in sandbox:
            self.bought(each)
            self.told("REFUND", None, revoked(each, self.now - HOUR), at=self.now - HOUR)
            self.desk.post_payload(request(each))
        self.desk.api("PUT", f"/customers/{production['appTransactionId']}/consent",
                      {"consented": True, "source": "in-app dialog", "textVersion": "1"}, environment="Sandbox")
        self.assertEqual(self.desk.entitlements(production["appTransactionId"], self.now), before)
        self.assertEqual(self.desk.items("/cases"), [])
        self.assertEqual(self.balance(coins), (100, 0, 100))
        there = self.desk.entitlements(production["appTransactionId"], environment="Sandbox")
        self.assertEqual([row["active"] for row in there["entitlements"]], [False])
        self.assertEqual(self.balance(coins, environment="Sandbox"), (100, 100, 0))
        self.assertEqual({case["environment"] for case in self.desk.items("/cases", environment="Sandbox")}, {"Sandbox"})
        self.desk.post_payload(request(production))
        self.assertEqual(self.desk.case(production["transactionId"])["rounds"][0]["decision"]["because"], ["no-consent"],
                         "consent in the Sandbox is none in Production")
        self.desk.check_replay()

    def test_a_customer_of_one_environment_is_unknown_in_the_other(self):
        transaction = self.bought(period(environment="Sandbox"))
        self.assertEqual(self.desk.api("GET", f"/customers/{transaction['appTransactionId']}/entitlements", status=404)["code"], "not-found")
        self.assertEqual(self.desk.items("/customers"), [])
        self.assertEqual(len(self.desk.items("/customers", environment="Sandbox")), 1)


class Issue3Customers(Ledger):
    def test_a_link_to_the_users_own_id_before_and_after_the_purchase(self):
        early, late = period(), period()
        link = lambda each, user: self.desk.api("PUT", f"/transactions/{each['originalTransactionId']}/user", {"userId": user})
        link(early, "u-42")
        self.bought(early)
        self.bought(late)
        self.assertEqual(self.desk.entitlements("u-42")["entitlements"][0]["transactionId"], early["transactionId"])
        link(late, "u-42")
        both = self.desk.entitlements("u-42", self.now)
        self.assertEqual({row["originalTransactionId"] for row in both["entitlements"]}, {early["transactionId"], late["transactionId"]})
        for ref in (early["appTransactionId"], late["appTransactionId"], early["originalTransactionId"]):
            self.assertEqual(self.desk.entitlements(ref, self.now), both, "all names mean one customer")
        self.desk.consent("u-42")
        self.desk.post_payload(request(late))
        case = self.desk.case(late["transactionId"])
        self.assertEqual((case["customer"]["userId"], case["rounds"][0]["decision"]["kind"]), ("u-42", "answer"))
        self.desk.check_replay()

    def test_names_are_joined_when_one_transaction_carries_two(self):
        token, chain = str(uuid.uuid4()), period(start=self.now - 40 * DAY)
        old = {key: value for key, value in chain.items() if key != "appTransactionId"}
        self.bought(old)
        coins = self.bought(purchase(appAccountToken=token.upper()))
        joined = period(start=self.now - 10 * DAY, original=old["transactionId"], appTransactionId=coins["appTransactionId"])
        self.told("DID_RENEW", None, joined, renewal(joined), joined["purchaseDate"])
        for ref in (coins["appTransactionId"], token, token.upper(), old["originalTransactionId"]):
            state = self.desk.entitlements(ref)
            self.assertEqual(([row["active"] for row in state["entitlements"]], state["balances"][0]["net"]), ([True], 100), ref)
        self.assertEqual(len(self.desk.items("/customers")), 1)

    def test_names_are_joined_whichever_copy_comes_first(self):
        """The same facts in every order: copies of one transaction, signed one after another, of which only one carries a name."""
        for place in range(3):
            for order in itertools.permutations(range(3)):
                chain, coins = period(), purchase(LIFETIME, "Non-Consumable")
                named = chain | {"appTransactionId": coins["appTransactionId"]}
                nameless = {key: value for key, value in chain.items() if key != "appTransactionId"}
                self.bought(coins)
                for number in order:
                    copy = named if number == place else nameless
                    self.told("DID_RENEW", None, copy, renewal(copy), self.now - (3 - number) * HOUR)
                with self.subTest(named=place, order=order):
                    self.assertEqual(set(self.rows(coins)), {chain["originalTransactionId"], coins["originalTransactionId"]})

    def test_nobody_knows_him(self):
        for path in ("/customers/nobody", "/customers/nobody/entitlements", "/cases/1", "/notifications/" + str(uuid.uuid4())):
            self.assertEqual(self.desk.api("GET", path, status=404)["code"], "not-found", path)

    def test_lists_page_without_gaps_or_repeats(self):
        for _ in range(25):
            self.desk.post_payload(request(purchase()))
        for path in ("/cases", "/notifications", "/customers"):
            pages = self.desk.items(path, limit=7)
            self.assertEqual((len(pages), len({str(item) for item in pages})), (25, 25), path)


class Issue3Unknown(Ledger):
    @field_report(40)
    def test_field_report_40_unknown_types_change_nothing(self):
        transaction = self.bought(period())
        before = self.desk.entitlements(transaction["appTransactionId"], self.now)
        cases = [("FUTURE_EVENT", "FUTURE_SUB"), ("MIGRATE", None), ("REFUND_DENIED", None)]
        for kind, subtype in cases:
            changed = revoked(transaction, self.now, revocationType="FUTURE")
            identity = self.desk.post(kind, subtype, changed, renewal(changed, autoRenewStatus=0), status=9)
            entry = self.desk.api("GET", f"/notifications/{identity}")
            self.assertEqual((entry["notificationType"], entry["subtype"], entry["result"]), (kind, subtype, "accepted"))
            self.assertEqual(self.desk.entitlements(transaction["appTransactionId"], self.now), before, kind)
            stranger = purchase(LIFETIME, "Non-Consumable")
            self.desk.post(kind, subtype, stranger)
            status, answer, _ = self.desk.http("GET", f"/v1/apps/{APP}/customers/{stranger['appTransactionId']}/entitlements")
            self.assertTrue(status == 404 or not any(row["active"] for row in answer["entitlements"]), (kind, answer))
        self.assertEqual(self.desk.items("/cases"), [])
        self.assertEqual(len(self.desk.items("/notifications", type="FUTURE_EVENT")), 2)
        self.desk.check_replay()

    def test_unknown_values_of_known_fields(self):
        odd = {"inAppOwnershipType": "LENT", "offerType": 77, "offerDiscountType": "GIFT", "transactionReason": "WISH", "billingPlanType": "WEEKLY",
               "futureField": {"deep": [1, {"x": None}]}}
        self.assertTrue(self.active(self.bought(period(**odd))))
        dated = self.bought(period(type="Future Subscription"))
        self.assertEqual((self.active(dated), self.row(dated)["until"]), (True, dated["expiresDate"]), "an unknown type with dates")
        undated = self.bought(purchase("com.example.future", "Future Thing"))
        self.assertFalse(any(row["active"] for row in self.rows(undated).values()), "an unknown type without dates")
        transaction = self.bought(purchase())
        self.desk.post_payload(request(transaction, reason="BORED"))
        self.assertEqual(self.desk.case(transaction["transactionId"])["rounds"][0]["reason"], "BORED")
        for number in (0, 13):
            month = period(YEARLY, billingPlanType="MONTHLY", commitmentInfo={
                "billingPeriodNumber": number, "totalBillingPeriods": 11, "commitmentExpiresDate": self.now + 300 * DAY})
            self.assertEqual(self.row(self.bought(month))["commitment"]["billingPeriodNumber"], number)

    @field_report(37)
    def test_test_notifications_and_summaries_make_no_customer(self):
        self.desk.post("TEST")
        self.desk.post("TEST", environment="Sandbox")
        self.desk.post_payload(notification("RENEWAL_EXTENSION", "SUMMARY", top={"data": None, "summary": {
            "environment": "Production", "appAppleId": APP_ID, "bundleId": BUNDLE, "productId": PRO, "requestIdentifier": str(uuid.uuid4()),
            "storefrontCountryCodes": ["USA"], "succeededCount": 5, "failedCount": 0}}))
        self.assertEqual((self.desk.items("/customers"), self.desk.items("/cases")), ([], []))

    def test_rescind_consent_is_kept_and_touches_no_consent_of_ours(self):
        transaction = self.bought(purchase())
        self.desk.consent(transaction["appTransactionId"])
        app_transaction = CHAIN.sign({
            "receiptType": "Production", "appAppleId": APP_ID, "bundleId": BUNDLE, "applicationVersion": "1", "receiptCreationDate": now_ms(),
            "originalPurchaseDate": now_ms(), "originalApplicationVersion": "1", "appTransactionId": transaction["appTransactionId"]})
        payload = notification("RESCIND_CONSENT", top={"data": None, "appData": {
            "appAppleId": APP_ID, "bundleId": BUNDLE, "environment": "Production", "signedAppTransactionInfo": app_transaction}})
        self.desk.post_payload(payload)
        entry = self.desk.api("GET", f"/notifications/{payload['notificationUUID']}")
        self.assertEqual(entry["notificationType"], "RESCIND_CONSENT")
        self.desk.post_payload(request(transaction))
        self.assertEqual(self.desk.case(transaction["transactionId"])["rounds"][0]["decision"]["kind"], "answer")

    def test_unclaim_seats_is_taken_where_it_names_the_app(self):
        info = {"unclaimSeatIds": ["seat-1", "seat-2"], "bundleId": BUNDLE, "appAppleId": APP_ID, "environment": "Production"}
        payload = notification("UNCLAIM_SEATS", top={"data": None, "unclaimInfo": info})
        self.desk.post_payload(payload)
        entry = self.desk.api("GET", f"/notifications/{payload['notificationUUID']}")
        self.assertIn('"seat-2"', str(entry["decoded"]).replace("'", '"'))
        without = notification("UNCLAIM_SEATS", top={"data": None, "unclaimInfo": {"unclaimSeatIds": ["seat-1"]}})
        self.assertEqual(self.desk.post_raw(body(without)), (200, {"result": "quarantined", "reason": "unattributed"}))
