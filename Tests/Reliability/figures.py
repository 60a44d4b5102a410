"""Runs everything that proves a promise by happening often, and prints the figures; writes them into docs/reliability.md, between its marks.

A tool tells its figures as one JSON object: in the file that REFUND_DESK_FIGURES names, or at the end of its stdout. One that is not in the
checkout is left out. Exit 1: one of them failed; the documentation is left as it is then.

usage: figures.py [--quick] [--only NAME]... [--without NAME]... [--no-docs]"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/reliability.md"
BEGIN, END = "<!-- figures: scripts/reliability -->", "<!-- end of figures -->"


class Tool:
    """`quick` and `full` are its command; `rows` makes lines of the table from its figures."""

    def __init__(self, name, quick, full, rows):
        self.name, self.quick, self.full, self.rows = name, quick.split(), full.split(), rows

    def is_here(self) -> bool:
        return (ROOT / self.quick[0]).exists()

    def run(self, is_quick: bool) -> tuple[dict, int]:
        """Its figures and its exit code."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "figures")
            done = subprocess.run(self.quick if is_quick else self.full, cwd=ROOT, stdout=subprocess.PIPE, text=True,
                                  env=os.environ | {"REFUND_DESK_FIGURES": str(file)})
            if done.returncode:
                print(done.stdout[-3_000:], file=sys.stderr)
            text = file.read_text() if file.exists() else last_object(done.stdout)
        return json.loads(text or "{}"), done.returncode


def last_object(text: str) -> str:
    """From the last line that begins an object to the end."""
    lines = text.splitlines()
    start = max((number for number, line in enumerate(lines) if line.startswith("{")), default=len(lines))
    return "\n".join(lines[start:])


def number(value) -> str:
    return f"{value:,}" if isinstance(value, (int, float)) else str(value)


def simulation(found):
    yield "simulated worlds, steps", found["worlds"], found["steps"]
    yield "notifications in them, attempts at delivering them", found["notifications"], found["deliveries"]
    yield "crashes, jumps of the clock", found["crashes"], found["clock jumps"]
    yield "rounds of asking, answered (the others lacked consent or a statement, or Apple decided first)", found["rounds"], found["rounds answered"]
    yield "webhooks, alerts, forwards", found["webhooks"], found["alerts"], found["forwards"]
    yield "worlds that broke a promise", found["worlds that broke a promise"]


def kills(found):
    yield "kills of the real process, of them while it started", found["kills"], found["killsWhileStarting"]
    yield "acknowledged notifications, answers, webhooks, consents, events of usage behind them", *(
        found[key] for key in ("notifications", "answers", "webhooks", "consents", "usage"))
    yield "promises broken by a kill", found["brokenPromises"]


def fuzzing(found):
    executions = sum(each["executions"] for each in found["targets"].values())
    yield "fuzzed readers of input, inputs tried", len(found["targets"]), executions


def oracle(found):
    groups = found["groups"].values()
    yield "messages also judged by Apple's library, refused by both", sum(each["messages"] for each in groups), sum(
        each.get("refused by both", 0) for each in groups)
    yield "of them judged otherwise without a listed reason", len(found["faults"])


def properties(found):
    yield "requests made up from the API's description, answers that it does not document", found["requests"], len(found["failures"])


def attacks(found):
    yield "hostile requests and connections refused, of kinds", sum(found["attacksRefused"].values()), len(found["attacksRefused"])


TOOLS = [
    Tool("simulation", "scripts/soak 100", "scripts/soak 3000", simulation),
    Tool("canaries", "scripts/soak canaries", "scripts/soak canaries",
         lambda found: [("desks broken on purpose, seen to be", found["canaries"], found["canaries seen"])]),
    Tool("kills", "scripts/soak kills 20 --every 10", "scripts/soak kills 300", kills),
    Tool("oracle", "scripts/oracle", "scripts/oracle", oracle),
    Tool("fuzz", "scripts/fuzz 3", "scripts/fuzz 60", fuzzing),
    Tool("properties", "scripts/http-properties --examples 20", "scripts/http-properties", properties),
    Tool("attacks", "scripts/attacks", "scripts/attacks", attacks),
    Tool("field reports", "scripts/field-reports", "scripts/field-reports",
         lambda found: [("field reports, proven by a test", found["fieldReports"], found["fieldReportsProven"])] if found else []),
]


def write(rows, command):
    before, rest = PAGE.read_text().split(BEGIN)
    _, after = rest.split(END)
    lines = [f"| {name} | {', '.join(map(number, values))} |" for name, *values in rows]
    PAGE.write_text("\n".join([before + BEGIN, "", f"Written by `{command}`.", "", "| | |", "|---|---|", *lines, "", END + after]))


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--quick", action="store_true", help="minutes instead of an hour")
    options.add_argument("--only", action="append", choices=[tool.name for tool in TOOLS])
    options.add_argument("--without", action="append", default=[], choices=[tool.name for tool in TOOLS])
    options.add_argument("--no-docs", action="store_true")
    chosen = options.parse_args()
    rows, figures, failed = [], {}, []
    for tool in TOOLS:
        if not tool.is_here() or tool.name in chosen.without or (chosen.only and tool.name not in chosen.only):
            continue
        start = time.monotonic()
        found, code = tool.run(chosen.quick)
        figures[tool.name] = found | {"secondsTaken": round(time.monotonic() - start)}
        if code:
            failed.append(tool.name)
            print(f"{tool.name} FAILED (exit {code})", file=sys.stderr)
            continue
        for name, *values in tool.rows(found):
            rows.append((name, *values))
            print(f"{name}: {', '.join(map(number, values))}", flush=True)
    print(json.dumps(figures))
    if not failed and not chosen.no_docs and not chosen.only:
        write(rows, " ".join(["scripts/reliability", *sys.argv[1:]]))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
