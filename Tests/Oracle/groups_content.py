"""Messages that the store's key signed soundly: what they say, and what is inside them."""

from collections.abc import Iterator

import payloads
from jws import b64u, compact, sign, with_signature
from message import PRODUCTION, SANDBOX, Message, Profile, World, body
from payloads import APP_ID, BUNDLE, app_data, app_transaction, changed, envelope, notification, renewal_info, transaction
from pki import DAY, NOW

ACCEPT, REFUSE = True, False
OTHER_APP, OTHER_BUNDLE = Profile("Production", app_id=APP_ID + 1), Profile("Production", bundle="com.example.other")


def identity(world: World) -> Iterator[Message]:
    """Another app, another environment."""
    random = world.random("identity")

    def message(title, payload, profile=PRODUCTION, accepted=REFUSE, kind="notification", difference=None):
        content = body(sign(world.chain, payload)) if kind == "notification" else sign(world.chain, payload).encode()
        return Message("identity", title, kind, content, profile, difference, accepted)

    for index in range(10):
        payload = notification(random, world.chain)
        for profile in (SANDBOX, OTHER_APP, OTHER_BUNDLE, Profile("Sandbox", bundle="com.example.other")):
            yield message(f"for {profile} {index}", payload, profile)
        yield message(f"of the sandbox {index}", notification(random, world.chain, "Sandbox"))
        yield message(f"of the sandbox, app id unknown there {index}",
                      notification(random, world.chain, "Sandbox", data_changes={"appAppleId": ...}), SANDBOX, ACCEPT)
        yield message(f"of the sandbox, another app id {index}",
                      notification(random, world.chain, "Sandbox", data_changes={"appAppleId": 7}), SANDBOX, ACCEPT)
    for member, values in {
        "bundleId": [..., None, "", "com.example.App", BUNDLE + ".", " " + BUNDLE, BUNDLE + "\0", "com.example"],
        "appAppleId": [..., None, 0, -APP_ID, APP_ID + 1, APP_ID + 2**32],
        "environment": [..., None, "", "production", "PRODUCTION", "Xcode", "LocalTesting", "Future", "Sandbox"],
    }.items():
        for value in values:
            for container in ("data", "summary", "appData"):
                inside = changed(app_data("Production"), {member: value})
                yield message(f"{container}.{member} {value!r}", envelope(random, "TEST", None, **{container: inside}))
        for value in values:
            if member != "appAppleId":
                yield message(f"transaction.{member} {value!r}", changed(transaction(random), {member: value}), kind="transaction")
            if member == "environment":
                renewal = changed(renewal_info(random, transaction(random)), {member: value})
                yield message(f"renewalInfo.{member} {value!r}", renewal, kind="renewalInfo")
            name = "receiptType" if member == "environment" else member
            yield message(f"appTransaction.{name} {value!r}", app_transaction(random, **{name: value}) if value is not ... else changed(
                app_transaction(random), {name: ...}), kind="appTransaction")
    yield from containers(random, message)


def containers(random, message) -> Iterator[Message]:
    here, other = app_data("Production"), app_data("Production", bundleId="com.example.other")
    token = {"externalPurchaseId": "1000", "tokenCreationDate": NOW, "appAppleId": APP_ID, "bundleId": BUNDLE}
    yield message("no container", envelope(random, "TEST", None))
    yield message("an unknown container", envelope(random, "TEST", None, futureInfo=here))
    yield message("an empty container", envelope(random, "TEST", None, data={}))
    yield message("a container of null", envelope(random, "TEST", None, data=None))
    yield message("a sandbox token", envelope(random, "TEST", None, externalPurchaseToken=token | {"externalPurchaseId": "SANDBOX_1"}))
    yield message("a token without an id", envelope(random, "TEST", None, externalPurchaseToken=changed(token, {"externalPurchaseId": ...})), accepted=ACCEPT)
    yield message("another app's token", envelope(random, "TEST", None, externalPurchaseToken=token | {"bundleId": "com.example.other"}))
    yield message("data first, summary of another app", envelope(random, "TEST", None, data=here, summary=other), accepted=ACCEPT)
    yield message("data of another app, summary ours", envelope(random, "TEST", None, data=other, summary=here))
    yield message("summary of another app, token ours", envelope(random, "TEST", None, summary=other, externalPurchaseToken=token))
    yield message("token of another app, appData ours", envelope(random, "TEST", None, externalPurchaseToken=token | {"bundleId": "x"}, appData=here))
    yield message("token ours, appData of another app", envelope(random, "TEST", None, externalPurchaseToken=token, appData=other), accepted=ACCEPT)
    yield message("data of null, summary ours", envelope(random, "TEST", None, data=None, summary=here), accepted=ACCEPT)
    yield message("unclaimInfo, without an app", envelope(random, "UNCLAIM", None, unclaimInfo={"unclaimSeatIds": ["s1"]}))
    for _ in range(3):
        yield message("unclaimInfo of our app", envelope(random, "UNCLAIM", None, unclaimInfo=here | {"unclaimSeatIds": ["s1"]}), accepted=None,
                      difference="unclaim-info")
    yield message("unclaimInfo of another app", envelope(random, "UNCLAIM", None, unclaimInfo=other))


def shape(world: World) -> Iterator[Message]:
    """Which kind of payload stands where."""
    random = world.random("shape")

    def message(title, payload, difference=None, accepted=None):
        return Message("shape", title, "notification", body(sign(world.chain, payload)), difference=difference, accepted=accepted)

    for _ in range(8):
        yield message("a transaction", transaction(random), accepted=REFUSE)
        yield message("a renewal info", renewal_info(random, transaction(random)), accepted=REFUSE)
        yield message("an app transaction", app_transaction(random), accepted=REFUSE)
    for member in ("notificationUUID", "notificationType"):
        for value in (..., None, ""):
            yield message(f"{member} {value!r}", notification(random, world.chain, **{member: value}), "no-identity")
    for member in ("version", "subtype", "signedDate"):
        yield message(f"no {member}", notification(random, world.chain, **{member: ...}), accepted=ACCEPT)
    for type_, subtype in [("A_NEW_TYPE", None), ("REFUND", "A_NEW_SUBTYPE"), ("refund", ""), ("☃", "☃"), ("x" * 5000, "y" * 5000)]:
        yield message(f"type {type_:.9}", notification(random, world.chain, notificationType=type_, subtype=subtype), accepted=ACCEPT)
    for claims in [{"exp": 1}, {"nbf": 4_000_000_000}, {"iat": 4_000_000_000}, {"aud": "appstoreconnect-v1"}, {"exp": "x"}, {"sub": 7}, {"jti": 7}]:
        yield message(f"claims {claims}", notification(random, world.chain) | claims, "jwt-claims")
    for claims in [{"exp": 4_000_000_000}, {"nbf": 1}, {"iat": 1}, {"iss": "x"}, {"sub": "x"}, {"jti": "x"}]:
        yield message(f"claims {claims}", notification(random, world.chain) | claims, accepted=ACCEPT)
    jws = sign(world.chain, notification(random, world.chain))
    bodies = [
        ("other members beside", compact({"a": 1, "signedPayload": jws, "b": [None]}), None, ACCEPT),
        ("white space", b' {\r\n"signedPayload" :\t"' + jws.encode() + b'" }\n', None, ACCEPT),
        ("another member's name", compact({"signedpayload": jws}), None, REFUSE),
        ("no members", b"{}", None, REFUSE),
        ("null", compact({"signedPayload": None}), None, REFUSE),
        ("a number", compact({"signedPayload": 7}), None, REFUSE),
        ("a list", compact({"signedPayload": [jws]}), None, REFUSE),
        ("twice", b'{"signedPayload":"a.b.c",' + body(jws)[1:], "duplicate-members", None),
        ("escapes in the text", body(jws).replace(b":\"e", b":\"\\u0065"), "escaped-text", None),
    ]
    for title, content, difference, accepted in bodies:
        yield Message("shape", f"body: {title}", "notification", content, difference=difference, accepted=accepted)


def inside(world: World) -> Iterator[Message]:
    """Faults of the signed parts, in a notification that is sound itself."""
    random = world.random("inside")
    chain, foreign = world.chain, world.foreign

    def message(title, difference=None, accepted=None, environment="Production", **data):
        bought = transaction(random, environment)
        parts = {"signedTransactionInfo": sign(chain, bought), "signedRenewalInfo": sign(chain, renewal_info(random, bought))}
        data = {member: value(bought) if callable(value) else value for member, value in data.items()}
        payload = envelope(random, "DID_RENEW", None, data=changed(app_data(environment, **parts), data))
        profile = SANDBOX if environment == "Sandbox" else PRODUCTION
        return Message("inside", title, "notification", body(sign(chain, payload)), profile, difference, accepted)

    for member, make in [("signedTransactionInfo", lambda bought: bought), ("signedRenewalInfo", lambda bought: renewal_info(random, bought))]:
        for _ in range(5):
            for title, forged in forgeries(chain, foreign, random):
                yield message(f"{member}: {title}", accepted=REFUSE, **{member: lambda bought: forged(make(bought))})
        for value in ["", "a.b.c", 7, True, [], {}]:
            yield message(f"{member} is {value!r}", accepted=REFUSE, **{member: value})
        for value in [..., None]:
            yield message(f"{member} is {value!r}", accepted=ACCEPT, **{member: value})
    for _ in range(5):
        yield from placed(message, random, chain)
        yield from contradictions(message, random, chain)
    yield from in_app_data(world, random)


def forgeries(chain, foreign, random):
    header = {"alg": "ES256", "x5c": chain.x5c}
    yield "foreign chain", lambda payload: sign(foreign, payload)
    yield "foreign key", lambda payload: sign(chain, payload, key=foreign.leaf.key)
    yield "alg none", lambda payload: sign(chain, payload, header | {"alg": "none"})
    yield "no signature", lambda payload: with_signature(sign(chain, payload), b"")
    yield "two certificates", lambda payload: sign(chain, payload, header | {"x5c": chain.x5c[:2]})
    yield "unsigned", lambda payload: b64u(compact({"alg": "none"})) + "." + b64u(compact(payload)) + "."
    yield "signature of another", lambda payload: with_signature(sign(chain, payload), random.randbytes(64))
    yield "a line end", lambda payload: sign(chain, payload) + "\n"
    yield "cut short", lambda payload: sign(chain, payload)[:-5]
    yield "another payload", lambda payload: ".".join([*sign(chain, payload).split(".")[:1], b64u(compact(payload | {"quantity": 99})),
                                                       *sign(chain, payload).split(".")[2:]])


def placed(message, random, chain) -> Iterator[Message]:
    """Sound parts in another's place."""
    yield message("renewal info as transaction", accepted=REFUSE, signedTransactionInfo=lambda bought: sign(chain, renewal_info(random, bought)))
    yield message("notification as transaction", accepted=REFUSE, signedTransactionInfo=lambda _: sign(chain, envelope(random, "TEST", None)))
    yield message("app transaction as transaction", accepted=REFUSE, signedTransactionInfo=lambda _: sign(chain, app_transaction(random)))
    yield message("transaction as renewal info", "inner-cross-check", signedRenewalInfo=lambda bought: sign(chain, bought))
    yield message("nothing but the environment as renewal info", "inner-cross-check",
                  signedRenewalInfo=lambda _: sign(chain, {"environment": "Production", "signedDate": NOW}))
    for member in ("transactionId", "productId", "purchaseDate", "signedDate"):
        yield message(f"transaction without {member}", "inner-cross-check",
                      signedTransactionInfo=lambda bought: sign(chain, changed(bought, {member: ...})))
    for member in ("autoRenewStatus", "renewalDate", "originalTransactionId", "signedDate"):
        yield message(f"renewal info without {member}", "inner-cross-check",
                      signedRenewalInfo=lambda bought: sign(chain, changed(renewal_info(random, bought), {member: ...})))


def contradictions(message, random, chain) -> Iterator[Message]:
    yield message("transaction of another app", accepted=REFUSE, signedTransactionInfo=lambda bought: sign(chain, bought | {"bundleId": "com.example.other"}))
    yield message("transaction of no app", accepted=REFUSE, signedTransactionInfo=lambda bought: sign(chain, changed(bought, {"bundleId": ...})))
    for environment, other in (("Production", "Sandbox"), ("Sandbox", "Production")):
        yield message(f"transaction of {other}", accepted=REFUSE, environment=environment,
                      signedTransactionInfo=lambda bought: sign(chain, bought | {"environment": other}))
        yield message(f"renewal info of {other}", accepted=REFUSE, environment=environment,
                      signedRenewalInfo=lambda bought: sign(chain, renewal_info(random, bought) | {"environment": other}))
    yield message("renewal info of another subscription", "inner-cross-check",
                  signedRenewalInfo=lambda bought: sign(chain, renewal_info(random, bought, originalTransactionId="7")))
    yield message("transaction signed ahead", "future-date", signedTransactionInfo=lambda bought: sign(chain, bought | {"signedDate": NOW + 6000 * DAY}))
    for number in (0, -1, 13, 24, 1000):
        commitment = {"billingPeriodNumber": number, "totalBillingPeriods": 24}
        yield message(f"billing period {number}", "commitment-numbers",
                      signedTransactionInfo=lambda bought: sign(chain, bought | {"commitmentInfo": commitment}))


def in_app_data(world: World, random) -> Iterator[Message]:
    def message(title, payload, difference=None, accepted=None, chain=world.chain):
        data = {"appAppleId": APP_ID, "bundleId": BUNDLE, "environment": "Production", "signedAppTransactionInfo": sign(chain, payload)}
        content = body(sign(world.chain, envelope(random, "RESCIND_CONSENT", None, appData=data)))
        return Message("inside", f"appData: {title}", "notification", content, difference=difference, accepted=accepted)

    for _ in range(5):
        yield message("sound", app_transaction(random), accepted=ACCEPT)
        yield message("foreign chain", app_transaction(random), accepted=REFUSE, chain=world.foreign)
        yield message("another app", app_transaction(random, bundleId="com.example.other"), accepted=REFUSE)
        yield message("another environment", app_transaction(random, receiptType="Sandbox"), accepted=REFUSE)
        yield message("a transaction", transaction(random), accepted=REFUSE)
        yield message("another app id", app_transaction(random, appAppleId=7), accepted=REFUSE)


# The members whose JSON type both sides know, and what Apple documents for them.
TYPED = {
    "transaction": {"text": ["productId", "type", "inAppOwnershipType", "currency", "storefront", "offerIdentifier", "transactionReason"],
                    "id": ["webOrderLineItemId", "appTransactionId", "originalTransactionId"],
                    "number": ["quantity", "price", "revocationReason", "offerType"],
                    "date": ["expiresDate", "originalPurchaseDate", "revocationDate"],
                    "flag": ["isUpgraded"]},
    "renewalInfo": {"text": ["autoRenewProductId", "productId", "offerIdentifier", "currency"],
                    "id": ["appTransactionId"],
                    "number": ["autoRenewStatus", "expirationIntent", "renewalPrice", "priceIncreaseStatus"],
                    "date": ["gracePeriodExpiresDate", "recentSubscriptionStartDate", "renewalDate"],
                    "flag": ["isInBillingRetryPeriod"]},
}
WRONG = ["7", "seven", 7, 7.5, True, [], ["7"], {}, {"a": 1}]


def apples_library_takes(type_: str, value) -> bool:
    """It converts by Python's int, str and bool, which refuse little; unknown values of enumerations it takes as they are."""
    if type_ in ("number", "date"):
        return value != "seven" and not isinstance(value, (list, dict))
    return True


def we_take(type_: str, value) -> bool:
    """As documented; ids also as numbers; dates also with fractions of a millisecond, as Xcode makes them."""
    if isinstance(value, bool):
        return type_ == "flag"
    match type_:
        case "text": return isinstance(value, str)
        case "id": return isinstance(value, (str, int))
        case "number": return isinstance(value, int)
        case "date": return isinstance(value, (int, float))
        case _: return False


def types(world: World) -> Iterator[Message]:
    """A member of another JSON type than documented, in payloads of their own."""
    random = world.random("types")
    for kind, members in TYPED.items():
        for type_, names in members.items():
            for member in names:
                for value in [None, *WRONG]:
                    bought = transaction(random)
                    payload = bought if kind == "transaction" else renewal_info(random, bought)
                    payload[member] = value
                    apple, ours = (value is None or takes(type_, value) for takes in (apples_library_takes, we_take))
                    yield from typed(world, random, kind, f"{kind}.{member} is {value!r}", bought, payload, apple, ours)


def typed(world, random, kind, title, bought, payload, apple, ours) -> Iterator[Message]:
    """Inside a notification, since there every member is read."""
    parts = {"signedTransactionInfo": sign(world.chain, payload if kind == "transaction" else bought),
             "signedRenewalInfo": sign(world.chain, payload)} if kind == "renewalInfo" else {"signedTransactionInfo": sign(world.chain, payload)}
    content = body(sign(world.chain, envelope(random, "DID_RENEW", None, data=app_data("Production", **parts))))
    difference = None if apple == ours else "member-types"
    yield Message("types", title, "notification", content, difference=difference, accepted=apple if apple == ours else None)


GROUPS = [identity, shape, inside, types]
