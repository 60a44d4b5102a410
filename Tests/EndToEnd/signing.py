"""Signs as the App Store does: compact JWS, ES256, a chain of three certificates of which two carry Apple's markers."""

import base64
import copy
import datetime
import functools
import json
import time

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.x509.oid import NameOID

LEAF_MARKER = "1.2.840.113635.100.6.11.1"
INTERMEDIATE_MARKER = "1.2.840.113635.100.6.2.1"
SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def from_base64url(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def payload_of(jws: str):
    return json.loads(from_base64url(jws.split(".")[1]))


def _certificate(name, issuer, key, issuer_key, *, is_ca, marker=None, days=(-1_000, 3_000), ocsp_url=None):
    date = lambda days: datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=days)
    common_name = lambda text: x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])
    builder = (
        x509.CertificateBuilder().subject_name(common_name(name)).issuer_name(common_name(issuer)).public_key(key.public_key())
        .serial_number(x509.random_serial_number()).not_valid_before(date(days[0])).not_valid_after(date(days[1]))
        .add_extension(x509.BasicConstraints(ca=is_ca, path_length=None), critical=True)
        .add_extension(x509.KeyUsage(not is_ca, False, False, False, False, is_ca, is_ca, False, False), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key()), critical=False))
    if marker:
        builder = builder.add_extension(x509.UnrecognizedExtension(x509.ObjectIdentifier(marker), b"\x05\x00"), critical=False)
    if ocsp_url:
        access = x509.AccessDescription(x509.oid.AuthorityInformationAccessOID.OCSP, x509.UniformResourceIdentifier(ocsp_url))
        builder = builder.add_extension(x509.AuthorityInformationAccess([access]), critical=False)
    return builder.sign(issuer_key, hashes.SHA384() if is_ca else hashes.SHA256())


class Chain:
    """A root, an intermediate and a leaf with their keys."""

    def __init__(self, *, leaf_marker=LEAF_MARKER, intermediate_marker=INTERMEDIATE_MARKER, leaf_days=(-1_000, 700), curve=None,
                 ocsp_url=None):
        root_key, intermediate_key = ec.generate_private_key(ec.SECP384R1()), ec.generate_private_key(ec.SECP384R1())
        self.leaf_key = ec.generate_private_key(curve or ec.SECP256R1())
        self.root = _certificate("Root", "Root", root_key, root_key, is_ca=True, days=(-3_000, 5_000))
        intermediate = _certificate("Intermediate", "Root", intermediate_key, root_key, is_ca=True, marker=intermediate_marker, ocsp_url=ocsp_url)
        self.intermediate_key, self.leaf_fields = intermediate_key, {"marker": leaf_marker, "days": leaf_days, "ocsp_url": ocsp_url}
        leaf = _certificate("Leaf", "Intermediate", self.leaf_key, intermediate_key, is_ca=False, **self.leaf_fields)
        # Each with its issuer and the issuer's key, for answers about revocation.
        self.issued = [(leaf, intermediate, intermediate_key), (intermediate, self.root, root_key)]
        self.x5c = [base64.b64encode(each.public_bytes(serialization.Encoding.DER)).decode() for each in (leaf, intermediate, self.root)]

    def with_another_leaf(self) -> "Chain":
        """The same root and intermediate, and a new leaf with a key of its own."""
        other = copy.copy(self)
        other.leaf_key = ec.generate_private_key(ec.SECP256R1())
        leaf = _certificate("Leaf", "Intermediate", other.leaf_key, self.intermediate_key, is_ca=False, **self.leaf_fields)
        other.x5c = [base64.b64encode(leaf.public_bytes(serialization.Encoding.DER)).decode()] + self.x5c[1:]
        return other

    @functools.cached_property
    def root_pem(self) -> bytes:
        return self.root.public_bytes(serialization.Encoding.PEM)

    def signature(self, text: str) -> bytes:
        r, s = decode_dss_signature(self.leaf_key.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")

    def sign(self, payload, **header) -> str:
        """The payload as JSON (or the bytes given) under a header in which each given member replaces ours; None removes it."""
        members = {"alg": "ES256", "x5c": self.x5c} | header
        head = json.dumps({key: value for key, value in members.items() if value is not None}, separators=(",", ":")).encode()
        body = payload if isinstance(payload, bytes) else json.dumps(payload, separators=(",", ":")).encode()
        text = f"{base64url(head)}.{base64url(body)}"
        return f"{text}.{base64url(self.signature(text))}"


# One for all tests that need nothing odd: making keys and certificates is slow.
CHAIN = Chain()
