"""Ends the built refund-desk with SIGKILL at random instants, under load, again and again, and looks each time at what is left.

After each restart: every acknowledged notification is in the log. Every so often, and at the end: `replay --check` is clean. At the end:
no round of asking was answered by two bodies; webhooks, forwards and alerts came at least once, byte for byte the same; the sequence of each
customer has no gap; acknowledged consents and usage counted exactly once; nobody was answered for without consent.

The seed draws the load, the faults of the App Store and the instants; the operating system's timing stays its own.

usage: kills.py [N] [--seed SEED] [--every M]      N kills (300), with `replay --check` every M (25)"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from desk import BINARY, Desk
from kill_load import COUNTED, PATIENCE, FlakyAppStore, Forward, Load
from payloads import COINS, SEASON, request
from receiver import Receiver
from services import PlainWebhook
from waiting import eventually


class Kills:
    def __init__(self, seed: int):
        self.chance, self.figures = random.Random(seed), {"kills": 0, "killsWhileStarting": 0, "replays": 0}
        self.receiver, self.forward, self.alerts = Receiver(self.decide), Forward(seed), PlainWebhook()
        self.receiver_chance = random.Random(f"{seed} receiver")
        sound = {"sampleContentProvided": True, "delivery": "DELIVERED"}
        self.desk = Desk(app={
            "webhooks": [self.receiver.configuration()], "forward": [{"url": self.forward.url + "/apple"}],
            "alerts": [self.alerts.configuration() | {"events": ["request", "second-ask"], "environments": ["Production", "Sandbox"]}],
            "products": {COINS: sound | {"meter": "coins", "granted": 100}, COUNTED: sound | {"meter": "counted", "granted": 100_000},
                         SEASON: sound | {"duration": "P30D"}, "*": sound}})
        for name in ("store", "sandbox"):
            getattr(self.desk, name).stop()
        self.desk.store, self.desk.sandbox = (FlakyAppStore(self.desk.store.key, f"{seed} {name}") for name in ("store", "sandbox"))
        self.desk.app["serverAPI"] |= {"productionURL": self.desk.store.url, "sandboxURL": self.desk.sandbox.url}
        self.desk.configure()
        self.restart_cleanly(check=False)
        self.load = Load(self.desk, seed)

    def decide(self, number, event):
        """Now and then a receiver fails, or takes a message and loses the reply."""
        return (200, 200, 200, 200, 503, None)[self.receiver_chance.randrange(6)] if number == 1 else 200

    # The course

    def run(self, count: int, every: int):
        self.load.begin()
        while self.figures["kills"] < count:
            self.kill()
            self.is_there(self.load.take_news())
            if self.figures["kills"] >= (self.figures["replays"] + 1) * every:
                self.restart_cleanly()
                print(f"{self.figures['kills']} kills, {len(self.load.acknowledged)} notifications acknowledged", flush=True)
        self.load.end()
        self.judge()

    def kill(self):
        """Once something happened since the last time; or while the process starts."""
        assert not self.load.faults, self.load.faults
        enough = self.load.progress() + self.chance.randrange(1, 40)
        eventually(lambda: self.load.progress() >= enough, 60, "the load goes on")
        time.sleep(self.chance.random() * 0.05)
        self.desk.stop(signal.SIGKILL)
        self.figures["kills"] += 1
        while self.chance.random() < 0.15:
            self.kill_while_starting()
        self.desk.start()

    def kill_while_starting(self):
        with open(os.path.join(self.desk.folder, "stderr"), "ab") as log:
            starting = subprocess.Popen([BINARY, "serve", "--config", "desk.json5"], stdout=subprocess.DEVNULL, stderr=log, cwd=self.desk.folder)
        time.sleep(self.chance.random() * 0.4)
        starting.kill()
        starting.wait()
        self.figures["kills"] += 1
        self.figures["killsWhileStarting"] += 1

    def restart_cleanly(self, check=True):
        code = self.desk.stop()
        assert code == 0, f"serve ended with {code} on SIGTERM: {self.desk.errors()[-800:]}"
        if check:
            self.desk.run("replay", "--check", timeout=600)
            self.desk.run("audit", "verify")
            self.figures["replays"] += 1
        self.desk.start()

    # What is left

    def is_there(self, uuids):
        missing = [each for each, environment in uuids
                   if self.desk.http("GET", f"/v1/apps/desk/notifications/{each}?environment={environment}")[0] != 200]
        assert not missing, f"{len(missing)} of {len(uuids)} acknowledged notifications are lost: {missing[:5]}"

    def judge(self):
        for environment in ("Production", "Sandbox"):
            kept = {each["notificationUUID"] for each in self.desk.items("/notifications", environment=environment, limit=100)}
            missing = {each for each, place in self.load.acknowledged if place == environment} - kept
            assert not missing, f"{len(missing)} acknowledged notifications are lost"
        self.load.wait_until_answered()
        self.usage_counts_once()
        self.consents_count_once()
        one = [self.desk.store.second_bodies(self.load.second_asks), self.desk.sandbox.second_bodies(self.load.second_asks)]
        assert one == [{}, {}], f"rounds with two bodies: {one}"
        faults = self.desk.store.faults + self.desk.sandbox.faults
        assert not faults, faults[:5]
        never = [call["path"] for call in self.desk.store.answers() if call["path"].rsplit("/", 1)[1] in self.load.never_consented]
        assert not never, f"answered without consent: {never[:5]}"
        self.everyone_heard()
        self.figures |= {"notifications": len(self.load.acknowledged), "answers": len(self.desk.store.answers() + self.desk.sandbox.answers()),
                         "webhooks": len(self.receiver.events()), "consents": len(self.load.consents), "usage": self.load.usage_ids}
        self.restart_cleanly()

    def usage_counts_once(self):
        for transaction, count in self.load.counted():
            payload = request(transaction)
            self.load.insist("POST", "/notifications", self.load.noted(payload))
            self.load.took(payload)
            calls = eventually(lambda: [call for call in self.desk.store.answers(transaction["transactionId"]) if call["status"] == 202], 60)
            assert calls[-1]["body"]["consumptionPercentage"] == count, (calls[-1]["body"], count)

    def consents_count_once(self):
        for customer in self.load.customers:
            found = [each["source"] for each in self.desk.api("GET", f"/customers/{customer}/consent")["items"]]
            assert len(found) == len(set(found)), f"{customer}: a consent counted twice"
            missing = {source for who, source in self.load.consents if who == customer} - set(found)
            assert not missing, f"{customer}: {len(missing)} acknowledged consents are lost"

    def everyone_heard(self):
        told = lambda: {event["data"]["notificationUUID"] for event in self.receiver.events("notification.received")}
        wanted = {each for each, _ in self.load.acknowledged}
        eventually(lambda: wanted <= told(), PATIENCE, "every notification is told to the backend")
        eventually(lambda: wanted <= self.forward.uuids(), PATIENCE, "every notification is forwarded")
        eventually(lambda: self.load.asked <= {each["transactionId"] for each in self.alerts.messages}, PATIENCE, "every request raised an alert")
        assert not self.receiver.faults and not self.alerts.faults and not self.forward.changed(self.load.bodies), (
            self.receiver.faults[:3], self.alerts.faults[:3])
        numbers = {}
        for event in self.receiver.events():
            name = event["data"]["customer"]["appTransactionId"], event["data"]["environment"]
            numbers.setdefault(name, []).append(event["sequence"])
        gaps = {name: found for name, found in numbers.items() if sorted(found) != list(range(1, len(found) + 1))}
        assert not gaps, f"sequences with a gap or a repeat: {str({k: sorted(v)[-8:] for k, v in gaps.items()})[:600]}"


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("count", type=int, nargs="?", default=300)
    options.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    options.add_argument("--every", type=int, default=25)
    chosen = options.parse_args()
    print(f"seed {chosen.seed}: kills.py {chosen.count} --seed {chosen.seed} --every {chosen.every}", flush=True)
    began, kills = time.monotonic(), Kills(chosen.seed)
    try:
        kills.run(chosen.count, chosen.every)
    except BaseException:
        print(f"the folder is kept: {kills.desk.folder}", file=sys.stderr)
        kills.load.stopped.set()
        kills.desk.running.stop(signal.SIGKILL)
        raise
    kills.desk.close()
    figures = kills.figures | {"seconds": round(time.monotonic() - began), "brokenPromises": 0}
    if os.environ.get("REFUND_DESK_FIGURES"):
        Path(os.environ["REFUND_DESK_FIGURES"]).write_text(json.dumps(figures) + "\n")
    print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
