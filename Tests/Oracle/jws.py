"""Compact JWS, made part by part so that each part can be spoilt."""

import base64
import json

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

# The order of P-256.
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
STANDARD_ALPHABET = ALPHABET[:-2] + "+/"


def b64u(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def b64u_decode(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def compact(value) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def raw_signature(key, signed: str) -> bytes:
    """As RFC 7518 wants it for elliptic curves: r then s, each as long as the curve."""
    if isinstance(key, ed25519.Ed25519PrivateKey):
        return key.sign(signed.encode())
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        return key.sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256())
    size = (key.curve.key_size + 7) // 8
    r, s = decode_dss_signature(key.sign(signed.encode(), ec.ECDSA(hashes.SHA256(), deterministic_signing=True)))
    return r.to_bytes(size, "big") + s.to_bytes(size, "big")


def join(first: str, second: str, key) -> str:
    """Signs two parts that are encoded already."""
    signed = f"{first}.{second}"
    return f"{signed}.{b64u(raw_signature(key, signed))}"


def sign(chain, payload, header=None, key=None) -> str:
    """payload and header: a value, or the bytes to take as they are. header None: the ordinary one."""
    head = {"alg": "ES256", "x5c": chain.x5c} if header is None else header
    first = head if isinstance(head, bytes) else compact(head)
    second = payload if isinstance(payload, bytes) else compact(payload)
    return join(b64u(first), b64u(second), key or chain.leaf.key)


def with_signature(jws: str, signature: bytes) -> str:
    return jws.rsplit(".", 1)[0] + "." + b64u(signature)


def spare_bit(text: str) -> str:
    """The same bytes to a lenient decoder: the last character with a bit set that encodes nothing. The text must not be a whole
    number of groups of four."""
    assert len(text) % 4, "no spare bits"
    return text[:-1] + ALPHABET[ALPHABET.index(text[-1]) | 1]
