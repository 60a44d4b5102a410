"""Issue 2, point 7: bad input gets the documented answer, quickly, and changes nothing."""

import base64
import json
import socket
import time
import unittest

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from desk import Desk
from field_reports import field_report
from payloads import (APP, APP_ID, BUNDLE, OTHER_APP, OTHER_APP_ID, OTHER_BUNDLE, body, notification, period, purchase, renewal,
                      request)
from signing import CHAIN, DAY, HOUR, Chain, base64url, from_base64url, now_ms

# Far above what any of these takes; a machine under load is slow.
QUICK = 5.0
P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
STRANGER = Chain()


def signed_payload(text: str) -> bytes:
    return json.dumps({"signedPayload": text}).encode()


def with_signature(make) -> bytes:
    """A sound message whose 64 bytes of signature were changed."""
    head, payload, signature = CHAIN.sign(request(purchase())).split(".")
    return signed_payload(f"{head}.{payload}.{base64url(make(from_base64url(signature)))}")


class BadInput(unittest.TestCase):
    def setUp(self):
        self.desk = Desk(app={"consent": {"mode": "blanket", "attestation": "the tests"}})
        self.addCleanup(self.desk.close)
        self.accepted = 0

    def refused(self, code: str, bodies: dict):
        """Each body gets 400 with that code (or one of several), quickly; nothing is stored, and the desk goes on."""
        codes = code.split("|")
        for name, data in bodies.items():
            with self.subTest(name):
                start = time.monotonic()
                status, answer, headers = self.desk.http("POST", f"/v1/apps/{APP}/notifications", data, token=False)
                self.assertEqual(status, 400, (name, answer))
                self.assertIn(answer["code"], codes, (name, answer))
                self.assertTrue(headers["content-type"].startswith("application/problem+json"), headers)
                self.assertTrue(answer["detail"] and answer["status"] == 400 and answer["title"], answer)
                self.assertLess(time.monotonic() - start, QUICK, name)
        self.nothing_stored()

    def nothing_stored(self):
        self.assertEqual(len(self.desk.items("/notifications", environment="all")), self.accepted)
        self.assertEqual(self.desk.items("/cases"), [])
        self.assertEqual((self.desk.store.answers(), self.desk.sandbox.answers()), ([], []))
        self.desk.post("ONE_TIME_CHARGE", transaction=purchase())
        self.accepted += 1
        self.assertEqual(self.desk.http("GET", "/healthz", token=False)[0], 200)


class Issue2Point7Refusals(BadInput):
    @field_report(65)
    def test_malformed_field_report_65_broken_bodies(self):
        good = CHAIN.sign(request(purchase()))
        head, payload, signature = good.split(".")
        alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        spare = signature[:-1] + alphabet[alphabet.index(signature[-1]) ^ 1]
        self.refused("malformed", {
            "empty": b"", "not JSON": b"hello", "list": b"[]", "number": b"1", "null": b"null", "no member": b"{}",
            "null member": b'{"signedPayload":null}', "number member": b'{"signedPayload":1}', "list member": b'{"signedPayload":[]}',
            "empty text": b'{"signedPayload":""}', "a.b.c": signed_payload("a.b.c"), "a.b.c.d": signed_payload("a.b.c.d"),
            "two parts": signed_payload(f"{head}.{payload}"), "four parts": signed_payload(good + ".x"), "dots": signed_payload(".."),
            "padding": signed_payload(good + "="), "line end": signed_payload(good + "\n"), "space": signed_payload(" " + good),
            "two messages": signed_payload(good + good), "spare bits of the signature": signed_payload(f"{head}.{payload}.{spare}"),
            "standard base64": signed_payload(f"{head}.{payload}.{'+/' + signature[2:]}"),
            "invalid UTF-8": b'{"signedPayload":"\xff\xfe"}', "invalid UTF-8 outside": b"\xc3\x28",
            "UTF-16": '{"signedPayload":"x"}'.encode("utf-16"),
            "NUL": b'{"signedPayload":"\x00"}', "trailing garbage": signed_payload(good) + b"x",
            "header is no JSON": signed_payload(f"{base64url(b'x')}.{payload}.{signature}"),
            "header is a list": signed_payload(f"{base64url(b'[]')}.{payload}.{signature}")})

    def test_malformed_deep_nesting(self):
        depth = 100_000
        header = b'{"alg":"ES256","x5c":' + b"[" * depth + b"]" * depth + b"}"
        payload = json.dumps(request(purchase())).encode()[:-1]
        self.refused("malformed|chain-length|certificate", {
            "brackets": b"[" * depth, "closed brackets": b"[" * depth + b"]" * depth, "objects": b'{"a":' * depth + b"1" + b"}" * depth,
            "in the member": b'{"signedPayload":' + b"[" * depth + b"]" * depth + b"}",
            "beside the member": b'{"x":' + b"[" * depth + b"]" * depth + b',"signedPayload":"a.b.c"}',
            "in the header": signed_payload(f"{base64url(header)}.e30.{'A' * 86}"),
            "in a signed payload": signed_payload(CHAIN.sign(payload + b',"deep":' + b"[" * depth + b"]" * depth + b"}")),
            "a signed payload of brackets": signed_payload(CHAIN.sign(b"[" * depth))})

    def test_malformed_signed_contents(self):
        text = json.dumps(request(purchase()))
        self.refused("malformed|not-a-notification", {
            "no JSON": body(b"hello"), "list": body(b"[]"), "empty": body(b""), "cut off": body(text[:-1].encode()),
            "invalid UTF-8": body(text.replace("Production", "\xff", 1).encode("latin-1")),
            "bundleId twice": body(text.replace('"bundleId"', f'"bundleId": "{OTHER_BUNDLE}", "bundleId"', 1).encode()),
            "no signedDate": body({key: value for key, value in request(purchase()).items() if key != "signedDate"}),
            "signedDate is text": body(request(purchase()) | {"signedDate": "1698148900000"}),
            "signedDate is negative": body(request(purchase()) | {"signedDate": -1}),
            "signedDate is a fraction": body(request(purchase()) | {"signedDate": 1.5}),
            "signedDate is huge": body(request(purchase()) | {"signedDate": 10 ** 30}),
            "type is a number": body(request(purchase()) | {"notificationType": 7}),
            "data is text": body(request(purchase()) | {"data": "x"})})

    @field_report(18)
    def test_malformed_headers_field_report_18(self):
        payload = request(purchase())
        self.refused("malformed", {
            "no x5c": body(payload, x5c=None), "x5cwrong": body(payload, x5c=None, x5cwrong=CHAIN.x5c),
            "x5c is text": body(payload, x5c=CHAIN.x5c[0]), "crit": body(payload, crit=["exp"])})

    def test_algorithm(self):
        payload = request(purchase())
        head, middle, _ = CHAIN.sign(payload, alg="none").split(".")
        self.refused("algorithm", {str(alg): body(payload, alg=alg) for alg in ("none", "HS256", "ES384", "RS256", "es256", "", None)} | {
            "a list": body(payload, alg=["ES256"]), "none without a signature": signed_payload(f"{head}.{middle}.")})

    @field_report(17)
    def test_chain_length_field_report_17(self):
        self.refused("chain-length", {
            str(len(x5c)): body(request(purchase()), x5c=x5c) for x5c in ([], CHAIN.x5c[:1], CHAIN.x5c[:2], CHAIN.x5c + CHAIN.x5c[:1])})

    def test_certificate(self):
        leaf, intermediate, root = CHAIN.x5c
        der = base64.b64decode(leaf)
        entries = {
            "not base64": "!!!", "empty": "", "no DER": base64.b64encode(b"hello").decode(), "cut off": base64.b64encode(der[:-5]).decode(),
            "bytes after it": base64.b64encode(der + b"\0").decode(), "base64url": leaf.replace("+", "-").replace("/", "_"),
            "line breaks": leaf[:64] + "\n" + leaf[64:], "PEM": "-----BEGIN CERTIFICATE-----\n" + leaf}
        self.refused("certificate|malformed", {
            name: body(request(purchase()), x5c=[entry, intermediate, root]) for name, entry in entries.items() if entry != leaf} | {
            "null": body(request(purchase()), x5c=[None, intermediate, root]), "number": body(request(purchase()), x5c=[1, intermediate, root]),
            "not base64 in the middle": body(request(purchase()), x5c=[leaf, "!!!", root])})

    @field_report(12)
    def test_untrusted_chain_field_report_12(self):
        payload = request(purchase())
        self.refused("untrusted-chain", {
            "a stranger's chain": body(payload, STRANGER), "our root named": body(payload, STRANGER, x5c=STRANGER.x5c[:2] + CHAIN.x5c[2:]),
            "a leaf of his own under our intermediate": body(payload, STRANGER, x5c=STRANGER.x5c[:1] + CHAIN.x5c[1:]),
            "swapped": body(payload, x5c=[CHAIN.x5c[1], CHAIN.x5c[0], CHAIN.x5c[2]]),
            "leaf as its own issuer": body(payload, x5c=[CHAIN.x5c[0], CHAIN.x5c[0], CHAIN.x5c[2]])})

    @field_report(7)
    def test_expired_certificate_and_not_before_its_end_field_report_7(self):
        chain = Chain(leaf_days=(-400, -30))
        self.desk.write("root.pem", CHAIN.root_pem + chain.root_pem)
        self.desk.stop()
        self.desk.start()
        late, early = ({"chain": chain, "signed": now_ms() - days * DAY} for days in (20, 500))
        self.refused("expired-certificate", {
            "far ahead": body(request(purchase(), signed=4_000_000_000_000_000)),
            "after its end": body(request(purchase(), **late), chain), "before its beginning": body(request(purchase(), **early), chain)})
        dated = now_ms() - 40 * DAY
        transaction = purchase(purchaseDate=dated)
        status, answer = self.desk.post_raw(body(notification("ONE_TIME_CHARGE", transaction=transaction, chain=chain, signed=dated), chain))
        self.assertEqual((status, answer), (200, {"result": "accepted"}), "the chain is judged at signedDate")

    @field_report(14)
    def test_wrong_purpose_field_report_14(self):
        chains = {"leaf": Chain(leaf_marker=None), "intermediate": Chain(intermediate_marker=None), "leaf with the other's": Chain(
            leaf_marker="1.2.840.113635.100.6.2.1")}
        self.desk.write("root.pem", CHAIN.root_pem + b"".join(chain.root_pem for chain in chains.values()))
        self.desk.stop()
        self.desk.start()
        self.refused("wrong-purpose", {name: body(request(purchase()), chain) for name, chain in chains.items()})

    def test_a_key_of_another_curve(self):
        chain = Chain(curve=ec.SECP384R1())
        self.desk.write("root.pem", CHAIN.root_pem + chain.root_pem)
        self.desk.stop()
        self.desk.start()
        chain.signature = lambda text: bytes(64)
        self.refused("certificate|wrong-purpose|untrusted-chain", {"P-384": body(request(purchase()), chain)})

    def test_bad_signature(self):
        head, payload, signature = CHAIN.sign(request(purchase())).split(".")
        changed = base64url(from_base64url(payload).replace(b"UNINTENDED", b"UNINTENDEE"))
        zero, order = bytes(32), P256_ORDER.to_bytes(32, "big")
        other = CHAIN.sign(request(purchase())).split(".")[2]
        self.refused("bad-signature", {
            "payload changed": signed_payload(f"{head}.{changed}.{signature}"), "another's": signed_payload(f"{head}.{payload}.{other}"),
            "zeros": with_signature(lambda _: zero * 2), "r is zero": with_signature(lambda raw: zero + raw[32:]),
            "s is zero": with_signature(lambda raw: raw[:32] + zero), "s is the order": with_signature(lambda raw: raw[:32] + order),
            "ones": with_signature(lambda _: b"\xff" * 64)})
        self.refused("bad-signature|malformed", {
            "63 bytes": with_signature(lambda raw: raw[:63]), "65 bytes": with_signature(lambda raw: raw + b"\0"),
            "none": with_signature(lambda _: b""),
            "DER": with_signature(lambda raw: encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big")))})

    def test_not_a_notification(self):
        transaction = period()
        self.refused("not-a-notification", {
            "transaction": body(transaction), "renewal info": body(renewal(transaction)),
            "no UUID": body({key: value for key, value in request(purchase()).items() if key != "notificationUUID"}),
            "no type": body({key: value for key, value in request(purchase()).items() if key != "notificationType"}),
            "empty UUID": body(request(purchase()) | {"notificationUUID": ""})})

    def test_inner_payloads_that_are_forged(self):
        payload = request(purchase())
        inner = {"stranger's": STRANGER.sign(purchase()), "no JWS": "signed_transaction_info_value", "two parts": "a.b", "empty": ""}
        self.refused("untrusted-chain|malformed", {
            name: body(payload | {"data": payload["data"] | {"signedTransactionInfo": text}}) for name, text in inner.items()})

    # This one and those below are not in the 400 table.

    def test_high_s_signature_is_accepted_and_attack_36_is_one_event(self):
        payload = CHAIN.sign(request(purchase()))
        head, middle, signature = payload.split(".")
        raw = from_base64url(signature)
        flipped = raw[:32] + (P256_ORDER - int.from_bytes(raw[32:], "big")).to_bytes(32, "big")
        self.assertEqual(self.desk.post_raw(signed_payload(f"{head}.{middle}.{base64url(flipped)}")), (200, {"result": "accepted"}))
        self.assertEqual(self.desk.post_raw(signed_payload(payload)), (200, {"result": "duplicate"}))

    @field_report(11)
    def test_field_report_11_the_third_entry_is_ignored(self):
        for third in (CHAIN.x5c[2], STRANGER.x5c[2], base64.b64encode(b"x").decode()):
            data = body(request(purchase()), x5c=CHAIN.x5c[:2] + [third])
            self.assertEqual(self.desk.post_raw(data), (200, {"result": "accepted"}))

    def test_405_of_any_method_but_get_and_post(self):
        status, _, headers = self.desk.http("HEAD", f"/v1/apps/{APP}/notifications", token=False)
        self.assertEqual((status, headers.get("allow", "").replace(" ", "")), (405, "GET,POST"))

    def test_404_and_405_and_no_redirects(self):
        good = body(request(purchase()))
        for path, code in (("/v1/apps/nobody/notifications", 404), ("/v1/apps/nobody/cases", 404), ("/v1/nothing", 404), ("/nothing", 404)):
            status, answer, headers = self.desk.http("POST" if "notifications" in path else "GET", path, good if "notifications" in path else None)
            self.assertEqual((status, headers["content-type"].split(";")[0]), (code, "application/problem+json"), (path, answer))
        for method in ("PUT", "DELETE", "PATCH", "OPTIONS"):
            status, answer, headers = self.desk.http(method, f"/v1/apps/{APP}/notifications", good, token=False)
            self.assertEqual(status, 405, (method, answer))
            self.assertLessEqual({"GET", "POST"}, set(headers["allow"].replace(" ", "").split(",")))
        for path in (f"/v1/apps/{APP}/notifications/", f"/v1/apps/{APP}/notifications?x=1", f"/v1//apps/{APP}/notifications"):
            status, _, headers = self.desk.http("POST", path, b"{}", token=False)
            self.assertTrue(status in (400, 404) and "location" not in headers, (path, status, "no redirects under /v1"))
        self.assertEqual(self.desk.http("GET", f"/v1/apps/{APP}/notifications", token=False)[0], 401)
        self.nothing_stored()

    @field_report(56)
    def test_field_report_56_bodies_of_19_and_40_kilobytes_and_413_over_a_megabyte(self):
        for size in (18_700, 40_000, 900_000):
            payload = request(purchase())
            payload["data"]["bundleVersion"] = "9" * (size * 3 // 4)
            data = body(payload)
            self.assertGreater(len(data), size)
            self.assertEqual(self.desk.post_raw(data)[0], 200, size)
        stored = len(self.desk.items("/notifications"))
        status, answer = self.desk.post_raw(signed_payload("A" * (1 << 20)))
        self.assertEqual(status, 413, answer)
        self.assertEqual(len(self.desk.items("/notifications")), stored)

    @field_report(56)
    def test_field_report_56_413_without_reading_the_body(self):
        with socket.create_connection(("127.0.0.1", self.desk.port), 10) as connection:
            connection.sendall(f"POST /v1/apps/{APP}/notifications HTTP/1.1\r\nHost: x\r\nContent-Length: {5 << 20}\r\n\r\n".encode())
            connection.settimeout(QUICK)
            self.assertIn(b" 413 ", connection.recv(200).split(b"\r\n")[0], "answered before any of the body was sent")
        with socket.create_connection(("127.0.0.1", self.desk.port), 10) as connection:
            connection.sendall(f"POST /v1/apps/{APP}/notifications HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
            connection.settimeout(QUICK)
            got = b""
            try:
                for _ in range(64):
                    connection.sendall(b"10000\r\n" + b"A" * 65_536 + b"\r\n")
            except (BrokenPipeError, ConnectionResetError):
                pass
            try:
                got = connection.recv(200)
            except ConnectionResetError:
                self.skipTest("the answer was lost with the reset")
            self.assertIn(b" 413 ", got.split(b"\r\n")[0])
        self.nothing_stored()

    def test_http_garbage_and_clients_that_go_away(self):
        start = f"POST /v1/apps/{APP}/notifications HTTP/1.1\r\nHost: x\r\n"
        for text in ("GARBAGE\r\n\r\n", "GET /\r\n\r\n", "GET " + "/a" * 40_000 + " HTTP/1.1\r\n\r\n", start + "Content-Length: -1\r\n\r\n",
                     start + "Content-Length: 1e3\r\n\r\n", start + "Content-Length: 100\r\n\r\n{", start + "X: " + "y" * 100_000 + "\r\n\r\n",
                     "\x00\x01\x02", "GET /v1/apps/%ff%00/notifications HTTP/1.1\r\nHost: x\r\n\r\n",
                     "GET /../../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n"):
            with socket.create_connection(("127.0.0.1", self.desk.port), 10) as connection:
                try:
                    connection.sendall(text.encode("latin-1"))
                    connection.settimeout(0.3)
                    answer = connection.recv(4_000)
                except (TimeoutError, ConnectionResetError, BrokenPipeError):
                    answer = b""
                self.assertNotIn(b" 200 ", answer[:20], text[:60])
                self.assertNotIn(b" 500 ", answer[:20], text[:60])
        self.nothing_stored()

    def test_queries_and_bodies_of_the_api_that_make_no_sense(self):
        for path in ("/customers/x/entitlements?at=soon", "/customers/x/entitlements?at=99999999999999999999", "/cases?limit=0", "/cases?limit=x",
                     "/cases?cursor=nonsense", "/cases?state=nonsense", "/notifications?result=nonsense", "/cases?environment=Xcode",
                     "/notifications?cursor=%FF%00", "/webhooks/deliveries?cursor=nonsense"):
            status, answer, _ = self.desk.http("GET", f"/v1/apps/{APP}{path}")
            self.assertIn(status, (404, 422) if "customers" in path else (400, 422), (path, answer))
        for method, path, data in (
                ("PUT", "/customers/x/consent", b"{"), ("PUT", "/customers/x/consent", b'{"consented": 1}'), ("PUT", "/customers/x/consent", b"[]"),
                ("POST", "/usage", b'{"events": [{"id": 1}]}'), ("PUT", "/transactions/1/delivery", b'{"status": "PERHAPS"}'),
                ("PUT", "/transactions/1/user", b'{"userId": {}}'), ("POST", "/transactions", b'{"signedTransactionInfo": 5}'),
                ("PUT", "/customers/x/consent", b"[" * 100_000)):
            status, answer, _ = self.desk.http(method, f"/v1/apps/{APP}{path}", data)
            self.assertIn(status, (400, 422), (method, path, data[:40], answer))
            self.assertTrue(answer["code"] and answer["detail"], answer)
        self.nothing_stored()

    @field_report(61)
    def test_field_report_61_a_fault_of_our_own_is_503_with_retry_after(self):
        import sqlite3
        other = sqlite3.connect(f"{self.desk.folder}/desk.db", timeout=10)
        payload = request(purchase())
        other.execute("BEGIN IMMEDIATE")
        try:
            status, answer, headers = self.desk.http("POST", f"/v1/apps/{APP}/notifications", body(payload), token=False)
        finally:
            other.rollback()
            other.close()
        self.assertEqual((status, headers["retry-after"].isdigit()), (503, True), answer)
        self.desk.post_payload(payload)


class Issue2Point7Quarantine(unittest.TestCase):
    def setUp(self):
        self.desk = Desk(app={"consent": {"mode": "blanket", "attestation": "the tests"}})
        other = json.loads(json.dumps(self.desk.app)) | {
            "id": OTHER_APP, "bundleId": OTHER_BUNDLE, "appAppleId": OTHER_APP_ID, "environments": ["Production"]}
        self.desk.configuration["apps"].append(other)
        self.desk.configure()
        self.desk.stop()
        self.desk.start()
        self.addCleanup(self.desk.close)

    def quarantined(self, reason: str, payloads: dict, app=APP):
        for name, payload in payloads.items():
            with self.subTest(name):
                data = body(payload)
                self.assertEqual(self.desk.post_raw(data, app), (200, {"result": "quarantined", "reason": reason}))
                uuid_text = payload["notificationUUID"]
                listed = [item for item in self.desk.items("/notifications", app=app, environment="all", result="quarantined")
                          if item["notificationUUID"] == uuid_text]
                self.assertEqual([(item["result"], item["reason"], item["source"]) for item in listed], [("quarantined", reason, "live")])
                entry = self.desk.api("GET", f"/notifications/{uuid_text}", app=app, environment="all")
                self.assertEqual(entry["signedPayload"], json.loads(data)["signedPayload"])
        for each in (APP, OTHER_APP):
            for environment in ("Production", "Sandbox"):
                self.assertEqual(self.desk.items("/cases", app=each, environment=environment), [])
                self.assertEqual(self.desk.items("/customers", app=each, environment=environment), [])
        self.assertEqual((self.desk.store.answers(), self.desk.sandbox.answers()), ([], []))
        self.desk.check_replay()

    @field_report(29)
    def test_wrong_app_field_report_29(self):
        stranger = purchase(bundleId="com.stranger")
        self.quarantined("wrong-app", {
            "bundle": request(stranger, bundleId="com.stranger"), "app id": request(purchase(), appAppleId=99),
            "TEST": notification("TEST", bundleId="com.stranger")})

    def test_wrong_environment(self):
        self.quarantined("wrong-environment", {
            name: request(purchase(environment=name)) for name in ("Xcode", "LocalTesting", "Future", "production")})

    def test_an_environment_that_the_app_does_not_have(self):
        transaction = purchase(environment="Sandbox", bundleId=OTHER_BUNDLE)
        self.quarantined("wrong-environment", {"Sandbox": request(transaction, bundleId=OTHER_BUNDLE)}, OTHER_APP)

    def test_unattributed(self):
        self.quarantined("unattributed", {
            "no bundleId": request(purchase(), bundleId=None),
            "UNCLAIM_SEATS without bundleId": notification("UNCLAIM_SEATS", top={"data": None, "unclaimInfo": {"unclaimSeatIds": ["s1"]}}),
            "an unknown container": notification("FUTURE_EVENT", top={"data": None, "futureData": {"bundleId": BUNDLE}}),
            "no container": notification("FUTURE_EVENT", top={"data": None})})

    def test_inner_mismatch(self):
        good, other = period(), period(bundleId=OTHER_BUNDLE)
        self.quarantined("inner-mismatch", {
            "another app's transaction": request(other, environment="Production"),
            "another environment's": request(period(environment="Sandbox"), environment="Production"),
            "another chain's renewal info": notification("DID_RENEW", None, good, renewal(period())),
            "a renewal info of the Sandbox": notification("DID_RENEW", None, good, renewal(good, environment="Sandbox")),
            "a transaction for a renewal info": notification("DID_RENEW", None, good, good),
            "a renewal info for a transaction": notification("DID_RENEW", None, renewal(good), renewal(good)),
            "an app transaction of another app": notification("RESCIND_CONSENT", top={"data": None, "appData": {
                "appAppleId": APP_ID, "bundleId": BUNDLE, "environment": "Production", "signedAppTransactionInfo": CHAIN.sign(
                    {"receiptType": "Production", "bundleId": OTHER_BUNDLE, "receiptCreationDate": now_ms()})}})})

    def test_future_date(self):
        self.quarantined("future-date", {
            "outside": request(purchase(), signed=now_ms() + 25 * HOUR), "inside": request(purchase(signedDate=now_ms() + 25 * HOUR))})
        self.desk.start()
        self.desk.post_payload(request(purchase(), signed=now_ms() + 23 * HOUR))

    def test_a_body_of_another_app_of_ours_goes_to_its_ledger(self):
        transaction = purchase(bundleId=OTHER_BUNDLE)
        payload = request(transaction, bundleId=OTHER_BUNDLE, appAppleId=OTHER_APP_ID)
        self.assertEqual(self.desk.post_raw(body(payload), APP), (200, {"result": "accepted"}))
        self.assertEqual(self.desk.items("/cases"), [])
        self.assertEqual([case["transactionId"] for case in self.desk.items("/cases", app=OTHER_APP)], [transaction["transactionId"]])
        self.assertEqual(self.desk.post_raw(body(payload), OTHER_APP), (200, {"result": "duplicate"}))
        self.assertEqual(self.desk.items("/notifications", environment="all"), [])

    @field_report(25)
    def test_field_report_25_the_sandbox_with_and_without_an_app_id(self):
        for app_id in (None, APP_ID):
            self.desk.post_payload(request(purchase(environment="Sandbox"), appAppleId=app_id))
        self.assertEqual(len(self.desk.items("/cases", environment="Sandbox")), 2)
        self.assertEqual(self.desk.items("/cases"), [])
