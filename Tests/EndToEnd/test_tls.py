"""TLS as Apple and people meet it: behind nginx, behind Caddy, and built in."""

import http.client
import json
import re
import signal
import ssl
import subprocess
import unittest
from pathlib import Path

from desk import Desk
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


class TrustedProxies(unittest.TestCase):
    """By whom wrong logins are counted where proxies are elsewhere: 127.0.0.5 and 127.0.0.6 stand for two of them."""

    def setUp(self):
        self.desk = Desk(top={"trustedProxies": ["127.0.0.5", "127.0.0.6/32", "2001:db8:aa::/48"]})
        self.addCleanup(self.desk.close)

    def log_in(self, peer, *named, token="rd_wrong") -> int:
        """From this address, with these headers `X-Forwarded-For`."""
        connection = http.client.HTTPConnection("127.0.0.1", self.desk.port, timeout=30, source_address=(peer, 0))
        try:
            connection.request("GET", "/login")
            answer = connection.getresponse()
            cookie = answer.getheader("Set-Cookie").split(";")[0]
            form = re.search(rb'name="form" value="([^"]+)"', answer.read())[1].decode()
            data = f"form={form}&token={token}"
            connection.putrequest("POST", "/login")
            for name, value in [("Cookie", cookie), ("Content-Type", "application/x-www-form-urlencoded"), ("Content-Length", str(len(data))),
                                ("Origin", f"http://127.0.0.1:{self.desk.port}"), *(("X-Forwarded-For", each) for each in named)]:
                connection.putheader(name, value)
            connection.endheaders(data.encode())
            return connection.getresponse().status
        finally:
            connection.close()

    def test_one_who_guesses_keeps_nobody_else_out(self):
        for number in range(10):
            self.assertEqual(self.log_in("127.0.0.5", f"198.51.100.{number}, 203.0.113.1"), 403, number)
        self.assertEqual(self.log_in("127.0.0.5", "203.0.113.1", token=self.desk.token), 429, "what stands before it is not believed")
        self.assertEqual(self.log_in("127.0.0.6", "203.0.113.1, 127.0.0.5"), 429, "through both")
        self.assertEqual(self.log_in("127.0.0.6", "203.0.113.1", "127.0.0.5"), 429, "in headers of their own")
        self.assertEqual(self.log_in("127.0.0.5", "203.0.113.2", token=self.desk.token), 303)

    def test_a_stranger_is_not_believed(self):
        """Once proxies are named, this machine's own are no more among them."""
        for peer in ("127.0.0.1", "127.0.0.7"):
            for number in range(10):
                self.assertEqual(self.log_in(peer, f"203.0.113.{number}"), 403, number)
            self.assertEqual(self.log_in(peer, "203.0.113.99"), 429)
        self.assertEqual(self.log_in("127.0.0.5", "203.0.113.5", token=self.desk.token), 303)

    def test_one_host_of_ipv6_is_one(self):
        for number in range(10):
            self.assertEqual(self.log_in("127.0.0.5", f"2001:db8:1::{number:x}, [2001:db8:aa::9]:443"), 403)
        self.assertEqual(self.log_in("127.0.0.5", "2001:db8:1::ffff"), 429)
        self.assertEqual(self.log_in("127.0.0.5", "2001:db8:1:1::1", token=self.desk.token), 303)

    def test_hostile_headers(self):
        """What names nobody counts for the proxy that passed it on."""
        hostile = ["unknown", "", ",,,,,", "203.0.113.1,", "[", "[::1", "[]:", "999.1.1.1", "2001:db8:::1", "203.0.113.1 203.0.113.2", "a" * 6_000,
                   "127.0.0.5," * 600, "\u0660.0.0.1".encode("utf-8").decode("latin-1"), "203.0.113.1:99999999", "-1.0.0.1", "%eth0"]
        answers = [self.log_in("127.0.0.5", each) for each in hostile]
        self.assertEqual(answers[:10], [403] * 10)
        self.assertEqual([each[:30] for each, answer in zip(hostile[10:], answers[10:]) if answer != 429], [])
        self.assertEqual(self.log_in("127.0.0.5", ", ".join(["203.0.113.1"] * 800 + ["203.0.113.8"]), token=self.desk.token), 303)
        self.assertEqual(self.desk.http("GET", "/healthz", token=False)[0], 200)


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
