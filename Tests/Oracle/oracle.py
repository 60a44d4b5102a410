"""Asks Apple's own server library and `refund-desk verify` about the same messages and demands the same verdicts.

The messages come from a fixed seed. Where the two mean to differ is listed in differences.py: every message marked with one of those must
show exactly that difference, every other message none. Exit 0: so it is; 1: not so, with each message named.

usage: oracle.py --binary refund-desk [--report FILE] [--seed N] [--only GROUP]"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from cryptography.hazmat.primitives import serialization

import groups_chain
import groups_content
import groups_form
from apple import AppleVerdicts
from differences import DIFFERENCES, STRICTER
from message import Message, World

GROUPS = groups_form.GROUPS + groups_chain.GROUPS + groups_content.GROUPS
FEWEST = 2000


class DeskVerdicts:
    """`refund-desk verify`, one process a message."""

    def __init__(self, binary: str, roots: list[str]):
        self.command = [binary, "verify", "-", "--json"] + [part for root in roots for part in ("--root", root)]

    def __call__(self, message: Message) -> tuple[bool, str]:
        profile = message.profile
        run = subprocess.run(self.command + ["--bundle-id", profile.bundle, "--app-apple-id", str(profile.app_id),
                                             "--environment", profile.environment],
                             input=message.content, capture_output=True, timeout=60)
        if run.returncode not in (0, 1):
            raise SystemExit(f"verify ended with {run.returncode} on {message.group}: {message.name}\n{run.stderr.decode(errors='replace')}")
        verdict = json.loads(run.stdout)
        assert verdict["valid"] == (run.returncode == 0), "exit code and JSON differ"
        return verdict["valid"], verdict.get("code") or "valid"


def fault(message: Message, apple: bool, ours: bool) -> str | None:
    """What is wrong with the two verdicts; None if nothing is."""
    if message.difference:
        stricter = DIFFERENCES[message.difference].direction == STRICTER
        if (apple, ours) != (stricter, not stricter):
            return f"should show the difference {message.difference}"
        return None
    if apple != ours:
        return "the verdicts differ"
    if message.accepted not in (None, apple):
        return "both verdicts are not what the message was made for"
    return None


def write_roots(world: World, folder: str) -> list[str]:
    issued = [world.chain.root, *groups_chain.roots(world).values()]
    paths = []
    for index, root in enumerate(issued):
        paths.append(os.path.join(folder, f"root{index}.pem"))
        with open(paths[-1], "wb") as file:
            file.write(root.certificate.public_bytes(serialization.Encoding.PEM))
    return paths


def compare(world: World, messages: list[Message], binary: str) -> list[tuple[Message, bool, bool, str, str]]:
    apple = AppleVerdicts([world.chain.root.der, *(root.der for root in groups_chain.roots(world).values())])
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        desk = DeskVerdicts(binary, write_roots(world, folder))
        ours = pool.map(desk, messages)
        rows = []
        for message, (valid, code) in zip(messages, ours):
            accepted, status = apple(message)
            rows.append((message, accepted, valid, status, code))
    return rows


def summary(rows) -> dict:
    groups = {}
    for message, apple, ours, _, code in rows:
        group = groups.setdefault(message.group, Counter())
        group["messages"] += 1
        group["accepted by both" if apple and ours else "refused by both" if not apple and not ours else "listed differences"] += 1
    counts = Counter(message.difference for message, *_ in rows if message.difference)
    return {
        "messages": len(rows),
        "groups": groups,
        "differences": {name: {"messages": counts[name], "direction": difference.direction, "reason": difference.reason}
                        for name, difference in DIFFERENCES.items()},
        "codes": dict(Counter(code for *_, code in rows).most_common()),
    }


def show(result: dict) -> None:
    columns = ["messages", "accepted by both", "refused by both", "listed differences"]
    print(f"{'group':<14}" + "".join(f"{column:>20}" for column in columns))
    for name, group in result["groups"].items():
        print(f"{name:<14}" + "".join(f"{group[column]:>20}" for column in columns))
    print(f"\n{'difference':<20}{'messages':>9}  we are")
    for name, difference in result["differences"].items():
        print(f"{name:<20}{difference['messages']:>9}  {difference['direction']}: {difference['reason']}")


def main() -> int:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--binary", required=True)
    arguments.add_argument("--report")
    arguments.add_argument("--seed", type=int, default=20_261_130)
    arguments.add_argument("--only")
    chosen = arguments.parse_args()
    start = time.monotonic()
    world = World(chosen.seed)
    messages = [message for group in GROUPS if chosen.only in (None, group.__name__) for message in group(world)]
    rows = compare(world, messages, os.path.abspath(chosen.binary))
    faults = [(message, fault(message, apple, ours), apple, ours, status, code) for message, apple, ours, status, code in rows
              if fault(message, apple, ours)]
    result = summary(rows) | {"seed": chosen.seed, "seconds": round(time.monotonic() - start, 1), "faults": [
        {"group": message.group, "name": message.name, "fault": what, "apple": status, "desk": code}
        for message, what, _, _, status, code in faults]}
    show(result)
    for message, what, apple, ours, status, code in faults:
        print(f"FAULT {message.group}: {message.name}: {what}: Apple's library says {status}, we say {code}")
    if chosen.report:
        with open(chosen.report, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=2, ensure_ascii=False)
    missing = [] if chosen.only else [name for name, each in result["differences"].items() if each["messages"] == 0]
    for name in missing:
        print(f"FAULT: no message shows the listed difference {name}")
    if not chosen.only and len(messages) < FEWEST:
        missing.append("messages")
        print(f"FAULT: only {len(messages)} messages, fewer than {FEWEST}")
    print(f"\n{len(rows) - len(faults)} passed, {len(faults) + len(missing)} failed")
    return 1 if faults or missing else 0


if __name__ == "__main__":
    sys.exit(main())
