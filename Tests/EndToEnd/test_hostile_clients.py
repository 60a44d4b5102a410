"""Clients that mean harm: each is refused, and the desk goes on serving others meanwhile.

Each test prints what it refused, as a line of JSON: `{"attacksRefused": {NAME: COUNT}}`."""

import json
import re
import select
import socket
import threading
import time
import unittest

from desk import APP, Desk

SMUGGLED = "GET /healthz?smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
SIZE = len(SMUGGLED)
POST = f"POST /v1/apps/{APP}/notifications HTTP/1.1\r\nHost: x\r\n"
CHUNKED = POST + "Transfer-Encoding: chunked\r\n\r\n"
GET = "GET /healthz HTTP/1.1\r\nHost: x\r\n"

# One request each, though some proxy could see another one's end: the second must not be answered, and the connection be closed.
AMBIGUOUS = {
    "length and chunks": POST + f"Content-Length: {SIZE}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "chunks and length": POST + f"Transfer-Encoding: chunked\r\nContent-Length: {SIZE}\r\n\r\n0\r\n\r\n",
    "two lengths": POST + f"Content-Length: 0\r\nContent-Length: {SIZE}\r\n\r\n",
    "two lengths, the other way": POST + f"Content-Length: {SIZE}\r\nContent-Length: 0\r\n\r\n",
    "a list of lengths": POST + f"Content-Length: 0, {SIZE}\r\n\r\n", "a length with a sign": POST + "Content-Length: +0\r\n\r\n",
    "a length below zero": POST + "Content-Length: -1\r\n\r\n", "a hexadecimal length": POST + "Content-Length: 0x0\r\n\r\n",
    "an empty length": POST + "Content-Length:\r\n\r\n", "a length beyond 64 bits": POST + "Content-Length: 99999999999999999999999\r\n\r\n",
    "a space behind Content-Length": POST + f"Content-Length : {SIZE}\r\n\r\n",
    "a space behind Transfer-Encoding": POST + "Transfer-Encoding : chunked\r\nContent-Length: 0\r\n\r\n",
    "a tab before chunked": POST + f"Transfer-Encoding:\tchunked\r\nContent-Length: {SIZE}\r\n\r\n0\r\n\r\n",
    "an unknown coding": POST + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "a list of codings": POST + "Transfer-Encoding: identity, chunked\r\n\r\n0\r\n\r\n",
    "two codings": POST + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
    "identity": POST + "Transfer-Encoding: identity\r\nContent-Length: 0\r\n\r\n",
    "chunks in HTTP/1.0": CHUNKED.replace("1.1", "1.0") + "0\r\n\r\n",
    "a length behind a bare CR": POST + f"X: a\rContent-Length: {SIZE}\r\n\r\n",
    "a coding behind a bare CR": POST + "X: a\rTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "a folded length": POST + f"X: a\r\n Content-Length: {SIZE}\r\n\r\n", "a NUL in a name": POST + "Content-Length\0: 0\r\n\r\n",
    "no colon": POST + "Nonsense\r\nContent-Length: 0\r\n\r\n", "a chunk below zero": CHUNKED + "-1\r\n\r\n",
    "a chunk with 0x": CHUNKED + "0x0\r\n\r\n", "a chunk beyond 64 bits": CHUNKED + "fffffffffffffffff\r\n\r\n",
    "a chunk longer than it says": CHUNKED + "3\r\nabcXX0\r\n\r\n", "a space behind a chunk's size": CHUNKED + "0 \r\n\r\n",
    "a line end in a chunk's extension": CHUNKED + "0;a\nb\r\n\r\n", "two hosts": GET + "Host: y\r\n\r\n", "no host": "GET /healthz HTTP/1.1\r\n\r\n",
    "a NUL in the target": "GET /healthz\0/../metrics HTTP/1.1\r\nHost: x\r\n\r\n",
    "a space in the target": "GET /healthz x HTTP/1.1\r\nHost: x\r\n\r\n", "two spaces": "GET  /healthz  HTTP/1.1\r\nHost: x\r\n\r\n",
    "a header put into a token": GET.replace("healthz", "metrics") + "Authorization: Bearer TOKEN\r\n Host: y\r\n\r\n",
    "HTTP/2": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "HTTP/0.9": "GET /healthz\r\n\r\n", "CONNECT": "CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n",
    "a target of 9 kB": f"GET /{'a' * 9_000} HTTP/1.1\r\nHost: x\r\n\r\n", "a target of 100 kB": f"GET /{'a' * 100_000} HTTP/1.1\r\nHost: x\r\n\r\n",
    "a header of 20 kB": GET + f"X: {'y' * 20_000}\r\n\r\n", "a header of 100 kB": GET + f"X: {'y' * 100_000}\r\n\r\n",
    "a thousand headers": GET + "X: y\r\n" * 1_000 + "\r\n", "twenty long headers": GET + f"X: {'y' * 1_000}\r\n" * 20 + "\r\n",
    "a body over a mebibyte": POST + f"Content-Length: {(1 << 20) + 1}\r\n\r\n",
}
# Sound requests for what there is not: path, method, and the status that they must get.
NONSENSE = [
    ("GET", "/v1/apps/{app}/cases/%00", 422), ("GET", "/v1/apps/{app}/customers/a%0D%0AX:%20y", 422), ("GET", "/v1/apps/{app}/customers/a%2Fb", 404),
    ("GET", "/v1/apps%2F{app}/cases", 404), ("GET", "/v1/apps/{app}/cases/..%2F..", 404), ("GET", "/v1/apps/{app}/../../../healthz", 404),
    ("GET", "/v1/apps/{app}/cases/%C0%AF", 400), ("GET", "/v1/apps/{app}/cases/%zz", 400), ("GET", "/v1/apps/{app}/cases?cursor=%0A", 422),
    ("OPTIONS", "*", 404), ("OPTIONS", "/v1/apps/{app}/cases", 405), ("TRACE", "/healthz", 405), ("DELETE", "/v1/apps/{app}/cases/1", 405),
    ("get", "/healthz", 405), ("HEAD", "/v1/apps/{app}/notifications", 405), ("HEAD", "/v1/apps/{app}/cases/1", 404),
]


def told(counts: dict):
    print(json.dumps({"attacksRefused": counts}), flush=True)


class Bystander(threading.Thread):
    """Somebody else, who asks all the while and wants to be answered."""

    def __init__(self, desk: Desk):
        super().__init__(daemon=True)
        self.desk, self.over, self.answered, self.slowest, self.faults = desk, threading.Event(), 0, 0.0, []

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        """Asks at least once after all that was done."""
        self.over.set()
        self.join()

    def run(self):
        is_last = False
        while not is_last:
            is_last = self.over.wait(0.02)
            start = time.monotonic()
            try:
                status = self.desk.http("GET", f"/v1/apps/{APP}/cases")[0]
                if status != 200:
                    self.faults.append(status)
            except OSError as fault:
                self.faults.append(repr(fault))
            self.answered += 1
            self.slowest = max(self.slowest, time.monotonic() - start)


class HostileClients(unittest.TestCase):
    WEIGHT = 3

    def setUp(self):
        self.desk = Desk()
        self.addCleanup(self.desk.close)

    def connect(self) -> socket.socket:
        connection = socket.create_connection(("127.0.0.1", self.desk.port), 10)
        self.addCleanup(connection.close)
        return connection

    def said(self, connection: socket.socket, seconds=5.0) -> tuple[bytes, bool]:
        """All that comes until the server closes, and whether it did."""
        got, end = b"", time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            connection.settimeout(left)
            try:
                part = connection.recv(65_536)
            except TimeoutError:
                break
            except ConnectionResetError:
                return got, True
            if not part:
                return got, True
            got += part
        return got, False

    def served_meanwhile(self, bystander: Bystander):
        self.assertEqual(bystander.faults, [])
        self.assertGreater(bystander.answered, 0)
        self.assertLess(bystander.slowest, 5, "others were served, but slowly")

    def test_requests_with_two_meanings_and_heads_beyond_the_limits(self):
        refused = 0
        with Bystander(self.desk) as bystander:
            for name, text in AMBIGUOUS.items():
                with self.subTest(name), self.connect() as connection:
                    text = text.replace("TOKEN", self.desk.token)
                    try:
                        connection.sendall((text + SMUGGLED).encode("latin-1"))
                    except (BrokenPipeError, ConnectionResetError):
                        pass  # Refused before it was all sent.
                    got, closed = self.said(connection)
                    self.assertTrue(closed, f"the connection goes on: {got[:300]}")
                    statuses = re.findall(rb"HTTP/1\.[01] (\d+)", got)
                    self.assertTrue(all(status[:1] in (b"4", b"5") and status not in (b"500", b"503") for status in statuses), got[:400])
                    refused += 1
        self.served_meanwhile(bystander)
        told({"ambiguous or too long": refused})

    def test_paths_and_methods_that_make_no_sense(self):
        refused = 0
        with Bystander(self.desk) as bystander:
            for method, path, expected in NONSENSE:
                with self.subTest(path, method=method):
                    status, answer, headers = self.desk.http(method, path.format(app=APP))
                    self.assertEqual(status, expected, answer)
                    self.assertEqual(headers["content-type"], "application/problem+json")
                    self.assertNotIn("x", headers, "a header out of the path")
                    refused += 1
        self.served_meanwhile(bystander)
        told({"paths and methods": refused})

    def test_pipelined_requests_are_answered_one_by_one(self):
        with self.connect() as connection:
            connection.sendall(b"".join(f"GET /healthz?{number} HTTP/1.1\r\nHost: x\r\n\r\n".encode() for number in range(200)))
            connection.sendall(GET.encode() + b"Connection: close\r\n\r\n")
            got, closed = self.said(connection, 20)
        self.assertEqual((got.count(b"HTTP/1.1 200"), closed), (201, True))

    def test_a_body_of_a_mebibyte_is_read_and_one_byte_more_is_not(self):
        full = self.desk.http("POST", f"/v1/apps/{APP}/notifications", b"x" * (1 << 20), token=False)
        self.assertEqual((full[0], full[1]["code"]), (400, "malformed"))
        with self.connect() as connection:
            connection.sendall(f"{POST}Content-Length: {(1 << 20) + 1}\r\n\r\n".encode())  # And nothing of it.
            got, closed = self.said(connection)
        self.assertIn(b" 413 ", got.split(b"\r\n")[0])
        self.assertIn(b'"code":"too-large"', got)
        told({"body over a mebibyte": 1})

    def test_hundreds_of_idle_connections_are_closed_and_hold_up_nobody(self):
        with Bystander(self.desk) as bystander:
            idle = [self.connect() for _ in range(600)]
            for connection in idle[::2]:
                connection.sendall(GET.encode())  # Half of a head, and then nothing.
            closed = self.closed_by(idle, time.monotonic() + 60)
        self.assertEqual(closed, len(idle))
        self.served_meanwhile(bystander)
        told({"idle connections": closed})

    def test_senders_of_a_byte_now_and_then_are_cut_off(self):
        with Bystander(self.desk) as bystander:
            slow = [self.connect() for _ in range(100)]
            for number, connection in enumerate(slow):
                # A request line, a header, a body of a stated length, a body in chunks.
                connection.sendall((["GET /", GET + "X: ", POST + "Content-Length: 500000\r\n\r\n", CHUNKED + "7FFFF\r\n"][number % 4]).encode())
            closed, end = 0, time.monotonic() + 90
            left = list(slow)
            while left and time.monotonic() < end:
                left = [connection for connection in left if self.dribbled(connection)]
                closed = len(slow) - len(left)
                time.sleep(1)  # The attackers' pace, well below any idle timeout.
        self.assertEqual(closed, len(slow), "some go on for ever")
        self.served_meanwhile(bystander)
        told({"slow senders": closed})

    @staticmethod
    def dribbled(connection: socket.socket) -> bool:
        """Sends a byte; false once the server has closed."""
        try:
            connection.setblocking(False)
            connection.send(b"y")
            return not (select.select([connection], [], [], 0)[0] and connection.recv(4_096) == b"")
        except BlockingIOError:
            return True
        except OSError:
            return False

    @staticmethod
    def closed_by(connections: list, end: float) -> int:
        """How many the server closes until then, whatever it says before."""
        poll, left = select.poll(), {connection.fileno(): connection for connection in connections}
        for number in left:
            poll.register(number, select.POLLIN)
        while left and time.monotonic() < end:
            for number, _ in poll.poll(1_000):
                try:
                    gone = left[number].recv(4_096) == b""
                except ConnectionResetError:
                    gone = True
                if gone:
                    poll.unregister(number)
                    del left[number]
        return len(connections) - len(left)
