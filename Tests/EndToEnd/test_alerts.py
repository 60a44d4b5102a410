"""Issue 4: alerts on every channel, dead letters, watching, RevenueCat beside us."""

import time
import unittest
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

from desk import Desk
from mailserver import PASSWORD, USER, MailServer
from payloads import body, notification, purchase, request
from receiver import Receiver
from services import Discord, Ntfy, PlainWebhook, Service, Slack, Telegram
from signing import DAY, HOUR, SECOND, now_ms
from waiting import eventually

BLANKET = {"consent": {"mode": "blanket", "attestation": "the tests"}}
LOGIN = f"{quote(USER, safe='')}:{quote(PASSWORD, safe='')}@"
NAME = "Bücher & <Töne> 📚"


class AlertDesk(unittest.TestCase):
    def started(self, server):
        self.addCleanup(server.stop)
        return server

    def desk_with(self, *alerts, app=None, **top):
        self.desk = Desk(app=BLANKET | {"name": NAME, "alerts": list(alerts)} | (app or {}), top=top)
        self.addCleanup(self.desk.close)
        return self.desk

    def ask(self, **fields):
        transaction = purchase(**fields)
        self.desk.post_payload(request(transaction))
        return transaction

    def dead(self, **query):
        return self.desk.items("/outbox", state="dead", environment="all", **query)


class Issue4Mail(AlertDesk):
    def mail(self, server, to="you@example.com", login=LOGIN, **more):
        return {"kind": "email", "smtp": f"smtp://{login}127.0.0.1:{server.port}", "from": "desk@example.com", "to": to} | more

    def test_starttls_login_and_the_form_of_a_mail(self):
        server = self.started(MailServer())
        self.desk_with(self.mail(server, to="one@example.com, two@example.com"), publicURL="https://desk.example.com")
        transaction = self.ask()
        mails = eventually(lambda: len(server.received()) == 2 and server.received(), what="both receivers got a mail")
        self.assertEqual(sorted(to for _, to, _ in mails), [["one@example.com"], ["two@example.com"]])
        self.assertTrue(server.logins and all(good and encrypted for good, encrypted in server.logins), server.logins)
        sender, _, mail = mails[0]
        self.assertEqual(sender, "desk@example.com")
        self.assertEqual(mail["Subject"], f"[simulated] Refund requested: {NAME}, Production")
        self.assertEqual([each.addr_spec for each in mail["From"].addresses], ["desk@example.com"])
        self.assertEqual([each.addr_spec for each in mail["To"].addresses], ["one@example.com", "two@example.com"])
        self.assertLess(abs(mail["Date"].datetime.timestamp() - time.time()), 60)
        self.assertRegex(mail["Message-ID"], r"^<[^@\s]+@example\.com>$")
        self.assertEqual(mail["Auto-Submitted"], "auto-generated")
        self.assertEqual((mail.get_content_type(), mail.get_content_charset()), ("text/plain", "utf-8"))
        text = mail.get_content()
        for part in (NAME, transaction["productId"], transaction["transactionId"], "UNINTENDED_PURCHASE",
                     f"https://desk.example.com/apps/desk/cases/{transaction['transactionId']}"):
            self.assertIn(part, text)
        self.assertNotIn("0.99", text, "amounts stay out")
        raw = server.mails[0][2]
        self.assertTrue(raw.isascii() and all(len(line) <= 78 for line in raw.split(b"\r\n")), raw)
        self.assertEqual(raw.count(b"\r\n"), raw.count(b"\n"))

    def test_amounts_only_where_asked_for(self):
        server = self.started(MailServer(secure=False))
        self.desk_with(self.mail(server, login="", showAmounts=True))
        self.ask(price=12_990)
        mail = eventually(server.received)[0][2]
        self.assertIn("12.99 USD", mail.get_content())

    def test_a_refusal_for_good_is_a_dead_letter_that_can_be_driven_anew(self):
        refusing = [True]
        server = self.started(MailServer(lambda number, to: "550 no such box" if refusing[0] else None, secure=False))
        other = self.started(PlainWebhook())
        self.desk_with(self.mail(server, login=""), other.configuration())
        transaction = self.ask()
        letter = eventually(self.dead)[0]
        self.assertEqual((letter["kind"], letter["state"], letter["receiver"], letter["event"], letter["subject"]),
                         ("alert", "dead", "alerts[0]", "request", transaction["transactionId"]))
        self.assertEqual([each["status"] for each in letter["attempts"]], [550])
        self.assertEqual((server.tries, server.received()), (1, []))
        eventually(lambda: other.events() == ["request"], what="the other place was told once")
        self.assertIn('refund_desk_outbox_dead{kind="alert"} 1', self.metrics())
        refusing[0] = False
        again = self.desk.api("POST", f"/outbox/{letter['id']}/redrive")
        self.assertEqual((again["state"], again["tries"]), ("pending", 0))
        eventually(server.received)
        self.assertEqual((self.dead(), other.events()), ([], ["request"]))
        self.desk.api("POST", f"/outbox/{letter['id']}/redrive", status=409)
        self.desk.api("POST", "/outbox/999999/redrive", status=404)

    def metrics(self):
        asked = urllib.request.Request(f"http://127.0.0.1:{self.desk.port}/metrics", headers={"Authorization": "Bearer " + self.desk.token})
        return urllib.request.urlopen(asked).read().decode()

    def test_a_refusal_for_now_is_tried_again_with_the_same_message(self):
        server = self.started(MailServer(lambda number, to: "451 come back" if number == 1 else None, secure=False))
        self.desk_with(self.mail(server, login=""))
        self.ask()
        eventually(server.received, seconds=30)
        self.assertEqual(server.tries, 2)
        self.assertEqual(self.dead(), [])

    def test_a_wrong_password_is_told_nowhere(self):
        server = self.started(MailServer())
        self.desk_with(self.mail(server, login="desk:wrong-secret-7@"))
        self.ask()
        letter = eventually(self.dead)[0]
        self.assertEqual(letter["attempts"][0]["status"], 535)
        self.assertNotIn("wrong-secret-7", str(letter) + self.desk.errors())
        self.assertEqual(server.received(), [])

    def test_addresses_that_are_none(self):
        desk = self.desk_with(app={"alerts": []})
        for to in ("you@example.com\r\nBcc: evil@example.com", "you", ["a@b.c", "<x@y.z>"], "a@b.c,"):
            desk.app["alerts"] = [{"kind": "email", "smtp": "smtp://mail.example.com", "from": "desk@example.com", "to": to}]
            desk.configure()
            self.assertIn("alerts[0].to", desk.run("check-config", code=1).stdout)


class Issue4Services(AlertDesk):
    def test_each_service_takes_its_form(self):
        services = [self.started(each()) for each in (Slack, Discord, Telegram, Ntfy, PlainWebhook)]
        self.desk_with(*(each.configuration() for each in services), publicURL="https://desk.example.com")
        transaction = self.ask(productId="com.example.*odd*<x>&`y`@everyone")
        for service in services:
            message = eventually(lambda: service.messages or service.faults, what=type(service).__name__)
            self.assertEqual(service.faults, [], type(service).__name__)
            text = message[0]["text"]
            for part in ("[simulated] Refund requested", NAME, "Production", transaction["productId"], transaction["transactionId"],
                         "UNINTENDED_PURCHASE", "data only", " UTC", f"https://desk.example.com/apps/desk/cases/{transaction['transactionId']}"):
                self.assertIn(part, text, type(service).__name__)
            self.assertNotIn("0.99", text)
        ntfy, plain = services[3].messages[0], services[4].messages[0]
        self.assertEqual(ntfy["title"], f"[simulated] Refund requested: {NAME}, Production")
        self.assertEqual((ntfy["click"], ntfy["priority"]), (plain["url"], "3"))
        self.assertEqual((plain["event"], plain["app"], plain["environment"], plain["transactionId"]),
                         ("request", "desk", "Production", transaction["transactionId"]))

    def test_what_is_too_long_is_shortened(self):
        services = [self.started(each()) for each in (Slack, Discord, Telegram, Ntfy)]
        self.desk_with(*(each.configuration() for each in services), app={"name": "🧾é" * 3_000})
        self.ask()
        for service in services:
            eventually(lambda: service.messages or service.faults)
            self.assertEqual(service.faults, [], type(service).__name__)

    def test_too_many_messages_wait_as_told(self):
        answers = {
            Slack: (429, None, {"Retry-After": "7"}), Discord: (429, {"message": "slow", "retry_after": 7.2, "global": False}),
            Telegram: (429, {"ok": False, "error_code": 429, "description": "Too Many Requests", "parameters": {"retry_after": 7}}),
            Ntfy: (429, {"code": 42901, "http": 429}, {"Retry-After": "7"})}
        services = [self.started(kind(lambda number, answer=answer: answer if number == 1 else None)) for kind, answer in answers.items()]
        self.desk_with(*(each.configuration() for each in services))
        self.ask()
        for service in services:
            eventually(lambda: service.messages, seconds=30, what=type(service).__name__)
            self.assertGreaterEqual(service.times[1] - service.times[0], 6.9, type(service).__name__)
            self.assertEqual(len(service.times), 2)

    def test_telegram_says_no_with_status_200(self):
        service = self.started(Telegram(lambda number: (200, {"ok": False, "description": "no"}) if number == 1 else None))
        self.desk_with(service.configuration())
        self.ask()
        eventually(lambda: service.messages, seconds=30)
        self.assertEqual(len(service.times), 2)

    def test_one_that_hangs_slows_nothing_else(self):
        class Hanging(Service):
            def answer(self, *_):
                time.sleep(14)
                return 200, None
        hanging, plain, backend = self.started(Hanging()), self.started(PlainWebhook()), self.started(Receiver())
        self.desk_with({"kind": "slack", "url": hanging.url + "/x"}, plain.configuration(),
                       app={"webhooks": [backend.configuration()], "forward": [{"url": hanging.url + "/forward"}]})
        began = time.monotonic()
        for _ in range(12):
            self.ask()
        eventually(lambda: len(plain.events()) == 12 and len(backend.events("refund.answered")) == 12, seconds=10)
        self.assertEqual(len(self.desk.store.answers()), 12)
        self.assertLess(time.monotonic() - began, 10)


class Issue4Events(AlertDesk):
    def setUp(self):
        self.plain = self.started(PlainWebhook())

    def message(self, event, seconds=20):
        def found():
            return [each for each in self.plain.messages if each["event"] == event]
        return eventually(found, seconds, event)[0]

    def test_a_second_ask_is_marked_and_a_repeat_is_silent(self):
        self.desk_with(self.plain.configuration())
        transaction = purchase()
        first = now_ms() - 2 * HOUR
        self.desk.post_payload(request(transaction, signed=first))
        self.desk.post_payload(request(transaction, signed=first + SECOND))
        self.desk.post("REFUND_DECLINED", None, transaction, signed=first + HOUR)
        self.desk.post_payload(request(transaction))
        self.assertIn("Ask 2", self.message("second-ask")["text"])
        self.assertEqual(self.plain.events(), ["request", "second-ask"])

    def test_what_apple_refuses_is_explained(self):
        self.desk_with(self.plain.configuration())
        self.desk.store.answer_fault = lambda body: "no"
        self.ask()
        text = self.message("answer-failed")["text"]
        self.assertIn("4000044", text)
        self.assertIn("refundPreference is not allowed", text)
        self.assertIn("To do:", text)

    def test_a_rejected_key(self):
        self.desk_with(self.plain.configuration())
        self.desk.store.refused_tokens = 1_000
        self.ask()
        text = self.message("key-rejected")["text"]
        self.assertIn("401", text)
        self.assertIn("doctor", text)

    def test_unknown_and_quarantined(self):
        self.desk_with(self.plain.configuration())
        self.desk.post("BRAND_NEW", "ODD", purchase())
        self.assertIn("BRAND_NEW with subtype ODD", self.message("unknown")["text"])
        self.desk.post("TEST", bundleId="com.example.stranger", result="quarantined")
        self.assertIn("wrong-app", self.message("quarantined")["text"])

    def test_a_hold_says_how_to_decide(self):
        self.desk_with(self.plain.configuration(), app={"policy": {"rules": [
            {"name": "look", "then": {"hold": "2h", "otherwise": {"answer": "data-only"}}}]}})
        transaction = self.ask()
        text = self.message("request")["text"]
        self.assertIn("Held for a person", text)
        self.assertIn(f"/v1/apps/desk/cases/{transaction['transactionId']}/answer", text)

    def test_a_spike_is_told_once_a_day(self):
        self.desk_with(self.plain.configuration() | {"events": ["spike"]})
        # Three a day for the last two weeks; then a wave.
        for day in range(2, 16):
            for hour in range(3):
                self.desk.post_payload(request(purchase(), signed=now_ms() - day * DAY + hour * HOUR))
        self.desk.stop()
        self.desk.start()  # It looks when it starts, and every minute.
        self.assertEqual(self.plain.events(), [])
        for _ in range(12):
            self.ask()
        for _ in range(2):
            self.desk.stop()
            self.desk.start()
            text = self.message("spike")["text"]
        self.assertIn("12 purchases", text)
        self.assertIn("usual are 3 a day", text)
        self.assertIn("5.6.4", text)
        self.assertEqual(self.plain.events(), ["spike"])
        self.assertEqual(self.desk.items("/outbox", state="pending", kind="alert"), [])

    def test_revenuecat_forwards_what_apple_posts_too(self):
        self.desk_with(self.plain.configuration())
        transaction = purchase()
        posted = body(request(transaction))
        forwarded = {"X-RevenueCat-Event": "forward", "User-Agent": "RevenueCat"}
        post = lambda headers: self.desk.http("POST", "/v1/apps/desk/notifications", posted, headers, token=False)[:2]
        with ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(post, ({}, forwarded)))
        self.assertEqual(sorted(answer["result"] for _, answer in answers), ["accepted", "duplicate"])
        self.message("request")
        eventually(lambda: self.desk.case(transaction["transactionId"])["rounds"][0]["answer"]["status"] == "accepted")
        self.assertEqual(len(self.desk.store.answers(transaction["transactionId"])), 1)
        self.assertEqual(len(self.desk.items("/notifications")), 1)
        self.assertEqual(self.plain.events(), ["request"])

    def test_a_forward_to_revenuecat_warns_of_two_responders(self):
        desk = self.desk_with(app={"alerts": []})
        desk.app["forward"] = [{"url": "https://api.revenuecat.com/v1/incoming/apple/xyz"}]
        desk.configure()
        said = desk.run("check-config").stdout
        self.assertIn("forward[0].url", said)
        self.assertIn("RevenueCat can answer refund requests too", said)


class Issue4DeadLetters(AlertDesk):
    def test_an_answer_is_answered_by_its_case(self):
        self.desk_with()
        self.desk.store.answer_fault = lambda body: "no"
        self.ask()
        letter = eventually(lambda: self.dead(kind="answer"))[0]
        problem = self.desk.api("POST", f"/outbox/{letter['id']}/redrive", status=409)
        self.assertEqual(problem["code"], "not-redrivable")
        self.assertIn("/answer", problem["detail"])
        self.assertIsNone(letter["receiver"])
        self.desk.api("GET", "/outbox", status=422, state="done")
        self.desk.api("GET", "/outbox", status=422, kind="letters")
