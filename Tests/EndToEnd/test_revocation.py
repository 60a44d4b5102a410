"""Online checks: whether certificates are revoked is asked in the background, of a responder that is not ours."""

import datetime
import http.server
import threading
import time
import unittest

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.x509 import ocsp

from desk import Desk
from field_reports import field_report
from payloads import APP, body, notification, purchase
from signing import Chain
from waiting import eventually


class Responder:
    """An OCSP responder made of the `cryptography` library. `revoked` holds serial numbers; `is_away` answers 503."""

    def __init__(self):
        self.chain, self.revoked, self.is_away, self.delay, self.asked = None, set(), False, 0, []
        responder = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                time.sleep(responder.delay)
                answer = responder.answer(body)
                self.send_response(503 if answer is None else 200)
                self.send_header("Content-Length", str(len(answer or b"")))
                self.end_headers()
                self.wfile.write(answer or b"")

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/ocsp"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, body):
        if self.is_away:
            return None
        question = ocsp.load_der_ocsp_request(body)
        self.asked.append(question.serial_number)
        certificate, issuer, key = next(each for each in self.chain.issued if each[0].serial_number == question.serial_number)
        now = datetime.datetime.now(datetime.timezone.utc)
        is_revoked = certificate.serial_number in self.revoked
        builder = ocsp.OCSPResponseBuilder().add_response(
            cert=certificate, issuer=issuer, algorithm=hashes.SHA1(),
            cert_status=ocsp.OCSPCertStatus.REVOKED if is_revoked else ocsp.OCSPCertStatus.GOOD,
            this_update=now - datetime.timedelta(minutes=1), next_update=now + datetime.timedelta(hours=12),
            revocation_time=now - datetime.timedelta(days=1) if is_revoked else None, revocation_reason=None,
        ).responder_id(ocsp.OCSPResponderEncoding.HASH, issuer)
        return builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.DER)

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class Issue2OnlineChecks(unittest.TestCase):
    def setUp(self):
        self.responder = Responder()
        self.addCleanup(self.responder.stop)
        self.chain = self.responder.chain = Chain(ocsp_url=self.responder.url)
        self.desk = Desk(app={"onlineChecks": True}, start=False)
        self.addCleanup(self.desk.close)
        self.desk.write("root.pem", self.chain.root_pem)
        self.desk.token = self.desk.run("token", "create", "--name", "tests", "--scope", "admin").stdout.strip()
        self.desk.start()

    def post(self):
        payload = notification("ONE_TIME_CHARGE", None, purchase(), chain=self.chain)
        return self.desk.http("POST", f"/v1/apps/{APP}/notifications", body(payload, chain=self.chain), token=False)

    @field_report(1, 3)
    def test_field_reports_1_and_3_retryable_until_known_and_asked_once(self):
        self.responder.delay = 4
        began = time.monotonic()
        status, _, headers = self.post()
        self.assertLess(time.monotonic() - began, 3, "the acknowledgement waited for the responder")
        self.assertEqual(status, 503)
        self.assertIn("retry-after", {name.lower() for name in dict(headers)})
        self.assertEqual(self.desk.items("/notifications"), [])
        eventually(lambda: self.post()[0] == 200, what="the certificates are known")
        for _ in range(50):
            self.assertEqual(self.post()[0], 200)
        self.assertEqual(len(self.responder.asked), 2)

    @field_report(6)
    def test_field_report_6_a_revoked_key_does_not_pass_while_the_responder_is_away_nor_after(self):
        self.responder.revoked = {self.chain.issued[0][0].serial_number}
        self.responder.is_away = True
        for _ in range(3):
            self.assertEqual(self.post()[0], 503)
        self.desk.stop()
        self.responder.is_away = False
        self.desk.start()
        status, problem = eventually(lambda: (answer := self.post()[:2])[0] == 400 and answer, what="the revocation is known")
        self.assertEqual(problem["code"], "untrusted-chain")
        self.assertIn("revoked", problem["detail"])
        self.assertEqual(self.desk.items("/notifications"), [])

    def test_a_revoked_intermediate(self):
        self.responder.revoked = {self.chain.issued[1][0].serial_number}
        eventually(lambda: self.post()[0] == 400, what="the revocation is known")
