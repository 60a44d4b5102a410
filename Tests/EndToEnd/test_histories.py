"""Issue 3, points 2, 3 and 5: random histories of a few hundred customers, in any order and with repeats.

E2E_SEED repeats a run, E2E_CUSTOMERS sets how many there are."""

import os
import random
import unittest
import zlib
from concurrent.futures import ThreadPoolExecutor

from desk import Desk
from histories import customers, status_answer
from payloads import COINS, body
from receiver import AccessFollower, Follower
from signing import DAY, now_ms
from waiting import eventually

SEED = int(os.environ.get("E2E_SEED") or 20_261_130)
CUSTOMERS = int(os.environ.get("E2E_CUSTOMERS") or 240)
POSTERS = 4


def group_of(product: str) -> str:
    """A subscription group, or the product itself."""
    return "group" if product.rsplit(".", 1)[1] in ("basic", "pro", "max") else product


def shuffled(chance, people) -> list[bytes]:
    """Every message, some twice or three times, in a random order."""
    messages = [message for person in people for message in person.messages]
    messages += [message for message in messages if chance.random() < 0.15] + chance.choices(messages, k=len(messages) // 20)
    chance.shuffle(messages)
    return messages


def post_all(desk, messages):
    def post(message):
        status, answer = desk.post_raw(body(message))
        assert status == 200 and answer["result"] in ("accepted", "duplicate"), (status, answer, message["notificationType"])
    with ThreadPoolExecutor(POSTERS) as pool:
        list(pool.map(post, messages))


def tell_statuses(desk, people):
    for person in people:
        for original in person.statuses:
            desk.store.statuses[original] = lambda person=person, original=original: status_answer(person, original)


def unreliable(number, event):
    """One in eight is lost once: taken and the answer lost, or refused; it comes again after later ones."""
    fate = zlib.crc32(event["id"].encode()) % 24
    return {0: None, 1: 500, 2: 503}.get(fate, 200) if number == 1 else 200


def nothing_pending(desk):
    return not [item for item in desk.items("/webhooks/deliveries", environment="all", limit=100) if item["state"] == "pending"]


class Issue3Point2And3Histories(unittest.TestCase):
    WEIGHT = 20
    maxDiff = 2_000

    def test_two_desks_told_in_different_orders_have_the_same_state_and_the_planned_one(self):
        chance, anchor = random.Random(SEED), now_ms()
        people = customers(chance, CUSTOMERS * 2 // 3, anchor)
        with Desk() as one, Desk() as two:
            for desk in (one, two):
                tell_statuses(desk, people)
            orders = [shuffled(chance, people), shuffled(chance, people)]
            with ThreadPoolExecutor(2) as pool:
                list(pool.map(post_all, (one, two), orders))
            eventually(lambda: self.confirmed(one, people) and self.confirmed(two, people), 60, "the ends of commitments are confirmed")
            for person in people:
                self.compare(person, one, two, self.instants(chance, person, anchor))
            for desk in (one, two):
                desk.check_replay()

    @staticmethod
    def instants(chance, person, anchor):
        """Now, days and months around it, and some instants at which something begins or ends, and the one just before."""
        edges = sorted({edge for line in person.lines for edge in line.boundaries()} | {span.start for span, _ in person.packs})
        chosen = chance.sample(edges, min(3, len(edges)))
        return [anchor, anchor - 20 * DAY, anchor - 100 * DAY, anchor + 10 * DAY] + chosen + [edge - 1 for edge in chosen]

    def compare(self, person, one, two, instants):
        for at in instants:
            first, second = (desk.entitlements(person.ref, at=at) for desk in (one, two))
            about = f"seed {SEED}, customer {person.ref}, at {at}"
            self.assertEqual(first, second, about)
            rows = {row["originalTransactionId"]: row for row in first["entitlements"]}
            planned = person.access(at)
            self.assertEqual({original: row["active"] for original, row in rows.items()},
                             {original: active for original, (active, _) in planned.items()}, f"{about}: {first}")
            for original, (active, product) in planned.items():
                if active:
                    self.assertEqual(rows[original]["productId"], product, about)
            balances = {each["productId"]: (each["purchased"], each["refunded"], each["net"]) for each in first["balances"]}
            bought = person.balance(at)
            self.assertEqual(balances, {COINS: (*bought, bought[0] - bought[1])} if bought else {}, about)

    @staticmethod
    def confirmed(desk, people):
        """Whether no commitment whose newest month is refunded, by the plan, reads `running` any more."""
        for person in people:
            ended = {original for original, (status, *_) in person.statuses.items() if status == 5}
            if ended and any(row["originalTransactionId"] in ended and row["commitment"]["state"] == "running"
                             for row in desk.entitlements(person.ref)["entitlements"]):
                return False
        return True


class Issue3Point5Followers(unittest.TestCase):
    WEIGHT = 20
    maxDiff = 2_000

    def followed(self, follower, check, **hook):
        """Lets a follower hear of everything over a bad line, then checks its table against our answers."""
        chance, anchor = random.Random(f"{SEED} {hook}"), now_ms()
        people = customers(chance, CUSTOMERS // 6, anchor)
        self.addCleanup(follower.stop)
        with Desk(app={"webhooks": [follower.configuration(**hook)]}) as desk:
            tell_statuses(desk, people)
            post_all(desk, shuffled(chance, people))
            eventually(lambda: nothing_pending(desk), 120, "all webhooks are delivered")
            self.assertEqual(follower.faults, [])
            self.assertGreater(len(follower.deliveries), len(follower.events()), "some came again")
            now = now_ms()
            for person in people:
                rows = [row for row in desk.entitlements(person.ref)["entitlements"] if row["active"]]
                self.assertEqual(follower.access("Production", person.ref, now), check(rows), f"seed {SEED}, customer {person.ref}, {rows}")
            self.sequences_rise(follower)
            self.repeats_cause_no_event(desk, follower, chance, people)
            desk.check_replay()

    def test_who_keeps_the_newest_list_of_entitlements_ends_with_ours(self):
        def table(rows):
            return {(row["originalTransactionId"], row["transactionId"], row["productId"], row["until"]) for row in rows}
        self.followed(Follower(unreliable), table)

    def test_who_keeps_the_newest_access_of_each_group_and_product_ends_with_ours(self):
        def table(rows):
            untils = {}
            for row in rows:
                untils.setdefault(group_of(row["productId"]), []).append(row["until"])
            return {group: None if None in each else max(each) for group, each in untils.items()}
        self.followed(AccessFollower(group_of, unreliable), table, events=["access.*"])

    def sequences_rise(self, follower):
        """No number of a customer is given to two events."""
        given = {}
        for event in follower.events():
            ref = event["data"]["customer"]["appTransactionId"]
            if ref:
                self.assertEqual(given.setdefault((ref, event["sequence"]), event["id"]), event["id"], f"seed {SEED}: {ref} {event['sequence']}")

    def repeats_cause_no_event(self, desk, follower, chance, people):
        """The same messages once more, and old ones under new UUIDs, change nothing that anyone must be told."""
        before = {event["id"] for event in follower.events()}
        again = [message for person in chance.sample(people, 10) for message in person.messages]
        post_all(desk, again)
        for message in again:
            if message["notificationType"] in ("DID_RENEW", "SUBSCRIBED", "ONE_TIME_CHARGE"):
                desk.post_payload(message | {"notificationUUID": message["notificationUUID"][:-4] + "0000"})
        eventually(lambda: nothing_pending(desk), 60)
        told = [event["type"] for event in follower.events() if event["id"] not in before]
        self.assertEqual([kind for kind in told if kind != "notification.received"], [], f"seed {SEED}")
