"""The client library, as the sample backend uses it, against the built desk."""

import base64
import hashlib
import hmac
import http.client
import json
import os
import signal
import subprocess
import threading
import unittest
from urllib.parse import urlencode

from appstore import LocalServer
from desk import APP, ROOT, Desk
from payloads import COINS, PRO, period, purchase, renewal, request, revoked
from signing import CHAIN, now_ms
from waiting import eventually

SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()


def _sample() -> str:
    built = [os.environ.get("SAMPLE_BACKEND"), ROOT / ".build/debug/SampleBackend", ROOT / ".build/release/SampleBackend"]
    return next((os.path.abspath(path) for path in built if path and os.path.exists(path)), "")


class Answering(LocalServer):
    """Answers always the same; keeps what it was asked."""

    def __init__(self, reply):
        self.reply, self.asked = reply, []
        super().__init__()

    def answer(self, method, path, headers, raw):
        self.asked.append((method, path, headers))
        return self.reply()


class SampleBackend:
    """The process, and calls to it."""

    def __init__(self, desk, token=None, app=APP, url=None):
        environment = os.environ | {"DESK_URL": url or f"http://127.0.0.1:{desk.port}", "DESK_APP": app, "DESK_TOKEN": token or desk.token,
                                    "WEBHOOK_SECRET": SECRET}
        self.process = subprocess.Popen([_sample()], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        line = self.process.stdout.readline()
        assert line.startswith("sample backend on http://"), line + (self.process.stderr.read() if not line else "")
        self.port = int(line.rsplit(":", 1)[1])

    def stop(self, how=signal.SIGTERM):
        """Ends it; its exit code and what it wrote on stderr."""
        self.process.send_signal(how)
        _, said = self.process.communicate(timeout=30)
        return self.process.returncode, said

    def call(self, method, path, body=None, status=200, headers=None, **query) -> str:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        connection.request(method, path + ("?" + urlencode(query) if query else ""), data, headers or {})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        assert answer.status == status, (method, path, answer.status, text)
        return text

    def may_use(self, user, product) -> str:
        return self.call("GET", "/may-use", user=user, product=product)


@unittest.skipUnless(_sample(), "there is no SampleBackend: build it (scripts/build debug --product SampleBackend)")
class Client(unittest.TestCase):
    def setUp(self):
        self.desk = Desk()
        self.addCleanup(self.desk.close)
        token = self.desk.run("token", "create", "--name", "backend", "--scope", "write").stdout.strip()
        self.backend = SampleBackend(self.desk, token)
        self.addCleanup(lambda: self.backend.process.poll() is None and self.backend.stop(signal.SIGKILL))
        # The same port again, now that both are known.
        self.desk.stop()
        self.desk.configuration["listen"] = f"127.0.0.1:{self.desk.port}"
        self.desk.app["webhooks"] = [{"url": f"http://127.0.0.1:{self.backend.port}/hooks", "secret": SECRET, "events": ["*"]}]
        self.desk.configure()
        self.desk.start()

    def bought(self, user, transaction):
        answer = self.backend.call("POST", "/purchase", {
            "originalTransactionId": transaction["originalTransactionId"], "jws": CHAIN.sign(transaction)}, user=user)
        self.assertEqual(answer, "accepted")
        return transaction

    def test_the_course_of_a_user(self):
        user = "u/42 ü?&"
        self.assertEqual(self.backend.may_use(user, PRO), "no")  # The desk does not know the user: no error.
        pack = self.bought(user, purchase(COINS))
        sealed = self.backend.call("POST", "/consent", {"agreed": True, "textVersion": "2026-10"}, user=user)
        history = self.desk.items(f"/customers/{pack['appTransactionId']}/consent")
        self.assertEqual([(each["consented"], each["textVersion"], each["auditHash"]) for each in history], [(True, "2026-10", sealed)])
        for job in ("j1", "j2", "j1"):
            self.backend.call("POST", "/job", {"coins": 12.5}, user=user, id=job)
        self.assertEqual(self.backend.call("POST", "/flush"), "2")
        self.desk.post_payload(request(pack))
        sent = eventually(lambda: self.desk.store.answers(pack["transactionId"]), what="the answer")
        self.assertEqual(sent[0]["body"]["consumptionPercentage"], 25_000)
        self.backend.call("POST", "/consent", {"agreed": False, "textVersion": "2026-10"}, user=user)
        self.assertEqual(self.desk.api("GET", f"/customers/{pack['appTransactionId']}")["consent"], "withdrawn")

    def test_access_follows_webhooks(self):
        transaction = self.bought("u-1", period())
        self.assertEqual(self.backend.may_use("u-1", PRO), "yes")  # Asked, or told already.
        gone = revoked(transaction, now_ms())
        self.desk.post("REFUND", None, gone, renewal(gone), status=5)
        eventually(lambda: self.backend.may_use("u-1", PRO) == "no", what="the refund reached the backend")
        delivered = eventually(lambda: (items := self.desk.items("/webhooks/deliveries")) and all(
            item["state"] == "delivered" for item in items) and items, what="every event was taken")
        self.assertIn("access.revoked", [item["type"] for item in delivered])

    def test_what_is_bought_in_the_sandbox_opens_nothing(self):
        transaction = period(environment="Sandbox")
        self.desk.api("PUT", f"/transactions/{transaction['originalTransactionId']}/user", {"userId": "u-7"}, environment="Sandbox")
        self.desk.post("SUBSCRIBED", "INITIAL_BUY", transaction, renewal(transaction))
        self.assertTrue(self.desk.entitlements("u-7", environment="Sandbox")["entitlements"][0]["active"])
        delivered = eventually(lambda: (items := self.desk.items("/webhooks/deliveries", environment="Sandbox")) and all(
            item["state"] == "delivered" for item in items) and items, what="the backend heard of it, and took it")
        self.assertIn("access.granted", [item["type"] for item in delivered])
        self.assertEqual(self.backend.may_use("u-7", PRO), "no", "it was free of charge")

    def test_another_apps_events_are_none_of_ours(self):
        bought = self.desk.entitlements(self.bought("u-1", period())["appTransactionId"])["entitlements"]
        event = {"type": "access.granted", "timestamp": "2026-11-30T12:00:00.000Z", "id": "evt_7", "sequence": 7, "data": {
            "environment": "Production", "entitlements": bought}}
        for app, wanted in ((APP, "yes"), ("other", "no")):
            event["data"] |= {"app": app, "customer": {"userId": f"u-{app}"}}
            data, at = json.dumps(event).encode(), str(now_ms() // 1_000)
            signature = hmac.new(base64.b64decode(SECRET[6:]), f"evt_7.{at}.".encode() + data, hashlib.sha256).digest()
            self.backend.call("POST", "/hooks", data, headers={
                "webhook-id": "evt_7", "webhook-timestamp": at, "webhook-signature": "v1," + base64.b64encode(signature).decode()})
            self.assertEqual(self.backend.may_use(f"u-{app}", PRO), wanted, app)

    def test_forged_webhooks_are_refused(self):
        event = b'{"type":"access.granted"}'
        headers = {"webhook-id": "evt_1", "webhook-timestamp": str(now_ms() // 1_000), "webhook-signature": "v1," + "A" * 43 + "="}
        self.assertEqual(self.backend.call("POST", "/hooks", event, 400, headers), "badSignature")
        self.assertIn("missingHeader", self.backend.call("POST", "/hooks", event, 400))

    def test_what_was_not_delivered(self):
        pack = self.bought("u-2", purchase(COINS))
        self.backend.call("POST", "/consent", {"agreed": True, "textVersion": "1"}, user="u-2")
        self.backend.call("POST", "/lost", transaction=pack["transactionId"])
        self.desk.post_payload(request(pack))
        sent = eventually(lambda: self.desk.store.answers(pack["transactionId"]), what="the answer")
        self.assertEqual(sent[0]["body"]["deliveryStatus"], "UNDELIVERED_SERVER_OUTAGE")

    def test_a_desk_that_is_away_for_a_moment(self):
        self.desk.stop(signal.SIGKILL)
        answers = []
        calls = [
            lambda: answers.append(self.backend.call("POST", "/consent", {"agreed": True, "textVersion": "1"}, user="u-3")),
            lambda: answers.append(self.backend.call("POST", "/job", {"coins": 1}, user="u-3", id="away")),
        ]
        threads = [threading.Thread(target=call) for call in calls]
        for thread in threads:
            thread.start()
        self.desk.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(answers), 2)
        self.backend.call("POST", "/flush")
        self.assertEqual([each["consented"] for each in self.desk.items("/customers/u-3/consent")], [True])

    def test_what_waits_is_sent_at_the_end(self):
        pack = self.bought("u-4", purchase(COINS))
        self.backend.call("POST", "/consent", {"agreed": True, "textVersion": "1"}, user="u-4")
        self.backend.call("POST", "/job", {"coins": 50}, user="u-4", id="last")
        code, said = self.backend.stop()
        self.assertEqual((code, said), (0, ""))
        self.desk.post_payload(request(pack))
        sent = eventually(lambda: self.desk.store.answers(pack["transactionId"]), what="the answer")
        self.assertEqual(sent[0]["body"]["consumptionPercentage"], 50_000)

    def test_a_redirect_is_not_followed_since_the_token_would_go_along(self):
        elsewhere = Answering(lambda: (200, {"stolen": True}))
        before = Answering(lambda: (302, None, {"Location": elsewhere.url + "/v1"}))
        self.addCleanup(elsewhere.stop)
        self.addCleanup(before.stop)
        other = SampleBackend(self.desk, url=before.url)
        self.addCleanup(lambda: other.process.poll() is None and other.stop(signal.SIGKILL))
        said = other.call("POST", "/consent", {"agreed": True, "textVersion": "1"}, 500, user="u-6")
        self.assertIn("redirect", said)
        self.assertEqual((len(before.asked), elsewhere.asked), (1, []))

    def test_mistakes_are_told_in_words(self):
        self.assertIn("App Tracking", self.desk.api("PUT", "/customers/u/consent", {"consented": True, "source": "ATT"}, 422)["detail"])
        for token, app, word in (("wrong", APP, "unauthorized"), (self.desk.token, "nobody", "not-found")):
            other = SampleBackend(self.desk, token, app)
            self.addCleanup(lambda each=other: each.process.poll() is None and each.stop(signal.SIGKILL))
            said = other.call("POST", "/consent", {"agreed": True, "textVersion": "1"}, 500, user="u-5")
            self.assertIn(word, said)
            self.assertNotIn("u-5", said)


if __name__ == "__main__":
    unittest.main()
