"""Issue 4: `doctor`, against the simulator and against an App Store that is not as it should be."""

import json
import os
import shutil
import tempfile
import unittest
import urllib.request

from appstore import LocalServer
from desk import KEY_PEM, Background, Desk
from payloads import notification, purchase, request
from signing import DAY, now_ms
from waiting import eventually


def checks(said) -> dict:
    """Of each check by name: the worst status, and everything that was said."""
    report, found = json.loads(said.stdout), {}
    for each in report["checks"]:
        status, text = found.get(each["name"], ("ok", ""))
        order = ["ok", "warning", "failed"]
        found[each["name"]] = max(status, each["status"], key=order.index), f"{text} {each['detail']} {each.get('remedy') or ''}"
    return found | {"healthy": report["healthy"]}


class Issue4Doctor(unittest.TestCase):
    def setUp(self):
        data = tempfile.mkdtemp(prefix="simulator-")
        self.addCleanup(shutil.rmtree, data, True)
        self.simulator = Background(
            ["simulator", "--listen", "127.0.0.1:0", "--data", data], r"production (http://\S+?), sandbox (http://\S+?),", data)
        self.addCleanup(self.simulator.stop)
        with open(os.path.join(data, "simulator.json"), encoding="utf-8") as file:
            known = json.load(file)
        self.sample = known["apps"][0]
        self.desk = Desk(app={
            "bundleId": self.sample["bundleId"], "appAppleId": self.sample["appAppleId"], "trustedRoots": [os.path.join(data, "root.pem")],
            "consent": {"mode": "blanket", "attestation": "clause 7 of the terms"},
            "serverAPI": {
                "issuerId": known["issuerId"], "keyId": known["keyId"], "privateKeyFile": os.path.join(data, known["privateKeyFile"]),
                "productionURL": self.simulator.match[1], "sandboxURL": self.simulator.match[2]}})
        self.addCleanup(self.desk.close)
        self.register(f"http://127.0.0.1:{self.desk.port}/v1/apps/desk/notifications")
        self.desk.configuration["publicURL"] = f"http://127.0.0.1:{self.desk.port}"
        self.desk.configure()

    def register(self, url):
        for host in self.simulator.match.groups():
            sent = urllib.request.Request(host + "/control/notification-url", method="PUT", headers={"Content-Type": "application/json"},
                                          data=json.dumps({"bundleId": self.sample["bundleId"], "url": url}).encode())
            self.assertEqual(urllib.request.urlopen(sent).status, 204)

    def doctor(self, code, *words):
        return checks(self.desk.run("doctor", "--json", *words, code=code))

    def test_healthy(self):
        found = self.doctor(0)
        self.assertTrue(found["healthy"])
        for name in ("api-key", "clock", "test-notification", "database", "schema", "journal-mode", "integrity", "key-file", "last-notification",
                     "quarantine", "outbox", "consent", "products"):
            self.assertEqual(found[name][0], "ok", (name, found[name]))
        self.assertIn("clause 7 of the terms", found["consent"][1])
        self.assertIn("in the desk's log", found["test-notification"][1])
        self.assertIn("a desk answers", found["public-url"][1])
        self.assertEqual([each["notificationType"] for each in self.desk.items("/notifications", environment="all")], ["TEST", "TEST"])
        said = self.desk.run("doctor", "--app", "desk").stdout
        self.assertRegex(said, r"(?m)^ok +api-key +desk Production +accepted by Apple$")
        self.assertNotIn("\x1b", said, "no colours into a pipe")
        self.assertIn("--app", self.desk.run("doctor", "--app", "nobody", code=2).stderr)

    def test_a_wrong_key(self):
        self.desk.app["serverAPI"]["privateKeyFile"] = "AuthKey.p8"
        self.desk.configure()
        found = self.doctor(1)
        self.assertEqual((found["api-key"][0], found["clock"][0], found["healthy"]), ("failed", "ok", False))
        self.assertIn("401", found["api-key"][1])
        self.assertIn("In-App Purchase", found["api-key"][1])

    def test_a_wrong_port(self):
        self.register("http://127.0.0.1:9/v1/apps/desk/notifications")
        found = self.doctor(1)
        self.assertEqual((found["api-key"][0], found["test-notification"][0]), ("ok", "failed"))
        self.assertRegex(found["test-notification"][1], "NO_RESPONSE|SOCKET_ISSUE")

    def test_a_url_that_leads_elsewhere(self):
        class Elsewhere(LocalServer):
            def answer(self, *_):
                return 200, None
        other = Elsewhere()
        self.addCleanup(other.stop)
        self.register(other.url + "/")
        self.assertIn("leads elsewhere", self.doctor(1)["test-notification"][1])

    def test_no_url(self):
        self.register(None)
        found = self.doctor(1)
        self.assertEqual((found["api-key"][0], found["test-notification"][0]), ("ok", "failed"))
        self.assertIn("/v1/apps/desk/notifications", found["test-notification"][1])

    def test_nobody_at_the_api(self):
        self.desk.app["serverAPI"]["productionURL"] = "http://127.0.0.1:9"
        self.desk.configure()
        found = self.doctor(1)
        self.assertEqual((found["api-key"][0], found["clock"][0]), ("failed", "failed"))

    def test_careless_files_and_what_is_left_undone(self):
        os.chmod(os.path.join(self.desk.folder, "desk.db"), 0o644)
        self.desk.app |= {"products": {"*": {"sampleContentProvided": True}}, "alerts": [{"kind": "slack", "url": "https://nowhere.invalid/x"}],
                          "forward": [{"url": "http://127.0.0.1:9/"}]}
        self.desk.configure()
        found = self.doctor(1)
        self.assertEqual((found["database-file"][0], found["products"][0], found["alerts"][0], found["forward"][0]),
                         ("warning", "warning", "failed", "ok"))
        self.assertIn("chmod 600", found["database-file"][1])
        self.assertIn("nowhere.invalid", found["alerts"][1])


class Issue4DoctorClock(unittest.TestCase):
    def test_a_clock_that_is_off(self):
        desk = Desk()
        self.addCleanup(desk.close)
        desk.store.clock_offset = 150
        found = checks(desk.run("doctor", "--json", code=1))
        self.assertEqual(found["clock"][0], "failed")
        self.assertRegex(found["clock"][1], r"(149|15\d) s behind Apple's")

    def test_quarantined_messages_and_a_database_that_is_not_there(self):
        desk = Desk()
        self.addCleanup(desk.close)
        desk.post("TEST", bundleId="com.example.stranger", result="quarantined")
        found = checks(desk.run("doctor", "--json", code=1))
        self.assertEqual(found["quarantine"][0], "warning")
        self.assertIn("1 signed messages", found["quarantine"][1])
        desk.stop()
        desk.configuration["database"] = "sqlite:other.db"
        desk.configure()
        found = checks(desk.run("doctor", "--json", code=1))
        self.assertEqual(found["database"][0], "warning")
        self.assertFalse(os.path.exists(os.path.join(desk.folder, "other.db")), "looking makes nothing")
