"""What the App Store signs: random but well-formed payloads, in the shapes that Apple documents."""

from random import Random
from uuid import UUID

from jws import sign
from pki import DAY, NOW

BUNDLE, APP_ID = "com.example.app", 1234567890

TYPES = [
    ("SUBSCRIBED", "INITIAL_BUY"), ("SUBSCRIBED", "RESUBSCRIBE"), ("DID_RENEW", None), ("DID_RENEW", "BILLING_RECOVERY"),
    ("DID_CHANGE_RENEWAL_PREF", "UPGRADE"), ("DID_CHANGE_RENEWAL_PREF", "DOWNGRADE"),
    ("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED"), ("DID_FAIL_TO_RENEW", "GRACE_PERIOD"), ("DID_FAIL_TO_RENEW", None),
    ("EXPIRED", "VOLUNTARY"), ("GRACE_PERIOD_EXPIRED", None), ("OFFER_REDEEMED", "UPGRADE"), ("PRICE_INCREASE", "PENDING"),
    ("REFUND", None), ("REFUND_DECLINED", None), ("REFUND_REVERSED", None), ("REVOKE", None), ("CONSUMPTION_REQUEST", None),
    ("RENEWAL_EXTENDED", None), ("ONE_TIME_CHARGE", None), ("METADATA_UPDATE", None), ("MIGRATION", None),
    ("A_TYPE_OF_TOMORROW", "AND_ITS_SUBTYPE"),
]
PRODUCT_TYPES = ["Auto-Renewable Subscription", "Non-Consumable", "Consumable", "Non-Renewing Subscription"]


def number(random: Random) -> str:
    return str(random.randrange(2_000_000_000_000_000, 2_000_001_000_000_000))


def some(random: Random, members: dict) -> dict:
    """A random half of them."""
    return {key: value for key, value in members.items() if random.random() < 0.5}


def transaction(random: Random, environment: str = "Production", **changes) -> dict:
    product_type = random.choice(PRODUCT_TYPES)
    bought = NOW - random.randrange(1, 60) * DAY
    payload = {
        "transactionId": number(random), "originalTransactionId": number(random), "bundleId": BUNDLE,
        "productId": f"com.example.app.product{random.randrange(50)}", "purchaseDate": bought, "originalPurchaseDate": bought,
        "quantity": random.randrange(1, 11), "type": product_type, "inAppOwnershipType": "PURCHASED",
        "signedDate": NOW - random.randrange(DAY), "environment": environment, "transactionReason": "PURCHASE",
        "storefront": "USA", "storefrontId": "143441", "price": random.randrange(0, 100_000), "currency": "USD",
        "appTransactionId": number(random),
    }
    if product_type == PRODUCT_TYPES[0]:
        payload |= {"webOrderLineItemId": number(random), "subscriptionGroupIdentifier": "21000001", "expiresDate": bought + 30 * DAY}
    payload |= some(random, {
        "appAccountToken": str(UUID(int=random.getrandbits(128))), "isUpgraded": True, "offerType": random.randrange(1, 6),
        "offerIdentifier": "spring ★ 2026", "offerDiscountType": "PAY_AS_YOU_GO", "offerPeriod": "P1M",
        "revocationDate": NOW - DAY, "revocationReason": random.randrange(2), "revocationType": "REFUND_PRORATED",
        "revocationPercentage": random.randrange(100_001), "billingPlanType": "MONTHLY",
        "commitmentInfo": {"billingPeriodNumber": random.randrange(1, 13), "totalBillingPeriods": 12,
                           "commitmentExpiresDate": NOW + 300 * DAY, "commitmentPrice": 119_880},
        "aMemberOfTomorrow": {"deep": [1, "zwei", None, {"trois": 3.5}]},
    })
    return payload | changes


def renewal_info(random: Random, of: dict, **changes) -> dict:
    payload = {
        "originalTransactionId": of["originalTransactionId"], "productId": of["productId"], "autoRenewProductId": of["productId"],
        "autoRenewStatus": random.randrange(2), "renewalDate": NOW + 20 * DAY, "renewalPrice": 9990, "currency": "EUR",
        "signedDate": NOW - random.randrange(DAY), "environment": of["environment"], "recentSubscriptionStartDate": NOW - 90 * DAY,
    }
    payload |= some(random, {
        "expirationIntent": random.randrange(1, 6), "isInBillingRetryPeriod": False, "gracePeriodExpiresDate": NOW + DAY,
        "priceIncreaseStatus": 1, "offerType": 2, "offerIdentifier": "winter", "eligibleWinBackOfferIds": ["a", "b"],
        "renewalBillingPlanType": "MONTHLY",
        "commitmentInfo": {"commitmentAutoRenewStatus": 1, "commitmentAutoRenewProductId": of["productId"],
                           "commitmentRenewalDate": NOW + 300 * DAY, "commitmentRenewalPrice": 119_880},
    })
    return payload | changes


def app_transaction(random: Random, environment: str = "Production", **changes) -> dict:
    return {
        "receiptType": environment, "appAppleId": APP_ID, "bundleId": BUNDLE, "applicationVersion": "7.1",
        "versionExternalIdentifier": 880011, "receiptCreationDate": NOW - random.randrange(30) * DAY,
        "originalPurchaseDate": NOW - 900 * DAY, "originalApplicationVersion": "1.0", "deviceVerification": "c2lnbmF0dXJl",
        "deviceVerificationNonce": str(UUID(int=random.getrandbits(128))), "appTransactionId": number(random),
        "originalPlatform": "iOS",
    } | changes


def envelope(random: Random, kind: str, subtype: str | None, **container) -> dict:
    payload = {"notificationType": kind, "notificationUUID": str(UUID(int=random.getrandbits(128))), "version": "2.0",
               "signedDate": NOW - random.randrange(DAY)}
    return payload | ({"subtype": subtype} if subtype else {}) | container


def app_data(environment: str, **more) -> dict:
    return {"appAppleId": APP_ID, "bundleId": BUNDLE, "bundleVersion": "12", "environment": environment} | more


def notification(random: Random, chain, environment: str = "Production", transaction_changes: dict | None = None,
                 renewal_changes: dict | None = None, data_changes: dict | None = None, **changes) -> dict:
    """With a transaction and a renewal info. A change to `...` (Ellipsis) removes the member."""
    kind, subtype = random.choice(TYPES)
    bought = changed(transaction(random, environment), transaction_changes)
    renewal = changed(renewal_info(random, {"originalTransactionId": "", "productId": "", "environment": environment} | bought),
                      renewal_changes)
    data = app_data(environment, signedTransactionInfo=sign(chain, bought), signedRenewalInfo=sign(chain, renewal), status=1)
    if kind == "CONSUMPTION_REQUEST":
        data["consumptionRequestReason"] = "UNINTENDED_PURCHASE"
    return changed(envelope(random, kind, subtype, data=changed(data, data_changes)), changes)


def changed(payload: dict, changes: dict | None) -> dict:
    return {key: value for key, value in (payload | (changes or {})).items() if value is not ...}


def any_notification(random: Random, chain, environment: str) -> dict:
    """Of any container, with and without signed parts."""
    shape = random.choice(["both", "both", "both", "transaction", "none", "summary", "token", "appData"])
    if shape == "summary":
        return envelope(random, "RENEWAL_EXTENSION", "SUMMARY", summary={
            "requestIdentifier": str(UUID(int=random.getrandbits(128))), "environment": environment, "appAppleId": APP_ID,
            "bundleId": BUNDLE, "productId": "com.example.app.pro", "storefrontCountryCodes": ["USA", "DEU"], "succeededCount": 5,
            "failedCount": 2})
    if shape == "token":
        prefix = "SANDBOX_" if environment == "Sandbox" else ""
        return envelope(random, "EXTERNAL_PURCHASE_TOKEN", "UNREPORTED", externalPurchaseToken={
            "externalPurchaseId": prefix + number(random), "tokenCreationDate": NOW - DAY, "appAppleId": APP_ID, "bundleId": BUNDLE})
    if shape == "appData":
        return envelope(random, "RESCIND_CONSENT", None, appData={
            "appAppleId": APP_ID, "bundleId": BUNDLE, "environment": environment,
            "signedAppTransactionInfo": sign(chain, app_transaction(random, environment))})
    if shape == "none":
        return envelope(random, "TEST", None, data=app_data(environment))
    return notification(random, chain, environment, data_changes={"signedRenewalInfo": ...} if shape == "transaction" else None)
