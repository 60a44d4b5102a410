"""Every scenario of `simulate list` against a desk that trusts the simulator's root and uses its key, and `demo`."""

import json
import os
import re
import shutil
import signal
import tempfile
import unittest
import urllib.request

from desk import Background, Desk, command

SCENARIOS = [each["name"] for each in json.loads(command("simulate", "list", "--json").stdout)]
# What each leaves behind where the interface says so: the states of its cases.
STATES = {
    "request-granted": ["refunded"], "request-declined": ["declined"], "asked-twice": ["refunded"], "commitment-past-month": ["refunded"],
    "commitment-current-month": ["refunded"], "refund-without-request": ["refunded"], "refund-before-request": ["refunded"],
}


class SimulatorDesk(unittest.TestCase):
    def setUp(self):
        self.data = tempfile.mkdtemp(prefix="simulator-")
        self.addCleanup(shutil.rmtree, self.data, True)
        self.simulator = Background(
            ["simulator", "--listen", "127.0.0.1:0", "--data", self.data], r"production (http://\S+?), sandbox (http://\S+?),", self.data)
        self.addCleanup(self.simulator.stop)
        with open(os.path.join(self.data, "simulator.json"), encoding="utf-8") as file:
            known = json.load(file)
        app = known["apps"][0]
        self.desk = Desk(app={
            "bundleId": app["bundleId"], "appAppleId": app["appAppleId"], "trustedRoots": [os.path.join(self.data, "root.pem")],
            "consent": {"mode": "blanket", "attestation": "the tests"},
            "serverAPI": {
                "issuerId": known["issuerId"], "keyId": known["keyId"], "privateKeyFile": os.path.join(self.data, known["privateKeyFile"]),
                "productionURL": self.simulator.match[1], "sandboxURL": self.simulator.match[2]}})
        self.addCleanup(self.desk.close)

    def play(self, scenario):
        url = f"http://127.0.0.1:{self.desk.port}/v1/apps/{self.desk.app['id']}/notifications"
        done = command("simulate", scenario, "--to", url, "--data", self.data, timeout=280)
        self.assertEqual(done.returncode, 0, f"{scenario}: {done.stdout[-1500:]} {done.stderr[-500:]}")
        self.assertNotIn("did not answer", done.stdout)
        quarantined = self.desk.items("/notifications", environment="all", result="quarantined")
        self.assertEqual(quarantined, [])
        cases = self.desk.items("/cases") + self.desk.items("/cases", environment="Sandbox")
        for case in cases:
            for each in case["rounds"]:
                if each["answer"]:
                    # One that Apple decides before it could be answered is cancelled.
                    allowed = ("accepted", "cancelled") if each["outcome"] else ("accepted", "scheduled", "retrying")
                    self.assertIn(each["answer"]["status"], allowed, case)
                    self.assertNotIn(400, [attempt["httpStatus"] for attempt in each["answer"]["attempts"]])
        if scenario in STATES:
            self.assertEqual([case["state"] for case in cases], STATES[scenario])
        self.desk.check_replay()


def _test(scenario):
    def test(self):
        self.play(scenario)
    return test


class Issue2Scenarios(SimulatorDesk):
    WEIGHT = 5


for _name in SCENARIOS:
    setattr(Issue2Scenarios, "test_" + _name.replace("-", "_"), _test(_name))


class Issue2Simulator(SimulatorDesk):
    def test_the_list_has_the_scenarios_that_the_interface_names(self):
        self.assertLessEqual({
            "request-granted", "request-declined", "asked-twice", "prorated", "reversed", "family", "commitment-past-month",
            "commitment-current-month", "billing-retry", "shuffled", "forged"}, set(SCENARIOS))

    def test_an_unknown_scenario_and_a_desk_that_does_not_answer(self):
        self.assertEqual(command("simulate", "nonsense", "--to", "http://127.0.0.1:1/", "--data", self.data).returncode, 2)
        self.assertEqual(command("simulate", "request-granted", "--data", self.data).returncode, 2)
        self.assertEqual(command("simulate", "request-granted", "--to", "http://127.0.0.1:1/x", "--data", self.data).returncode, 1)

    def test_a_second_run_keeps_the_root(self):
        with open(os.path.join(self.data, "root.pem"), encoding="utf-8") as file:
            root = file.read()
        self.assertEqual(self.simulator.stop(), 0)
        again = Background(["simulator", "--listen", "127.0.0.1:0", "--data", self.data], r"production (http://\S+?),", self.data)
        self.addCleanup(again.stop)
        with open(os.path.join(self.data, "root.pem"), encoding="utf-8") as file:
            self.assertEqual(file.read(), root)


class Issue2Point1Demo(unittest.TestCase):
    WEIGHT = 10

    def test_demo_prints_a_url_and_a_login_and_ends_on_sigterm(self):
        folder = tempfile.mkdtemp(prefix="demo-")
        self.addCleanup(shutil.rmtree, folder, True)
        demo = Background(["demo", "--listen", "127.0.0.1:0", "--fast", "20"], r"", folder)
        self.addCleanup(demo.stop)
        text = ""
        while not (re.search(r"http://127\.0\.0\.1:\d+", text) and re.search(r"(?i)token\W+(\S+)", text)):
            line = demo.process.stdout.readline()
            self.assertTrue(line, f"demo ended: {text} {open(os.path.join(folder, 'stderr'), encoding='utf-8').read()[-500:]}")
            text += line
        url = re.search(r"http://127\.0\.0\.1:\d+", text)[0]
        self.assertEqual(urllib.request.urlopen(url + "/healthz").status, 200)
        self.assertEqual(demo.stop(signal.SIGTERM), 0)
