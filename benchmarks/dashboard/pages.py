"""How long the dashboard's pages take with many cases: medians and the slowest of ten, in milliseconds.

A desk takes in some cases of every kind; then their rows are multiplied in the database, each under a name and at a time of its own.

usage: PYTHONPATH=Tests/EndToEnd pages.py [CASES]      REFUND_DESK names the binary"""

import http.client
import os
import re
import sqlite3
import statistics
import sys
import time

from desk import Desk
from payloads import APP, notification, purchase, request, revoked
from signing import DAY, now_ms
from waiting import eventually

TABLES = {"cases": ("opened_at_ms", "deadline_ms"), "case_events": ("signed_at_ms",), "decisions": ("at_ms",), "answers": ("at_ms",),
          "purchases": ("purchased_at_ms",)}
FOUND_BY = {"decisions": "sequence"}


def multiply(file: str, times: int):
    database = sqlite3.connect(file)
    for table, instants in TABLES.items():
        columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})") if row[1] != FOUND_BY.get(table)]
        values = ", ".join(
            "{0} || '-' || n".format(name) if name in ("transaction_id", "original_transaction_id")
            else f"{name} - n * 60000" if name in instants else name for name in columns)
        database.execute(f"""
            WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
            INSERT INTO {table} ({', '.join(columns)}) SELECT {values} FROM {table} CROSS JOIN numbers""", (times,))
        database.commit()
    database.close()


def log_in(desk) -> str:
    connection = http.client.HTTPConnection("127.0.0.1", desk.port)
    connection.request("GET", "/login")
    answer = connection.getresponse()
    page = answer.read()
    form = re.search(rb'name="form" value="([^"]+)"', page)[1].decode()
    connection.request("POST", "/login", f"form={form}&token={desk.token}", {
        "Cookie": answer.getheader("Set-Cookie").split(";")[0], "Content-Type": "application/x-www-form-urlencoded",
        "Origin": f"http://127.0.0.1:{desk.port}", "Sec-Fetch-Site": "same-origin"})
    answer = connection.getresponse()
    answer.read()
    assert answer.status == 303, answer.status
    return next(each.split(";")[0] for each in answer.headers.get_all("Set-Cookie") if "refund-desk=" in each)


def seconds(connection, path: str, cookie: str) -> float:
    start = time.monotonic()
    connection.request("GET", path, headers={"Cookie": cookie})
    answer = connection.getresponse()
    body = answer.read()
    assert answer.status == 200, f"{path}: {answer.status} {body[:300]}"
    return time.monotonic() - start


def main():
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    policy = {"default": {"answer": "data-only"}}
    with Desk(app={"consent": {"mode": "blanket", "attestation": "the benchmark"}, "policy": policy}) as desk:
        known = [purchase(purchaseDate=now_ms() - DAY) for _ in range(10)]
        for number, each in enumerate(known):
            desk.post_payload(request(each))
            if number % 3 == 0:
                desk.post_payload(notification("REFUND", transaction=revoked(each, now_ms())))
            elif number % 3 == 1:
                desk.post_payload(notification("REFUND_DECLINED", transaction=each))
        eventually(lambda: len(desk.items("/cases")) == len(known), 30)
        desk.stop()
        multiply(os.path.join(desk.folder, "desk.db"), wanted // len(known))
        desk.start()
        cookie, case = log_in(desk), f"{known[2]['transactionId']}-7"
        connection = http.client.HTTPConnection("127.0.0.1", desk.port)
        print(f"{wanted} cases")
        for name, path in (("queue", ""), ("cases", "/cases"), ("case", f"/cases/{case}"), ("customers", "/customers"), ("policy", "/policy"),
                           ("reports", "/reports"), ("health", "/health"),
                           ("notifications", "/notifications"), ("audit", "/audit")):
            taken = [seconds(connection, f"/apps/{APP}{path}", cookie) * 1e3 for _ in range(11)][1:]
            print(f"{name}: median {statistics.median(taken):.1f} ms, slowest {max(taken):.1f} ms")


main()
