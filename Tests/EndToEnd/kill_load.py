"""What goes on around a desk that is killed again and again: Apple, which sends until a message is taken; an owner's backend; receivers."""

import http.client
import json
import random
import threading
import time

from appstore import FakeAppStore, LocalServer
from payloads import APP, body, notification, period, purchase, renewal, request, revoked
from signing import DAY, HOUR, now_ms, payload_of
from waiting import eventually

COUNTED = "com.example.counted"
POSTERS, CUSTOMERS = 12, 24
# A try that ended with its process counts, and the waits grow. Kills that go on for six minutes can end five tries of one answer, and the fifth
# wait is a quarter of an hour, give or take a fifth.
PATIENCE = 1_200


class FlakyAppStore(FakeAppStore):
    """Takes answers late, fails, and now and then takes one and loses the reply. A call's `taken` says whether it has the body."""

    def __init__(self, key, seed):
        self.chance = random.Random(seed)
        super().__init__(key)

    def answer(self, method, path, headers, raw):
        draw, delay = self.chance.random(), self.chance.random() * 0.3
        if "/consumption/" in path:
            time.sleep(delay)
        status, reply, *more = super().answer(method, path, headers, raw)
        # Not for ever: the waits between tries grow to minutes.
        if status == 202 and draw < 0.25 and sum(each["path"] == path for each in self.answers()) <= 2:
            # It was written into `calls` as taken. Either it was not, or the reply is lost.
            call = next(each for each in reversed(self.calls) if each["raw"] is raw)
            if draw < 0.1:
                call["status"] = 503
                return 503, None
            return None, None
        return (status, reply, *more)

    def second_bodies(self, asked_again: dict) -> dict:
        """Rounds of which more than one body was taken. ``asked_again`` says when the second round of a transaction began."""
        bodies = {}
        for call in self.answers():
            if call.get("status") == 202:
                transaction = call["path"].rsplit("/", 1)[1]
                number = 2 if call["at"] >= asked_again.get(transaction, 1 << 62) else 1
                bodies.setdefault((transaction, number), set()).add(call["raw"])
        return {key: sorted(each) for key, each in bodies.items() if len(each) > 1}


class Forward(LocalServer):
    """Another service that is passed Apple's bodies. It fails now and then."""

    def __init__(self, seed):
        self.chance, self.lock, self.kept = random.Random(f"{seed} forward"), threading.Lock(), {}
        self.seen = set()
        super().__init__()

    def answer(self, method, path, headers, raw):
        uuid = payload_of(json.loads(raw)["signedPayload"])["notificationUUID"]
        with self.lock:
            # Only the first time: the waits between tries grow to hours.
            draw = self.chance.random() if uuid not in self.seen else 1
            self.seen.add(uuid)
            if draw >= 0.1:
                self.kept.setdefault(uuid, set()).add(raw)
        return (503 if draw < 0.1 else None if draw < 0.2 else 200), None

    def uuids(self) -> set:
        with self.lock:
            return set(self.kept)

    def changed(self, posted: dict) -> list:
        """What arrived with another signed payload than Apple's."""
        signed = lambda raw: json.loads(raw)["signedPayload"]
        return [uuid for uuid, found in self.kept.items() if {signed(each) for each in found} != {signed(posted[uuid])}]


class Load:
    """Threads that go on while the desk comes and goes."""

    def __init__(self, desk, seed):
        self.desk, self.seed, self.stopped, self.lock = desk, seed, threading.Event(), threading.Lock()
        self.customers = [f"704{n:010d}" for n in range(CUSTOMERS)]
        self.firm, self.fickle, self.never = self.customers[:12], self.customers[12:18], self.customers[18:]
        # Pairs of UUID and environment; what came since it was looked at last; what was posted.
        self.acknowledged, self.news, self.bodies = [], [], {}
        self.asked, self.answerable, self.second_asks, self.never_consented = set(), set(), {}, set()
        self.consents, self.packs, self.usage_ids, self.calls, self.faults = [], [], 0, 0, []

    # From outside

    def begin(self):
        for customer in self.firm:
            self.desk.consent(customer)
            self.desk.api("PUT", f"/customers/{customer}/consent", {"consented": True, "source": "in-app dialog", "textVersion": "1"},
                          environment="Sandbox")
        for _ in range(4):
            transaction = purchase(COUNTED, appTransactionId=self.firm[0], purchaseDate=now_ms() - DAY)
            payload = notification("ONE_TIME_CHARGE", transaction=transaction)
            self.desk.post_raw(self.noted(payload))
            self.took(payload)
            self.packs.append([transaction, 0])
        work = [(self.apple, n) for n in range(POSTERS)] + [(self.owner_consents, 0), (self.owner_usage, 0)]
        self.threads = [threading.Thread(target=self.go_on, args=(each, random.Random(f"{self.seed} {each.__name__} {n}")), daemon=True)
                        for each, n in work]
        for thread in self.threads:
            thread.start()

    def go_on(self, work, chance):
        try:
            work(chance)
        except Exception as error:  # Told at the next kill, which fails with it.
            self.faults.append(repr(error))
            raise

    def end(self):
        self.stopped.set()
        for thread in self.threads:
            thread.join(120)
            assert not thread.is_alive(), "a thread of the load did not end"

    def progress(self) -> int:
        return self.calls

    def take_news(self) -> list:
        with self.lock:
            news, self.news = self.news, []
        return news

    def counted(self):
        return [tuple(pack) for pack in self.packs]

    def wait_until_answered(self):
        """Those that consented, and whom Apple did not decide first."""
        taken = lambda: {call["path"].rsplit("/", 1)[1] for call in self.desk.store.answers() if call.get("status") == 202}
        eventually(lambda: self.answerable <= taken(), PATIENCE, "every answerable request is answered")
        eventually(lambda: not any(each["answer"] and each["answer"]["status"] in ("scheduled", "retrying") for case in self.desk.items(
            "/cases", limit=100) for each in case["rounds"]), PATIENCE, "no try is left over")

    # Apple

    def noted(self, payload) -> bytes:
        data = body(payload)
        with self.lock:
            self.bodies[payload["notificationUUID"]] = data
        return data

    def took(self, payload):
        environment = payload["data"]["environment"]
        with self.lock:
            self.acknowledged.append((payload["notificationUUID"], environment))
            self.news.append((payload["notificationUUID"], environment))

    def call(self, method, path, data):
        """One exchange; None where there was no answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.desk.port, timeout=30)
        try:
            headers = {"Authorization": f"Bearer {self.desk.token}", "Content-Type": "application/json"}
            connection.request(method, f"/v1/apps/{APP}{path}", data, headers)
            answer = connection.getresponse()
            answer.read()
            assert answer.status in (200, 202, 503), (method, path, answer.status)
            return answer.status if answer.status != 503 else None
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()
            self.calls += 1

    def insist(self, method, path, data):
        """Until it is confirmed, as Apple and a good backend do."""
        while self.call(method, path, data) is None:
            time.sleep(0.02)

    def send(self, payload, chance):
        data = self.noted(payload)
        for _ in range(chance.choice((1, 1, 1, 2))):
            self.insist("POST", "/notifications", data)
        self.took(payload)

    def apple(self, chance):
        while not self.stopped.is_set():
            customer = chance.choice(self.customers)
            start = now_ms() - chance.randrange(1, 20) * DAY
            environment = "Production" if chance.random() < 0.9 else "Sandbox"
            make = purchase if chance.random() < 0.5 else period
            at = {"purchaseDate": start} if make is purchase else {"start": start}
            self.story(make(appTransactionId=customer, environment=environment, **at), customer, chance)

    def story(self, transaction, customer, chance):
        """Bought; perhaps asked about, declined, asked about again; perhaps refunded."""
        renews = "expiresDate" in transaction
        kind = ("SUBSCRIBED", "INITIAL_BUY") if renews else ("ONE_TIME_CHARGE", None)
        self.send(notification(*kind, transaction, renews and renewal(transaction) or None, signed=transaction["signedDate"]), chance)
        if chance.random() < 0.6:
            self.ask(transaction, customer, chance)
            if self.stopped.is_set():
                return  # Nothing is decided any more before Apple took the answer.
            if chance.random() < 0.3:
                self.ask_again(transaction, chance)
        if chance.random() < 0.3:
            self.send(notification("REFUND", transaction=revoked(transaction, now_ms())), chance)

    def ask(self, transaction, customer, chance):
        identity = transaction["transactionId"]
        with self.lock:
            self.asked.add(identity)
            if customer in self.never:
                self.never_consented.add(identity)
        self.send(request(transaction), chance)
        if customer in self.firm and transaction["environment"] == "Production":
            # While tries are in doubt the truth moves on; the bytes must not.
            self.report_usage(transaction, f"{identity}-moved", chance.randrange(1, 30), "coins")
            with self.lock:
                self.answerable.add(identity)
            self.settle(identity)

    def settle(self, identity):
        """Until Apple took it, so that nothing decides before."""
        while not any(call.get("status") == 202 for call in self.desk.store.answers(identity)):
            time.sleep(0.1)
            if self.stopped.is_set():
                return

    def ask_again(self, transaction, chance):
        identity = transaction["transactionId"]
        self.send(notification("REFUND_DECLINED", transaction=transaction), chance)
        time.sleep(1)  # A call of the first round that is on its way arrives.
        with self.lock:
            self.second_asks[identity] = now_ms()
        self.send(request(transaction), chance)

    # The owner's backend

    def report_usage(self, transaction, name, quantity, meter):
        event = {"id": name, "transactionId": transaction["transactionId"], "meter": meter, "quantity": quantity, "at": now_ms() - HOUR}
        self.insist("POST", "/usage", json.dumps({"events": [event]}).encode())

    def owner_usage(self, chance):
        while not self.stopped.is_set():
            pack = chance.choice(self.packs)
            self.report_usage(pack[0], f"counted-{self.usage_ids}", 1, "counted")
            pack[1] += 1
            self.usage_ids += 1
            time.sleep(chance.random() * 0.05)

    def owner_consents(self, chance):
        number = 0
        while not self.stopped.is_set():
            customer, number = chance.choice(self.firm + self.fickle), number + 1
            source, consented = f"dialog {number}", customer in self.firm or chance.random() < 0.6
            said = json.dumps({"consented": consented, "source": source, "textVersion": "1"}).encode()
            # Not said again where it was not confirmed: then it may count, once.
            if self.call("PUT", f"/customers/{customer}/consent", said) is not None:
                with self.lock:
                    self.consents.append((customer, source))
            time.sleep(chance.random() * 0.05)
