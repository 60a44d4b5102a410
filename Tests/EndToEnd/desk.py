"""A refund-desk of its own for a test: the built binary on a free port, with a fresh folder and database."""

import contextlib
import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from urllib.parse import urlencode

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from appstore import ISSUER, KEY_ID, FakeAppStore
from payloads import APP, APP_ID, BUNDLE, COINS, SEASON, body, notification
from signing import CHAIN

ROOT = Path(__file__).resolve().parents[2]


def _binary() -> str:
    built = [os.environ.get("REFUND_DESK"), ROOT / ".build/release/refund-desk", ROOT / ".build/debug/refund-desk"]
    for path in built:
        if path and os.path.exists(path):
            return os.path.abspath(path)
    raise SystemExit("There is no refund-desk: build it (scripts/build release), or name one in REFUND_DESK.")


BINARY = _binary()
_KEY = ec.generate_private_key(ec.SECP256R1())
KEY_PEM = _KEY.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())


def command(*words, folder=None, timeout=120, stdin=None, environment=None) -> subprocess.CompletedProcess:
    """Runs the binary to its end, with more in its environment where that is named."""
    environment = {**os.environ, **environment} if environment else None
    return subprocess.run([BINARY, *words], capture_output=True, text=True, timeout=timeout, cwd=folder, input=stdin, env=environment)


class Background:
    """A long-running command. Ready once a line on its stdout matches."""

    def __init__(self, words, ready: str, folder: str, environment=None):
        self.log = open(os.path.join(folder, "stderr"), "ab")
        self.process = subprocess.Popen([BINARY, *words], stdout=subprocess.PIPE, stderr=self.log, cwd=folder, text=True,
                                        env=os.environ | (environment or {}))
        line = self.process.stdout.readline()  # Ends with the process, at the latest.
        self.match = re.search(ready, line)
        if not self.match:
            self.stop(signal.SIGKILL)
            raise AssertionError(f"{words[0]} said {line!r}: {Path(folder, 'stderr').read_text()[-800:]}")

    def stop(self, how=signal.SIGTERM, seconds=30) -> int:
        """Ends it; its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"still running {seconds} s after the signal {how!r}") from None
        finally:
            self.process.stdout.close()
            self.log.close()


class Desk:
    """``app`` and ``top`` replace members of the configuration. The App Store is two fakes, or what ``app`` says."""

    def __init__(self, app=None, top=None, start=True):
        self.folder = tempfile.mkdtemp(prefix="refund-desk-")
        self.write("AuthKey.p8", KEY_PEM)
        self.write("root.pem", CHAIN.root_pem)
        self.store, self.sandbox = FakeAppStore(_KEY), FakeAppStore(_KEY)
        self.app = {
            "id": APP, "name": "Desk", "bundleId": BUNDLE, "appAppleId": APP_ID, "environments": ["Production", "Sandbox"],
            "serverAPI": {"issuerId": ISSUER, "keyId": KEY_ID, "privateKeyFile": "AuthKey.p8", "productionURL": self.store.url,
                          "sandboxURL": self.sandbox.url},
            "trustedRoots": ["root.pem"], "consent": {"mode": "perCustomer"},
            "products": {
                COINS: {"sampleContentProvided": True, "delivery": "DELIVERED", "meter": "coins", "granted": 100},
                SEASON: {"sampleContentProvided": True, "delivery": "DELIVERED", "duration": "P30D"},
                "*": {"sampleContentProvided": True, "delivery": "DELIVERED"}}} | (app or {})
        self.configuration = {"listen": "127.0.0.1:0", "database": "sqlite:desk.db", "simulated": True, "apps": [self.app]} | (top or {})
        self.configure()
        self.running, self.token, self.local, self.environment = None, None, threading.local(), {}
        if start:
            self.token = self.run("token", "create", "--name", "tests", "--scope", "admin").stdout.strip()
            self.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        with contextlib.suppress(AssertionError):
            if self.running:
                self.running.stop(signal.SIGKILL)
        self.store.stop()
        self.sandbox.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def write(self, name: str, data: bytes):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(data)
        os.chmod(path, 0o600)

    def configure(self):
        self.write("desk.json5", json.dumps(self.configuration, indent=1).encode())

    # The process

    def run(self, *words, code=0, timeout=120, environment=None) -> subprocess.CompletedProcess:
        """Runs a command on the desk's configuration, and demands its exit code."""
        done = command(*words, "--config", os.path.join(self.folder, "desk.json5"), folder=self.folder, timeout=timeout, environment=environment)
        if code is not None and done.returncode != code:
            raise AssertionError(f"{' '.join(words)} ended with {done.returncode}, not {code}: {done.stdout[-1500:]} {done.stderr[-1500:]}")
        return done

    def start(self, *words):
        self.running = Background(["serve", "--config", "desk.json5", *words], r"^refund-desk listening on http://127\.0\.0\.1:(\d+)$", self.folder,
                                  self.environment)
        self.port = int(self.running.match[1])

    def stop(self, how=signal.SIGTERM) -> int:
        return self.running.stop(how)

    def errors(self) -> str:
        return Path(self.folder, "stderr").read_text()

    def check_replay(self):
        """Stops the desk and demands that rebuilding everything from the log finds no difference."""
        code = self.stop()
        assert code == 0, f"serve ended with {code} on SIGTERM: {self.errors()[-800:]}"
        self.run("replay", "--check")

    # HTTP

    def http(self, method, path, data=None, headers=None, token=True) -> tuple[int, dict | list | None, dict]:
        """One exchange over a kept connection: status, JSON (None where there is none) and headers."""
        headers = dict(headers or {})
        if token:
            headers["Authorization"] = "Bearer " + (token if isinstance(token, str) else self.token)
        if data is not None and not isinstance(data, bytes):
            data = json.dumps(data).encode()
        if data is not None:
            headers.setdefault("Content-Type", "application/json")
        kept = getattr(self.local, "connection", None)
        if kept is not None and kept.port == self.port:
            try:
                return self._exchange(kept, method, path, data, headers)
            except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
                kept.close()  # The server closed it since the last exchange.
        self.local.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        return self._exchange(self.local.connection, method, path, data, headers)

    @staticmethod
    def _exchange(connection, method, path, data, headers):
        connection.request(method, path, data, headers)
        answer = connection.getresponse()
        raw = answer.read()
        try:
            value = json.loads(raw) if raw else None
        except ValueError:
            value = None
        return answer.status, value, {key.lower(): text for key, text in answer.getheaders()}

    def api(self, method, path, data=None, status=200, app=APP, **query):
        """One exchange under the app's path, with the status that it must have; its JSON."""
        query = {key: value for key, value in query.items() if value is not None}
        code, value, _ = self.http(method, f"/v1/apps/{app}{path}" + ("?" + urlencode(query) if query else ""), data)
        assert code == status, f"{method} {path} {query}: {code}, not {status}: {str(value)[:600]}"
        return value

    def items(self, path, **query) -> list:
        """A whole list, page by page."""
        found, cursor = [], None
        while True:
            page = self.api("GET", path, cursor=cursor, **query)
            found += page["items"]
            cursor = page["nextCursor"]
            if not cursor:
                return found

    def post_raw(self, data: bytes, app=APP) -> tuple[int, dict | None]:
        return self.http("POST", f"/v1/apps/{app}/notifications", data, token=False)[:2]

    def post(self, kind, *parts, result="accepted", **fields) -> str:
        """Signs and posts a notification, and demands the result; its UUID."""
        return self.post_payload(notification(kind, *parts, **fields), result)

    def post_payload(self, payload: dict, result="accepted") -> str:
        status, answer = self.post_raw(body(payload))
        assert (status, answer and answer.get("result")) == (200, result), (payload["notificationType"], status, answer)
        return payload["notificationUUID"]

    def consent(self, ref, consented=True, **fields):
        return self.api("PUT", f"/customers/{ref}/consent", {"consented": consented, "source": "in-app dialog", "textVersion": "1"} | fields)

    def case(self, transaction_id, environment=None):
        """The case, or None where there is none."""
        status, value, _ = self.http("GET", f"/v1/apps/{APP}/cases/{transaction_id}" + (f"?environment={environment}" if environment else ""))
        assert status in (200, 404), (status, value)
        return value if status == 200 else None

    def entitlements(self, ref, at=None, environment=None) -> dict:
        return self.api("GET", f"/customers/{ref}/entitlements", at=at, environment=environment)


def wait_until_quiet(desk: Desk, seconds=60):
    """Until no webhook waits for its first try."""
    end = time.monotonic() + seconds
    while any(item["state"] == "pending" for item in desk.items("/webhooks/deliveries", environment="all", limit=100)):
        assert time.monotonic() < end, "webhooks are still pending"
        time.sleep(0.2)
