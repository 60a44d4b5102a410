"""Sales files through a fake App Store Connect, which checks the team key's token as Apple documents it."""

import gzip
import json
import unittest
from datetime import datetime, timedelta
from urllib.parse import parse_qs, urlsplit
from zoneinfo import ZoneInfo

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from appstore import LocalServer
from desk import APP, Desk, command
from payloads import purchase
from signing import DAY, from_base64url, now_ms
from test_reports import HEADER, pacific, refunded

VENDOR, ISSUER, KEY_ID = "80000001", "69a6de70-0000-47e3-e053-5b8c7c11a4d1", "TEAMKEY1"


class FakeConnect(LocalServer):
    """Has files by day and type; counts what it was asked."""

    def __init__(self, key):
        self.key, self.files, self.asked, self.faults, self.refusal = key.public_key(), {}, [], [], None
        super().__init__()

    def answer(self, method, path, headers, _):
        url = urlsplit(path)
        filters = {name[7:-1]: values[0] for name, values in parse_qs(url.query).items()}
        assert (method, url.path) == ("GET", "/v1/salesReports"), path
        self.check(headers["authorization"])
        self.asked.append(filters)
        if self.faults:
            return self.faults.pop(0), {"errors": []}
        if self.refusal:
            return self.refusal
        content = self.files.get((filters["reportType"], filters["reportDate"]))
        return (200, gzip.compress(content.encode())) if content else (404, {"errors": [{"detail": "There were no sales for the date specified."}]})

    def check(self, authorization):
        head, claims, signature = authorization.removeprefix("Bearer ").split(".")
        raw = from_base64url(signature)
        self.key.verify(encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big")), f"{head}.{claims}".encode(),
                        ec.ECDSA(hashes.SHA256()))
        assert json.loads(from_base64url(head)) == {"alg": "ES256", "kid": KEY_ID, "typ": "JWT"}
        claims = json.loads(from_base64url(claims))
        assert claims.keys() == {"iss", "iat", "exp", "aud"} and claims["iss"] == ISSUER and claims["aud"] == "appstoreconnect-v1", claims
        assert claims["exp"] - claims["iat"] <= 20 * 60, claims


class SalesFetch(unittest.TestCase):
    def setUp(self):
        key = ec.generate_private_key(ec.SECP256R1())
        self.connect = FakeConnect(key)
        self.addCleanup(self.connect.stop)
        self.desk = Desk()
        self.addCleanup(self.desk.close)
        self.desk.write("Team.p8", key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
        self.desk.app["salesReports"] = {"vendorNumber": VENDOR, "issuerId": ISSUER, "keyId": KEY_ID, "privateKeyFile": "Team.p8",
                                         "url": self.connect.url}
        self.desk.configure()
        today = datetime.now(ZoneInfo("America/Los_Angeles")).date()
        self.days = [(today - timedelta(days=back)).isoformat() for back in (3, 2, 1)]

    def fetch(self, *words, code=0):
        done = self.desk.run("sales", "fetch", "--app", APP, "--json", "--from", self.days[0], *words, code=code)
        return json.loads(done.stdout)

    def file(self, at, product="com.example.missed"):
        row = ["APPLE", product, "IA1", "-1", "0.70", pacific(at), pacific(at), "USD", "US", "77", "-0.99", "sku", ""]
        return "\n".join("\t".join(fields) for fields in (HEADER, row)) + "\n"

    def test_files_are_fetched_once_and_compared(self):
        at = now_ms() - 2 * DAY
        seen = purchase()
        self.desk.post("REFUND", transaction=refunded(seen, at), signed=at)
        day = datetime.strptime(pacific(at), "%m/%d/%Y").date().isoformat()
        self.connect.files[("SALES", day)] = self.file(at, seen["productId"]) + self.file(at).split("\n", 1)[1]
        self.connect.faults = [503]
        results = {outcome["file"][-15:-7]: outcome["result"] for outcome in self.fetch()}
        self.assertEqual(results, {text.replace("-", ""): "imported" if text == day else "none" for text in self.days})
        self.assertEqual({(each["frequency"], each["reportSubType"], each["vendorNumber"], each.get("version")) for each in self.connect.asked},
                         {("DAILY", "SUMMARY", VENDOR, None)})
        self.assertEqual(len(self.connect.asked), 4, "a fault is tried again")
        self.connect.asked.clear()
        self.assertEqual([outcome["result"] for outcome in self.fetch()], ["none", "none"])
        self.assertNotIn(day, [each["reportDate"] for each in self.connect.asked], "what is there is not asked for again")
        self.assertEqual([outcome["result"] for outcome in self.fetch("--again")].count("known"), 1)
        done = self.desk.run("sales", "check", "--app", APP, "--format", "json", code=1)
        self.assertEqual([(line["product"], line["finding"]) for line in json.loads(done.stdout)["differences"]],
                         [("com.example.missed", "not received")])

    def test_subscription_files_have_their_version(self):
        self.assertEqual({outcome["result"] for outcome in self.fetch("--kind", "subscriber")}, {"none"})
        self.assertEqual({(each["reportType"], each["reportSubType"], each["version"]) for each in self.connect.asked},
                         {("SUBSCRIBER", "DETAILED", "1_3")})

    def test_a_refusal_ends_it_and_says_why(self):
        for refusal, words in (((403, {"errors": []}), "Team key"), ((429, {"errors": [{"detail": "RATE"}]}), "limit"),
                               ((400, {"errors": [{"detail": "The vendor number\nis unknown."}]}), "The vendor number is unknown.")):
            self.connect.asked.clear()
            self.connect.refusal = refusal
            outcomes = self.fetch(code=1)
            self.assertEqual((len(outcomes), len(self.connect.asked)), (1, 1))
            self.assertIn(words, outcomes[0]["error"])

    def test_a_file_that_is_broken_changes_nothing(self):
        self.connect.files[("SALES", self.days[0])] = "no table"
        outcomes = self.fetch(code=1)
        self.assertIn("header", outcomes[0]["error"])

    def test_without_a_team_key_it_says_what_is_needed(self):
        with Desk() as desk:
            done = desk.run("sales", "fetch", "--app", APP, code=2)
            self.assertIn("salesReports", done.stderr)
            desk.app["salesReports"] = {"vendorNumber": 80000001, "issuerId": "x", "keyId": "y", "privateKeyFile": "AuthKey.p8"}
            desk.configure()
            done = command("check-config", "--config", "desk.json5", folder=desk.folder)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("salesReports.vendorNumber", done.stderr + done.stdout)
