"""Policies: files that are checked, rules that decide, and what the owner says while the window is open."""

import json
import re
import tempfile
import unittest
from pathlib import Path

from desk import ROOT, Desk, command
from payloads import COINS, purchase, request
from signing import HOUR, MINUTE, now_ms
from test_rounds import BLANKET, answer_status
from waiting import eventually

UNSTATED = "com.example.unstated"


def policy_check(text: str, *words, code=0):
    with tempfile.NamedTemporaryFile("w", suffix=".json5") as file:
        file.write(text)
        file.flush()
        done = command("policy", "check", file.name, *words)
    assert done.returncode == code, f"{done.returncode}, not {code}: {done.stdout}{done.stderr}"
    return done


def rule(when="{}", then='{ answer: "none" }', name='name: "r", '):
    """A policy of one rule: `when` stands on line 3, `then` on line 4."""
    return f"{{ rules: [{{\n{name}\nwhen: {when},\nthen: {then} }}] }}"


class Issue4PolicyFiles(unittest.TestCase):
    def mistake(self, text: str, path: str, line: int, *words):
        with self.subTest(path):
            found = json.loads(policy_check(text, "--json", code=1).stdout)["mistakes"]
            self.assertEqual([(each["path"], each["line"]) for each in found], [(path, line)], found)
            for word in words:
                self.assertIn(word, found[0]["message"])
            said = policy_check(text, code=1).stdout
            self.assertIn(f"line {line}", said)
            self.assertIn(words[0], said)

    def test_each_kind_of_mistake_names_key_line_and_nearest_word(self):
        self.mistake(rule('{ weather: "rain" }'), "rules[0].when.weather", 3, "unknown key", "known are")
        self.mistake(rule("{ consumedPercent: { atLeast: 80 } }"), "rules[0].when.consumedPercent", 3, 'did you mean "consumedPercentage"?')
        self.mistake(rule("{ usage: 5 }"), "rules[0].when.usage", 3, "unknown key", "usage.METER")
        self.mistake(rule('{ round: "2" }'), "rules[0].when.round", 3, "a number is expected, not a string")
        self.mistake(rule("{ round: { atleast: 2 } }"), "rules[0].when.round.atleast", 3, 'did you mean "atLeast"?')
        self.mistake(rule("{ round: { over: 2 } }"), "rules[0].when.round.over", 3, "unknown key", "below")
        self.mistake(rule("{ productId: { below: 2 } }"), "rules[0].when.productId.below", 3, "is no number")
        self.mistake(rule("{ price: 5 }"), "rules[0].when.price", 3, '"currency"')
        self.mistake(rule(then='{ hold: "2 hours", otherwise: { answer: "none" } }'), "rules[0].then.hold", 4, "90s, 15m, 2h or 1d")
        self.mistake(rule(then='{ hold: "1h", otherwise: { hold: "1h", otherwise: { answer: "none" } } }'),
                     "rules[0].then.otherwise.hold", 4, "a hold cannot stand inside a hold")
        self.mistake(rule(then='{ prefer: "GRANT_PRORATE" }'), "rules[0].then.prefer", 4, 'did you mean "GRANT_PRORATED"?')
        self.mistake(rule(then='{ answer: "data_only" }'), "rules[0].then.answer", 4, 'did you mean "data-only"?')
        self.mistake(rule(name=""), "rules[0]", 1, '"name" is missing')
        self.mistake("{\nrule: [] }", "rule", 2, 'did you mean "rules"?')
        self.mistake('{\n\ndefault: { anwser: "none", prefer: "DECLINE" } }', "default.anwser", 3, 'did you mean "answer"?')

    def test_text_that_is_no_json5_names_line_and_column(self):
        found = json.loads(policy_check("{ rules: [\n  { name: }\n] }", "--json", code=1).stdout)["mistakes"]
        self.assertEqual((len(found), found[0]["line"]), (1, 2))
        self.assertIn("column", found[0]["message"])
        self.assertEqual(command("policy", "check", "/nowhere/policy.json5").returncode, 2)

    def warnings(self, text: str) -> list:
        found = json.loads(policy_check(text, "--json").stdout)
        self.assertEqual(found["mistakes"], [])
        self.assertEqual(policy_check(text).stdout.count("warning: "), len(found["warnings"]))
        return [(each["path"], each["line"], each["message"]) for each in found["warnings"]]

    def test_guard_rails_name_their_guideline(self):
        path, line, message = self.warnings('{\ndefault: { prefer: "DECLINE" } }')[0]
        self.assertEqual((path, line), ("default", 2))
        self.assertRegex(message, r"more than half of your customers.*App Review Guideline 5\.6")
        path, line, message = self.warnings(rule("{ consumedPercentage: { below: 5 } }", '{ prefer: "DECLINE" }'))[0]
        self.assertEqual((path, line), ("rules[0].when.consumedPercentage", 3))
        self.assertRegex(message, r"never delivered.*5\.6")
        found = self.warnings('{ rules: [{ name: "all", then: { answer: "none" } },\n{ name: "late", then: { prefer: "DECLINE" } }] }')
        self.assertEqual([each[:2] for each in found], [("rules[1]", 2)])
        self.assertIn('"all" on line 1', found[0][2])
        self.assertEqual(self.warnings(rule("{ consumedPercentage: { atLeast: 80 } }", '{ prefer: "DECLINE" }')), [])


class Issue4Recipes(unittest.TestCase):
    """The policies of docs/policies.md are what they say: each passes `policy check`, without a warning unless its text tells of it."""

    def test_every_recipe_passes(self):
        text = Path(ROOT, "docs/policies.md").read_text()
        recipes = re.findall(r"```json5\n(.*?)```", text, re.S)
        self.assertGreaterEqual(len(recipes), 8)
        for recipe in recipes:
            found = json.loads(policy_check(recipe, "--json").stdout)
            self.assertEqual(found, {"mistakes": [], "warnings": []}, recipe)


class Issue4Deciding(unittest.TestCase):
    def desk(self, rules=(), default=None, consent=BLANKET, products=None) -> Desk:
        app = {"policy": {"rules": list(rules)} | ({"default": default} if default else {})} | consent
        if products:
            app["products"] = products
        desk = Desk(app=app)
        self.addCleanup(desk.close)
        return desk

    def decision(self, desk, transaction, number=1):
        return desk.case(transaction["transactionId"])["rounds"][number - 1]["decision"]

    def sent(self, desk, transaction, number=1):
        """The body of a round's answer, once Apple took it."""
        answer_status(desk, transaction, "accepted", number)
        return desk.store.answers(transaction["transactionId"])[-1]["body"]

    def test_the_ladder_declines_first_and_grants_the_second(self):
        desk = self.desk(
            [{"name": "second ask", "when": {"round": {"atLeast": 2}, "refundsGranted": {"below": 1}}, "then": {"prefer": "GRANT_FULL"}},
             {"name": "first ask", "when": {"round": 1}, "then": {"prefer": "DECLINE"}}])
        transaction = purchase()
        desk.post_payload(request(transaction, signed=now_ms() - 3 * HOUR))
        self.assertEqual(self.sent(desk, transaction)["refundPreference"], "DECLINE")
        first = self.decision(desk, transaction)
        self.assertEqual((first["rule"], first["trace"]), ("first ask", [
            {"rule": "second ask", "matched": False, "failedOn": "round"}, {"rule": "first ask", "matched": True, "failedOn": None}]))
        desk.post("REFUND_DECLINED", transaction=transaction, signed=now_ms() - 2 * HOUR)
        desk.post_payload(request(transaction, signed=now_ms() - HOUR))
        self.assertEqual(self.sent(desk, transaction, 2)["refundPreference"], "GRANT_FULL")
        second = self.decision(desk, transaction, 2)
        self.assertEqual((second["rule"], [step["matched"] for step in second["trace"]]), ("second ask", [True]))
        self.assertEqual(self.decision(desk, transaction)["rule"], "first ask", "what was decided stays on record")
        desk.check_replay()

    def test_an_override_beats_the_rules_and_null_takes_it_back(self):
        desk = self.desk([{"name": "all", "then": {"prefer": "DECLINE"}}])
        for body, kind, preference in (({"prefer": "GRANT_FULL"}, "answer", "GRANT_FULL"), ({"answer": "data-only"}, "answer", None),
                                       ({"answer": "none"}, "abstain", None)):
            transaction = purchase()
            desk.api("PUT", f"/customers/{transaction['appTransactionId']}/preference", body)
            desk.post_payload(request(transaction))
            decision = self.decision(desk, transaction)
            self.assertEqual((decision["kind"], decision["rule"], decision["because"][0]), (kind, "override", "customer-override"))
            if kind == "answer":
                self.assertEqual(self.sent(desk, transaction).get("refundPreference"), preference)
        transaction = purchase()
        path = f"/customers/{transaction['appTransactionId']}/preference"
        desk.api("PUT", path, {"answer": "none"})
        desk.api("PUT", path, b"null")
        desk.post_payload(request(transaction))
        self.assertEqual(self.sent(desk, transaction)["refundPreference"], "DECLINE")
        desk.check_replay()

    def test_tags_are_looked_at(self):
        desk = self.desk([{"name": "friends", "when": {"tag": ["vip", "tier-*"]}, "then": {"prefer": "GRANT_FULL"}},
                          {"name": "banned", "when": {"tag": "abuse"}, "then": {"answer": "none"}}])
        for tags, rule_name in ((["vip"], "friends"), (["x", "tier-3"], "friends"), (["abuse"], "banned"), (["tie"], "default"), ([], "default")):
            transaction = purchase()
            desk.api("PUT", f"/customers/{transaction['appTransactionId']}/tags", {"tags": tags})
            desk.post_payload(request(transaction))
            self.assertEqual(self.decision(desk, transaction)["rule"], rule_name, tags)

    def test_a_hold_that_nobody_ends_falls_back(self):
        desk = self.desk([{"name": "look", "then": {"hold": "3s", "otherwise": {"prefer": "GRANT_FULL"}}}])
        transaction = purchase()
        payload = request(transaction)
        desk.post_payload(payload)
        held = self.decision(desk, transaction)
        self.assertEqual((held["kind"], held["holdUntil"], held["preference"]), ("hold", payload["signedDate"] + 3_000, None))
        self.assertEqual(self.sent(desk, transaction)["refundPreference"], "GRANT_FULL")
        self.assertGreaterEqual(desk.store.answers()[0]["at"], held["holdUntil"])
        self.assertEqual((self.decision(desk, transaction)["kind"], self.decision(desk, transaction)["rule"]), ("answer", "look"))
        desk.check_replay()

    def test_a_hold_longer_than_the_window_ends_ten_minutes_before_it(self):
        desk = self.desk([{"name": "look", "then": {"hold": "9d", "otherwise": {"answer": "data-only"}}}])
        transaction = purchase()
        payload = request(transaction, signed=now_ms() - HOUR)
        desk.post_payload(payload)
        self.assertEqual(self.decision(desk, transaction)["holdUntil"], payload["signedDate"] + 12 * HOUR - 10 * MINUTE)
        desk.api("POST", f"/cases/{transaction['transactionId']}/answer", {"prefer": "DECLINE"})
        self.assertEqual(self.sent(desk, transaction)["refundPreference"], "DECLINE")
        late = purchase()
        desk.post_payload(request(late, signed=now_ms() - 12 * HOUR + 5 * MINUTE))
        self.assertEqual(self.sent(desk, late), {"customerConsented": True, "deliveryStatus": "DELIVERED", "sampleContentProvided": True})

    def test_a_consent_recorded_while_the_window_is_open_answers_at_once(self):
        desk = self.desk(consent={})
        transaction = purchase()
        desk.post_payload(request(transaction, signed=now_ms() - HOUR))
        self.assertEqual(self.decision(desk, transaction)["because"], ["no-consent"])
        self.assertEqual(desk.store.answers(), [])
        before = now_ms()
        desk.consent(transaction["appTransactionId"])
        self.sent(desk, transaction)
        self.assertLess(desk.store.answers()[0]["at"] - before, 5_000)
        desk.check_replay()

    def test_a_delivery_or_an_outage_recorded_while_the_window_is_open_answers_at_once(self):
        products = {UNSTATED: {"sampleContentProvided": False}, "*": {"sampleContentProvided": True, "delivery": "DELIVERED"}}
        desk = self.desk(products=products)
        delivered, lost, kept = (purchase(UNSTATED, purchaseDate=now_ms() - hours * HOUR) for hours in (20, 10, 30))
        for each in (delivered, lost, kept):
            desk.post_payload(request(each))
            self.assertEqual(self.decision(desk, each)["because"], ["delivery-unknown"])
        desk.api("PUT", f"/transactions/{delivered['transactionId']}/delivery", {"status": "DELIVERED"})
        self.assertEqual(self.sent(desk, delivered)["deliveryStatus"], "DELIVERED")
        found = desk.api("PUT", f"/products/{UNSTATED}/outages", [
            {"from": now_ms() - 21 * HOUR, "to": now_ms() - 9 * HOUR, "status": "UNDELIVERED_SERVER_OUTAGE"}])
        self.assertEqual([each["origin"] for each in found["items"]], ["recorded"])
        self.assertEqual(self.sent(desk, lost), {
            "customerConsented": True, "deliveryStatus": "UNDELIVERED_SERVER_OUTAGE", "sampleContentProvided": False,
            "consumptionPercentage": 0})
        self.assertEqual(self.decision(desk, kept)["because"], ["delivery-unknown"], "bought before the outage")
        self.assertEqual(len(desk.store.answers(delivered["transactionId"])), 1, "a recorded delivery beats the outage")
        desk.stop()
        desk.start()
        self.assertEqual(desk.api("GET", f"/products/{UNSTATED}/outages"), found)
        self.assertIn("outages", [each["kind"] for each in desk.items("/audit", environment="all")])
        desk.check_replay()
        desk.run("audit", "verify")

    def test_an_answer_that_waits_is_sent_with_the_new_truth(self):
        desk = self.desk()
        desk.store.refused_tokens = 2  # Apple did not look at the body; after an error of its own only the very same bytes may follow.
        transaction = purchase()
        desk.post_payload(request(transaction))
        answer_status(desk, transaction, "retrying")
        desk.api("PUT", f"/products/{COINS}/outages", [
            {"from": transaction["purchaseDate"], "to": transaction["purchaseDate"] + 1, "status": "UNDELIVERED_OTHER"}])
        body = self.sent(desk, transaction)
        self.assertEqual((body["deliveryStatus"], body["consumptionPercentage"]), ("UNDELIVERED_OTHER", 0))

    def test_a_delivery_recorded_before_the_purchase_is_known_waits_for_it(self):
        desk = self.desk(products={"*": {"sampleContentProvided": False}})
        transaction = purchase(UNSTATED)
        desk.api("PUT", f"/transactions/{transaction['transactionId']}/delivery", {"status": "UNDELIVERED_WRONG_ITEM"})
        desk.post_payload(request(transaction))
        self.assertEqual(self.sent(desk, transaction)["deliveryStatus"], "UNDELIVERED_WRONG_ITEM")


class Issue4Holdout(unittest.TestCase):
    def test_half_of_the_cases_get_no_answer_and_stay_so(self):
        rules = [{"name": "measure", "when": {"productType": "Consumable"}, "then": {"prefer": "DECLINE", "holdout": 50}}]
        desk = Desk(app={"policy": {"rules": rules}} | BLANKET)
        self.addCleanup(desk.close)
        asked = [purchase() for _ in range(100)]
        first = [request(each, signed=now_ms() - HOUR) for each in asked]
        for payload in first:
            desk.post_payload(payload)

        def decisions(number=1):
            cases = {case["transactionId"]: case["rounds"][number - 1]["decision"] for case in desk.items("/cases", limit=200)}
            return {each["transactionId"]: cases[each["transactionId"]] for each in asked}
        before = decisions()
        held = {identity for identity, decision in before.items() if decision["because"] == ["holdout"]}
        self.assertTrue(25 <= len(held) <= 75, f"{len(held)} of 100")  # Five standard deviations either way.
        for identity, decision in before.items():
            self.assertEqual((decision["kind"], decision["rule"]), ("abstain" if identity in held else "answer", "measure"))
        eventually(lambda: len(desk.store.answers()) == 100 - len(held), what="the others are answered")
        self.assertFalse(held & {call["path"].rsplit("/", 1)[1] for call in desk.store.answers()})
        desk.stop()
        desk.start()
        for each in asked[:30]:
            desk.post("REFUND_DECLINED", transaction=each, signed=now_ms() - HOUR // 2)
            desk.post_payload(request(each))
        self.assertEqual(decisions(), before, "what was decided stays")
        again = {case["transactionId"]: case["rounds"][1]["decision"] for case in desk.items("/cases", limit=200) if len(case["rounds"]) > 1}
        self.assertEqual(len(again), 30)
        for identity, decision in again.items():
            self.assertEqual(decision["because"] == ["holdout"], identity in held, "the lot of a case is drawn once and for all")
        desk.check_replay()


class Issue4Refunders(unittest.TestCase):
    def test_those_who_come_back_are_listed_with_amounts(self):
        desk = Desk(app={"repeatRefunder": {"granted": 2, "requested": 3, "days": 30}} | BLANKET)
        self.addCleanup(desk.close)
        often, once = {"appTransactionId": "7047777"}, {"appTransactionId": "7048888"}
        for customer, count in ((often, 3), (once, 1)):
            for _ in range(count):
                transaction = purchase(**customer)
                desk.post("ONE_TIME_CHARGE", transaction=transaction)
                if count == 1 or desk.api("GET", "/customers/7047777")["refundsGranted"] < 2:
                    desk.post("REFUND", transaction=transaction | {"revocationDate": now_ms() - MINUTE, "revocationType": "REFUND_PRORATED",
                                                                   "revocationPercentage": 50_000, "signedDate": now_ms()})
        found = desk.items("/customers", repeatRefunders="true")
        self.assertEqual([each["appTransactionIds"] for each in found], [["7047777"]])
        self.assertEqual((found[0]["paid"], found[0]["refunded"]), ([{"amount": 2_970, "currency": "USD"}], [{"amount": 990, "currency": "USD"}]))
        self.assertEqual(found[0]["recent"], {"days": 30, "requests": 0, "refunds": 2})
        self.assertEqual((found[0]["consentMode"], found[0]["attestation"]), ("blanket", "the tests"))
