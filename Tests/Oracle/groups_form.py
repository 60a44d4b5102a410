"""Messages that test the form: header, certificates as text, signature, encoding, JSON."""

import base64
import hashlib
import hmac
import json
from collections.abc import Iterator
from dataclasses import replace

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

import payloads
from jws import ALPHABET, STANDARD_ALPHABET, ORDER, b64u, b64u_decode, compact, join, sign, spare_bit, with_signature
from message import PRODUCTION, SANDBOX, Message, World, body
from pki import LEAF

ACCEPT, REFUSE = True, False


def sound(world: World) -> Iterator[Message]:
    """Over all shapes, in both environments."""
    random = world.random("sound")
    for index in range(420):
        profile = random.choice([PRODUCTION, SANDBOX])
        payload = payloads.any_notification(random, world.chain, profile.environment)
        jws = sign(world.chain, payload)
        content = body(jws) if index % 2 else jws.encode()
        yield Message("sound", f"{payload['notificationType']} {index}", "notification", content, profile, accepted=ACCEPT)
    for index in range(60):
        profile = random.choice([PRODUCTION, SANDBOX])
        bought = payloads.transaction(random, profile.environment)
        for kind, payload in (("transaction", bought), ("renewalInfo", payloads.renewal_info(random, bought)),
                              ("appTransaction", payloads.app_transaction(random, profile.environment))):
            yield Message("sound", f"{kind} {index}", kind, sign(world.chain, payload).encode(), profile, accepted=ACCEPT)


def header(world: World) -> Iterator[Message]:
    random = world.random("header")

    def message(name, head, difference=None, accepted=None):
        jws = sign(world.chain, payloads.notification(random, world.chain), head)
        return Message("header", name, "notification", body(jws), difference=difference, accepted=accepted)

    x5c = world.chain.x5c
    for alg in ["none", "None", "HS256", "HS384", "HS512", "RS256", "PS256", "ES384", "ES512", "ES256K", "EdDSA", "es256", "ES256 ", " ES256",
                "ES256\u0000", "", "ES", None, 256, True, [], ["ES256"], {}, {"alg": "ES256"}]:
        for _ in range(3):
            yield message(f"alg {alg!r}", {"alg": alg, "x5c": x5c}, accepted=REFUSE)
    yield message("alg missing", {"x5c": x5c}, accepted=REFUSE)
    yield message("alg in capitals", {"ALG": "ES256", "x5c": x5c}, accepted=REFUSE)
    for more in [{"typ": "JWT"}, {"typ": None}, {"cty": "JWT"}, {"kid": "2X9R4HXF34"}, {"jku": "https://example.com/keys"}, {"x5u": "https://example.com/x"},
                 {"jwk": {"kty": "EC", "crv": "P-256", "x": "AA", "y": "AA"}}, {"x5t": "AAAA"}, {"x5t#S256": "AAAA"}, {"zip": "DEF"}, {"b64": True},
                 {"future": {"deep": [None]}}, {"iat": 1}, {"": ""}]:
        yield message(f"more: {more}", {"alg": "ES256", "x5c": x5c} | more, accepted=ACCEPT)
        yield message(f"first: {more}", more | {"x5c": x5c, "alg": "ES256"}, accepted=ACCEPT)
    for kid in [None, 7, True, [], {}]:
        yield message(f"kid {kid!r}", {"alg": "ES256", "x5c": x5c, "kid": kid}, "kid-type")
    for crit in [["b64"], [], None, "b64", ["exp"], ["b64", "exp"], [1], {}, True]:
        yield message(f"crit {crit!r}", {"alg": "ES256", "x5c": x5c, "crit": crit}, accepted=REFUSE)
    yield message("crit of b64, with b64", {"alg": "ES256", "x5c": x5c, "crit": ["b64"], "b64": True}, "crit")
    yield message("b64 false", {"alg": "ES256", "x5c": x5c, "b64": False}, "b64")
    yield message("b64 false, critical", {"alg": "ES256", "x5c": x5c, "b64": False, "crit": ["b64"]}, accepted=REFUSE)
    for head in [b"", b"{}", b"[]", b"null", b"7", b'"ES256"', b"{", b"\xff\xfe", b"ES256", compact({"alg": "ES256", "x5c": x5c})[:-1]]:
        yield message(f"not an object: {head[:12]!r}", head, accepted=REFUSE)
    text = json.dumps({"alg": "ES256", "x5c": x5c}, indent=2).encode()
    yield message("white space in the JSON", text, accepted=ACCEPT)
    yield message("text behind the object", text + b"{}", accepted=REFUSE)
    yield message("white space around the object", b"\r\n\t " + text + b" \n", accepted=ACCEPT)
    yield message("alg twice, the last sound", b'{"alg":"none",' + compact({"alg": "ES256", "x5c": x5c})[1:], "duplicate-members")
    yield message("alg twice, the last none", compact({"alg": "ES256", "x5c": x5c})[:-1] + b',"alg":"none"}', accepted=REFUSE)
    yield message("x5c twice", b'{"x5c":[],' + compact({"alg": "ES256", "x5c": x5c})[1:], "duplicate-members")
    yield message("an escaped name", compact({"alg": "ES256", "x5c": x5c}).replace(b'"alg"', b'"al\\u0067"'), "escaped-names")
    yield message("a byte order mark", b"\xef\xbb\xbf" + text, "json-text")
    yield message("UTF-16", text.decode().encode("utf-16"), "json-text")
    yield message("deep", b'{"a":' + b"[" * 70 + b"]" * 70 + b"," + compact({"alg": "ES256", "x5c": x5c})[1:], "json-bounds")
    yield from hmac_with_public_key(world, random)


def hmac_with_public_key(world, random):
    """The classic confusion: the public key as the secret of an HMAC."""
    key = world.chain.leaf.key.public_key()
    secrets = [key.public_bytes(encoding, format) for encoding, format in [
        (serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo),
        (serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo),
        (serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)]] + [world.chain.leaf.der]
    for alg in ["HS256", "ES256"]:
        for index, secret in enumerate(secrets):
            first = b64u(compact({"alg": alg, "x5c": world.chain.x5c}))
            signed = first + "." + b64u(compact(payloads.notification(random, world.chain)))
            mac = hmac.new(secret, signed.encode(), hashlib.sha256).digest()
            yield Message("header", f"{alg} by HMAC {index}", "notification", body(f"{signed}.{b64u(mac)}"), accepted=REFUSE)


def x5c(world: World) -> Iterator[Message]:
    random = world.random("x5c")
    leaf, intermediate, root = world.chain.x5c

    def message(name, entries, difference=None, accepted=None):
        jws = sign(world.chain, payloads.notification(random, world.chain), {"alg": "ES256", "x5c": entries})
        return Message("x5c", name, "notification", body(jws), difference=difference, accepted=accepted)

    for entries in [[], [leaf], [leaf, intermediate], [leaf, intermediate, root, root], [leaf, intermediate, intermediate, root],
                    [leaf] * 4, ["A"] * 500]:
        yield message(f"{len(entries)} entries", entries, accepted=REFUSE)
    for order in ([leaf, root, intermediate], [intermediate, leaf, root], [intermediate, root, leaf], [root, leaf, intermediate],
                  [root, intermediate, leaf], [leaf, leaf, root], [intermediate, intermediate, root], [root] * 3, [leaf] * 3):
        yield message("another order", order, accepted=REFUSE)
    for value in [None, "", leaf, {}, {"0": leaf}, 3, True, leaf + "," + intermediate + "," + root]:
        yield message(f"x5c is {type(value).__name__}", value, accepted=REFUSE)
    for third in ["", "AAAA", "garbage!", world.foreign.x5c[2], leaf, root[:-4], "null"]:
        yield message(f"third entry {third[:8]!r}", [leaf, intermediate, third], accepted=ACCEPT)
    for third in [None, 7, [], {}, True, [root]]:
        yield message(f"third entry {third!r:.8}", [leaf, intermediate, third], "x5c-entries")
    for spoil in [None, 7, "", "null", "AAAA", "MAA=", [], {}, [leaf]]:
        yield message(f"leaf {spoil!r:.8}", [spoil, intermediate, root], accepted=REFUSE)
        yield message(f"intermediate {spoil!r:.8}", [leaf, spoil, root], accepted=REFUSE)
    for place in (0, 1):
        for name, spoilt in spoilt_base64(world, place):
            entries = [leaf, intermediate, root]
            entries[place] = spoilt
            yield message(f"{name} in entry {place}", entries, accepted=REFUSE)
        for name, der in spoilt_der([world.chain.leaf, world.chain.intermediate][place].der, random):
            entries = [leaf, intermediate, root]
            entries[place] = base64.b64encode(der).decode()
            yield message(f"{name} in entry {place}", entries, accepted=REFUSE)
        for name, difference, spoilt in lenient_encodings(world, place):
            entries = [leaf, intermediate, root]
            entries[place] = spoilt
            yield message(f"{name} in entry {place}", entries, difference)
    yield from spare_bits(world, random)


def spare_bits(world, random) -> Iterator[Message]:
    """In the base64 of the leaf: the name is made longer until there are some."""
    for length in range(3):
        leaf = world.forge("spare bits").issue(replace(LEAF, name=LEAF.name + "." * length), world.chain.leaf.key, world.chain.intermediate)
        text = base64.b64encode(leaf.der).decode()
        digits = text.rstrip("=")
        if digits == text:
            continue
        entries = [digits[:-1] + STANDARD_ALPHABET[STANDARD_ALPHABET.index(digits[-1]) | 1] + text[len(digits):], *world.chain.x5c[1:]]
        jws = sign(world.chain, payloads.notification(random, world.chain), {"alg": "ES256", "x5c": entries})
        yield Message("x5c", "spare bits in the leaf", "notification", body(jws), difference="certificate-base64")


def lenient_encodings(world, place):
    """What lenient readers take for the same certificate."""
    issued = [world.chain.leaf, world.chain.intermediate][place]
    der = issued.der
    yield "an indefinite length", "der", base64.b64encode(b"\x30\x80" + der[4:] + b"\x00\x00").decode()
    yield "a length in more bytes than it needs", "der", base64.b64encode(b"\x30\x83\x00" + der[2:]).decode()


def spoilt_base64(world, place):
    text = world.chain.x5c[place]
    pem = [world.chain.leaf, world.chain.intermediate][place].certificate.public_bytes(serialization.Encoding.PEM).decode()
    yield "a line break", text[:64] + "\n" + text[64:]
    yield "a carriage return", text[:64] + "\r\n" + text[64:]
    yield "a line end", text + "\n"
    yield "a space", " " + text
    yield "a tab", text[:9] + "\t" + text[9:]
    yield "PEM", pem
    yield "PEM without line breaks", pem.replace("\n", "")
    yield "too much padding", text.rstrip("=") + "===="
    yield "a character less", text.rstrip("=")[:-1]
    yield "a foreign character", text[:20] + "*" + text[21:]
    yield "hexadecimal", base64.b64decode(text).hex()


def spoilt_der(der: bytes, random):
    yield "a certificate cut short", der[:-1]
    yield "half a certificate", der[: len(der) // 2]
    yield "an octet string around", b"\x04\x82" + len(der).to_bytes(2, "big") + der
    for index in range(20):
        place = random.randrange(4, len(der))
        yield f"a flipped bit {index}", der[:place] + bytes([der[place] ^ 1 << random.randrange(8)]) + der[place + 1 :]


def signature(world: World) -> Iterator[Message]:
    random = world.random("signature")

    def made(name, change, difference=None, accepted=REFUSE):
        jws = sign(world.chain, payloads.notification(random, world.chain))
        raw = b64u_decode(jws.rsplit(".", 1)[1])
        return Message("signature", name, "notification", body(with_signature(jws, change(raw))), difference=difference, accepted=accepted)

    number = lambda value: value.to_bytes(32, "big")
    r = lambda raw: int.from_bytes(raw[:32], "big")
    s = lambda raw: int.from_bytes(raw[32:], "big")
    for _ in range(40):
        yield made("s replaced by n - s", lambda raw: raw[:32] + number(ORDER - s(raw)), accepted=ACCEPT)
    for _ in range(5):
        yield made("DER", lambda raw: encode_dss_signature(r(raw), s(raw)))
        yield made("r and s exchanged", lambda raw: raw[32:] + raw[:32])
        yield made("n - r", lambda raw: number(ORDER - r(raw)) + raw[32:])
        yield made("r alone", lambda raw: raw[:32])
        yield made("a byte less", lambda raw: raw[:-1])
        yield made("a byte more", lambda raw: raw + b"\0")
        yield made("a byte more before", lambda raw: b"\0" + raw)
        yield made("each number a byte longer", lambda raw: b"\0" + raw[:32] + b"\0" + raw[32:])
        yield made("twice", lambda raw: raw + raw)
        yield made("random", lambda raw: random.randbytes(64))
    for name, value in [("zero", 0), ("one", 1), ("n", ORDER), ("n - 1", ORDER - 1), ("n + 1", ORDER + 1), ("2^256 - 1", 2**256 - 1)]:
        yield made(f"r is {name}", lambda raw, value=value: number(value) + raw[32:])
        yield made(f"s is {name}", lambda raw, value=value: raw[:32] + number(value))
        yield made(f"both are {name}", lambda raw, value=value: number(value) * 2)
    yield made("none", lambda raw: b"")
    for name, key in [("of another leaf", world.foreign.leaf.key), ("of the intermediate", world.chain.intermediate.key),
                      ("of the root", world.chain.root.key)]:
        for _ in range(5):
            jws = sign(world.chain, payloads.notification(random, world.chain), key=key)
            yield Message("signature", name, "notification", body(jws), accepted=REFUSE)
    for _ in range(15):
        one, other = (sign(world.chain, payloads.notification(random, world.chain)).split(".") for _ in range(2))
        yield Message("signature", "of another message", "notification", body(".".join([one[0], one[1], other[2]])), accepted=REFUSE)
        yield Message("signature", "another payload", "notification", body(".".join([one[0], other[1], one[2]])), accepted=REFUSE)


def flips(world: World) -> Iterator[Message]:
    """A changed bit in each of the three parts, after decoding; and a changed character, before."""
    random = world.random("flips")
    for index in range(360):
        parts = sign(world.chain, payloads.notification(random, world.chain)).split(".")
        which = index % 3
        if index < 240:
            data = bytearray(b64u_decode(parts[which]))
            data[random.randrange(len(data))] ^= 1 << random.randrange(8)
            parts[which] = b64u(bytes(data))
        else:
            place = random.randrange(len(parts[which]))
            other = random.choice([character for character in ALPHABET if character != parts[which][place]])
            parts[which] = parts[which][:place] + other + parts[which][place + 1 :]
        name = ["header", "payload", "signature"][which]
        yield Message("flips", f"{name} {index}", "notification", body(".".join(parts)), accepted=REFUSE)


def truncations(world: World) -> Iterator[Message]:
    random = world.random("truncations")
    for index in range(150):
        jws = sign(world.chain, payloads.notification(random, world.chain))
        content = [jws[: random.randrange(len(jws))], jws[random.randrange(1, len(jws)) :], jws[: len(jws) - random.randrange(1, 90)]][index % 3]
        yield Message("truncations", str(index), "notification", body(content), accepted=REFUSE)


def encoding(world: World) -> Iterator[Message]:
    random = world.random("encoding")

    def message(name, jws, difference=None, accepted=REFUSE):
        return Message("encoding", name, "notification", body(jws), difference=difference, accepted=accepted)

    head = b64u(compact({"alg": "ES256", "x5c": world.chain.x5c}))
    for index in range(12):
        payload = payloads.notification(random, world.chain)
        jws = sign(world.chain, payload)
        first, second, third = jws.split(".")
        yield message("padding behind the signature", jws + "==", "padding")
        yield message("too much padding", jws + "====")
        yield message("one = too few", jws + "=")
        # Signed as it stands, padding and all: only the spelling is wrong.
        payload["version"] = "2.0" + " " * index
        padded = base64.urlsafe_b64encode(compact(payload)).decode()
        yield message("padding behind the payload", join(head, padded, world.chain.leaf.key), "padding" if "=" in padded else None, accepted=None)
        yield message("spare bits in the signature", spare_bit(jws))
        if len(second) % 4:
            yield message("spare bits in the payload", join(head, spare_bit(second), world.chain.leaf.key))
        for character in "+/ \n\r\t\0*=é﻿":
            place = random.randrange(1, len(third))
            yield message(f"{character!r} in the signature", f"{first}.{second}.{third[:place]}{character}{third[place:]}")
            place = random.randrange(1, len(second))
            yield message(f"{character!r} in the payload", join(head, second[:place] + character + second[place:], world.chain.leaf.key))
        standard = second.replace("-", "+").replace("_", "/")
        if standard != second:
            yield message("the standard alphabet", join(head, standard, world.chain.leaf.key))
    jws = sign(world.chain, payloads.notification(random, world.chain))
    first, second, third = jws.split(".")
    for name, text in [("four parts", jws + "." + third), ("an empty fourth part", jws + "."), ("a dot before", "." + jws), ("two parts", f"{first}.{second}"),
                       ("one part", first), ("nothing", ""), ("dots alone", ".."), ("three dots", "..."), ("no header", f".{second}.{third}"),
                       ("no payload", f"{first}..{third}"), ("no signature", f"{first}.{second}."), ("two messages", jws + jws),
                       ("two messages in lines", jws + "\n" + jws), ("white space before", " " + jws), ("a line end behind", jws + "\n"),
                       ("quoted", f'"{jws}"'), ("Bearer", "Bearer " + jws), ("JSON serialization", json.dumps({"payload": second, "signatures": []})),
                       ("a.b.c", "a.b.c"), ("a.b.c.d", "a.b.c.d"), ("encoded once more", b64u(jws.encode()))]:
        yield message(name, text)
    for index in range(40):
        yield message(f"noise {index}", random.randbytes(random.randrange(200)).decode("latin-1"))


def json_text(world: World) -> Iterator[Message]:
    """The payload's JSON, soundly signed whatever it is."""
    random = world.random("json")

    def message(name, payload, difference=None, accepted=None, kind="notification"):
        return Message("json", name, kind, body(sign(world.chain, payload)), difference=difference, accepted=accepted)

    def sound_text():
        return compact(payloads.notification(random, world.chain))

    def with_member(text: bytes) -> bytes:
        return sound_text()[:-1] + b"," + text + b"}"

    for text in [b"", b"[]", b"null", b"7", b'"text"', b"true", b"{", b"{]", b"{}{}", b"\0", b"{'a':1}", b"{a:1}", b"{/**/}", b'{"a":1,}', b"\xff"]:
        yield message(f"not an object: {text!r}", text, accepted=REFUSE)
    for member in [b'"a":01', b'"a":+1', b'"a":.5', b'"a":1.', b'"a":0x1F', b'"a":1e', b'"a":--1', b'"a":tru', b'"a":"\\x"', b'"a":"\\u12"', b'"a":"\n"',
                   b'"a":"\x01"', b'"a":\'x\'', b'"a"', b'"a":', b'"a":undefined', b'"a":[1,]', b'"a":[,1]', b'"a" 1', b',"a":1', b'"a":"open', b'"a":"\xff"',
                   b'"a":"\xc0\xaf"', b'"a":"\xf8\x88\x80\x80\x80"', b'"a":"\xf4\x90\x80\x80"', b'"a":"\xe2\x82"']:
        yield message(f"wrong: {member!r}", with_member(member), accepted=REFUSE)
    for member in [b'"a":-0', b'"a":1E+2', b'"a":1.5e-3', b'"a":"\\u0000"', b'"a":"\\ud83d\\ude00"', '"a":"😀"'.encode(), b'"a":"\\/"', b'"a": [ ] ',
                   b'"a":{}', b'"":""', b'"a":"\x7f"', b'"a":123456789012345678901234567890', b'"a":1e300', '"a":"\u2028"'.encode()]:
        yield message(f"right: {member!r}", with_member(member), accepted=ACCEPT)
    for literal in [b"NaN", b"Infinity", b"-Infinity"]:
        yield message(f"{literal!r}", with_member(b'"a":' + literal), "json-grammar")
    for encoded, name in [(b"\xef\xbb\xbf" + sound_text(), "a byte order mark")] + [
            (sound_text().decode().encode(code), code) for code in ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be")]:
        yield message(name, encoded, "json-text")
    yield message("a surrogate in UTF-8", with_member(b'"a":"\xed\xa0\x80"'), "json-text")
    for name in [b'"notificationType":"TEST"', b'"data":{}', b'"signedDate":1']:
        yield message(f"twice: {name!r}", b"{" + name + b"," + sound_text()[1:], "duplicate-members")
    yield message("twice, deeper down", with_member(b'"a":[{"b":1,"b":2}]'), "duplicate-members")
    yield message("an escaped name", with_member(b'"\\u0061":1'), "escaped-names")
    yield message("a name that is not ASCII", with_member('"größe":1'.encode()), "escaped-names")
    yield message("64 levels", with_member(b'"a":' + b"[" * 63 + b"]" * 63), accepted=ACCEPT)
    for depth in (64, 100, 500):
        yield message(f"{depth + 1} levels", with_member(b'"a":' + b"[" * depth + b"]" * depth), "json-bounds")
    yield message("100,000 levels", with_member(b'"a":' + b"[" * 100_000 + b"]" * 100_000), accepted=REFUSE)
    yield message("300 members", with_member(b'"a":' + compact({f"m{index}": 1 for index in range(300)})), "json-bounds")
    yield message("a number of 65 digits", with_member(b'"a":' + b"9" * 65), "json-bounds")
    yield message("a text of 100 kB", with_member(b'"a":"' + b"x" * 100_000 + b'"'), accepted=ACCEPT)
    yield message("a text of 1 MB", with_member(b'"a":"' + b"x" * 1_000_000 + b'"'), "size")


GROUPS = [sound, header, x5c, signature, flips, truncations, encoding, json_text]
