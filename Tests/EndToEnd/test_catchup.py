"""Issue 4: what was missed is found. Histories against a running desk and by `backfill`, limits, and ends of the process."""

import json
import os
import signal
import sqlite3
import subprocess
import threading
import time
import unittest
import urllib.request

from appstore import Sent
from desk import BINARY, Desk, command, wait_until_quiet
from field_reports import field_report
from payloads import APP, body, notification, period, purchase, renewal, request, revoked
from receiver import Receiver
from signing import DAY, HOUR, MINUTE, now_ms
from test_simulator import SimulatorDesk
from waiting import eventually

BLANKET = {"consent": {"mode": "blanket", "attestation": "the tests"}}


def sandbox(transaction):
    return transaction | {"environment": "Sandbox"}


class CatchUpDesk(unittest.TestCase):
    app = BLANKET

    def setUp(self):
        self.desk = Desk(app=self.app)
        self.addCleanup(self.desk.close)

    def database(self, statement, *values):
        """The desk's database, read or changed from outside."""
        with sqlite3.connect(os.path.join(self.desk.folder, "desk.db"), timeout=10) as database:
            return database.execute(statement, values).fetchall()

    def wait_for_first_contact(self):
        eventually(lambda: len(self.database("SELECT 1 FROM contacts WHERE complete_until_ms IS NOT NULL")) == 2, what="both ledgers' first look")

    def lose_contact(self, days=2):
        """The desk was down for so long."""
        if self.desk.running.process.poll() is None:
            self.assertEqual(self.desk.stop(), 0)
        self.database("UPDATE contacts SET complete_until_ms = ?", now_ms() - days * DAY)
        self.database("DELETE FROM history_reads")

    def log(self, environment="Production"):
        return self.desk.items("/notifications", environment=environment, limit=100)

    def backfill(self, *words, code=0):
        done = self.desk.run("backfill", "--app", APP, "--json", *words, code=code)
        return {each["environment"]: each for each in json.loads(done.stdout)["ledgers"]}

    def is_looked_at(self, environment="Production"):
        return self.database("SELECT 1 FROM history_reads JOIN ledgers ON id = ledger_id WHERE reader = 'server' AND environment = ? AND "
                             "ended_at_ms IS NOT NULL AND follow_up IS NULL AND only_failures = 0", environment)


class Issue4Point4TwoDaysDown(CatchUpDesk):
    WEIGHT = 5

    def setUp(self):
        self.backend = Receiver()
        self.addCleanup(self.backend.stop)
        self.app = BLANKET | {"webhooks": [self.backend.configuration()]}
        super().setUp()
        self.desk.configuration["allowPrivateTargets"] = True
        self.desk.configure()
        self.wait_for_first_contact()

    def history(self, place):
        """What happened in two days, in no order: some was told already, some never, some is of another app."""
        now, chains, told = now_ms(), [], []
        for n in range(20):
            start = now - 47 * HOUR + n * HOUR
            first = place(period(start=start))
            chains.append(first["transactionId"])
            told.append(notification("SUBSCRIBED", "INITIAL_BUY", first, renewal(first), signed=start))
            if n % 2:
                told.append(notification("REFUND", transaction=revoked(first, start + HOUR), signed=start + HOUR))
        late, early = place(purchase(purchaseDate=now - 3 * DAY)), [place(purchase(purchaseDate=now - DAY)) for _ in range(12)]
        told.append(request(late, signed=now - 20 * HOUR))
        window = 12 * HOUR if early[0]["environment"] == "Production" else 5 * MINUTE
        told += [request(each, signed=now - window + MINUTE + n * 1_000) for n, each in enumerate(early)]
        sent = [Sent(each, *(["TIMED_OUT"] if n % 3 else ["NO_RESPONSE", "SUCCESS"])) for n, each in enumerate(reversed(told))]
        return chains, late, early, told, sent

    def test_everything_is_found_and_counts_once(self):
        stories = {"Production": (self.desk.store, lambda each: each), "Sandbox": (self.desk.sandbox, sandbox)}
        stories = {name: (store, *self.history(place)) for name, (store, place) in stories.items()}
        for name, (store, *_, told, sent) in stories.items():
            self.desk.post_payload(told[0])  # Known already, and nobody told Apple.
            store.history = sent
        self.lose_contact()
        self.desk.start()
        for name, (store, chains, late, early, told, _) in stories.items():
            eventually(lambda: self.is_looked_at(name), 60, f"the full look at {name}")
            uuids = {each["notificationUUID"] for each in told}
            items = self.log(name)
            self.assertEqual({each["notificationUUID"] for each in items}, uuids)
            self.assertEqual(len(items), len(uuids))
            self.assertEqual({each["source"] for each in items}, {"live", "history"})
            for n, chain in enumerate(chains):
                row = self.desk.entitlements(chain, environment=name)["entitlements"][0]
                self.assertEqual((row["active"], row["state"]), (n % 2 == 0, "revoked" if n % 2 else "active"))
            asked = {each["transactionId"] for each in early}
            eventually(lambda: {call["path"].rsplit("/", 1)[1] for call in store.answers()} == asked, 30, "what could be answered is")
            self.assertEqual(len(store.answers()), len(asked))
            last = self.desk.case(late["transactionId"], name)["rounds"][0]
            self.assertEqual((last["answer"], last["decision"]["because"]), (None, ["window-closed"]))
            self.assertEqual(store.faults, [])
            calls = [call for call in store.history_calls() if not call["body"].get("onlyFailures")][-len(told) // 20:]
            self.assertEqual(len({call["raw"] for call in calls}), 1, "one body for all pages")
            self.assertTrue(any("%2B%2F" in call["path"] for call in calls))
        wait_until_quiet(self.desk)
        before = (len(self.backend.events()), len(self.desk.store.answers()), len(self.log()), len(self.log("Sandbox")))
        # Once more, as if nothing were known of the first time.
        self.lose_contact(days=3)
        self.desk.start()
        for name in stories:
            eventually(lambda: self.is_looked_at(name), 60, f"the second look at {name}")
        wait_until_quiet(self.desk)
        self.assertEqual((len(self.backend.events()), len(self.desk.store.answers()), len(self.log()), len(self.log("Sandbox"))), before)
        self.assertEqual(self.backend.faults, [])
        self.desk.check_replay()

    def test_the_look_at_failures_finds_what_a_proxy_turned_away(self):
        """The desk runs all the time, and Apple's message did not reach it."""
        self.desk.stop()
        self.desk.start()  # The contact is fresh: from here on only failures are looked at.
        missed = sandbox(purchase())
        self.desk.sandbox.history = [Sent(request(missed), "UNSUCCESSFUL_HTTP_RESPONSE_CODE")]
        self.desk.stop()
        self.desk.start()
        eventually(lambda: self.desk.sandbox.answers(missed["transactionId"]), 20, "the answer to what was missed")
        calls = self.desk.sandbox.history_calls()
        self.assertIs(calls[-1]["body"]["onlyFailures"], True)
        failure = self.database("SELECT send_failure FROM contacts WHERE send_failure IS NOT NULL")
        self.assertEqual(failure, [("UNSUCCESSFUL_HTTP_RESPONSE_CODE",)])


class Issue4Backfill(CatchUpDesk):
    def failed_requests(self, count, place=lambda each: each):
        return [Sent(request(place(purchase())), "TIMED_OUT") for _ in range(count)]

    @field_report(66, 71)
    def test_field_reports_66_and_71_three_calls_with_one_body(self):
        self.desk.stop()
        self.desk.store.history = self.failed_requests(45)
        before = len(self.desk.store.history_calls())
        found = self.backfill("--environment", "Production")
        self.assertEqual(list(found), ["Production"])
        self.assertEqual([found["Production"][key] for key in ("seen", "new", "duplicates", "failedSends")], [45, 45, 0, 45])
        calls = self.desk.store.history_calls()[before:]
        self.assertEqual((len(calls), len({call["raw"] for call in calls})), (3, 1))
        self.assertEqual(self.desk.store.faults, [])
        again = self.desk.run("backfill", "--app", APP, "--since", "2020-01-01")
        self.assertIn("45 seen, 0 new, 45 duplicates, 0 quarantined, 0 refused, 45 failed sends", again.stdout)
        self.assertIn("Apple keeps no notifications from before", again.stderr)
        self.assertIn("Sandbox", again.stdout)

    @field_report(69)
    def test_field_report_69_an_old_message_undoes_nothing(self):
        self.desk.stop()
        start = now_ms() - 10 * DAY
        bought = period(start=start)
        self.desk.store.history = [
            Sent(notification("REFUND", transaction=revoked(bought, start + 9 * DAY), signed=start + 9 * DAY), "SUCCESS"),
            Sent(notification("SUBSCRIBED", "INITIAL_BUY", bought, renewal(bought), signed=start), "TIMED_OUT")]
        self.assertEqual(self.backfill("--since", "2020-01-01")["Production"]["new"], 2)
        self.desk.start()
        self.assertEqual(self.desk.entitlements(bought["appTransactionId"])["entitlements"][0]["state"], "revoked")

    def test_one_bad_item_does_not_stop_the_rest(self):
        self.desk.stop()
        forged = Sent({"signedDate": now_ms(), "signedPayload": "not.a.jws"}, "TIMED_OUT")
        foreign = Sent(notification("REFUND", transaction=revoked(purchase(), now_ms()), bundleId="com.somebody.else"), "TIMED_OUT")
        self.desk.store.history = self.failed_requests(15) + [forged, foreign] + self.failed_requests(15)
        found = self.backfill()["Production"]
        self.assertEqual([found[key] for key in ("seen", "new", "quarantined", "refused")], [32, 30, 1, 1])

    def test_beside_a_running_server_which_answers_within_seconds(self):
        self.wait_for_first_contact()
        self.desk.store.history, self.desk.sandbox.history = self.failed_requests(3), self.failed_requests(3, sandbox)
        time.sleep(2)  # The workers sleep by now, for half a minute.
        self.backfill()
        done = time.monotonic()
        eventually(lambda: len(self.desk.store.answers()) == 3 and len(self.desk.sandbox.answers()) == 3, 15, "the running server's answers")
        print(f"  answered {time.monotonic() - done:.1f} s after backfill ended", flush=True)

    def test_only_failures(self):
        self.desk.stop()
        self.desk.store.history = self.failed_requests(2) + [Sent(request(purchase()))]
        self.assertEqual(self.backfill("--only-failures")["Production"]["seen"], 2)
        self.assertEqual(self.backfill()["Production"]["seen"], 3)

    def test_killed_in_the_middle_and_resumed(self):
        self.desk.stop()
        self.desk.store.history = self.failed_requests(600)
        self.desk.store.history_delay = 0.1
        before = len(self.desk.store.history_calls())
        running = subprocess.Popen([BINARY, "backfill", "--config", "desk.json5", "--app", APP, "--environment", "Production"],
                                   cwd=self.desk.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        eventually(lambda: len(self.desk.store.history_calls()) - before >= 12, 30, "some pages were read")
        running.send_signal(signal.SIGKILL)
        running.wait()
        first = len(self.desk.store.history_calls())
        found = self.backfill("--environment", "Production")["Production"]
        self.assertTrue(found["resumed"])
        self.assertEqual(found["seen"], 600)
        self.assertLessEqual(found["duplicates"], 20)  # The page that was half taken.
        calls = self.desk.store.history_calls()
        self.assertIn("paginationToken", calls[first]["path"])
        self.assertLessEqual(len(calls) - before, 32)
        self.desk.start()
        uuids = [each["notificationUUID"] for each in self.log()]
        self.assertEqual((len(uuids), len(set(uuids))), (600, 600))
        self.desk.check_replay()

    def test_an_app_store_that_does_not_answer(self):
        self.desk.stop()
        self.desk.sandbox.history = self.failed_requests(2, sandbox)
        self.desk.store.refused_lookups = 1_000
        found = self.backfill(code=1)
        self.assertIn("not authorised (key, or app not released)", found["Production"]["error"])
        self.assertEqual((found["Sandbox"].get("error"), found["Sandbox"]["new"]), (None, 2))

    def test_wrong_words(self):
        for words in (["--since", "yesterday"], ["--since", "2026-02-30"], ["--since", str(now_ms() + DAY)], ["--environment", "Xcode"]):
            self.assertEqual(self.desk.run("backfill", "--app", APP, *words, code=2).stdout, "")
        self.assertIn("--app", self.desk.run("backfill", "--app", "nobody", code=2).stderr)

    def test_nothing_was_missing(self):
        self.desk.stop()
        self.assertEqual([each["seen"] for each in self.backfill().values()], [0, 0])


class Issue4Refunds(CatchUpDesk):
    @field_report(73)
    def test_field_report_73_refunds_by_revision(self):
        self.wait_for_first_contact()
        now, customer = now_ms(), "70499887766"
        asked = purchase(purchaseDate=now - DAY, appTransactionId=customer)
        self.desk.post_payload(request(asked))
        bought = [purchase(purchaseDate=now - DAY, appTransactionId=customer) for _ in range(47)]
        refunds = [revoked(each, now - HOUR + n) for n, each in enumerate(bought)]
        self.desk.store.refunds[customer] = refunds[:45]
        self.lose_contact()
        self.desk.start()
        calls = lambda: [call["path"] for call in self.desk.store.calls if "/refund/lookup/" in call["path"]]
        refunded = lambda: len(self.desk.items("/cases", state="refunded", limit=100))
        eventually(lambda: refunded() == 45, 30, "45 refunds")
        path = f"/inApps/v2/refund/lookup/{customer}"
        self.assertEqual(calls(), [path, path + "?revision=r%2B%2F20", path + "?revision=r%2B%2F40"])
        self.desk.store.refunds[customer] = refunds
        self.lose_contact()
        self.desk.start()
        eventually(lambda: refunded() == 47, 30, "the two new ones")
        self.assertEqual(calls()[3:], [path + "?revision=r%2B%2F45"])
        # The same refund, notified at last, has no second effect.
        self.desk.post("REFUND", None, refunds[0])
        self.assertEqual(refunded(), 47)
        self.desk.check_replay()


class Issue4Ends(CatchUpDesk):
    WEIGHT = 5

    def test_the_server_killed_in_the_middle_of_catching_up(self):
        self.wait_for_first_contact()
        told = [Sent(request(purchase())) for _ in range(400)]
        self.lose_contact()
        self.desk.store.history, self.desk.store.history_delay = told, 0.1
        for _ in range(3):
            calls = len(self.desk.store.history_calls())
            self.desk.start()
            eventually(lambda: len(self.desk.store.history_calls()) >= calls + 4, 30, "some pages were read")
            self.desk.stop(signal.SIGKILL)
        self.desk.start()
        eventually(lambda: len(self.log()) == 400, 60, "the whole history")
        asked = {each.payload["notificationUUID"] for each in told}
        self.assertEqual({each["notificationUUID"] for each in self.log()}, asked)
        eventually(lambda: len({call["path"] for call in self.desk.store.answers() if call.get("status") == 202}) == 400, 60, "every answer")
        self.desk.check_replay()

    def test_what_a_killed_server_was_sending_is_repeated_at_once(self):
        self.wait_for_first_contact()
        transaction = purchase()
        self.desk.store.delay = 5
        self.desk.post_payload(request(transaction))
        eventually(lambda: self.desk.store.answers(), what="the call to the App Store")
        self.desk.stop(signal.SIGKILL)
        self.desk.store.delay, began = 0, time.monotonic()
        self.desk.start()
        eventually(lambda: len(self.desk.store.answers()) == 2, 10, "the repeat")
        print(f"  repeated {time.monotonic() - began:.1f} s after the start", flush=True)
        first, second = self.desk.store.answers()
        self.assertEqual((first["path"], first["raw"]), (second["path"], second["raw"]))
        answer = lambda: self.desk.case(transaction["transactionId"])["rounds"][0]["answer"]
        eventually(lambda: answer()["status"] == "accepted")
        self.assertEqual([each["httpStatus"] for each in answer()["attempts"]], [None, 202])
        self.assertIn("the same bytes are sent again", answer()["attempts"][0]["error"])

    def test_a_second_server_on_the_database_is_refused(self):
        second = command("serve", "--config", "desk.json5", folder=self.desk.folder)
        self.assertEqual((second.returncode, second.stdout), (1, ""))
        self.assertIn("served by another refund-desk already", second.stderr)
        self.desk.stop(signal.SIGKILL)
        self.desk.start()
        self.assertEqual(self.desk.http("GET", "/readyz", token=False)[0], 200)

    @field_report(74)
    def test_field_report_74_a_refused_key_is_no_hot_loop(self):
        self.desk.stop()
        self.desk.store.refused_lookups = 1_000_000
        calls = len(self.desk.store.calls)
        self.desk.sandbox.history = [Sent(request(sandbox(purchase())), "TIMED_OUT")]
        self.database("DELETE FROM contacts")
        self.desk.start()
        eventually(lambda: self.desk.sandbox.answers(), 20, "the sandbox works on")
        time.sleep(3)  # In this time a loop would show.
        self.assertLessEqual(len(self.desk.store.calls) - calls, 2)
        self.assertIn("not authorised (key, or app not released)", self.desk.errors())


class Issue4Point2Limits(CatchUpDesk):
    WEIGHT = 10
    COUNT, LIMIT = 1_000, 300

    def post_all(self, bodies) -> dict:
        """Posts from several threads; when each was acknowledged."""
        times, lock, rest = {}, threading.Lock(), iter(bodies)

        def work():
            while True:
                with lock:
                    each = next(rest, None)
                if each is None:
                    return
                status, answer = self.desk.post_raw(each[1])
                assert (status, answer) == (200, {"result": "accepted"}), (status, answer)
                times[each[0]] = now_ms()
        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return times

    def burst(self):
        transactions = [purchase() for _ in range(self.COUNT)]
        bodies = [(each["transactionId"], body(request(each))) for each in transactions]
        return self.post_all(bodies)

    def waits(self, times):
        taken = {}
        for call in self.desk.store.answers():
            if call.get("status") == 202:
                taken.setdefault(call["path"].rsplit("/", 1)[1], call["at"])
        return sorted(taken[each] - at for each, at in times.items())

    def all_taken(self):
        return len({call["path"] for call in self.desk.store.answers() if call.get("status") == 202}) == self.COUNT

    def test_a_thousand_at_once(self):
        times = self.burst()
        eventually(self.all_taken, 60, "every answer")
        waits = self.waits(times)
        print(f"  1,000 requests: p50 {waits[500]} ms, p99 {waits[990]} ms, last {waits[-1]} ms from acknowledgement to the wire", flush=True)
        self.assertLess(waits[990], 5_000)  # A debug build beside a Python App Store; the target of 1 s is the benchmark's.
        self.assertEqual(self.desk.store.faults, [])

    def test_a_thousand_at_once_among_refusals_while_thousands_are_caught_up(self):
        self.wait_for_first_contact()
        history = [notification("ONE_TIME_CHARGE", transaction=purchase()) for _ in range(3_000)]
        self.desk.store.history = [Sent(each) for each in history]
        state = {"count": 0, "until": 0, "early": 0, "refused": 0}
        lock = threading.Lock()

        def limit(path):
            """After so many answers all are refused for three seconds, once."""
            if "/consumption/" not in path:
                return None
            with lock:
                now = now_ms()
                state["count"] += 1
                if state["count"] == self.LIMIT:
                    state["until"] = now + 3_000
                if now < state["until"]:
                    state["refused"] += 1
                    state["early"] += now > state["until"] - 2_000  # By then it has heard of the refusal.
                    return state["until"]
                return None
        self.desk.store.limit = limit
        started = time.monotonic()
        backfill = subprocess.Popen([BINARY, "backfill", "--config", "desk.json5", "--app", APP, "--since", str(now_ms() - 2 * DAY), "--json"],
                                    cwd=self.desk.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        times = self.burst()
        eventually(self.all_taken, 120, "every answer")
        answered = time.monotonic() - started
        out, errors = backfill.communicate(timeout=240)
        took = time.monotonic() - started
        self.assertEqual(backfill.returncode, 0, errors)
        self.assertEqual(json.loads(out)["ledgers"][0]["seen"], 3_000)
        waits = self.waits(times)
        print(f"  1,000 requests, 3,000 caught up: {state['refused']} refused, all answered after {answered:.1f} s, p50 {waits[500]} ms, "
              f"p99 {waits[990]} ms; backfill took {took:.1f} s at most", flush=True)
        self.assertLessEqual(state["refused"], 64 + 8, "what was on its way when the first refusal came")
        self.assertEqual(state["early"], 0, "calls while Apple's Retry-After ran")
        self.assertEqual(self.desk.store.faults, [])
        # The App Store keeps a call before the desk has heard of it.
        eventually(lambda: 'refund_desk_outbox_pending{kind="answer"} 0' in self.metrics(), what="every answer is on record as sent")
        self.assertTrue(any(line.startswith('refund_desk_clock_offset_milliseconds{app="desk",environment="Production"}') for line in self.metrics()))
        self.desk.check_replay()

    def metrics(self):
        asked = urllib.request.Request(f"http://127.0.0.1:{self.desk.port}/metrics", headers={"Authorization": "Bearer " + self.desk.token})
        return urllib.request.urlopen(asked).read().decode().splitlines()


class Issue4Point4Simulator(SimulatorDesk):
    """The same against the simulator, which judges bodies and tokens as Apple does."""

    def control(self, environment, method, path, value):
        asked = urllib.request.Request(f"{self.simulator.match[environment]}/control/{path}", json.dumps(value).encode(), method=method)
        raw = urllib.request.urlopen(asked).read()
        return json.loads(raw) if raw else None

    def test_what_happened_while_the_desk_was_down(self):
        bundle = self.desk.app["bundleId"]
        url = f"http://127.0.0.1:{self.desk.port}/v1/apps/{APP}/notifications"
        eventually(lambda: self.desk.errors().count('"event":"catch-up"') == 2, what="the first look at both environments")
        self.desk.stop()
        bought = {}
        for environment in (1, 2):
            self.control(environment, "PUT", "notification-url", {"bundleId": bundle, "url": url})
            bought[environment] = [self.control(environment, "POST", "purchases", {"bundleId": bundle, "productId": "com.example.coins100"})
                                   for _ in range(30)]
            for each in bought[environment][:15]:
                self.control(environment, "POST", "refund-requests", {"transactionId": each["transactionId"], "reason": "OTHER"})
        self.control(1, "POST", "faults", {"kind": "tooManyRequests", "milliseconds": 2_000, "remaining": 1, "path": "/history"})
        time.sleep(1)  # Apple's attempts find nobody.
        self.desk.start()
        for environment, name in ((1, "Production"), (2, "Sandbox")):
            asked = [each["transactionId"] for each in bought[environment][:15]]
            eventually(lambda: len(self.desk.items("/notifications", environment=name, limit=100)) >= 45, 30, f"the history of {name}")
            answered = lambda each: json.load(urllib.request.urlopen(f"{self.simulator.match[environment]}/control/answers/{each}"))["answers"]
            for each in asked:
                self.assertEqual(len(eventually(lambda: answered(each), 20, "the answer")), 1)
        self.assertIn('"event":"catch-up-stopped"', self.desk.errors())
        self.desk.check_replay()
