"""Reports and sales files through the command line and over HTTP."""

import csv
import gzip
import io
import json
import unittest
from datetime import datetime
from zoneinfo import ZoneInfo

from desk import APP, Desk, command
from field_reports import field_report
from payloads import COINS, purchase, request
from signing import DAY, HOUR, now_ms
from test_rounds import BLANKET, answer_status

HEADER = ["Provider", "SKU", "Product Type Identifier", "Units", "Developer Proceeds", "Begin Date", "End Date", "Customer Currency",
          "Country Code", "Apple Identifier", "Customer Price", "Parent Identifier", "CMB"]


def pacific(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, ZoneInfo("America/Los_Angeles")).strftime("%m/%d/%Y")


def refunded(transaction: dict, at: int) -> dict:
    return transaction | {"revocationDate": at, "revocationReason": 1, "revocationType": "REFUND_FULL", "revocationPercentage": 100000}


class Reports(unittest.TestCase):
    def desk(self) -> Desk:
        desk = Desk(app=BLANKET)
        self.addCleanup(desk.close)
        return desk

    def report(self, desk, kind, *words):
        done = desk.run("report", kind, "--app", APP, "--format", "json", *words)
        return json.loads(done.stdout)

    def test_a_case_moves_from_undecided_to_its_grant(self):
        desk = self.desk()
        transaction = purchase()
        desk.post("ONE_TIME_CHARGE", transaction=transaction)
        desk.post_payload(request(transaction, signed=now_ms() - HOUR))
        answer_status(desk, transaction, "accepted")
        row = self.report(desk, "refunds")["byRequestDate"][0]
        self.assertEqual((row["requests"], row["undecided"], row["grantedFull"], row["sales"]), (1, 1, 0, 1))
        desk.post("REFUND", transaction=refunded(transaction, now_ms()))
        row = self.report(desk, "refunds")["byRequestDate"][0]
        self.assertEqual((row["requests"], row["undecided"], row["grantedFull"], row["requestsPerSale"]), (1, 0, 1, 1))
        sent = {row["sent"]: row["refunded"] for row in self.report(desk, "outcomes")["bySent"]}
        self.assertEqual(sent, {"data-only": 1})
        served = desk.api("GET", "/reports/refunds")
        self.assertEqual(served, self.report(desk, "refunds"), "the same figures over HTTP")
        text = desk.run("report", "refunds", "--app", APP, "--format", "csv", "--by", "day", "--zone", "Pacific").stdout
        self.assertEqual({line["zone"] for line in csv.DictReader(io.StringIO(text))}, {"America/Los_Angeles"})
        desk.check_replay()

    @field_report(148)
    def test_days_are_those_of_the_zone_that_is_named(self):
        desk = self.desk()
        instants = ["2026-03-01T05:30", "2026-03-08T07:30", "2026-03-08T10:30", "2026-03-09T07:30", "2026-11-01T08:30", "2026-11-02T07:30"]
        for text in instants:
            at = int(datetime.fromisoformat(text + "+00:00").timestamp() * 1000)
            desk.post("REFUND", transaction=refunded(purchase(purchaseDate=at - DAY), at))
        days = {"UTC": {"2026-03-01": 1, "2026-03-08": 2, "2026-03-09": 1, "2026-11-01": 1, "2026-11-02": 1},
                "Pacific": {"2026-02-28": 1, "2026-03-07": 1, "2026-03-08": 1, "2026-03-09": 1, "2026-11-01": 2}}
        for zone, wanted in days.items():
            words = ["--by", "day", "--zone", zone, "--from", "2026-02-01", "--to", "2027-01-01"]
            name = {"UTC": "UTC", "Pacific": "America/Los_Angeles"}[zone]
            text = desk.run("report", "costs", "--app", APP, "--format", "csv", *words).stdout
            rows = list(csv.DictReader(io.StringIO(text)))
            self.assertEqual({row["day"]: int(row["refunds"]) for row in rows}, wanted, zone)
            self.assertEqual({row["zone"] for row in rows}, {name})
            self.assertEqual(self.report(desk, "costs", *words)["zone"], name)
            self.assertIn(f"(days in {name})", desk.run("report", "costs", "--app", APP, *words).stdout)

    def test_wrong_usage_names_the_option(self):
        desk = self.desk()
        for words, said in ((["--by", "weather"], "--by takes product"), (["--from", "soon"], "--from takes a day"), (["--zone", "CET"], "--zone is"),
                            (["--format", "xml"], "--format is"), (["--from", "2026-03-02", "--to", "2026-03-01"], "--from must be a day before"),
                            (["--table", "nothing"], "--table takes byRequestDate")):
            done = command("report", "refunds", "--config", "desk.json5", "--app", APP, *words, folder=desk.folder)
            self.assertEqual((done.returncode, said in done.stderr), (2, True), done.stderr)

    def test_the_calculator_needs_no_configuration(self):
        done = command("report", "commitment", "--upfront", "59.99", "--monthly", "6.99", "--format", "json")
        plans = json.loads(done.stdout)
        self.assertEqual((plans["plans"][0]["total"], plans["plans"][0]["monthsToUpfront"]), ("83.88", 9))
        self.assertEqual(plans["months"][4]["paymentsLost"], "48.93")
        self.assertEqual(command("report", "commitment", "--upfront", "many", "--monthly", "6.99").returncode, 2)

    def test_sales_files_find_what_was_missed(self):
        desk = self.desk()
        at = now_ms() - DAY
        seen, unreported = purchase(), purchase()
        for transaction in (seen, unreported):
            desk.post("REFUND", transaction=refunded(transaction, at), signed=at)
        price = f"-{seen['price'] / 1000:.2f}"
        row = ["APPLE", seen["productId"], "IA1", "-1", "0.70", pacific(at), pacific(at), seen["currency"], "US", "77", price, "sku", ""]
        missed = row[:1] + ["com.example.missed"] + row[2:]
        text = "\n".join("\t".join(fields) for fields in (HEADER, row, missed)) + "\n"
        desk.write("S_D_80000001_x.txt.gz", gzip.compress(text.encode()))
        desk.write("same.txt", text.encode())
        taken = json.loads(self.sales(desk, "import", "--json", "S_D_80000001_x.txt.gz").stdout)
        self.assertEqual((taken[0]["result"], taken[0]["refunds"]), ("imported", 2))
        again = json.loads(self.sales(desk, "import", "--json", "same.txt").stdout)
        self.assertEqual(again[0]["result"], "known")
        found = json.loads(self.sales(desk, "check", "--format", "json", code=1).stdout)["differences"]
        self.assertEqual({(line["product"], line["finding"]) for line in found},
                         {("com.example.missed", "not received"), (seen["productId"], "not reported")})
        desk.write("broken.txt", text.encode()[:-30])
        self.assertEqual(self.sales(desk, "import", "broken.txt", code=1).returncode, 1)

    def sales(self, desk, what, *words, code=0):
        return desk.run("sales", what, "--app", APP, *words, code=code)
