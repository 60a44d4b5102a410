"""Which test proves which field report: what went wrong for other people who do this job, numbered in a table of inputs and right behaviour.

A Python test says so with `@field_report(88)`, a Swift test in its display name: `@Test("field report 88: ...")` or `"field reports 78 and 94: ..."`.
Run as a program, it compares the table's ids with those that tests name. Exit 1: an id is not proven, or a test names one that is not there.

usage: field_reports.py TABLE [--list]"""

import argparse
import ast
import json
import os
import re
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
SWIFT = re.compile(r'@Test\(\s*"field reports? ([^":]+):')


def field_report(*ids: int):
    """Marks a test as a proof of these field reports, down to the last column of each."""
    assert ids and all(isinstance(each, int) for each in ids), ids
    return lambda test: test


def table_ids(text: str) -> list[int]:
    return [int(each) for each in re.findall(r"^\| *(\d+) *\|", text, re.MULTILINE)]


def python_proofs(path: Path):
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.FunctionDef) or not node.name.startswith("test_"):
            continue
        for mark in node.decorator_list:
            if isinstance(mark, ast.Call) and isinstance(mark.func, ast.Name) and mark.func.id == "field_report":
                for argument in mark.args:
                    yield ast.literal_eval(argument), f"{path.stem}.{node.name}"


def swift_proofs(path: Path):
    for ids in SWIFT.findall(path.read_text()):
        for each in re.findall(r"\d+", ids):
            yield int(each), f"{path.parent.name}/{path.name}"


def proofs() -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for path in sorted((TESTS / "EndToEnd").glob("test_*.py")):
        for identity, name in python_proofs(path):
            found.setdefault(identity, []).append(name)
    for path in sorted(TESTS.rglob("*.swift")):
        for identity, name in swift_proofs(path):
            found.setdefault(identity, []).append(name)
    return found


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("table", type=Path)
    options.add_argument("--list", action="store_true")
    chosen = options.parse_args()
    wanted, found = table_ids(chosen.table.read_text()), proofs()
    assert wanted, f"{chosen.table} has no rows"
    if chosen.list:
        for identity in wanted:
            print(f"{identity:>4}  {', '.join(found.get(identity, ['-']))}")
    missing, unknown = [each for each in wanted if each not in found], sorted(set(found) - set(wanted))
    for identity in missing:
        print(f"field report {identity} has no test that names it")
    for identity in unknown:
        print(f"{', '.join(found[identity])} names field report {identity}, which is not in the table")
    figures = {"fieldReports": len(wanted), "fieldReportsProven": len(wanted) - len(missing)}
    if os.environ.get("REFUND_DESK_FIGURES"):
        Path(os.environ["REFUND_DESK_FIGURES"]).write_text(json.dumps(figures) + "\n")
    print(json.dumps(figures))
    return 1 if missing or unknown else 0


if __name__ == "__main__":
    sys.exit(main())
