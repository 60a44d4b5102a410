"""Runs the end-to-end tests against the built refund-desk, several at a time. Exit 0: all passed; 1: not so.

The binary is REFUND_DESK, else the checkout's release or debug build. Apple's model files are read from REFUND_DESK_SHARED, else from
`shared` beside the checkout.

With --lag, every server of a test keeps what it received at once and answers so many seconds later: what a test takes for done when it
was only received shows up as a failure.

usage: endtoend.py [--jobs N] [--lag SECONDS] [--list] [PART-OF-NAME...]"""

import argparse
import sys
import time
import unittest
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import appstore
import desk

# Faults of the product that are not mended yet: a test's name and what is wrong. Each is run, and has to fail.
KNOWN_FAILURES: dict[str, str] = {}


def all_tests() -> list[unittest.TestCase]:
    found, groups = [], [unittest.defaultTestLoader.discover(str(Path(__file__).parent), pattern="test_*.py")]
    while groups:
        for each in groups.pop():
            if isinstance(each, unittest.TestSuite):
                groups.append(each)
            else:
                found.append(each)
    return sorted(found, key=lambda test: (-getattr(test, "WEIGHT", 1), test.id()))


def run(test: unittest.TestCase) -> tuple[str, str, float]:
    """`passed`, `failed` or `skipped`, with the reason and the seconds."""
    result, start = unittest.TestResult(), time.monotonic()
    test.run(result)
    seconds = time.monotonic() - start
    if result.skipped:
        return "skipped", result.skipped[0][1], seconds
    faults = result.failures + result.errors
    return ("failed", "\n".join(text for _, text in faults), seconds) if faults else ("passed", "", seconds)


def main() -> int:
    print(f"testing {desk.BINARY}")  # Without one, importing `desk` has ended this.
    options = argparse.ArgumentParser()
    options.add_argument("--jobs", type=int, default=4)
    options.add_argument("--lag", type=float, default=0.0)
    options.add_argument("--list", action="store_true")
    options.add_argument("names", nargs="*")
    chosen = options.parse_args()
    appstore.LocalServer.lag = chosen.lag
    tests = [test for test in all_tests() if not chosen.names or any(name in test.id() for name in chosen.names)]
    if chosen.list:
        print("\n".join(test.id() for test in tests))
        return 0
    counts, failures, start = {"passed": 0, "failed": 0, "skipped": 0, "known": 0}, [], time.monotonic()
    with ThreadPoolExecutor(chosen.jobs) as pool:
        running = {pool.submit(run, test): test for test in tests}
        for done in as_completed(running):
            outcome, detail, seconds = done.result()
            name = running[done].id()
            if name in KNOWN_FAILURES:
                outcome, detail = ("known", KNOWN_FAILURES[name]) if outcome == "failed" else (
                    "failed", "passes, and stands in KNOWN_FAILURES: take it out")
            counts[outcome] += 1
            line = f"{outcome:<8}{name} ({seconds:.1f} s)" + (f": {detail}" if detail else "")
            failures += [line] if outcome == "failed" else []
            print(line, flush=True)
    if failures:  # Once more where the end of a long output is looked at.
        print("\n".join(["", "What failed:", *failures, ""]))
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['known']} known failures, {counts['skipped']} skipped "
          f"in {time.monotonic() - start:.0f} s")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
