"""A backend that gets our webhooks: verifies each with the reference library, and keeps nothing but an access table."""

import base64
import json
import os
import threading

from standardwebhooks import Webhook

from appstore import LocalServer
from payloads import APP


class Receiver(LocalServer):
    """``decide(number, event)`` gets how often an event came, from 1, and answers a status; None breaks the connection."""

    def __init__(self, decide=lambda number, event: 200):
        self.secret = "whsec_" + base64.b64encode(os.urandom(32)).decode()
        self.decide, self.lock = decide, threading.Lock()
        self.deliveries, self.faults, self.bodies, self.counts = [], [], {}, {}
        super().__init__()

    def configuration(self, **more) -> dict:
        return {"url": self.url + "/hooks", "secret": self.secret, "events": ["*"], "environments": ["Production", "Sandbox"]} | more

    def answer(self, method, path, headers, raw):
        try:
            event = Webhook(self.secret).verify(raw, headers)
        except Exception as error:  # Whatever it says, a test fails with it.
            self.faults.append(repr(error))
            return 400, None
        identity = headers["webhook-id"]
        with self.lock:
            self.deliveries.append(event)
            self.counts[identity] = number = self.counts.get(identity, 0) + 1
            if identity != event["id"] or self.bodies.setdefault(identity, raw) != raw:
                self.faults.append(f"{identity}: another id in the body, or a body that changed between tries")
            if not isinstance(event["sequence"], int) or event["data"]["app"] != APP or path != "/hooks":
                self.faults.append(f"{identity}: {raw[:300]}")
            status = self.decide(number, event)
            if status == 200 or status is None:  # Taken, also where the answer is lost.
                self.take(event)
        return status, None

    def take(self, event):
        pass

    def events(self, kind="") -> list[dict]:
        """Each event once, in the order of their arrival."""
        with self.lock:
            return list({event["id"]: event for event in self.deliveries if event["type"].startswith(kind)}.values())


class Follower(Receiver):
    """Keeps, of each customer, the list of entitlements of the event with the highest sequence."""

    def __init__(self, decide=lambda number, event: 200):
        self.tables = {}
        super().__init__(decide)

    def take(self, event):
        key = (event["data"]["environment"], event["data"]["customer"]["appTransactionId"])
        if event["sequence"] > self.tables.get(key, (-1, None))[0]:
            self.tables[key] = event["sequence"], event["data"]["entitlements"]

    def access(self, environment, ref, at) -> set:
        """What the customer may use by the table, read by the clock."""
        rows = self.tables.get((environment, ref), (0, []))[1]
        return {(row["originalTransactionId"], row["transactionId"], row["productId"], row["until"]) for row in rows
                if row["active"] and (row["until"] is None or at < row["until"])}


class AccessFollower(Receiver):
    """Keeps, of each customer, the access to each subscription group or product, from the events that name it and nothing else."""

    def __init__(self, group_of, decide=lambda number, event: 200):
        self.group_of, self.tables = group_of, {}
        super().__init__(decide)

    def take(self, event):
        data = event["data"]
        key = (data["environment"], data["customer"]["appTransactionId"], self.group_of(data["productId"]))
        if data["access"] and event["sequence"] > self.tables.get(key, (-1, None))[0]:
            self.tables[key] = event["sequence"], data["access"]

    def access(self, environment, ref, at) -> dict:
        """Until when what is accessible is so."""
        return {key[2]: access["until"] for key, (_, access) in self.tables.items()
                if key[:2] == (environment, ref) and access["active"] and (access["until"] is None or at < access["until"])}
