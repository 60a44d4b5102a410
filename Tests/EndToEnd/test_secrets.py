"""Issue 6: secrets go nowhere but where they belong: not into logs, answers, errors, exports or the list of processes."""

import base64
import json
import unittest
from pathlib import Path
from urllib.parse import quote

from desk import Desk
from payloads import body, notification, purchase, request
from signing import now_ms
from waiting import eventually

PAYLOAD = "payload-that-nobody-repeats"


def marked(kind: str) -> str:
    """A secret that is found wherever it turns up, also within another text."""
    return f"TOPSECRET{kind}0123456789abcdef"


class Issue6Secrets(unittest.TestCase):
    def setUp(self):
        webhook = base64.b64encode(marked("webhook").encode()).decode()
        # All receivers refuse connections, so that every error there can be is written down.
        nowhere = "127.0.0.1:9"
        self.secrets = [marked(kind) for kind in ("slack", "discord", "telegram", "ntfy", "mail", "forward", "query", "database")] + [webhook]
        alerts = [
            {"kind": "slack", "url": f"http://{nowhere}/services/{marked('slack')}"},
            {"kind": "discord", "url": f"http://{nowhere}/webhooks/{marked('discord')}"},
            {"kind": "telegram", "token": f"1:{marked('telegram')}", "chatId": "1", "url": f"http://{nowhere}"},
            {"kind": "ntfy", "url": f"http://user:{marked('ntfy')}@{nowhere}/topic"},
            {"kind": "email", "smtp": f"smtp://user:{quote(marked('mail'))}@{nowhere}", "from": "desk@example.com", "to": "you@example.com"},
        ]
        self.desk = Desk(app={
            "consent": {"mode": "blanket", "attestation": "the tests"}, "alerts": alerts,
            "webhooks": [{"url": f"http://{nowhere}/hooks?key={marked('query')}", "secret": f"whsec_{webhook}", "events": ["*"]}],
            "forward": [{"url": f"http://{nowhere}/{marked('forward')}"}]}, start=False)
        self.addCleanup(self.desk.close)
        checked = self.desk.run("check-config", code=None)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        self.desk.token = self.desk.run("token", "create", "--name", "tests", "--scope", "admin").stdout.strip()
        self.secrets += [self.desk.token, *self.key_lines(), PAYLOAD]
        self.desk.start()

    def key_lines(self):
        lines = Path(self.desk.folder, "AuthKey.p8").read_text().splitlines()
        return [line for line in lines if "-----" not in line]

    def assert_clean(self, text: str, where: str):
        for secret in self.secrets:
            self.assertNotIn(secret, text, where)

    def test_nothing_that_is_said_or_kept_shows_them(self):
        desk = self.desk
        desk.post_payload(request(purchase()))
        desk.post_raw(body(notification("TEST", None) | {"note": PAYLOAD}).replace(b".", b".x", 1))
        desk.http("GET", "/v1/apps/desk/cases", token=marked("guess"))
        self.secrets.append(marked("guess"))
        failed = {"webhook", "forward", "alert"}
        eventually(
            lambda: {item["kind"] for item in desk.items("/outbox", environment="all", state="pending") if item["attempts"]} >= failed
            and all(round["answer"]["status"] == "accepted" for case in desk.items("/cases") for round in case["rounds"]),
            what="each kind of delivery has failed once")
        for path in ("/outbox?environment=all", "/webhooks/deliveries?environment=all", "/audit", "/cases", "/notifications", "/customers"):
            status, value, headers = desk.http("GET", f"/v1/apps/{desk.app['id']}{path}")
            self.assertEqual(status, 200, path)
            self.assert_clean(json.dumps(value) + str(headers), path)
        for path in ("/metrics", "/healthz", "/readyz", "/openapi.json", "/nowhere", f"/v1/apps/{marked('guess')}/cases"):
            desk.local.connection.request("GET", path, headers={"Authorization": "Bearer " + desk.token})
            text = desk.local.connection.getresponse().read().decode()
            self.assert_clean(text.replace(marked("guess"), "") if "guess" in path else text, path)
        arguments = Path(f"/proc/{desk.running.process.pid}/cmdline").read_text()
        self.assert_clean(arguments, "the list of processes")
        for words in (["doctor"], ["doctor", "--json"], ["check-config", "--json"], ["token", "list"], ["export"], ["audit", "verify"]):
            done = desk.run(*words, code=None)
            self.assert_clean(done.stdout + done.stderr, " ".join(words))
        self.assertEqual(desk.stop(), 0)
        self.assert_clean(desk.errors(), "the log")
        stored = Path(desk.folder, "desk.db").read_bytes()
        for secret in [desk.token, *self.key_lines()]:
            self.assertNotIn(secret.encode(), stored, "the database")

    def test_a_database_that_is_not_there_is_told_without_its_password(self):
        self.desk.stop()
        self.desk.configuration["database"] = f"postgres://desk:{marked('database')}@127.0.0.1:9/desk?connect_timeout=1"
        self.desk.configure()
        for words in (["serve"], ["doctor"], ["migrate"], ["replay", "--check"], ["token", "list"], ["export"]):
            done = self.desk.run(*words, code=None)
            self.assertNotEqual(done.returncode, 0, words)
            self.assertTrue(done.stdout + done.stderr, words)
            self.assert_clean(done.stdout + done.stderr, " ".join(words))

    def test_a_mistake_beside_a_secret_does_not_quote_it(self):
        self.desk.stop()
        for change in (
            lambda app: app["webhooks"][0].update(secret="whsec_" + marked("webhook") + "!"),
            lambda app: app["alerts"][0].update(url="ftp://example.com/" + marked("slack")),
            lambda app: app["alerts"][2].update(token=[marked("telegram")]),
            lambda app: app["alerts"][4].update(smtp="http://user:" + marked("mail") + "@example.com"),
        ):
            configuration = json.loads(json.dumps(self.desk.configuration))
            change(configuration["apps"][0])
            self.desk.write("desk.json5", json.dumps(configuration).encode())
            done = self.desk.run("check-config", code=1)
            self.assert_clean(done.stdout + done.stderr, "check-config")
            self.assertNotIn(marked("webhook"), done.stdout + done.stderr)
