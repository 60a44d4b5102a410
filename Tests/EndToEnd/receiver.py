"""A backend that gets our webhooks: verifies each with the reference library, and keeps nothing but an access table."""

import base64
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
        self.headers = {}  # Of every answer.
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
        return status, None, self.headers

    def take(self, event):
        pass

    def events(self, kind="") -> list[dict]:
        """Each event once, in the order of their arrival."""
        with self.lock:
            return list({event["id"]: event for event in self.deliveries if event["type"].startswith(kind)}.values())


class Follower(Receiver):
    """Keeps a table of each customer: of what was said about one thing, what had the highest sequence.

    A customer is known by every id that came with an event; those turn out to be one whom an event names together."""

    def __init__(self, decide=lambda number, event: 200):
        self.known = []  # Pairs of a set of names and a table.
        super().__init__(decide)

    def take(self, event):
        data = event["data"]
        ids = [*data["customer"].values(), data["originalTransactionId"], *(row["originalTransactionId"] for row in data["entitlements"])]
        names, table = {(data["environment"], each) for each in ids if each}, {}
        same = [each for each in self.known if each[0] & names]
        for other_names, other in same:
            names |= other_names
            for key, (sequence, value) in other.items():
                self.keep(table, key, sequence, value)
        for key, value in self.said(data):
            self.keep(table, key, event["sequence"], value)
        self.known = [each for each in self.known if each not in same] + [(names, table)]

    @staticmethod
    def keep(table, key, sequence, value):
        if sequence > table.get(key, (-1, None))[0]:
            table[key] = sequence, value

    def table(self, environment, ref) -> dict:
        tables = [table for names, table in self.known if (environment, ref) in names]
        return {key: value for key, (_, value) in tables[0].items()} if tables else {}

    def said(self, data):
        """What an event says, and about what."""
        yield "entitlements", data["entitlements"]

    def access(self, environment, ref, at) -> set:
        """What the customer may use by the table, read by the clock."""
        return {(row["originalTransactionId"], row["transactionId"], row["productId"], row["until"])
                for row in self.table(environment, ref).get("entitlements", []) if is_active(row, at)}


class AccessFollower(Follower):
    """Keeps the access to each subscription group or product, from the events that name it and nothing else."""

    def __init__(self, group_of, decide=lambda number, event: 200):
        self.group_of = group_of
        super().__init__(decide)

    def said(self, data):
        if data["access"]:
            yield self.group_of(data["productId"]), data["access"]

    def access(self, environment, ref, at) -> dict:
        """Until when what is accessible is so."""
        return {group: access["until"] for group, access in self.table(environment, ref).items() if is_active(access, at)}


def is_active(access, at) -> bool:
    return access["active"] and (access["until"] is None or at < access["until"])
