"""What Apple's payloads say: transactions, renewal infos and notifications with the usual fields, each of which a test can replace.

A field given as None is left out. Dates are milliseconds since the epoch, prices milliunits."""

import itertools
import json
import random
import threading
import uuid

from signing import CHAIN, DAY, now_ms

BUNDLE, APP_ID, APP = "com.example.desk", 1_234_567_890, "desk"
OTHER_BUNDLE, OTHER_APP_ID, OTHER_APP = "com.example.other", 1_234_567_891, "other"
GROUP = "21000001"
COINS, LIFETIME, SEASON = "com.example.coins100", "com.example.lifetime", "com.example.season"
BASIC, PRO, MAX, YEARLY = "com.example.basic", "com.example.pro", "com.example.max", "com.example.pro.yearly"

_ids = itertools.count(2_000_000_000_000_000 + random.randrange(1_000_000) * 1_000_000)
_lock = threading.Lock()


def new_id() -> str:
    with _lock:
        return str(next(_ids))


def without_none(members: dict) -> dict:
    return {key: value for key, value in members.items() if value is not None}


def purchase(product=COINS, kind="Consumable", **fields) -> dict:
    """A transaction of anything but a subscription, bought yesterday unless told otherwise."""
    identity = fields.pop("transactionId", None) or new_id()
    at = fields.pop("purchaseDate", None) or now_ms() - DAY
    return without_none({
        "transactionId": identity, "originalTransactionId": identity, "bundleId": BUNDLE, "productId": product, "purchaseDate": at,
        "originalPurchaseDate": at, "quantity": 1, "type": kind, "inAppOwnershipType": "PURCHASED", "signedDate": at,
        "environment": "Production", "transactionReason": "PURCHASE", "storefront": "USA", "storefrontId": "143441", "price": 990,
        "currency": "USD", "appTransactionId": "704" + identity[-13:]} | fields)


def period(product=PRO, start=None, days=30, original=None, **fields) -> dict:
    """One period of a subscription, begun five days ago unless told otherwise."""
    identity = fields.pop("transactionId", None) or new_id()
    start = start if start is not None else now_ms() - 5 * DAY
    original = original or identity
    return purchase(product, "Auto-Renewable Subscription", **{
        "transactionId": identity, "originalTransactionId": original, "webOrderLineItemId": identity[::-1],
        "subscriptionGroupIdentifier": GROUP, "purchaseDate": start, "originalPurchaseDate": start, "expiresDate": start + days * DAY,
        "price": 9_990, "transactionReason": "PURCHASE" if original == identity else "RENEWAL",
        "appTransactionId": "704" + original[-13:]} | fields)


def renewal(transaction: dict, **fields) -> dict:
    """The renewal info that goes with a period."""
    return without_none({
        "originalTransactionId": transaction["originalTransactionId"], "productId": transaction["productId"],
        "autoRenewProductId": transaction["productId"], "autoRenewStatus": 1, "renewalDate": transaction["expiresDate"],
        "renewalPrice": transaction["price"], "currency": transaction["currency"], "signedDate": transaction["signedDate"],
        "environment": transaction["environment"], "recentSubscriptionStartDate": transaction["originalPurchaseDate"],
        "appTransactionId": transaction.get("appTransactionId")} | fields)


def revoked(transaction: dict, at: int, **fields) -> dict:
    return transaction | without_none({
        "revocationDate": at, "revocationReason": 1, "revocationType": "REFUND_FULL", "revocationPercentage": 100_000, "signedDate": at} | fields)


def notification(kind: str, subtype=None, transaction=None, renewal=None, *, chain=CHAIN, uuid_text=None, signed=None, reason=None,
                 status=None, environment=None, top=None, **data) -> dict:
    """The decoded outside of a notification, its inner payloads signed. `top` replaces members outside `data`, `data` those inside."""
    environment = environment or (transaction or {}).get("environment") or "Production"
    inside = {
        "environment": environment, "appAppleId": APP_ID if environment == "Production" else None, "bundleId": BUNDLE,
        "bundleVersion": "1", "status": status, "consumptionRequestReason": reason,
        "signedTransactionInfo": transaction and chain.sign(transaction), "signedRenewalInfo": renewal and chain.sign(renewal)} | data
    return without_none({
        "notificationType": kind, "subtype": subtype, "notificationUUID": uuid_text or str(uuid.uuid4()), "version": "2.0",
        "signedDate": signed or now_ms(), "data": without_none(inside)} | (top or {}))


def body(payload, chain=CHAIN, **header) -> bytes:
    """The HTTP body that carries a payload."""
    return json.dumps({"signedPayload": chain.sign(payload, **header)}).encode()


def request(transaction: dict, **fields) -> dict:
    """A CONSUMPTION_REQUEST about a transaction, signed now."""
    return notification("CONSUMPTION_REQUEST", transaction=transaction, **{"reason": "UNINTENDED_PURCHASE"} | fields)
