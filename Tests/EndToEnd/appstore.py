"""A fake App Store Server API on loopback: keeps every call, and answers as a test says."""

import json
import re
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from signing import from_base64url, now_ms

ISSUER, KEY_ID = "57246542-96fe-1a63-e053-0824d011072a", "KEY1"


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512

    def handle_error(self, request, client_address):
        pass  # A peer that went away.


class LocalServer:
    """An HTTP server on a port of its own, which hands every request to ``answer``: a status, a body and perhaps headers.
    Its dates are off by ``clock_offset`` seconds."""

    clock_offset = 0

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
                if status is None:  # The connection breaks without an answer.
                    self.close_connection = True
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                out = b"" if body is None else json.dumps(body).encode()
                self.send_response(status)
                for name, value in (more[0] if more else {}).items():
                    self.send_header(name, value)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(out)))
                self.end_headers()
                self.wfile.write(out)

            do_GET = do_POST = do_PUT = serve

        self.http = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def stop(self):
        self.http.shutdown()
        self.http.server_close()


class FakeAppStore(LocalServer):
    """One environment. While ``is_down``, every call gets a 503. ``delay`` holds each answer back, in seconds.
    So many calls as ``refused_tokens`` says get a 401."""

    def __init__(self, key):
        self.key, self.is_down, self.delay, self.refused_tokens = key, False, 0.0, 0
        self.calls, self.faults, self.statuses, self.lock = [], [], {}, threading.Lock()
        super().__init__()

    def answer(self, method, path, headers, raw):
        call = {"method": method, "path": path, "body": json.loads(raw) if raw else None, "at": now_ms()}
        with self.lock:
            self.calls.append(call)
        time.sleep(self.delay)
        call["status"], body = (503, None) if self.is_down else self.reply(call, headers)
        return call["status"], body

    def reply(self, call, headers):
        if self.refused_tokens:
            self.refused_tokens -= 1
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
        asked = re.fullmatch(r"/inApps/v1/subscriptions/(\d+)", call["path"])
        if asked and asked[1] in self.statuses:
            return 200, self.statuses[asked[1]]()
        return 404, {"errorCode": 4040010, "errorMessage": "Transaction id not found."}

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

    def answers(self, transaction_id=None) -> list:
        """The calls of Send Consumption Information, about one transaction or any."""
        with self.lock:
            return [call for call in self.calls if "/transactions/consumption/" in call["path"]
                    and (transaction_id is None or call["path"].endswith("/" + transaction_id))]
