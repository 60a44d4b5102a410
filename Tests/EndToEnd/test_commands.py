"""The command line: tokens, check-config, verify, exit codes, help."""

import glob
import json
import os
import re
import socket
import unittest

from desk import Desk, command
from field_reports import field_report
from payloads import APP, body, period, purchase, request
from signing import CHAIN, DAY, now_ms
from test_models import MODELS

REAL = MODELS.parents[1] / "real"
COMMANDS = ["demo", "serve", "check-config", "verify", "replay", "token create", "token list", "token revoke", "policy check", "simulator",
            "simulate"]


class Issue2Tokens(unittest.TestCase):
    def setUp(self):
        self.desk = Desk()
        self.addCleanup(self.desk.close)

    def status(self, token, method="GET", path="/cases", data=None):
        return self.desk.http(method, f"/v1/apps/{APP}{path}", data, token=token)

    def test_a_token_is_alone_on_stdout_and_kept_hashed(self):
        done = self.desk.run("token", "create", "--name", "reader", "--scope", "read")
        token = done.stdout.strip()
        self.assertEqual(done.stdout, token + "\n")
        self.assertRegex(token, r"^\S{20,}$")
        self.assertEqual(self.status(token)[0], 200, "usable at once, without a restart")
        self.assertNotIn(token, self.desk.run("token", "list").stdout + self.desk.run("token", "list", "--json").stdout)
        self.assertIn("reader", [each["name"] for each in json.loads(self.desk.run("token", "list", "--json").stdout)])
        self.desk.stop()
        for path in glob.glob(os.path.join(self.desk.folder, "*")):
            with open(path, "rb") as file:
                self.assertNotIn(token.encode(), file.read(), path)

    def test_scopes(self):
        consent = {"consented": True, "source": "in-app dialog", "textVersion": "1"}
        for scope, status in (("read", 403), ("write", 200), ("admin", 200)):
            token = self.desk.run("token", "create", "--name", scope, "--scope", scope).stdout.strip()
            self.assertEqual(self.status(token)[0], 200)
            code, answer, _ = self.status(token, "PUT", "/customers/c-1/consent", consent)
            self.assertEqual((code, answer.get("code")), (status, "forbidden" if status == 403 else None))
        self.assertEqual(self.desk.run("token", "create", "--name", "x", "--scope", "god", code=2).stdout, "")

    def test_no_token_a_wrong_one_and_a_revoked_one(self):
        token = self.desk.run("token", "create", "--name", "gone", "--scope", "admin").stdout.strip()
        self.desk.run("token", "revoke", "--name", "gone")
        for each in (False, "x", token, token + "x", "é".encode().decode("latin-1")):
            code, answer, headers = self.status(each)
            self.assertEqual((code, answer["code"]), (401, "unauthorized"))
        self.assertEqual(self.desk.run("token", "revoke", "--name", "nobody", code=None).returncode, 1)

    def test_what_is_open_and_what_is_not(self):
        for path, status in (("/healthz", 200), ("/readyz", 200), ("/openapi.json", 200), ("/metrics", 401)):
            self.assertEqual(self.desk.http("GET", path, token=False)[0], status, path)
        self.assertEqual(self.desk.http("GET", "/metrics")[0], 200)
        document = self.desk.http("GET", "/openapi.json", token=False)[1]
        self.assertTrue(document["openapi"].startswith("3.1"))
        self.assertIn("/v1/apps/{app}/customers/{ref}/entitlements", document["paths"])

    def test_secrets_stay_out_of_the_log(self):
        self.desk.post_raw(b'{"signedPayload":"secret-payload.secret-payload.secret-payload"}')
        self.desk.http("GET", f"/v1/apps/{APP}/cases", token="secret-token")
        self.desk.stop()
        log = self.desk.errors()
        for secret in ("secret-payload", "secret-token", self.desk.token):
            self.assertNotIn(secret, log)
        for line in log.splitlines():
            json.loads(line)


class Issue2CheckConfig(unittest.TestCase):
    def setUp(self):
        self.desk = Desk(start=False)
        self.addCleanup(self.desk.close)

    def mistake(self, key: str, change, remedy=r".{15}"):
        """check-config: exit 1, a line that names the key and says what to do. serve: exit 2 with one such line."""
        configuration = json.loads(json.dumps(self.desk.configuration))
        text = change(configuration, configuration["apps"][0])
        self.desk.write("desk.json5", (text if isinstance(text, str) else json.dumps(configuration)).encode())
        with self.subTest(key):
            done = self.desk.run("check-config", code=1)
            lines = [line for line in (done.stdout + done.stderr).splitlines() if key in line]
            self.assertTrue(lines and re.search(remedy, lines[0].split(key, 1)[1]), done.stdout + done.stderr)
            listed = self.desk.run("check-config", "--json", code=1).stdout
            self.assertIn(key.rsplit(".", 1)[-1], listed)
            json.loads(listed)
            refused = self.desk.run("serve", code=2)
            self.assertEqual(refused.stdout, "")
            self.assertTrue(any(key in line for line in refused.stderr.splitlines()), refused.stderr)

    def test_a_sound_one_and_json5(self):
        self.desk.run("check-config")
        text = json.dumps(self.desk.configuration).replace('"listen"', "// where\n  listen", 1)[:-1] + ", /* the end */ }"
        self.desk.write("desk.json5", text.encode())
        self.assertEqual(self.desk.run("check-config").returncode, 0)

    def test_keys(self):
        self.mistake("databse", lambda top, app: top.update({"databse": top.pop("database")}), "database")
        self.mistake("bundelId", lambda top, app: app.update(bundelId="x"), "bundleId")
        self.mistake("bundleId", lambda top, app: app.pop("bundleId") and None)
        self.mistake("database", lambda top, app: top.pop("database") and None)
        self.mistake("apps", lambda top, app: top.update(apps=[]))
        self.mistake("apps", lambda top, app: top.update(apps={}))
        self.mistake("serverAPI", lambda top, app: app.pop("serverAPI") and None)
        self.mistake("sampleContentProvided", lambda top, app: app["products"].update({"p": {}}))
        self.mistake("attestation", lambda top, app: app.update(consent={"mode": "blanket"}))

    def test_values(self):
        self.mistake("listen", lambda top, app: top.update(listen="nowhere"))
        self.mistake("database", lambda top, app: top.update(database="mysql://x"), "sqlite")
        self.mistake("simulated", lambda top, app: top.update(simulated="yes"))
        self.mistake("id", lambda top, app: app.update(id="Not Good"))
        self.mistake("delivery", lambda top, app: app["products"]["*"].update(delivery="PERHAPS"))
        self.mistake("duration", lambda top, app: app["products"]["*"].update(duration="a month"))
        self.mistake("granted", lambda top, app: app["products"]["*"].update(granted=-5))
        self.mistake("mode", lambda top, app: app.update(consent={"mode": "always"}))
        self.mistake("secret", lambda top, app: app.update(webhooks=[{"url": "http://127.0.0.1:1/", "secret": "short"}]))
        self.mistake("url", lambda top, app: app.update(webhooks=[{"url": "nonsense", "secret": "whsec_" + "A" * 44}]))

    @field_report(27)
    def test_field_report_27_production_without_an_app_id(self):
        self.mistake("appAppleId", lambda top, app: app.pop("appAppleId") and None)

    @field_report(22, 23)
    def test_field_report_22_and_23_nothing_turns_verification_off(self):
        self.mistake("verification", lambda top, app: app.update(verification="off"))
        self.mistake("environments", lambda top, app: app.update(environments=["Production", "Xcode"]))

        def change(top, app):
            del top["simulated"], app["serverAPI"]["productionURL"], app["serverAPI"]["sandboxURL"]
        self.mistake("trustedRoots", change, "simulated")

    def test_other_hosts_than_apples_need_simulated(self):
        def change(top, app):
            del top["simulated"], app["trustedRoots"]
        self.mistake("productionURL", change, "simulated")

    def test_files_and_the_environment(self):
        self.mistake("privateKeyFile", lambda top, app: app["serverAPI"].update(privateKeyFile="missing.p8"))
        self.mistake("trustedRoots", lambda top, app: app.update(trustedRoots=["missing.pem"]))
        self.mistake("NO_SUCH_VARIABLE", lambda top, app: app.update(name="${NO_SUCH_VARIABLE}"))

    def test_files_that_hold_something_else(self):
        self.desk.write("root.pem", b"no certificate")
        self.mistake("trustedRoots", lambda top, app: None)
        self.desk.write("root.pem", CHAIN.root_pem)
        self.desk.write("AuthKey.p8", b"no key")
        self.mistake("privateKeyFile", lambda top, app: None)

    def test_policies(self):
        rule = {"name": "r", "then": {"prefer": "DECLINE"}}
        for key, change in (
                ("consumedPercent", rule | {"when": {"consumedPercent": 5}}), ("prefer", rule | {"then": {"prefer": "REFUSE"}}),
                ("hold", rule | {"then": {"hold": "soon", "otherwise": {"answer": "none"}}}), ("name", {"then": {"answer": "none"}}),
                ("hold", rule | {"then": {"hold": "1h", "otherwise": {"hold": "1h", "otherwise": {"answer": "none"}}}})):
            self.mistake(key, lambda top, app: app.update(policy={"rules": [change]}))

    def test_repeats(self):
        self.mistake("id", lambda top, app: top["apps"].append(app | {"bundleId": "com.other"}))
        self.mistake("bundleId", lambda top, app: top["apps"].append(app | {"id": "more"}))

    def test_what_is_no_json5(self):
        for text in ("", "{", "[]", "{listen: }", "[" * 100_000, "{a: \"\\"):
            self.desk.write("desk.json5", text.encode())
            self.assertIn(self.desk.run("check-config", code=None).returncode, (1, 2), text[:20])
            self.assertEqual(self.desk.run("serve", code=None).returncode, 2, text[:20])

    def test_every_mistake_is_told_at_once(self):
        self.desk.app.update({"bundelId": "x", "consent": {"mode": "always"}})
        self.desk.configure()
        said = self.desk.run("check-config", code=1).stdout
        self.assertTrue("bundelId" in said and "mode" in said, said)


class Issue2ExitCodes(unittest.TestCase):
    def test_help_and_version(self):
        for words in COMMANDS:
            with self.subTest(words):
                done = command(*words.split(), "--help")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn(words.split()[-1], done.stdout)
        self.assertEqual(command("--help").returncode, 0)
        self.assertRegex(command("--version").stdout, r"\d+\.\d+")

    def test_help_of_a_family_of_commands(self):
        for words, members in (("token", ("create", "list", "revoke")), ("policy", ("check",))):
            done = command(words, "--help")
            self.assertEqual(done.returncode, 0, done.stderr)
            for member in members:
                self.assertIn(f"{words} {member}", done.stdout)

    def test_wrong_usage_is_2_with_one_line(self):
        for words in ([], ["nonsense"], ["serve"], ["serve", "--config"], ["serve", "--nonsense"], ["serve", "--config", "missing.json5"],
                      ["replay", "--config", "missing.json5"], ["token", "nonsense"], ["token", "create", "--config", "missing.json5", "--name", "x"],
                      ["verify", "missing.json"], ["verify", "-", "--at", "soon"], ["simulate"], ["simulator"], ["check-config"]):
            with self.subTest(words):
                done = command(*words, stdin="")
                self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
                if words:
                    self.assertEqual((done.stdout, len(done.stderr.strip().splitlines())), ("", 1), done.stderr)

    def does_not_begin(self, desk, code, said, *words):
        """One line; a service is started again after 1, and not after 2."""
        done = desk.run("serve", *words, code=code)
        self.assertEqual((done.stdout, len(done.stderr.strip().splitlines())), ("", 1), done.stderr)
        self.assertIn(said, done.stderr)
        return done.stderr

    def test_a_port_that_is_taken(self):
        with Desk() as desk:
            self.does_not_begin(desk, 1, "listen", "--listen", f"127.0.0.1:{desk.port}")

    def test_a_database_that_another_server_has(self):
        with Desk() as desk:
            self.does_not_begin(desk, 1, "served by another", "--listen", "127.0.0.1:0")

    def test_a_database_that_is_away(self):
        with socket.socket() as nobody, Desk(start=False) as desk:
            nobody.bind(("127.0.0.1", 0))  # Taken, and nobody listens.
            url = f"postgres://desk:hushhush@127.0.0.1:{nobody.getsockname()[1]}/desk"
            desk.configuration["database"] = url
            desk.configure()
            desk.run("check-config")
            self.assertNotIn("hushhush", self.does_not_begin(desk, 1, "database"))
            desk.configuration["database"] = url + "?writers=many"
            desk.configure()
            self.does_not_begin(desk, 2, "writers")


class Issue2Verify(unittest.TestCase):
    def verdict(self, text, *options, code=0):
        done = command("verify", "-", "--json", *options, stdin=text)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return json.loads(done.stdout)

    @unittest.skipUnless(REAL.is_dir(), f"the messages that Apple signed are not at {REAL}: set REFUND_DESK_SHARED")
    def test_point_2_messages_that_apple_signed(self):
        for name in ("sandbox-test-notification-2022-09.json", "sandbox-renewal-info-2023-05.jws"):
            text = (REAL / name).read_text().strip()
            self.assertTrue(self.verdict(text)["valid"])
            self.assertEqual(self.verdict(text, "--at", str(now_ms()), code=1)["code"], "expired-certificate")
            jws = json.loads(text)["signedPayload"] if text.startswith("{") else text
            head, payload, signature = jws.split(".")
            changed = ("A" if signature[0] != "A" else "B") + signature[1:]
            self.assertEqual(self.verdict(f"{head}.{payload}.{changed}", code=1)["code"], "bad-signature")

    def test_our_chain_with_its_inner_payloads(self):
        with Desk(start=False) as desk:
            root = os.path.join(desk.folder, "root.pem")
            transaction = period()
            text = body(request(transaction)).decode()
            shown = self.verdict(text, "--root", root)
            self.assertTrue(shown["valid"])
            self.assertIn(transaction["transactionId"], json.dumps(shown))
            self.verdict(text, "--root", root, "--bundle-id", transaction["bundleId"], "--environment", "Production")
            self.verdict(text, "--root", root, "--bundle-id", "com.stranger", code=1)
            self.verdict(text, "--root", root, "--environment", "Sandbox", code=1)
            self.verdict(text, "--root", root, "--app-apple-id", "5", code=1)
            self.assertEqual(self.verdict(text, code=1)["code"], "untrusted-chain")
            self.assertEqual(self.verdict("a.b.c", "--root", root, code=1)["code"], "malformed")
            self.assertEqual(self.verdict("[" * 100_000, "--root", root, code=1)["code"], "malformed")
            old = CHAIN.sign(purchase(purchaseDate=now_ms() - 20 * DAY))
            self.verdict(old, "--root", root)
