"""A fake App Store Server API on loopback: keeps every call, and answers as a test says."""

import base64
import hashlib
import json
import re
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from signing import CHAIN, from_base64url, now_ms

ISSUER, KEY_ID = "57246542-96fe-1a63-e053-0824d011072a", "KEY1"


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512

    def handle_error(self, request, client_address):
        pass  # A peer that went away.


class LocalServer:
    """An HTTP server on a port of its own, which hands every request to ``answer``: a status, a body and perhaps headers.
    Its dates are off by ``clock_offset`` seconds. Each answer is held back for ``lag`` seconds once it is known (`endtoend.py --lag`)."""

    clock_offset = 0
    lag = 0.0

    def __init__(self):
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def log_message(self, *_):
                pass

            def date_time_string(self, timestamp=None):
                return super().date_time_string((timestamp or time.time()) + outer.clock_offset)

            def serve(self):
                raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                status, body, *more = outer.answer(self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, raw)
                time.sleep(outer.lag)
                if status is None:  # The connection breaks without an answer.
                    self.close_connection = True
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                out = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(out)))
                for name, value in (more[0] if more else {}).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(out)

            do_GET = do_POST = do_PUT = serve

        self.http = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def stop(self):
        self.http.shutdown()
        self.http.server_close()


def history_token(start: int, proof: str) -> str:
    """With `+` and `/`, which a careless caller spoils."""
    return "+/+/" + base64.b64encode(f"{start}_{proof}".encode()).decode()


def history_start(token: str):
    """Where a page begins and for which body; None where the token was spoilt."""
    if not token.startswith("+/+/"):
        return None
    start, _, proof = base64.b64decode(token[4:]).decode().partition("_")
    return int(start), proof


class Sent:
    """A notification in the history: its decoded payload, and the results of sending it."""

    def __init__(self, payload: dict, *results: str):
        self.payload, self.at, self.results = payload, payload["signedDate"], results or ("SUCCESS",)
        self.is_delivered = "SUCCESS" in self.results

    def item(self) -> dict:
        signed = self.payload.get("signedPayload") or CHAIN.sign(self.payload)
        attempts = [{"attemptDate": self.at + 1 + 3_600_000 * n, "sendAttemptResult": each} for n, each in enumerate(self.results)]
        return {"signedPayload": signed, "sendAttempts": attempts}


class FakeAppStore(LocalServer):
    """One environment. While ``is_down``, every call gets a 503. ``delay`` holds each answer back, in seconds.
    So many answers as ``refused_tokens`` says get a 401, and so many other calls as ``refused_lookups`` says. ``limit`` may answer a call's path with when Apple takes calls again, for a 429.

    ``history`` holds what was sent, as `Sent`; ``refunds`` lists of transactions, ascending, by any id of their customer."""

    PAGE = 20

    def __init__(self, key):
        self.key, self.is_down, self.delay, self.refused_tokens, self.refused_lookups = key, False, 0.0, 0, 0
        self.calls, self.faults, self.statuses, self.lock = [], [], {}, threading.Lock()
        self.history, self.refunds, self.history_delay, self.limit = [], {}, 0.0, lambda path: None
        super().__init__()

    def answer(self, method, path, headers, raw):
        call = {"method": method, "path": path, "raw": raw, "body": json.loads(raw) if raw else None, "at": now_ms()}
        with self.lock:
            self.calls.append(call)
        time.sleep(self.delay)
        until = self.limit(path)
        if until is not None:
            call["status"] = 429
            return 429, {"errorCode": 4290000, "errorMessage": "Rate limit exceeded."}, {"Retry-After": str(until)}
        call["status"], body = (503, None) if self.is_down else self.reply(call, headers)
        return call["status"], body

    def reply(self, call, headers):
        if "/consumption/" in call["path"]:
            if self.refused_tokens:
                self.refused_tokens -= 1
                return 401, None
        elif self.refused_lookups:
            self.refused_lookups -= 1
            return 401, None
        fault = self.token_fault(headers.get("authorization", ""))
        if fault:
            self.faults.append(fault)
            return 401, None
        if call["method"] == "PUT" and re.fullmatch(r"/inApps/v2/transactions/consumption/\d+", call["path"]):
            fault = self.answer_fault(call["body"])
            if fault:
                self.faults.append(fault)
                return 400, {"errorCode": 4000044, "errorMessage": fault}
            return 202, None
        path, query = urlsplit(call["path"]).path, parse_qs(urlsplit(call["path"]).query)
        if (call["method"], path) == ("POST", "/inApps/v1/notifications/history"):
            return self.history_page(call, query.get("paginationToken", [None])[0])
        asked = re.fullmatch(r"/inApps/v2/refund/lookup/(\d+)", path)
        if asked:
            return self.refund_page(asked[1], query.get("revision", [None])[0])
        asked = re.fullmatch(r"/inApps/v1/subscriptions/(\d+)", call["path"])
        if asked and asked[1] in self.statuses:
            return 200, self.statuses[asked[1]]()
        return 404, {"errorCode": 4040010, "errorMessage": "Transaction id not found."}

    def history_page(self, call, token):
        """Twenty at a time; the token holds `+` and `/`, and is bound to the bytes of the first page's body."""
        time.sleep(self.history_delay)
        body, proof, start = call["body"], hashlib.sha256(call["raw"]).hexdigest()[:12], 0
        if any(value in (None, "") for value in body.values()) or set(body) - {"startDate", "endDate", "onlyFailures"}:
            self.faults.append(f"history: {body}")
            return 400, {"errorCode": 4000006, "errorMessage": "Invalid transaction id."}
        if token is not None:
            begins = history_start(token)
            if not begins:
                self.faults.append(f"history: the token came as {token}")
                return 400, {"errorCode": 4000014, "errorMessage": "Invalid pagination token."}
            if begins[1] != proof:
                self.faults.append(f"history: another body on a later page: {body}")
                return 400, {"errorCode": 4000017, "errorMessage": "The pagination token has expired."}
            start = begins[0]
        with self.lock:
            found = [sent for sent in self.history if body["startDate"] <= sent.at <= body["endDate"] and not (
                body.get("onlyFailures") and sent.is_delivered)]
        end = min(start + self.PAGE, len(found))
        page = {"notificationHistory": [sent.item() for sent in found[start:end]], "hasMore": end < len(found)}
        if end < len(found):
            page["paginationToken"] = history_token(end, proof)
        return 200, page

    def refund_page(self, any_id, revision):
        with self.lock:
            refunds = self.refunds.get(any_id)
        if refunds is None:
            return 404, {"errorCode": 4040010, "errorMessage": "Transaction id not found."}
        start = int(revision.removeprefix("r+/")) if revision else 0
        page = refunds[start:start + self.PAGE]
        return 200, {"signedTransactions": [CHAIN.sign(each) for each in page], "revision": f"r+/{start + len(page)}",
                     "hasMore": start + len(page) < len(refunds)}

    def token_fault(self, authorization: str):
        try:
            head, claims, signature = authorization.removeprefix("Bearer ").split(".")
            raw = from_base64url(signature)
            self.key.public_key().verify(
                encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big")), f"{head}.{claims}".encode(),
                ec.ECDSA(hashes.SHA256()))
            header, claims = json.loads(from_base64url(head)), json.loads(from_base64url(claims))
        except (ValueError, InvalidSignature) as error:
            return f"token: {error!r}"
        now = time.time()
        isGood = (header.get("alg"), header.get("kid"), claims.get("iss"), claims.get("aud")) == (
            "ES256", KEY_ID, ISSUER, "appstoreconnect-v1") and claims.get("bid") and claims["iat"] <= now + 1 and (
            now < claims["exp"] <= claims["iat"] + 3_600)
        return None if isGood else f"token: {header} {claims}"

    @staticmethod
    def answer_fault(body):
        allowed = {"customerConsented", "deliveryStatus", "sampleContentProvided", "consumptionPercentage", "refundPreference"}
        if not isinstance(body, dict) or set(body) - allowed:
            return "fields"
        if body.get("customerConsented") is not True or not isinstance(body.get("sampleContentProvided"), bool):
            return "consent or sample"
        return None if isinstance(body.get("deliveryStatus"), str) else "delivery"

    def history_calls(self) -> list:
        with self.lock:
            return [call for call in self.calls if "/notifications/history" in call["path"]]

    def answers(self, transaction_id=None) -> list:
        """The calls of Send Consumption Information, about one transaction or any."""
        with self.lock:
            return [call for call in self.calls if "/transactions/consumption/" in call["path"]
                    and (transaction_id is None or call["path"].endswith("/" + transaction_id))]
