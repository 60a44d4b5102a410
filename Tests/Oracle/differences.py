"""Where Refund Desk means to differ from Apple's Python library. Nothing else may differ, and each of these must."""

from dataclasses import dataclass

STRICTER, LAXER = "stricter", "laxer"


@dataclass(frozen=True)
class Difference:
    # STRICTER: Apple's library accepts, we refuse. LAXER: the reverse.
    direction: str
    reason: str


DIFFERENCES = {
    # Form
    "padding": Difference(STRICTER, "base64url with = at its end. RFC 7515 has none; one JWS would have several spellings."),
    "certificate-base64": Difference(STRICTER, "x5c in base64 with spare bits set: not the one canonical encoding of the certificate."),
    "der": Difference(STRICTER, "a certificate in BER that is not DER: two encodings would be two identities of one key."),
    "size": Difference(STRICTER, "more than 1 MiB, some fifty times the largest real message."),
    # JSON
    "json-text": Difference(STRICTER, "JSON with a byte order mark, in UTF-16 or UTF-32, or with surrogates in its UTF-8. RFC 8259: UTF-8, no mark."),
    "json-grammar": Difference(STRICTER, "NaN and Infinity, which are no JSON and which Python reads."),
    "json-bounds": Difference(STRICTER, "more than 64 levels, 256 members in an object or 64 characters in a number: work before trust."),
    "duplicate-members": Difference(STRICTER, "a member twice in one object: two programs would read two different messages."),
    "crit": Difference(STRICTER, "crit in the header, also of an extension that Apple's JWT library knows: we know none (RFC 7515 section 4.1.11)."),
    "escaped-text": Difference(STRICTER, "signedPayload with escapes in the body's JSON: base64url and dots never need one."),
    "escaped-names": Difference(STRICTER, "a member's name that is not plain ASCII or has escapes: equal names would have unequal bytes."),
    "member-types": Difference(STRICTER, "a member of another JSON type than documented, which Apple's library converts (7 to \"7\", \"7\" to 7)."),
    "date-form": Difference(STRICTER, "signedDate that is no whole number of milliseconds: text, null, fraction or exponent."),
    "x5c-entries": Difference(STRICTER, "x5c[2] that is no text. Neither side reads what it says; we still want a list of texts."),
    # Meaning
    "future-date": Difference(STRICTER, "signedDate more than a day ahead: it would win over every true fact to come."),
    "no-identity": Difference(STRICTER, "a notification without notificationUUID or notificationType: it cannot be told from its repeats."),
    "inner-cross-check": Difference(STRICTER, "parts that are sound alone and contradict one another, or stand in one another's place."),
    # Laxer: true of messages that the store's key signed in any case
    "key-identifiers": Difference(LAXER, "certificates without key identifiers, or without the strict profile's other ornaments (X509_STRICT): "
                                         "Apple's own test chain has none. Signatures, CA flags, key usage and path lengths are demanded."),
    "jwt-claims": Difference(LAXER, "members named as JWT claims (exp, nbf, aud and so on) mean nothing in Apple's payloads and are not judged."),
    "b64": Difference(LAXER, "b64 in the header without crit is never read: the signature is over the bytes as they came either way."),
    "kid-type": Difference(LAXER, "a kid in the header is never read, so its type does not matter."),
    "commitment-numbers": Difference(LAXER, "a billingPeriodNumber beyond what Apple documents today is kept rather than lost with its notification."),
    "unclaim-info": Difference(LAXER, "a notification with unclaimInfo that names our app, which the library does not know yet."),
}
