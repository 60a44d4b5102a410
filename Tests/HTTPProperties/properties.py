"""Holds the running desk to its own description: thousands of requests generated from `/openapi.json`, sound and unsound.

No answer may be a 5xx, have a status or a content type that the operation does not document, or a body that breaks its schema; data that the
schema forbids must be refused, and what it allows taken; and each operation must ask for the token that it documents. Prints figures as JSON; exit 1 on a failure.

usage: properties.py [--seed N] [--examples N] [--scope read|write|admin]..."""

import argparse
import collections
import json
import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "EndToEnd"))

from desk import Desk  # noqa: E402
from payloads import APP, COINS, PRO, notification, period, purchase, renewal, request, revoked  # noqa: E402
from signing import HOUR, now_ms  # noqa: E402

SCOPES = ["read", "write", "admin"]
CHECKS = [
    "not_a_server_error", "status_code_conformance", "content_type_conformance", "response_headers_conformance",
    "response_schema_conformance", "negative_data_rejection", "positive_data_acceptance", "unsupported_method",
    "ignored_auth", "missing_required_header", "allow_header_conformance", "use_after_free", "ensure_resource_availability",
]


def seed(desk: Desk) -> dict[str, list[str]]:
    """Cases in every state, and purchases of every kind; the names in paths, by parameter."""
    bought = [purchase() for _ in range(4)] + [period(), period(environment="Sandbox")]
    uuids = [desk.post("ONE_TIME_CHARGE" if "expiresDate" not in each else "SUBSCRIBED", None, each, each.get("expiresDate") and renewal(each))
             for each in bought]
    asked, agreed, declined, refunded, reversed_, old = bought[0], bought[1], bought[2], bought[3], bought[4], bought[5]
    desk.consent(agreed["appTransactionId"])
    uuids += [desk.post_payload(request(each)) for each in (asked, agreed, declined, refunded, reversed_, old)]
    uuids.append(desk.post("REFUND_DECLINED", transaction=declined))
    for each in (refunded, reversed_):
        uuids.append(desk.post("REFUND", transaction=revoked(each, now_ms() - HOUR)))
    uuids.append(desk.post("REFUND_REVERSED", transaction=reversed_ | {"signedDate": now_ms()}))
    uuids.append(desk.post_payload(notification("TEST", bundleId="com.stranger"), result="quarantined"))
    desk.api("PUT", f"/transactions/{asked['originalTransactionId']}/user", {"userId": "u-42"})
    desk.api("PUT", f"/customers/{asked['appTransactionId']}/tags", {"tags": ["vip"]})
    desk.api("POST", "/usage", status=202, data={"events": [
        {"id": "e1", "customer": asked["appTransactionId"], "meter": "coins", "quantity": 3, "at": now_ms()}]})
    names = [each["transactionId"] for each in bought]
    return {
        "app": [APP], "notificationUUID": uuids, "transactionId": names, "originalTransactionId": names,
        "id": [item["id"] for path in ("/webhooks/deliveries", "/outbox") for item in desk.items(path, environment="all")] or ["1"],
        "productId": [COINS, PRO, "*"], "ref": ["u-42"] + [each["appTransactionId"] for each in bought] + names}


def operations(desk: Desk) -> dict[tuple[str, str], dict]:
    paths = desk.http("GET", "/openapi.json", token=False)[1]["paths"]
    return {(method.upper(), path): operation for path, methods in paths.items() for method, operation in methods.items()}


def token_faults(desk: Desk, known: dict, tokens: dict[str, str]) -> list[str]:
    """Each operation with no token, one that nobody made, and one of each scope: 401, 403, or let in, as its `security` says."""
    faults = []
    for (method, path), operation in operations(desk).items():
        needed = operation["security"] and operation["security"][0]["token"][0]
        filled = path.format_map({name: names[0] for name, names in known.items()})
        data = {} if "requestBody" in operation else None
        for name, token in [("no token", False), ("an unknown token", "nobody's")] + list(tokens.items()):
            status = desk.http(method, filled, data, token=token)[0]
            expected = None if not needed else 401 if name not in SCOPES else 403 if SCOPES.index(name) < SCOPES.index(needed) else None
            if status != expected if expected else status in (401, 403):
                faults.append(f"{method} {path} with {name}: {status}, not {expected or 'let in'}")
    return faults


def generated(desk: Desk, scope: str, token: str, chosen) -> tuple[dict, bool]:
    """What Schemathesis asked with this token and what was answered, and whether all was right; its own report goes to stderr."""
    tally = Path(desk.folder, f"tally-{scope}.json")
    environment = os.environ | {"SCHEMATHESIS_HOOKS": "hooks", "PYTHONPATH": str(HERE), "TALLY": str(tally),
                                "KNOWN_NAMES": str(Path(desk.folder, "names.json")), "PYTHONDONTWRITEBYTECODE": "1"}
    words = ["--url", f"http://127.0.0.1:{desk.port}", "--header", f"Authorization: Bearer {token}", "--checks", ",".join(CHECKS),
             "--max-examples", str(chosen.examples), "--seed", str(chosen.seed), "--continue-on-failure", "--generation-database", "none",
             "--suppress-health-check", "all", "--request-timeout", "20", "--warnings", "off", "--no-color"]
    done = subprocess.run(
        [str(Path(sys.executable).with_name("schemathesis")), "run", "description.json", *words],
        env=environment, cwd=desk.folder, stdout=sys.stderr)
    return json.loads(tally.read_text()), done.returncode == 0


def figures(tally: dict, total: int) -> dict:
    statuses = collections.Counter()
    for counts in tally.values():
        statuses.update(counts)
    return {"requests": sum(statuses.values()), "operations": len(tally), "of": total,
            "operationsThatSucceeded": sum(any(status.startswith("2") for status in counts) for counts in tally.values()),
            "statuses": dict(sorted(statuses.items()))}


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--seed", type=int, default=20_261_130)
    options.add_argument("--examples", type=int, default=40, help="at most so many per operation and phase")
    options.add_argument("--scope", action="append", choices=SCOPES)
    chosen = options.parse_args()
    start = time.monotonic()
    result = {"seed": chosen.seed, "examples": chosen.examples, "scopes": {}, "failures": []}
    with Desk(top={"allowPrivateTargets": True}) as desk:
        # Somewhere to send events to that never takes one, so that deliveries stay listed.
        desk.app["webhooks"] = [{"url": desk.store.url + "/hooks", "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "events": ["*"]}]
        desk.configure()
        desk.stop()
        desk.start()
        known = seed(desk)
        Path(desk.folder, "names.json").write_text(json.dumps(known))
        tokens = {scope: desk.run("token", "create", "--name", scope, "--scope", scope).stdout.strip() for scope in SCOPES}
        # From a file: an operation that the description was read from would not be tested.
        Path(desk.folder, "description.json").write_text(json.dumps(desk.http("GET", "/openapi.json", token=False)[1]))
        total = len(operations(desk))
        result["failures"] += token_faults(desk, known, tokens)
        for scope in chosen.scope or SCOPES:
            tally, passed = generated(desk, scope, tokens[scope], chosen)
            result["scopes"][scope] = figures(tally, total)
            if not passed:
                result["failures"].append(f"generated requests with a token of scope {scope}: see the report above")
        result["failures"] += [line for line in desk.errors().splitlines() if '"level":"error"' in line]
        code = desk.stop()
        if code != 0:
            result["failures"].append(f"serve ended with {code}")
    result["requests"] = sum(each["requests"] for each in result["scopes"].values())
    result["seconds"] = round(time.monotonic() - start)
    print(json.dumps(result, indent=1))
    return 1 if result["failures"] else 0


if __name__ == "__main__":
    sys.exit(main())
