"""TLS as Apple and people meet it: behind nginx, behind Caddy, and built in."""

import http.client
import json
import re
import signal
import ssl
import subprocess
import unittest
from pathlib import Path

from fronts import CADDY, NGINX, BuiltIn, Caddy, Nginx
from payloads import APP, body, period, request
from receiver import Receiver
from waiting import eventually

LIMIT = 1 << 20
PATH = f"/v1/apps/{APP}/notifications"


class Behind:
    """The tests, for each front."""

    front: type

    def setUp(self):
        self.receiver = Receiver()
        self.addCleanup(self.receiver.stop)
        self.front = self.FRONT(webhooks=[self.receiver.configuration()])
        self.addCleanup(self.front.close)
        self.desk = self.front.desk

    # What a client does

    def connection(self, context=None, source=None) -> http.client.HTTPSConnection:
        context = context or ssl.create_default_context(cafile=self.front.root)
        made = http.client.HTTPSConnection("localhost", self.front.https, timeout=30, context=context,
                                           source_address=(source, 0) if source else None)
        self.addCleanup(made.close)
        return made

    def exchange(self, method, path, data=None, headers=None, connection=None):
        connection = connection or self.connection()
        connection.request(method, path, data, headers or {})
        answer = connection.getresponse()
        return answer.status, answer.read(), answer

    def curl(self, *words, data=None) -> tuple[str, str, str]:
        """HTTP version, status and body."""
        done = subprocess.run(["curl", "-sS", "--cacert", self.front.root, "-w", "\n%{http_version} %{http_code}", *words], input=data,
                              capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        text, _, last = done.stdout.decode().rpartition("\n")
        version, status = last.split()
        return version, status, text

    def url(self, path):
        return f"https://localhost:{self.front.https}{path}"

    # The tests

    def test_a_notification_comes_in_and_what_follows_goes_out(self):
        for number, version in enumerate(self.front.speaks, 1):
            flag = "--http2" if version == "2" else "--http1.1"
            transaction = period()
            self.assertEqual(
                self.curl(flag, "--data-binary", "@-", "-H", "Content-Type: application/json", self.url(PATH), data=body(request(transaction))),
                (version, "200", '{"result":"accepted"}'))
            self.assertEqual(self.desk_case(transaction)["state"], "open")
            eventually(lambda number=number: len(self.receiver.events("refund.requested")) == number, what="the webhook came")
        self.assertEqual(self.receiver.faults, [])

    def desk_case(self, transaction):
        status, raw, _ = self.exchange("GET", f"/v1/apps/{APP}/cases/{transaction['transactionId']}", headers=self.bearer())
        self.assertEqual(status, 200, raw)
        return json.loads(raw)

    def bearer(self):
        return {"Authorization": f"Bearer {self.desk.token}"}

    def test_many_over_one_connection(self):
        connection = self.connection()
        for _ in range(20):
            status, raw, _ = self.exchange("POST", PATH, body(request(period())), connection=connection)
            self.assertEqual((status, json.loads(raw)), (200, {"result": "accepted"}))

    def test_only_the_tls_that_apple_speaks(self):
        """TLS 1.2 and 1.3; older versions are not answered, though the client would take any cipher."""
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            context = ssl.create_default_context(cafile=self.front.root)
            context.minimum_version = context.maximum_version = version
            connection = self.connection(context)
            self.assertEqual(self.exchange("GET", "/healthz", connection=connection)[0], 200, version)
        for flag in ("-tls1", "-tls1_1"):
            done = subprocess.run(["openssl", "s_client", "-connect", f"localhost:{self.front.https}", "-servername", "localhost", flag,
                                   "-cipher", "ALL:@SECLEVEL=0"], input=b"", capture_output=True, timeout=30)
            self.assertRegex(done.stdout + done.stderr, rb"(?s)alert|no peer certificate", flag)
            self.assertNotEqual(done.returncode, 0, flag)

    def test_sizes(self):
        """Up to 1 MiB is the desk's to judge; more is refused, by whoever is first, and the next request is served."""
        status, raw, answer = self.exchange("POST", PATH, b"x" * LIMIT)
        self.assertEqual((status, json.loads(raw)["code"]), (400, "malformed"))
        self.assertEqual(answer.getheader("Content-Type"), "application/problem+json")
        for size in (LIMIT + 1, 4 * LIMIT):
            with self.subTest(size):
                try:
                    self.assertEqual(self.exchange("POST", PATH, b"x" * size)[0], 413)
                except (BrokenPipeError, ConnectionResetError, ssl.SSLEOFError):
                    pass  # Refused while the client was still writing, which may keep it from reading why.
                self.assertEqual(self.exchange("GET", "/healthz")[0], 200)

    def log_in(self, token, source=None, named=None):
        """The login form, then its posting, as a browser does it: status and answer."""
        connection = self.connection(source=source)
        _, page, answer = self.exchange("GET", "/login", connection=connection)
        cookie = answer.getheader("Set-Cookie").split(";")[0]
        form = re.search(rb'name="form" value="([^"]+)"', page)[1].decode()
        headers = {"Cookie": cookie, "Content-Type": "application/x-www-form-urlencoded", "Origin": f"https://localhost:{self.front.https}",
                   "Sec-Fetch-Site": "same-origin"} | ({"X-Forwarded-For": named} if named else {})
        status, _, answer = self.exchange("POST", "/login", f"form={form}&token={token}", headers, connection)
        return status, answer

    def test_cookies_are_for_https_alone(self):
        status, answer = self.log_in(self.desk.token)
        self.assertEqual(status, 303)
        cookies = answer.headers.get_all("Set-Cookie")
        session = next(each for each in cookies if each.startswith("__Host-refund-desk="))
        for part in ("Secure", "HttpOnly", "SameSite=Strict", "Path=/"):
            self.assertIn(part, [each.strip() for each in session.split(";")])
        target = answer.getheader("Location")
        self.assertFalse(target.startswith("http:"), target)
        status, page, _ = self.exchange("GET", f"/apps/{APP}", headers={"Cookie": session.split(";")[0]})
        self.assertEqual(status, 200)
        self.assertIn(b"Desk", page)

    def test_wrong_logins_count_by_who_made_them(self):
        """Not by the proxy, and not by what a client writes into X-Forwarded-For: only a proxy on this machine is believed."""
        for number in range(10):
            self.assertEqual(self.log_in("rd_wrong", source="127.0.0.2", named=self.invented(number))[0], 403, number)
        self.assertEqual(self.log_in("rd_wrong", source="127.0.0.2", named=self.invented(99))[0], 429)
        self.assertEqual(self.log_in(self.desk.token, source="127.0.0.3")[0], 303, "somebody else is listened to")

    def invented(self, number):
        return f"203.0.113.{number}"

    def test_a_restart_loses_nothing(self):
        """While the desk is away Apple is told to come again; once it is back it is served."""
        data = body(request(period()))
        self.assertEqual(self.desk.stop(signal.SIGTERM), 0)
        try:
            status = self.exchange("POST", PATH, data)[0]
            self.assertIn(status, (502, 503, 504))
        except ConnectionRefusedError:
            self.assertIs(self.FRONT, BuiltIn)
        self.restart()
        status, raw, _ = self.exchange("POST", PATH, data)
        self.assertEqual((status, json.loads(raw)), (200, {"result": "accepted"}))

    def restart(self):
        # At the port that the proxy knows.
        self.desk.configuration["listen"] = f"127.0.0.1:{self.desk.port}"
        self.desk.configure()
        self.desk.start()


class Proxied(Behind):
    def test_http_is_sent_on_to_https(self):
        plain = http.client.HTTPConnection("localhost", self.front.http, timeout=30)
        self.addCleanup(plain.close)
        for path in ("/", "/apps/desk?environment=Sandbox"):
            status, _, answer = self.exchange("GET", path, connection=plain)
            self.assertIn(status, (301, 308))
            self.assertRegex(answer.getheader("Location"), rf"^https://localhost(:\d+)?{re.escape(path)}$")

    def test_browsers_are_told_to_stay_with_https(self):
        self.assertEqual(self.exchange("GET", "/login")[2].getheader("Strict-Transport-Security"), "max-age=31536000")


@unittest.skipUnless(NGINX, "there is no nginx: scripts/setup --tests")
class BehindNginx(Proxied, unittest.TestCase):
    FRONT = Nginx

    def test_certbot_can_renew(self):
        """What certbot puts into its webroot is read over http, without a redirect; nothing else there is."""
        html = Path(self.front.folder, "html")
        challenge = html / ".well-known/acme-challenge/token-1"
        challenge.parent.mkdir(parents=True)
        challenge.write_text("token-1.thumbprint")
        (html / "index.html").write_text("not for the world")
        plain = http.client.HTTPConnection("localhost", self.front.http, timeout=30)
        self.addCleanup(plain.close)
        status, raw, _ = self.exchange("GET", "/.well-known/acme-challenge/token-1", connection=plain)
        self.assertEqual((status, raw), (200, b"token-1.thumbprint"))
        self.assertEqual(self.exchange("GET", "/.well-known/acme-challenge/token-2", connection=plain)[0], 404)
        self.assertEqual(self.exchange("GET", "/.well-known/acme-challenge/../../index.html", connection=plain)[0], 301)
        self.assertEqual(self.exchange("GET", "/index.html", connection=plain)[0], 301)


@unittest.skipUnless(CADDY, "there is no caddy: scripts/setup --tests")
class BehindCaddy(Proxied, unittest.TestCase):
    FRONT = Caddy


class BuiltInTLS(Behind, unittest.TestCase):
    FRONT = BuiltIn

    def invented(self, number):
        return None  # Clients of this test are on this machine themselves, and would be believed.

    def restart(self):
        self.front.start()
