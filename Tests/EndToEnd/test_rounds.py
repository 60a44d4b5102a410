"""Issue 2, points 5 and 6: one case, one round, one answer; and no call without consent."""

import time
import unittest
from concurrent.futures import ThreadPoolExecutor

from desk import Desk
from field_reports import field_report
from payloads import body, period, purchase, renewal, request, revoked
from signing import DAY, HOUR, MINUTE, SECOND, now_ms
from waiting import eventually

BLANKET = {"consent": {"mode": "blanket", "attestation": "the tests"}}


def answer_status(desk, transaction, status, round_number=1, seconds=20):
    """Waits until a round's answer has a status; the case."""
    def reached():
        case = desk.case(transaction["transactionId"], transaction["environment"])
        rounds = case["rounds"] if case else []
        answer = rounds[round_number - 1]["answer"] if len(rounds) >= round_number else None
        return case if answer and answer["status"] == status else None
    return eventually(reached, seconds, f"the answer of round {round_number} is {status}")


class Issue2Point5Rounds(unittest.TestCase):
    def setUp(self):
        self.desk = Desk(app=BLANKET)
        self.addCleanup(self.desk.close)

    def only_one_answer(self, transaction, rounds=1):
        case = answer_status(self.desk, transaction, "accepted", rounds)
        self.assertEqual([each["number"] for each in case["rounds"]], list(range(1, rounds + 1)))
        self.assertEqual(len(self.desk.items("/cases")), 1)
        # Another request's answer follows any that these could still have caused.
        fence = purchase()
        self.desk.post_payload(request(fence))
        answer_status(self.desk, fence, "accepted")
        self.assertEqual(len(self.desk.store.answers(transaction["transactionId"])), rounds)
        self.assertEqual(self.desk.store.faults, [])
        return case

    @field_report(57)
    def test_one_notification_twice(self):
        transaction = purchase()
        payload = request(transaction)
        self.desk.post_payload(payload)
        self.desk.post_payload(payload, "duplicate")
        case = self.only_one_answer(transaction)
        self.assertEqual(case["state"], "open")
        first = case["rounds"][0]
        self.assertEqual(first["notificationUUIDs"], [payload["notificationUUID"]])
        self.assertEqual((first["requestedAt"], first["deadline"]), (payload["signedDate"], payload["signedDate"] + 12 * HOUR))
        self.assertEqual((first["reason"], first["outcome"], first["decision"]["kind"]), ("UNINTENDED_PURCHASE", None, "answer"))
        sent = self.desk.store.answers(transaction["transactionId"])[0]["body"]
        self.assertEqual(sent, {"customerConsented": True, "deliveryStatus": "DELIVERED", "sampleContentProvided": True})
        self.assertEqual(first["answer"]["body"], sent)
        self.assertEqual([attempt["httpStatus"] for attempt in first["answer"]["attempts"]], [202])

    def test_one_notification_twenty_times_in_parallel(self):
        transaction = purchase()
        posted = body(request(transaction))
        with ThreadPoolExecutor(20) as pool:
            answers = list(pool.map(lambda _: self.desk.post_raw(posted), range(20)))
        results = sorted((status, answer["result"]) for status, answer in answers)
        self.assertEqual(results, [(200, "accepted")] + [(200, "duplicate")] * 19)
        self.only_one_answer(transaction)

    def test_twenty_new_uuids_in_parallel_while_the_round_runs(self):
        transaction, asked = purchase(), now_ms() - MINUTE
        posted = [body(request(transaction, signed=asked + n * SECOND)) for n in range(20)]
        with ThreadPoolExecutor(20) as pool:
            answers = list(pool.map(self.desk.post_raw, posted))
        self.assertEqual(answers, [(200, {"result": "accepted"})] * 20)
        case = self.only_one_answer(transaction)
        self.assertEqual(len(case["rounds"][0]["notificationUUIDs"]), 20)
        self.assertEqual(case["rounds"][0]["requestedAt"], asked, "the window counts from the first request")

    @field_report(91)
    def test_field_report_91_asked_again_after_the_answer(self):
        transaction = purchase()
        for hours in (6, 4, 2):
            self.desk.post_payload(request(transaction, signed=now_ms() - hours * HOUR))
            answer_status(self.desk, transaction, "accepted")
        self.assertEqual(len(self.only_one_answer(transaction)["rounds"][0]["notificationUUIDs"]), 3)

    def test_after_a_decline_the_second_round_is_answered_again(self):
        transaction = purchase()
        self.desk.post_payload(request(transaction, signed=now_ms() - 3 * HOUR))
        answer_status(self.desk, transaction, "accepted")
        self.desk.post("REFUND_DECLINED", transaction=transaction, signed=now_ms() - 2 * HOUR)
        self.assertEqual(self.desk.case(transaction["transactionId"])["state"], "declined")
        self.desk.post_payload(request(transaction, signed=now_ms() - HOUR, reason="LEGAL"))
        case = self.only_one_answer(transaction, rounds=2)
        self.assertEqual(case["state"], "open")
        self.assertEqual([each["outcome"] and each["outcome"]["kind"] for each in case["rounds"]], ["declined", None])
        self.assertEqual([each["reason"] for each in case["rounds"]], ["UNINTENDED_PURCHASE", "LEGAL"])
        self.desk.post("REFUND", transaction=revoked(transaction, now_ms()))
        case = self.desk.case(transaction["transactionId"])
        self.assertEqual((case["state"], case["rounds"][1]["outcome"]["kind"]), ("refunded", "refunded"))
        self.desk.check_replay()

    def test_a_request_signed_before_a_decision_that_is_known_is_not_answered(self):
        transaction = purchase()
        self.desk.post("REFUND_DECLINED", transaction=transaction, signed=now_ms() - HOUR)
        self.desk.post_payload(request(transaction, signed=now_ms() - 2 * HOUR))
        case = self.desk.case(transaction["transactionId"])
        self.assertEqual((case["state"], len(case["rounds"])), ("declined", 1))
        self.assertEqual((case["rounds"][0]["answer"], case["rounds"][0]["decision"]["because"]), (None, ["already-decided"]))

    def test_after_the_window_nothing_is_sent(self):
        transaction = purchase()
        self.desk.post_payload(request(transaction, signed=now_ms() - 12 * HOUR - MINUTE))
        closed = self.desk.case(transaction["transactionId"])["rounds"][0]
        self.assertEqual((closed["answer"], closed["decision"]["because"]), (None, ["window-closed"]))
        self.desk.post_payload(request(transaction))
        answer_status(self.desk, transaction, "accepted", 2)
        self.assertEqual(len(self.desk.store.answers()), 1)

    @field_report(88)
    def test_field_report_88_the_answer_is_about_the_earlier_period(self):
        old = period(start=now_ms() - 40 * DAY)
        new = period(start=now_ms() - 10 * DAY, original=old["transactionId"])
        self.desk.post("SUBSCRIBED", "INITIAL_BUY", old, renewal(old), signed=old["purchaseDate"])
        self.desk.post("DID_RENEW", None, new, renewal(new), signed=new["purchaseDate"])
        self.desk.post_payload(request(old, renewal=renewal(new), status=1))
        answer_status(self.desk, old, "accepted")
        self.assertEqual([call["path"].rsplit("/", 1)[1] for call in self.desk.store.answers()], [old["transactionId"]])

    @field_report(32)
    def test_field_report_32_the_sandbox_is_answered_at_its_own_host_within_five_minutes(self):
        transaction = purchase(environment="Sandbox")
        self.desk.post_payload(request(transaction))
        case = answer_status(self.desk, transaction, "accepted")
        self.assertEqual(case["rounds"][0]["deadline"] - case["rounds"][0]["requestedAt"], 5 * MINUTE)
        self.assertEqual((len(self.desk.sandbox.answers()), self.desk.store.answers()), (1, []))
        self.assertIsNone(self.desk.case(transaction["transactionId"]), "the case is in the Sandbox ledger only")

    def test_the_same_ids_in_both_environments_are_two_cases(self):
        production = purchase()
        sandbox = production | {"environment": "Sandbox"}
        for transaction in (production, sandbox):
            self.desk.post_payload(request(transaction))
            answer_status(self.desk, transaction, "accepted")
        self.desk.post("REFUND", transaction=revoked(sandbox, now_ms()))
        self.assertEqual(self.desk.case(production["transactionId"])["state"], "open")
        self.assertEqual(self.desk.case(production["transactionId"], "Sandbox")["state"], "refunded")
        self.assertEqual((len(self.desk.store.answers()), len(self.desk.sandbox.answers())), (1, 1))


class Issue2Point6Consent(unittest.TestCase):
    def setUp(self):
        self.desk = Desk()
        self.addCleanup(self.desk.close)

    def answered(self) -> dict:
        """Another customer's request, answered; so everything due before is done."""
        fence = purchase()
        self.desk.consent(fence["appTransactionId"])
        self.desk.post_payload(request(fence))
        answer_status(self.desk, fence, "accepted")
        return fence

    @field_report(84)
    def test_field_report_84_no_consent_no_call_and_the_outcome_is_followed(self):
        transaction, refused = purchase(), purchase()
        self.desk.consent(refused["appTransactionId"], False)
        for each in (transaction, refused):
            self.desk.post_payload(request(each))
        fence = self.answered()
        self.assertEqual([call["path"].rsplit("/", 1)[1] for call in self.desk.store.answers()], [fence["transactionId"]])
        for each in (transaction, refused):
            round_ = self.desk.case(each["transactionId"])["rounds"][0]
            self.assertEqual((round_["decision"]["kind"], round_["decision"]["because"], round_["answer"]), ("abstain", ["no-consent"], None))
        self.desk.post("REFUND", transaction=revoked(transaction, now_ms()))
        self.assertEqual(self.desk.case(transaction["transactionId"])["state"], "refunded")

    def test_consent_recorded_within_the_window_leads_to_the_answer_at_once(self):
        transaction = purchase()
        self.desk.post_payload(request(transaction))
        self.assertEqual(self.desk.case(transaction["transactionId"])["rounds"][0]["decision"]["kind"], "abstain")
        self.desk.consent(transaction["appTransactionId"])
        answer_status(self.desk, transaction, "accepted")
        self.assertEqual(len(self.desk.store.answers()), 1)

    @field_report(50)
    def test_field_report_50_consent_before_the_purchase_under_an_account_token_in_upper_case(self):
        token = "7E3FB20B-4CDB-47CC-936D-99D65F608138"
        self.desk.consent(token)
        transaction = purchase(appAccountToken=token.lower())
        self.desk.post_payload(request(transaction))
        case = answer_status(self.desk, transaction, "accepted")
        self.assertEqual(case["customer"]["appAccountToken"], token.lower())

    def test_consent_withdrawn_before_the_request(self):
        transaction = purchase()
        self.desk.consent(transaction["appTransactionId"])
        self.desk.consent(transaction["appTransactionId"], False)
        self.desk.post_payload(request(transaction))
        self.answered()
        self.assertEqual(self.desk.case(transaction["transactionId"])["rounds"][0]["decision"]["because"], ["consent-withdrawn"])
        self.assertEqual(self.desk.store.answers(transaction["transactionId"]), [])

    def test_consent_withdrawn_between_request_and_sending(self):
        transaction = purchase()
        self.desk.consent(transaction["appTransactionId"])
        self.desk.store.is_down = True
        self.desk.post_payload(request(transaction))
        case = answer_status(self.desk, transaction, "retrying")
        self.assertEqual([attempt["httpStatus"] for attempt in case["rounds"][0]["answer"]["attempts"]], [503])
        self.desk.consent(transaction["appTransactionId"], False)
        case = answer_status(self.desk, transaction, "cancelled")
        self.assertEqual([attempt["httpStatus"] for attempt in case["rounds"][0]["answer"]["attempts"]], [503])
        self.assertEqual(case["rounds"][0]["decision"]["kind"], "abstain")
        self.assertEqual(case["rounds"][0]["decision"]["because"], ["consent-withdrawn"])
        self.desk.store.is_down = False
        # The first retry is due 5 s after the failure, within 20 %. Nothing but time shows that it does not come.
        time.sleep(7)
        self.assertEqual(len(self.desk.store.answers(transaction["transactionId"])), 1)
        self.assertEqual(self.desk.case(transaction["transactionId"])["rounds"][0]["answer"]["status"], "cancelled")
        self.desk.check_replay()

    def test_consent_withdrawn_while_a_refused_token_is_on_its_way_back(self):
        transaction = purchase()
        self.desk.consent(transaction["appTransactionId"])
        self.desk.store.delay = 1.5
        self.desk.store.refused_tokens = 1
        self.desk.post_payload(request(transaction))
        eventually(lambda: self.desk.store.answers(transaction["transactionId"]), what="the first call")
        self.desk.consent(transaction["appTransactionId"], False)
        case = eventually(lambda: ((case := self.desk.case(transaction["transactionId"]))["rounds"][0]["answer"] or {}).get("attempts") and case,
                          what="the refused call is on record")
        self.assertEqual([attempt["httpStatus"] for attempt in case["rounds"][0]["answer"]["attempts"]], [401])
        time.sleep(2)  # The second call came at once, where it came.
        self.assertEqual(len(self.desk.store.answers(transaction["transactionId"])), 1)
        self.assertEqual(self.desk.case(transaction["transactionId"])["rounds"][0]["answer"]["status"], "cancelled")

    def test_the_app_store_is_down_and_comes_back(self):
        transaction = purchase()
        self.desk.consent(transaction["appTransactionId"])
        self.desk.store.is_down = True
        self.desk.post_payload(request(transaction))
        answer_status(self.desk, transaction, "retrying")
        self.desk.store.is_down = False
        case = answer_status(self.desk, transaction, "accepted")
        attempts = case["rounds"][0]["answer"]["attempts"]
        self.assertEqual([attempt["httpStatus"] for attempt in attempts], [503, 202])
        self.assertTrue(4 * SECOND <= attempts[1]["at"] - attempts[0]["at"] < 12 * SECOND, attempts)

    def test_a_consent_that_names_app_tracking_transparency_is_refused(self):
        reference = purchase()["appTransactionId"]
        for source in ("ATT", "App Tracking Transparency prompt", "app-tracking"):
            refused = self.desk.api("PUT", f"/customers/{reference}/consent", {"consented": True, "source": source, "textVersion": "1"}, 422)
            self.assertEqual(refused["code"], "consent-source", source)


