"""Certificates for messages: leaf, intermediate and root as the App Store's are, and as they must not be.

Keys come from the seed and signatures are deterministic, so a run repeats byte for byte (RSA keys apart, which no verdict hangs on)."""

import base64
import datetime
from dataclasses import dataclass, field, replace
from random import Random

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.x509.oid import NameOID

LEAF_MARKER = "1.2.840.113635.100.6.11.1"
INTERMEDIATE_MARKER = "1.2.840.113635.100.6.2.1"
DAY = 86_400_000

# The instant of most messages, milliseconds since the epoch (September 2026). The chains are valid from years before to 2044.
NOW = 1_790_000_000_000


def date(milliseconds: int) -> datetime.datetime:
    return datetime.datetime.fromtimestamp(milliseconds // 1000, datetime.timezone.utc)


@dataclass
class Template:
    """What a certificate says. Every field has the value of a sound one; a fault is one field replaced."""

    name: str
    is_ca: bool
    marker: str | None = None
    path_length: int | None = None
    validity: tuple[int, int] = (NOW - 700 * DAY, NOW + 6500 * DAY)
    has_basic_constraints: bool = True
    basic_constraints_critical: bool = True
    # None: as the role needs; empty: no such extension; else the names of the bits.
    key_usage: tuple[str, ...] | None = None
    subject_key_id: bool = True
    authority_key_id: bool = True
    wrong_authority_key_id: bool = False
    subject: x509.Name | None = None
    issuer_name: x509.Name | None = None
    more: list[tuple[x509.ExtensionType, bool]] = field(default_factory=list)
    digest: hashes.HashAlgorithm | None = None


BITS = ("digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement", "key_cert_sign",
        "crl_sign", "encipher_only", "decipher_only")


def name(common_name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name),
                      x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Oracle")])


@dataclass
class Issued:
    certificate: x509.Certificate
    key: object

    @property
    def der(self) -> bytes:
        return self.certificate.public_bytes(serialization.Encoding.DER)


class Forge:
    """Makes keys and certificates from one source of randomness."""

    def __init__(self, random: Random):
        self.random = random

    def key(self, kind: str = "P-256"):
        curves = {"P-256": ec.SECP256R1, "P-384": ec.SECP384R1, "P-521": ec.SECP521R1, "secp256k1": ec.SECP256K1}
        if kind == "RSA":
            return rsa.generate_private_key(65537, 2048)
        if kind == "Ed25519":
            return ed25519.Ed25519PrivateKey.from_private_bytes(self.random.randbytes(32))
        # Below the order of the smallest curve.
        return ec.derive_private_key(self.random.randrange(1, 2**255), curves[kind]())

    def issue(self, template: Template, key, issuer: Issued | None) -> Issued:
        """Signed by the issuer, or by itself."""
        signer = issuer.key if issuer else key
        subject = template.subject if template.subject is not None else name(template.name)
        issuer_name = template.issuer_name or (issuer.certificate.subject if issuer else subject)
        builder = (x509.CertificateBuilder().subject_name(subject).issuer_name(issuer_name).public_key(key.public_key())
                   .serial_number(self.random.randrange(1, 2**120))
                   .not_valid_before(date(template.validity[0])).not_valid_after(date(template.validity[1])))
        for extension, critical in self.extensions(template, key, signer, issuer):
            builder = builder.add_extension(extension, critical)
        digest = template.digest or (hashes.SHA384() if template.is_ca else hashes.SHA256())
        deterministic = True if isinstance(signer, ec.EllipticCurvePrivateKey) else None
        return Issued(builder.sign(signer, digest, ecdsa_deterministic=deterministic), key)

    def extensions(self, template: Template, key, signer, issuer: Issued | None):
        if template.has_basic_constraints:
            yield x509.BasicConstraints(template.is_ca, template.path_length), template.basic_constraints_critical
        usage = template.key_usage
        if usage is None:
            usage = ("key_cert_sign", "crl_sign") if template.is_ca else ("digital_signature",)
        if usage:
            yield x509.KeyUsage(**{bit: bit in usage for bit in BITS}), True
        if template.subject_key_id:
            yield x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False
        if template.wrong_authority_key_id:
            yield x509.AuthorityKeyIdentifier(b"\x07" * 20, None, None), False
        elif template.authority_key_id and issuer:
            yield x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), False
        if template.marker:
            yield x509.UnrecognizedExtension(x509.ObjectIdentifier(template.marker), b"\x05\x00"), False
        yield from template.more


ROOT = Template("Oracle Root", True)
INTERMEDIATE = Template("Oracle Worldwide Developer Relations", True, INTERMEDIATE_MARKER, path_length=0)
LEAF = Template("Oracle Store Signing", False, LEAF_MARKER)


@dataclass
class Chain:
    leaf: Issued
    intermediate: Issued
    root: Issued

    @property
    def x5c(self) -> list[str]:
        return [base64.b64encode(each.der).decode() for each in (self.leaf, self.intermediate, self.root)]


def make_chain(forge: Forge, root: Issued | None = None, leaf_key: str = "P-256", intermediate_key: str = "P-384",
               root_changes: dict | None = None, intermediate_changes: dict | None = None, leaf_changes: dict | None = None) -> Chain:
    """A sound chain, but for the changes to its templates."""
    root = root or forge.issue(replace(ROOT, **root_changes or {}), forge.key("P-384"), None)
    intermediate = forge.issue(replace(INTERMEDIATE, **intermediate_changes or {}), forge.key(intermediate_key), root)
    return Chain(forge.issue(replace(LEAF, **leaf_changes or {}), forge.key(leaf_key), intermediate), intermediate, root)
