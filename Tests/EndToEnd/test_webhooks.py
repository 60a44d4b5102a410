"""Issue 3: webhooks, verified with the reference library of Standard Webhooks."""

import signal
import threading
import time
import unittest

from desk import Desk
from field_reports import field_report
from histories import Customer, status_answer
from payloads import APP, LIFETIME, PRO, YEARLY, new_id, period, purchase, renewal, request, revoked
from receiver import Receiver
from signing import DAY, HOUR, MINUTE, SECOND, now_ms
from waiting import eventually


class Webhooks(unittest.TestCase):
    def follow(self, *receivers, app=None, **hook):
        for receiver in receivers:
            self.addCleanup(receiver.stop)
        self.desk = Desk(app={"webhooks": [receiver.configuration(**hook) for receiver in receivers]} | (app or {}))
        self.addCleanup(self.desk.close)
        self.now = now_ms()
        return receivers[0]

    def told(self, kind, subtype, transaction, info=None, at=None, **fields):
        at = at or now_ms()
        return self.desk.post(kind, subtype, transaction | {"signedDate": at}, info and info | {"signedDate": at}, signed=at, **fields)

    def bought(self, transaction):
        kind = ("SUBSCRIBED", "INITIAL_BUY") if "expiresDate" in transaction else ("ONE_TIME_CHARGE", None)
        self.told(*kind, transaction, renewal(transaction) if "expiresDate" in transaction else None, transaction["purchaseDate"])
        return transaction

    def heard(self, receiver, kind, count=1) -> list:
        found = eventually(lambda: len(receiver.events(kind)) >= count and receiver.events(kind), what=f"{count} of {kind}")
        self.assertEqual(receiver.faults, [])
        self.assertEqual(len(found), count, [event["type"] for event in receiver.events()])
        return found

    def delivered(self, environment="Production"):
        return eventually(lambda: (items := self.desk.items("/webhooks/deliveries", environment=environment)) and all(
            item["state"] != "pending" for item in items) and items, 90, "every delivery is done")


class Issue3Events(Webhooks):
    def test_the_course_of_a_refund(self):
        receiver = self.follow(Receiver(), app={"consent": {"mode": "blanket", "attestation": "the tests"}})
        transaction = self.bought(period())
        granted = self.heard(receiver, "access.granted")[0]
        self.assertEqual(granted["data"]["access"], {"active": True, "until": transaction["expiresDate"]})
        self.told("CONSUMPTION_REQUEST", None, transaction, renewal(transaction), reason="LEGAL", status=1)
        asked = self.heard(receiver, "refund.requested")[0]["data"]
        for key, value in (("app", APP), ("environment", "Production"), ("transactionId", transaction["transactionId"]), ("productId", PRO),
                           ("originalTransactionId", transaction["originalTransactionId"]), ("isCurrentPeriod", True)):
            self.assertEqual(asked[key], value)
        self.assertEqual(asked["customer"]["appTransactionId"], transaction["appTransactionId"])
        self.assertEqual((asked["case"]["state"], asked["case"]["rounds"][0]["reason"]), ("open", "LEGAL"))
        answered = self.heard(receiver, "refund.answered")[0]["data"]
        self.assertEqual(answered["case"]["rounds"][0]["answer"]["status"], "accepted")
        gone = revoked(transaction, now_ms())
        self.told("REFUND", None, gone, renewal(gone), status=5)
        over = self.heard(receiver, "refund.granted")[0]["data"]
        self.assertEqual((over["case"]["state"], over["access"]["active"]), ("refunded", False))
        self.assertEqual(self.heard(receiver, "access.revoked")[0]["data"]["access"]["active"], False)
        self.told("REFUND_REVERSED", None, transaction, renewal(transaction), status=1)
        self.assertEqual(self.heard(receiver, "refund.reversed")[0]["data"]["case"]["state"], "reversed")
        self.heard(receiver, "access.granted", 2)
        numbers = [event["sequence"] for event in receiver.events()]
        self.assertEqual(len(set(numbers)), len(numbers))
        self.assertEqual(over["entitlements"][0]["originalTransactionId"], transaction["originalTransactionId"])
        self.desk.check_replay()

    @field_report(96)
    def test_field_report_96_declined_and_unanswered(self):
        receiver = self.follow(Receiver())
        transaction = self.bought(purchase())
        self.desk.post_payload(request(transaction))
        self.heard(receiver, "refund.requested")
        self.told("REFUND_DECLINED", None, transaction)
        self.assertEqual(self.heard(receiver, "refund.declined")[0]["data"]["case"]["state"], "declined")
        unanswered = self.heard(receiver, "refund.unanswered")[0]["data"]["case"]
        self.assertEqual(unanswered["rounds"][0]["decision"]["because"], ["no-consent"])

    @field_report(98)
    def test_field_report_98_the_refund_of_an_old_period_says_so_and_takes_nothing(self):
        receiver = self.follow(Receiver())
        old = self.bought(period(start=self.now - 40 * DAY))
        new = period(start=self.now - 10 * DAY, original=old["transactionId"])
        self.told("DID_RENEW", None, new, renewal(new), new["purchaseDate"])
        self.told("REFUND", None, revoked(old, self.now), renewal(new), status=1)
        data = self.heard(receiver, "refund.granted")[0]["data"]
        self.assertEqual((data["isCurrentPeriod"], data["access"]), (False, {"active": True, "until": new["expiresDate"]}))
        self.assertEqual(receiver.events("access.revoked"), [])

    def test_access_in_an_event_is_that_of_the_group_while_another_chain_grants_it(self):
        receiver = self.follow(Receiver())
        own = self.bought(period())
        member = self.bought(period(appTransactionId=own["appTransactionId"], inAppOwnershipType="FAMILY_SHARED", days=20))
        self.told("REVOKE", None, revoked(member, self.now, revocationType="FAMILY_REVOKE"))
        self.delivered()
        newest = max(receiver.events(), key=lambda event: event["sequence"])
        self.assertEqual(newest["data"]["access"], {"active": True, "until": own["expiresDate"]}, newest["type"])
        for event in receiver.events("access."):
            if event["sequence"] > 1:
                self.assertEqual(event["data"]["access"], {"active": True, "until": own["expiresDate"]}, event["type"])

    def test_access_in_an_event_is_that_of_the_product_that_was_bought_again(self):
        receiver = self.follow(Receiver())
        names = {"appTransactionId": "704" + new_id()[-13:]}
        first, second = (purchase(LIFETIME, "Non-Consumable", purchaseDate=self.now - days * DAY, **names) for days in (9, 2))
        self.bought(second)
        self.bought(first)
        self.told("REFUND", None, revoked(first, self.now - 5 * DAY), at=self.now - 5 * DAY)
        self.delivered()
        newest = max((event for event in receiver.events("access.")), key=lambda event: event["sequence"])
        self.assertEqual(newest["data"]["access"], {"active": True, "until": None}, newest["type"])

    @field_report(145)
    def test_field_report_145_every_notification_is_told_also_of_unknown_type(self):
        receiver = self.follow(Receiver())
        identity = self.desk.post("FUTURE_EVENT", "FUTURE_SUB", purchase())
        self.desk.post("TEST")
        data = {event["data"]["notificationType"]: event["data"] for event in self.heard(receiver, "notification.received", 2)}
        self.assertEqual((data["FUTURE_EVENT"]["subtype"], data["FUTURE_EVENT"]["notificationUUID"]), ("FUTURE_SUB", identity))
        self.delivered()
        self.assertEqual({event["type"] for event in receiver.events()}, {"notification.received"})

    def test_a_repeat_and_a_late_old_message_cause_no_event(self):
        receiver = self.follow(Receiver(), events=["access.*", "refund.*"])
        transaction = self.bought(period(start=self.now - 31 * DAY))
        new = period(start=self.now - DAY, original=transaction["transactionId"])
        self.told("DID_RENEW", None, new, renewal(new), new["purchaseDate"])
        self.told("REFUND", None, revoked(new, self.now), renewal(new))
        self.heard(receiver, "access.revoked")
        self.delivered()
        before = len(receiver.events())
        self.told("DID_RENEW", None, new, renewal(new), new["purchaseDate"])
        self.told("DID_RENEW", None, new, renewal(new), new["purchaseDate"] + 4 * HOUR)
        self.bought(transaction)
        self.told("REFUND", None, revoked(new, self.now), renewal(new), at=self.now)
        other = self.bought(period())
        self.heard(receiver, "access.granted", 2)
        self.delivered()
        late = receiver.events()[before:]
        self.assertEqual([event["data"]["transactionId"] for event in late], [other["transactionId"]])

    def test_types_and_environments_that_were_not_asked_for(self):
        receiver, sandbox = Receiver(), Receiver()
        self.addCleanup(sandbox.stop)
        self.follow(receiver, app={"webhooks": [
            receiver.configuration(events=["refund.*"], environments=["Production"]), sandbox.configuration(environments=["Sandbox"])]})
        there = purchase(environment="Sandbox")
        for transaction in (purchase(), there):
            self.bought(transaction)
            self.told("REFUND", None, revoked(transaction, self.now))
        self.heard(receiver, "refund.granted")
        self.heard(sandbox, "refund.granted")
        self.delivered("all")
        self.assertEqual([event["type"] for event in receiver.events()], ["refund.granted"])
        self.assertEqual({event["data"]["environment"] for event in sandbox.events()}, {"Sandbox"})

    def test_point_5_commitment_events_and_apple_is_asked_before_an_end_is_told(self):
        receiver = self.follow(Receiver())
        start, term = self.now - 35 * DAY, self.now + 325 * DAY

        def month(number, original=None):
            return period(YEARLY, start + (number - 1) * 30 * DAY, original=original, billingPlanType="MONTHLY", commitmentInfo={
                "billingPeriodNumber": number, "totalBillingPeriods": 12, "commitmentExpiresDate": term, "commitmentPrice": 131_880})

        def word(transaction, renews):
            return renewal(transaction, renewalBillingPlanType="MONTHLY", commitmentInfo={
                "commitmentAutoRenewProductId": YEARLY, "commitmentAutoRenewStatus": renews, "commitmentRenewalDate": term})
        first = month(1)
        second = month(2, first["transactionId"])
        self.told("SUBSCRIBED", "INITIAL_BUY", first, word(first, 1), first["purchaseDate"])
        self.told("DID_RENEW", None, second, word(second, 1), second["purchaseDate"])
        begun = self.heard(receiver, "commitment.started")[0]["data"]
        self.assertEqual(begun["commitment"]["totalBillingPeriods"], 12)
        self.told("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", second, word(second, 0), self.now - 2 * DAY)
        self.assertEqual(self.heard(receiver, "commitment.ending")[0]["data"]["access"], {"active": True, "until": second["expiresDate"]})
        # Apple knows of nothing newer, but only says so once it can be reached.
        self.desk.store.is_down = True
        gone = revoked(second, self.now - MINUTE)
        self.told("REFUND", None, gone, word(second, 0), self.now - MINUTE, status=5)
        self.heard(receiver, "access.revoked")
        eventually(lambda: [call for call in self.desk.store.calls if "/subscriptions/" in call["path"]], what="Apple is asked")
        row = self.desk.entitlements(first["appTransactionId"])["entitlements"][0]
        self.assertEqual((row["active"], row["commitment"]["state"], receiver.events("commitment.ended")), (False, "running", []))
        known = Customer(first["appTransactionId"], None, "Production", statuses={first["transactionId"]: (5, gone, word(second, 0))})
        self.desk.store.statuses[first["transactionId"]] = lambda: status_answer(known, first["transactionId"])
        self.desk.store.is_down = False
        ended = self.heard(receiver, "commitment.ended")[0]["data"]
        self.assertEqual((ended["commitment"]["state"], ended["access"]["active"]), ("endedByRefund", False))
        self.desk.check_replay()

    def test_seats_changed(self):
        receiver = self.follow(Receiver())
        transaction = self.bought(period(quantity=5, multiSeatInfo={"invitationManagement": "DEVELOPER"}))
        fewer = transaction | {"multiSeatInfo": {"invitationManagement": "DEVELOPER", "revokedSeatQuantity": 2}}
        self.told("REFUND", "SEATS", fewer, renewal(fewer))
        data = self.heard(receiver, "seats.changed")[0]["data"]
        self.assertEqual(data["access"], {"active": True, "until": transaction["expiresDate"]})

    def test_the_users_own_id_is_in_the_event(self):
        receiver = self.follow(Receiver())
        transaction = purchase(LIFETIME, "Non-Consumable")
        self.desk.api("PUT", f"/transactions/{transaction['originalTransactionId']}/user", {"userId": "u-7"})
        self.bought(transaction)
        self.assertEqual(self.heard(receiver, "access.granted")[0]["data"]["customer"]["userId"], "u-7")


class Issue3Delivery(Webhooks):
    @field_report(140)
    def test_field_report_140_retries_with_growing_waits_under_one_id(self):
        receiver = self.follow(Receiver(lambda number, event: (500, 503, 200)[min(number, 3) - 1]), events=["access.*"])
        self.bought(period())
        eventually(lambda: len(receiver.deliveries) == 3, 60, "two retries, after 5 s and 30 s")
        item = self.delivered()[0]
        self.assertEqual(receiver.faults, [], "same id and body each time, and a signature that is fresh each time")
        self.assertEqual([attempt["httpStatus"] for attempt in item["attempts"]], [500, 503, 200])
        at = [attempt["at"] for attempt in item["attempts"]]
        self.assertTrue(4 * SECOND <= at[1] - at[0] <= 15 * SECOND and 24 * SECOND <= at[2] - at[1] <= 50 * SECOND, at)
        self.assertEqual((item["state"], item["type"], item["url"]), ("delivered", "access.granted", receiver.url + "/hooks"))
    test_field_report_140_retries_with_growing_waits_under_one_id.WEIGHT = 5

    def test_the_list_and_redelivery(self):
        receiver = self.follow(Receiver(), events=["access.*"])
        self.bought(period())
        event = self.heard(receiver, "access.granted")[0]
        item = self.delivered()[0]
        self.assertEqual(set(item), {"id", "eventId", "url", "type", "state", "attempts"})
        self.assertEqual((item["eventId"], item["attempts"][0]["httpStatus"], item["attempts"][0]["error"]), (event["id"], 200, None))
        again = self.desk.api("POST", f"/webhooks/deliveries/{item['id']}/redeliver")
        self.assertEqual(again["id"], item["id"])
        eventually(lambda: len(receiver.deliveries) == 2, what="it comes again")
        self.assertEqual((receiver.faults, len(receiver.events())), ([], 1))
        self.assertEqual(len(self.delivered()[0]["attempts"]), 2)
        self.assertEqual(self.desk.api("POST", "/webhooks/deliveries/999999/redeliver", status=404)["code"], "not-found")

    def test_a_lost_one_is_redelivered_without_waiting_for_its_turn(self):
        receiver = self.follow(Receiver(lambda number, event: 500 if number == 1 else 200), events=["access.*"])
        receiver.headers = {"Retry-After": "600"}
        self.bought(period())
        eventually(lambda: receiver.deliveries and self.desk.items("/webhooks/deliveries")[0]["attempts"], what="the first try has failed")
        self.desk.api("POST", f"/webhooks/deliveries/{self.desk.items('/webhooks/deliveries')[0]['id']}/redeliver")
        eventually(lambda: len(receiver.deliveries) == 2, what="it comes again, long before its turn")

    @field_report(142)
    def test_field_report_142_one_failing_receiver_holds_up_nobody(self):
        failing, working = Receiver(lambda number, event: 500), Receiver()
        self.follow(working, failing, events=["access.*"])
        for _ in range(5):
            self.bought(period())
        self.heard(working, "access.granted", 5)
        eventually(lambda: len(failing.events()) == 5)
        self.assertEqual(len(working.deliveries), 5, "once each")
        expected = [(False, "pending")] * 5 + [(True, "delivered")] * 5
        eventually(lambda: expected == sorted(
            (item["url"] == working.url + "/hooks", item["state"]) for item in self.desk.items("/webhooks/deliveries")))

    @field_report(142)
    def test_field_report_142_one_hanging_receiver_holds_up_nobody(self):
        over = threading.Event()
        self.addCleanup(over.set)
        hanging, working = Receiver(lambda number, event: over.wait(60) and 200), Receiver()
        self.follow(hanging, working, events=["access.*"])
        count = 60
        for _ in range(count):
            self.bought(period())
        eventually(lambda: len(working.events()) == count, 12, "the other receiver heard of all, well within the time limit of a hanging one")

    @field_report(60)
    def test_field_report_60_a_receiver_that_hangs_delays_no_acknowledgement(self):
        def hang(number, event):
            time.sleep(10)
            return 200
        self.follow(Receiver(hang))
        times = []
        for _ in range(20):
            start = time.monotonic()
            self.bought(period())
            times.append(time.monotonic() - start)
        self.assertLess(max(times), 2, "well under two seconds each")
        # It stops all the same: what is not delivered comes after the restart.
        self.assertEqual(self.desk.stop(), 0)

    def test_webhooks_survive_a_kill_and_come_after_the_restart(self):
        receiver = self.follow(Receiver(lambda number, event: 503 if number == 1 else 200), events=["access.*"])
        self.bought(period())
        eventually(lambda: receiver.deliveries)
        self.desk.stop(signal.SIGKILL)
        self.desk.start()
        eventually(lambda: len(receiver.deliveries) == 2, 100, "delivered after the restart")
        self.assertEqual((receiver.faults, len(receiver.events())), ([], 1))

    def test_no_private_targets_unless_allowed(self):
        receiver = Receiver()
        self.addCleanup(receiver.stop)
        self.desk = Desk(app={"webhooks": [receiver.configuration(events=["access.*"])]}, top={"allowPrivateTargets": False})
        self.addCleanup(self.desk.close)
        self.bought(period())
        attempts = eventually(lambda: (items := self.desk.items("/webhooks/deliveries")) and items[0]["attempts"])
        self.assertTrue(attempts[0]["error"] and attempts[0]["httpStatus"] is None, attempts)
        self.assertEqual(receiver.deliveries, [])
