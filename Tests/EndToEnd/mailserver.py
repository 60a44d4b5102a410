"""A mail server on loopback that keeps every mail, and refuses as a test says."""

import datetime
import email
import email.policy
import os
import socket
import ssl
import tempfile
import threading

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

USER, PASSWORD = "desk@example.com", "pass:w/rd@1 2"


def _context() -> ssl.SSLContext:
    """TLS with a certificate that nobody vouches for."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.timezone.utc)
    certificate = (x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
                   .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(days=1))
                   .not_valid_after(now + datetime.timedelta(days=9)).sign(key, hashes.SHA256()))
    with tempfile.NamedTemporaryFile(suffix=".pem", delete=False) as file:
        file.write(certificate.public_bytes(serialization.Encoding.PEM))
        file.write(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file.name)
    os.unlink(file.name)
    return context


class MailServer:
    """``decide(number, recipient)`` gets which mail it is, from 1, and answers a reply such as "550 no"; None takes it."""

    def __init__(self, decide=lambda number, recipient: None, secure=True):
        self.decide, self.secure, self.lock = decide, secure, threading.Lock()
        self.mails, self.logins, self.tries = [], [], 0
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        options = {"tls_context": _context(), "require_starttls": True, "auth_required": True, "authenticator": self.admit} if secure else {}
        self.controller = Controller(self, hostname="127.0.0.1", port=self.port, **options)
        self.controller.start()

    def stop(self):
        self.controller.stop()

    def admit(self, server, session, envelope, mechanism, data):
        good = (data.login, data.password) == (USER.encode(), PASSWORD.encode())
        self.logins.append((good, session.ssl is not None))
        return AuthResult(success=good, handled=False)

    async def handle_RCPT(self, server, session, envelope, address, options):
        with self.lock:
            self.tries += 1
            reply = self.decide(self.tries, address)
        if reply:
            return reply
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        with self.lock:
            self.mails.append((envelope.mail_from, envelope.rcpt_tos, envelope.content))
        return "250 kept"

    def received(self) -> list:
        """Envelope sender, recipients, and the mail as read by the standard library."""
        with self.lock:
            return [(sender, to, email.message_from_bytes(raw, policy=email.policy.default)) for sender, to, raw in self.mails]
