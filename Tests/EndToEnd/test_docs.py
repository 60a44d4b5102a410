"""The documentation: every command in README and docs is run, or stands in NOT_RUN with the reason; pages that are generated are current."""

import functools
import json
import re
import subprocess
import tempfile
import unittest
import urllib.request
from pathlib import Path

from api_page import current_page
from desk import BINARY, ROOT, Desk
from payloads import purchase, request
from postgres import IS_INSTALLED
from prepared import PreparedFolder, promtool
from receiver import Receiver
from waiting import eventually

TESTED = "takes minutes, and is a stage of scripts/test"
MACHINE = "changes the machine that it runs on"
TESTED_APART = "scripts/package-test does it on machines of its own"
# Page, how the command begins, and why no test here runs it. One that matches nothing any more is a failure.
NOT_RUN = [
    ("README.md", "scripts/demo", "builds for release; `refund-desk demo` itself is tested by test_simulator.py"),
    ("README.md", "scripts/test", TESTED),
    ("README.md", "scripts/setup", TESTED),
    ("CONTRIBUTING.md", "scripts/", TESTED),
    ("CONTRIBUTING.md", "swift ", TESTED),
    ("CONTRIBUTING.md", "REFUND_DESK", TESTED),
    ("docs/reliability.md", "swift test", TESTED),
    ("docs/reliability.md", "REFUND_DESK_SEEDS", TESTED),
    ("docs/reliability.md", "scripts/", "takes from minutes to hours"),
    ("docs/reports.md", "refund-desk sales ", "needs Apple's files: test_reports.py and test_sales_fetch.py make some"),
    ("docs/releasing.md", "scripts/", TESTED),
    ("docs/releasing.md", "git ", "publishes"),
    ("docs/installing.md", "scripts/", TESTED_APART),
    ("docs/installing.md", "apt-get ", TESTED_APART),
    ("docs/installing.md", "install ", TESTED_APART),
    ("docs/installing.md", "editor ", "opens an editor"),
    ("docs/installing.md", "refund-desk check-config --config /etc/", TESTED_APART),
    ("docs/installing.md", "systemctl ", TESTED_APART),
    ("docs/installing.md", "refund-desk token create --config /etc/", TESTED_APART),
    ("docs/installing.md", "cd ", "leads to the containers' files"),
    ("docs/installing.md", "sudo install ", "copies into the checkout"),
    ("docs/installing.md", "docker ", "needs an engine"),
    ("docs/installing.md", ".build/", "is there after a release build"),
    ("docs/tls.md", "apt-get ", MACHINE),
    ("docs/tls.md", "cp ", MACHINE),
    ("docs/tls.md", "ln ", MACHINE),
    ("docs/tls.md", "systemctl ", MACHINE),
    ("docs/tls.md", "certbot ", "asks a public authority"),
    ("docs/tls.md", "nginx ", "test_tls.py runs nginx with this configuration"),
    ("docs/tls.md", "install ", TESTED_APART),
    ("docs/tls.md", "chmod ", TESTED_APART),
    ("docs/tls.md", "RENEWED_LINEAGE=", TESTED_APART),
    ("docs/tls.md", "refund-desk check-config --config /etc/", TESTED_APART),
]
COMMAND = re.compile(r"^\s*(sudo )?(refund-desk|scripts/|curl|sqlite3|pg_dump|pg_restore|psql|promtool|systemctl|apt|apt-get|swift|git|docker|brew) ")


def pages() -> list[Path]:
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(page: Path) -> list[tuple[str, list[str]]]:
    """Each fenced block's language and lines."""
    found = re.findall(r"^ *```([^\n`]*)\n(.*?)^ *```\s*$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [(language.strip(), text.splitlines()) for language, text in found]


def commands(page: Path) -> list[str]:
    """The commands of ```sh blocks; one may go on after a backslash."""
    found = []
    for language, lines in blocks(page):
        if language == "sh":
            joined = re.sub(r"\\\n\s*", "", "\n".join(lines)).splitlines()
            found += [line.strip() for line in joined if line.strip() and not line.strip().startswith("#")]
    return found


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def reason_not_to_run(page: Path, line: str) -> str | None:
    return next((why for where, start, why in NOT_RUN if where == name(page) and line.startswith(start)), None)


class EveryCommand(unittest.TestCase):
    WEIGHT = 3

    def check(self, page: Path):
        lines = [line for line in commands(page) if not reason_not_to_run(page, line)]
        if not lines:
            return
        if not IS_INSTALLED and any("db.internal" in line or "DESK_POSTGRES" in line for line in lines):
            self.skipTest("there is no PostgreSQL: run scripts/setup --tests")
        if not promtool():
            lines = [line for line in lines if not line.startswith("promtool ")]
        with PreparedFolder() as folder:
            for line in lines:
                with self.subTest(line):
                    folder.run(line)

    def test_none_hides_in_a_block_of_another_kind(self):
        for page in pages():
            for language, lines in blocks(page):
                if language != "sh":
                    self.assertEqual([line for line in lines if COMMAND.match(line)], [], f"{name(page)}: make it a block of sh")

    def test_what_is_not_run_is_still_there(self):
        for where, start, why in NOT_RUN:
            page = ROOT / where
            self.assertTrue(page.exists() and any(line.startswith(start) for line in commands(page)), f"{where}: no {start} ({why})")


def _test(page):
    def test(self):
        self.check(page)
    return test


for _page in pages():
    setattr(EveryCommand, "test_" + re.sub(r"\W", "_", name(_page)), _test(_page))


class Links(unittest.TestCase):
    def test_each_leads_somewhere(self):
        for page in [*pages(), ROOT / "CHANGELOG.md", ROOT / "SECURITY.md", *(ROOT / "Examples").glob("*.md")]:
            text = re.sub(r"^ *```.*?^ *```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
            for target in re.findall(r"\]\(([^)\s]+)\)", text):
                if re.match(r"[a-z]+:", target):
                    continue
                path, _, anchor = target.partition("#")
                file = (page.parent / path).resolve() if path else page
                self.assertTrue(file.exists(), f"{name(page)} leads to {target}")
                if anchor:
                    self.assertIn(anchor, self.anchors(file), f"{name(page)} leads to {target}")

    @staticmethod
    def anchors(file: Path) -> set[str]:
        heads = re.findall(r"^#+ (.+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
        return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}

    def test_files_that_are_named_are_there(self):
        for page in (ROOT / "CONTRIBUTING.md", ROOT / "README.md", ROOT / "docs/operations.md", ROOT / "docs/client.md"):
            for path in re.findall(r"`((?:Sources|Tests|Examples|monitoring|scripts|docs)/[\w./+-]+)`", page.read_text(encoding="utf-8")):
                self.assertTrue((ROOT / path).exists(), f"{name(page)} names {path}")

    def test_readme_leads_to_every_page(self):
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        for page in sorted((ROOT / "docs").glob("*.md")):
            self.assertIn(f"docs/{page.name}", text)


class Client(unittest.TestCase):
    """How a backend gets the client library is told as the manifest and the version say."""

    PAGES = ("docs/client.md", "Sources/RefundDeskClient/RefundDeskClient.docc/RefundDeskClient.md")

    def test_versions_and_platforms(self):
        version = re.search(r'current = "(.+)"', (ROOT / "Sources/Server/Runtime/Version.swift").read_text(encoding="utf-8"))[1]
        manifest = (ROOT / "Package.swift").read_text(encoding="utf-8")
        tools = re.search(r"swift-tools-version: ([\d.]+)", manifest)[1]
        platforms = re.findall(r"\.(macOS|iOS|tvOS|watchOS|visionOS)\(\.v(\d+)\)", manifest)
        self.assertEqual(len(platforms), 5)
        for page in self.PAGES:
            text = (ROOT / page).read_text(encoding="utf-8")
            self.assertEqual(set(re.findall(r'from: "([^"]+)"', text)), {version}, page)
            words = " ".join(text.split())
            self.assertIn(f"Swift {tools} or newer", words, page)
            for system, number in platforms:
                self.assertIn(f"{system} {number}", words, page)
        whole = (ROOT / "docs/client.md").read_text(encoding="utf-8")
        self.assertIn(f"// swift-tools-version: {tools}\n", whole)

    def test_no_name_is_left_to_fill_in(self):
        listed = subprocess.run(["git", "grep", "-l", "/OWNER/"], cwd=ROOT, capture_output=True, text=True, timeout=60).stdout.split()
        self.assertEqual([path for path in listed if path != "Tests/EndToEnd/test_docs.py"], [])


class Generated(unittest.TestCase):
    def test_the_page_of_the_api_is_current(self):
        with Desk() as desk:
            description = desk.http("GET", "/openapi.json", token=False)[1]
        self.assertEqual((ROOT / "docs/api.md").read_text(encoding="utf-8"), current_page(description), "run scripts/api-docs")

    def test_every_error_of_apples_that_the_desk_knows_is_explained(self):
        source = (ROOT / "Sources/AppStore/ServerAPI/ServerAPIErrorCatalogue.swift").read_text(encoding="utf-8")
        page = (ROOT / "docs/troubleshooting.md").read_text(encoding="utf-8")
        entries = re.findall(r'\.init\(\s*([\d_]+|nil),\s*(?:"(\w+)"|nil)', source)
        self.assertGreater(len(entries), 60)
        for code, text in entries:
            shown = re.search(rf"^\| {code.replace('_', '')} \| .*$" if code != "nil" else rf"^\| \? \| `{text}` .*$", page, re.MULTILINE)
            self.assertTrue(shown, f"docs/troubleshooting.md lacks {code} {text}")
            self.assertIn(text or "", shown[0])
        listed = set(re.findall(r"^\| (\d{7}) \|", page, re.MULTILINE))
        self.assertEqual(listed - {code.replace("_", "") for code, _ in entries}, set())


class Monitoring(unittest.TestCase):
    """What the files of `monitoring` ask for is what a desk tells."""

    # A desk tells these only once something went wrong that this test does not cause; their names stand in the binary.
    RARE = {"refund_desk_store_faults_total", "refund_desk_apple_send_failures_total", "refund_desk_retention_total",
            "refund_desk_dashboard_login_failures_total"}

    @staticmethod
    @functools.cache
    def told() -> set[tuple[str, str]]:
        """What a desk tells to which most things happened: names with the names of their labels, and with none."""
        receiver = Receiver()
        hook = {"url": receiver.url}
        with Desk(app={"consent": {"mode": "blanket", "attestation": "the tests"}, "webhooks": [receiver.configuration()], "forward": [hook],
                       "alerts": [{"kind": "webhook"} | hook], "retention": {"usage": "1d"}}) as desk:
            desk.post_payload(request(purchase()))
            desk.post("NEW_TYPE")
            desk.post("TEST", bundleId="com.example.stranger", result="quarantined")
            desk.post_raw(b'{"signedPayload": "a.b.c"}')
            late = {"refund_desk_webhook_attempts_total", "refund_desk_forwards_total", "refund_desk_alerts_total",
                    "refund_desk_answer_attempts_total", "refund_desk_clock_offset_milliseconds", "refund_desk_disk_free_bytes"}
            found = eventually(lambda: (told := Monitoring.metrics(desk)) and late <= {metric for metric, _ in told} and told, what="every metric")
        receiver.stop()
        return found

    @staticmethod
    def metrics(desk) -> set[tuple[str, str]]:
        asked = urllib.request.Request(f"http://127.0.0.1:{desk.port}/metrics", headers={"Authorization": f"Bearer {desk.token}"})
        with urllib.request.urlopen(asked) as answer:
            lines = answer.read().decode().splitlines()
        found = re.findall(r"^(\w+)(?:\{(.*?)\})? ", "\n".join(lines), re.MULTILINE)
        return {(metric, label) for metric, labels in found for label in [*re.findall(r"(\w+)=", labels), ""]}

    @staticmethod
    def panels() -> list[dict]:
        return json.loads((ROOT / "monitoring/grafana-dashboard.json").read_text(encoding="utf-8"))["panels"]

    def asked(self) -> str:
        queries = [target["expr"] for panel in self.panels() for target in panel["targets"]]
        return "\n".join([*queries, (ROOT / "monitoring/prometheus-alerts.yml").read_text(encoding="utf-8")])

    def test_each_metric_is_told_by_the_running_desk(self):
        asked, told = set(re.findall(r"\brefund_desk_\w+", self.asked())), {metric for metric, _ in self.told()}
        binary = Path(BINARY).read_bytes()
        self.assertGreater(len(asked), 12)
        self.assertEqual(asked - told - self.RARE, set())
        self.assertEqual([metric for metric in self.RARE if metric.encode() not in binary], [])
        self.assertEqual(told - asked - {"refund_desk_retention_round_ended_milliseconds", "refund_desk_revocation_unknown_total"}, set(),
                         "a metric that no panel and no rule shows")

    def test_labels(self):
        """A label in a selector or a `by` is one that the metric has."""
        for metric, labels in re.findall(r"\b(refund_desk_\w+)\{([^}]*)\}", self.asked()):
            for label in re.findall(r"(\w+)=", labels):
                if metric not in self.RARE and label != "instance":
                    self.assertIn((metric, label), self.told())

    # Counted in the database, so every desk of it tells the same.
    SHARED = ("refund_desk_outbox_pending", "refund_desk_outbox_dead", "refund_desk_blanket_consent")

    def query(self, series: dict[str, str], wanted: list[tuple[str, str, int]]):
        """Demands of each query what it gives over the series: one number, whatever its labels."""
        if not promtool():
            self.skipTest("there is no promtool, and scripts/promtool cannot get one")
        queries = [{"expr": f"sum({expression.replace('$instance', '.*')})", "eval_time": "5m", "exp_samples": [{"labels": "{}", "value": value}]}
                   for _, expression, value in wanted]
        tests = {"tests": [{"interval": "1m", "input_series": [{"series": name, "values": values} for name, values in series.items()],
                            "promql_expr_test": queries}]}
        with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
            json.dump(tests, file)  # JSON is YAML.
            file.flush()
            done = subprocess.run([promtool(), "test", "rules", file.name], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, f"{[title for title, _, _ in wanted]}: {done.stdout}{done.stderr}")

    def test_two_desks_of_one_database_count_once(self):
        queries = [(panel["title"], target["expr"]) for panel in self.panels() for target in panel["targets"]
                   if any(metric in target["expr"] for metric in self.SHARED)]
        self.assertEqual(len(queries), 4)
        series = {}
        for desk in "ab":
            series |= {f'{metric}{{kind="answer",instance="{desk}"}}': "3x10" for metric in self.SHARED[:2]}
            series |= {f'refund_desk_blanket_consent{{app="acme",instance="{desk}"}}': "1x10"}
        self.query(series, [(title, expression, 1 if "blanket" in expression else 3) for title, expression in queries])

    def test_a_single_number_is_there_when_nothing_happened(self):
        numbers = [(panel["title"], target["expr"], 0) for panel in self.panels() if panel["type"] == "stat" for target in panel["targets"]
                   if "refund_desk_" in target["expr"]]
        self.assertGreater(len(numbers), 1)
        self.query({'up{job="refund-desk",instance="a"}': "1x10"}, numbers)

    def test_rules_by_promtool(self):
        if not promtool():
            self.skipTest("there is no promtool, and scripts/promtool cannot get one")
        for words in (["check", "rules", "monitoring/prometheus-alerts.yml"], ["check", "config", "--syntax-only", "monitoring/prometheus.yml"],
                      ["test", "rules", "Tests/EndToEnd/prometheus-alerts-test.yml"]):
            done = subprocess.run([promtool(), *words], cwd=ROOT, capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
