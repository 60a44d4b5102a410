"""Messages whose form is sound and whose certificates may not be."""

from collections.abc import Iterator
from dataclasses import replace

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID, ObjectIdentifier

import payloads
from jws import sign
from message import Message, World, body
from pki import DAY, INTERMEDIATE_MARKER, LEAF, LEAF_MARKER, NOW, ROOT, Chain, make_chain, name

ACCEPT, REFUSE = True, False


class Maker:
    """Makes messages of one group, on chains under the trusted root."""

    def __init__(self, world: World, group: str):
        self.world, self.group = world, group
        self.random, self.forge = world.random(group), world.forge(group)

    def chain(self, **changes) -> Chain:
        return make_chain(self.forge, root=self.world.chain.root, **changes)

    def message(self, title, chain, difference=None, accepted=None, payload=None, header=None) -> Message:
        payload = payload or payloads.envelope(self.random, "TEST", None, data=payloads.app_data("Production"))
        content = body(sign(chain, payload, header))
        return Message(self.group, title, "notification", content, difference=difference, accepted=accepted)

    def inner(self, title, chain, difference=None, accepted=None) -> Message:
        """The same chain on the inside: the transaction's alone."""
        trusted = self.world.chain
        outside = payloads.notification(self.random, trusted, data_changes={
            "signedRenewalInfo": ..., "signedTransactionInfo": sign(chain, payloads.transaction(self.random))})
        return Message(self.group, f"inside: {title}", "notification", body(sign(trusted, outside)), difference=difference, accepted=accepted)

    def both(self, title, chain, difference=None, accepted=None) -> Iterator[Message]:
        yield self.message(title, chain, difference, accepted)
        yield self.inner(title, chain, difference, accepted)


def trust(world: World) -> Iterator[Message]:
    make = Maker(world, "trust")
    trusted, foreign = world.chain, world.foreign
    for index in range(6):
        yield from make.both("sound", make.chain(), accepted=ACCEPT)
        yield from make.both("a root with the true one's name", make_chain(make.forge), accepted=REFUSE)
    own = make_chain(make.forge)
    yield from make.both("own chain, the true root named", Chain(own.leaf, own.intermediate, trusted.root), accepted=REFUSE)
    yield from make.both("own leaf, the true intermediate", Chain(own.leaf, trusted.intermediate, trusted.root), accepted=REFUSE)
    yield from make.both("true leaf, own intermediate", Chain(trusted.leaf, own.intermediate, trusted.root), accepted=REFUSE)
    other = make.chain()
    yield from make.both("leaf of one, intermediate of another", Chain(trusted.leaf, other.intermediate, trusted.root), accepted=REFUSE)
    # The same key under another certificate of the same intermediate: as good as the first.
    twin = make.forge.issue(LEAF, trusted.leaf.key, trusted.intermediate)
    yield from make.both("another certificate of the same key", Chain(twin, trusted.intermediate, trusted.root), accepted=ACCEPT)
    yield from make.both("another leaf's key", Chain(replace(trusted.leaf, key=other.leaf.key), trusted.intermediate, trusted.root), accepted=REFUSE)
    self_signed = make.forge.issue(replace(LEAF, more=[]), make.forge.key(), None)
    yield from make.both("self-signed leaf", Chain(self_signed, trusted.intermediate, trusted.root), accepted=REFUSE)
    yield from make.both("self-signed leaf three times", Chain(self_signed, self_signed, self_signed), accepted=REFUSE)
    forged = make.forge.issue(replace(LEAF, issuer_name=trusted.intermediate.certificate.subject), make.forge.key(), foreign.intermediate)
    yield from make.both("leaf that names the true issuer, signed by another", Chain(forged, trusted.intermediate, trusted.root), accepted=REFUSE)
    renamed = make.forge.issue(replace(LEAF, issuer_name=name("Somebody Else")), make.forge.key(), trusted.intermediate)
    yield from make.both("leaf that names another issuer, signed by the true one", Chain(renamed, trusted.intermediate, trusted.root), accepted=REFUSE)
    wrong_id = make.chain(leaf_changes={"wrong_authority_key_id": True})
    yield from make.both("leaf that points to another key of the issuer", wrong_id, accepted=REFUSE)
    yield from depth(make, trusted)


def depth(make: Maker, trusted: Chain) -> Iterator[Message]:
    below_root = make.forge.issue(replace(LEAF, more=[(x509.UnrecognizedExtension(ObjectIdentifier(INTERMEDIATE_MARKER), b"\x05\x00"), False)]),
                                  make.forge.key(), trusted.root)
    yield from make.both("leaf below the root", Chain(below_root, trusted.root, trusted.root), accepted=REFUSE)
    yield from make.both("leaf below the root, an intermediate beside", Chain(below_root, trusted.intermediate, trusted.root), accepted=REFUSE)
    marked = replace(LEAF, marker=LEAF_MARKER, more=[(x509.UnrecognizedExtension(ObjectIdentifier(INTERMEDIATE_MARKER), b"\x05\x00"), False)])
    issuer = make.forge.issue(marked, make.forge.key(), trusted.intermediate)
    yield from make.both("leaf below a leaf", Chain(make.forge.issue(LEAF, make.forge.key(), issuer), issuer, trusted.root), accepted=REFUSE)
    middle = make.forge.issue(replace(LEAF, is_ca=True, marker=INTERMEDIATE_MARKER, path_length=0), make.forge.key(), trusted.intermediate)
    below = make.forge.issue(LEAF, make.forge.key(), middle)
    yield from make.both("four certificates, one of them missing", Chain(below, middle, trusted.root), accepted=REFUSE)
    yield make.message("four certificates in x5c", Chain(below, middle, trusted.intermediate), accepted=REFUSE,
                       header={"alg": "ES256", "x5c": Chain(below, middle, trusted.intermediate).x5c + trusted.x5c[2:]})


def purpose(world: World) -> Iterator[Message]:
    make = Maker(world, "purpose")
    unrecognized = lambda oid, value=b"\x05\x00": (x509.UnrecognizedExtension(ObjectIdentifier(oid), value), False)
    tagged = b"\x06\x0a\x2a\x86\x48\x86\xf7\x63\x64\x06\x0b\x01"
    in_subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, LEAF_MARKER), x509.NameAttribute(ObjectIdentifier(LEAF_MARKER), "yes")])
    faults = {
        "no marker in the leaf": {"leaf_changes": {"marker": None}},
        "no marker in the intermediate": {"intermediate_changes": {"marker": None}},
        "no markers": {"leaf_changes": {"marker": None}, "intermediate_changes": {"marker": None}},
        "markers exchanged": {"leaf_changes": {"marker": INTERMEDIATE_MARKER}, "intermediate_changes": {"marker": LEAF_MARKER}},
        "the intermediate's marker on both": {"leaf_changes": {"marker": INTERMEDIATE_MARKER}},
        "another of Apple's purposes": {"leaf_changes": {"marker": "1.2.840.113635.100.6.1.2"}},
        "a longer marker": {"leaf_changes": {"marker": LEAF_MARKER + ".1"}},
        "a shorter marker": {"leaf_changes": {"marker": LEAF_MARKER.rsplit(".", 1)[0]}},
        "the marker in the subject": {"leaf_changes": {"marker": None, "subject": in_subject}},
        "the marker in another extension's value": {"leaf_changes": {"marker": None, "more": [unrecognized("1.2.3.4", tagged)]}},
        "the marker as a key purpose": {"leaf_changes": {"marker": None, "more": [(x509.ExtendedKeyUsage([ObjectIdentifier(LEAF_MARKER)]), False)]}},
        "the marker as a policy": {"leaf_changes": {"marker": None, "more": [
            (x509.CertificatePolicies([x509.PolicyInformation(ObjectIdentifier(LEAF_MARKER), None)]), False)]}},
    }
    for title, changes in faults.items():
        for _ in range(3):
            yield from make.both(title, make.chain(**changes), accepted=REFUSE)
    sound = {
        "both markers on the leaf": {"leaf_changes": {"more": [unrecognized(INTERMEDIATE_MARKER)]}},
        "a marker with another value": {"leaf_changes": {"marker": None, "more": [unrecognized(LEAF_MARKER, b"\x0c\x03abc")]}},
        "an unknown extension": {"leaf_changes": {"more": [unrecognized("1.2.3.4")]}},
        "a key purpose": {"leaf_changes": {"more": [(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CODE_SIGNING]), False)]}},
    }
    for title, changes in sound.items():
        yield from make.both(title, make.chain(**changes), accepted=ACCEPT)


def authority(world: World) -> Iterator[Message]:
    """Who may sign certificates, and how long a path may be."""
    make = Maker(world, "authority")
    critical = (x509.UnrecognizedExtension(ObjectIdentifier("1.2.3.4"), b"\x05\x00"), True)
    constrained = (x509.NameConstraints([x509.DirectoryName(name("Only This"))], None), True)
    faults = {
        "intermediate without the CA flag": {"intermediate_changes": {"is_ca": False, "path_length": None}},
        "intermediate without basic constraints": {"intermediate_changes": {"has_basic_constraints": False}},
        "intermediate that may not sign certificates": {"intermediate_changes": {"key_usage": ("crl_sign",)}},
        "intermediate that may sign messages alone": {"intermediate_changes": {"key_usage": ("digital_signature",)}},
        "an unknown critical extension in the leaf": {"leaf_changes": {"more": [critical]}},
        "an unknown critical extension in the intermediate": {"intermediate_changes": {"more": [critical]}},
        "a name that the intermediate may not give": {"intermediate_changes": {"more": [constrained]}},
    }
    for title, changes in faults.items():
        for _ in range(3):
            yield from make.both(title, make.chain(**changes), accepted=REFUSE)
    sound = {
        "intermediate without a path length": {"intermediate_changes": {"path_length": None}},
        "intermediate with a path length of 3": {"intermediate_changes": {"path_length": 3}},
        "intermediate with more uses": {"intermediate_changes": {"key_usage": ("key_cert_sign", "digital_signature")}},
        "leaf without key usage": {"leaf_changes": {"key_usage": ()}},
        "leaf for key agreement": {"leaf_changes": {"key_usage": ("key_agreement",)}},
        "leaf without basic constraints": {"leaf_changes": {"has_basic_constraints": False}},
        "leaf that is a CA": {"leaf_changes": {"is_ca": True, "key_usage": ("key_cert_sign", "digital_signature")}},
        "basic constraints that are not critical": {"intermediate_changes": {"basic_constraints_critical": False}},
        "a leaf signed with SHA-512": {"leaf_changes": {"digest": hashes.SHA512()}},
        "an intermediate signed with SHA-256": {"intermediate_changes": {"digest": hashes.SHA256()}},
        "an intermediate of P-256": {"intermediate_key": "P-256"},
        "an intermediate of RSA": {"intermediate_key": "RSA"},
    }
    for title, changes in sound.items():
        yield from make.both(title, make.chain(**changes), accepted=ACCEPT)
    ornaments = {
        "leaf without an authority key id": {"leaf_changes": {"authority_key_id": False}},
        "intermediate without an authority key id": {"intermediate_changes": {"authority_key_id": False}},
        "intermediate without a subject key id": {"intermediate_changes": {"subject_key_id": False}},
        "no key ids at all": {"leaf_changes": {"authority_key_id": False, "subject_key_id": False},
                              "intermediate_changes": {"authority_key_id": False, "subject_key_id": False}},
        "intermediate without key usage": {"intermediate_changes": {"key_usage": ()}},
    }
    for title, changes in ornaments.items():
        for _ in range(2):
            yield from make.both(title, make.chain(**changes), "key-identifiers")


def root_limits(world: World) -> Iterator[Message]:
    """Faults of the trusted root itself. Each needs a root of its own, so that the verifiers have to be told of it: see `roots`."""
    make = Maker(world, "roots")
    for title, changes in ROOT_FAULTS.items():
        chain = make_chain(make.forge, root=roots(world)[title])
        yield from make.both(title, chain, accepted=title == "sound")


ROOT_FAULTS = {
    "sound": {},
    "path length of 0": {"path_length": 0},
    "expired": {"validity": (NOW - 900 * DAY, NOW - 100 * DAY)},
    "not valid yet": {"validity": (NOW + 100 * DAY, NOW + 900 * DAY)},
    "not for certificates": {"key_usage": ("crl_sign",)},
    "no CA": {"is_ca": False},
}


def roots(world: World) -> dict:
    """The extra roots that both verifiers trust beside the main one."""
    forge = world.forge("extra roots")
    made = {}
    for title, changes in ROOT_FAULTS.items():
        made[title] = forge.issue(replace(ROOT, name=f"Oracle Root, {title}", **changes), forge.key("P-384"), None)
    return made


def keys(world: World) -> Iterator[Message]:
    make = Maker(world, "keys")
    for kind in ["P-384", "P-521", "secp256k1", "RSA", "Ed25519"]:
        for _ in range(3):
            yield from make.both(f"leaf of {kind}", make.chain(leaf_key=kind), accepted=REFUSE)


def dates(world: World) -> Iterator[Message]:
    """The chain is judged at the payload's date, to the second."""
    make = Maker(world, "dates")
    first, last = NOW - 40 * DAY, NOW - 4 * DAY
    limited = {
        "leaf": make.chain(leaf_changes={"validity": (first, last)}),
        "intermediate": make.chain(intermediate_changes={"validity": (first, last)}),
    }
    instants = [(first - DAY, REFUSE), (first - 1000, REFUSE), (first - 1, REFUSE), (first, ACCEPT), (first + 1, ACCEPT), (first + DAY, ACCEPT),
                (last - DAY, ACCEPT), (last - 1, ACCEPT), (last, ACCEPT), (last + 999, ACCEPT), (last + 1000, REFUSE), (last + DAY, REFUSE), (NOW, REFUSE)]
    for which, chain in limited.items():
        for instant, accepted in instants:
            yield dated(make, f"{which}, {instant - last} ms after its end", chain, instant, None, accepted)
    yield from wrong_dates(make, world.chain)
    yield from app_transaction_dates(make, limited["leaf"], first, last)


def dated(make, title, chain, signed_date, difference=None, accepted=None):
    payload = payloads.envelope(make.random, "TEST", None, data=payloads.app_data("Production"))
    payload = payloads.changed(payload, {"signedDate": signed_date})
    return make.message(title, chain, difference, accepted, payload)


def wrong_dates(make: Maker, chain: Chain) -> Iterator[Message]:
    yield dated(make, "no date: judged now", chain, ..., accepted=ACCEPT)
    for value in [-1, 0, 1, 1_000_000_000, -NOW, NOW * 1000, 2**63 - 1, 2**63, 10**30, True, False, "", "soon", [], {}, [NOW], {"ms": NOW}]:
        yield dated(make, f"date {value!r:.30}", chain, value, accepted=REFUSE)
    for value in [None, str(NOW), float(NOW), NOW + 0.5]:
        yield dated(make, f"date {value!r}", chain, value, "date-form")
    for days in (5500, 6000, 6400):  # beyond 2040: ahead of any clock that runs this
        yield dated(make, f"{days} days ahead", chain, NOW + days * DAY, "future-date")


def app_transaction_dates(make: Maker, chain: Chain, first: int, last: int) -> Iterator[Message]:
    """Their date is receiptCreationDate."""
    for title, instant, accepted in [("within", first + DAY, ACCEPT), ("before", first - DAY, REFUSE), ("after", last + DAY, REFUSE)]:
        for which, used in [("limited", chain), ("trusted", make.world.chain)]:
            instant_of = instant if which == "limited" else {"within": NOW, "before": NOW - 3000 * DAY, "after": NOW + 9000 * DAY}[title]
            jws = sign(used, payloads.app_transaction(make.random, receiptCreationDate=instant_of))
            yield Message(make.group, f"app transaction, {which} chain, {title}", "appTransaction", jws.encode(), accepted=accepted)


GROUPS = [trust, purpose, authority, root_limits, keys, dates]
