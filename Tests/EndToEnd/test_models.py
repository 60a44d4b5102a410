"""Issue 2, point 4: Apple's model files, signed, come back from the log with every field."""

import json
import os
import unittest
import uuid
from pathlib import Path

from desk import ROOT, Desk
from field_reports import field_report
from payloads import APP_ID, BUNDLE, body
from signing import CHAIN, HOUR, now_ms, payload_of

MODELS = Path(os.environ.get("REFUND_DESK_SHARED") or ROOT.parent / "shared", "vectors/apple/models")
RENAMED = {"LocalTesting": "Production", "com.example": BUNDLE, 41234: APP_ID, 55555: APP_ID, 531412: APP_ID, 987654321: APP_ID}


def model(name: str, **fields) -> dict:
    """A model with the identity of our app, and dated an hour ago."""
    value = ours(json.loads((MODELS / f"{name}.json").read_text()))
    dates = {key: now_ms() - HOUR for key in ("signedDate", "receiptCreationDate") if key in value}
    return value | dates | ({"notificationUUID": str(uuid.uuid4())} if "notificationUUID" in value else {}) | fields


def ours(value):
    if isinstance(value, dict):
        return {key: ours(each) for key, each in value.items()}
    if isinstance(value, list):
        return [ours(each) for each in value]
    return RENAMED.get(value, value) if isinstance(value, (str, int)) and not isinstance(value, bool) else value


@unittest.skipUnless(MODELS.is_dir(), f"Apple's model files are not at {MODELS}: set REFUND_DESK_SHARED")
class Issue2Point4Models(unittest.TestCase):
    maxDiff = None

    def goes_through(self, payload: dict, inner: dict, environment=None, status=None):
        """Posted and read back: the same fields outside, and in each JWS inside."""
        with Desk() as desk:
            posted = body(payload)
            self.assertEqual(desk.post_raw(posted), (200, {"result": "accepted"}))
            entry = desk.api("GET", f"/notifications/{payload['notificationUUID']}", environment=environment)
            self.assertEqual(entry["signedPayload"], json.loads(posted)["signedPayload"])
            self.assertEqual(self.opened(entry["decoded"], payload), self.opened(payload, payload))
            for name, fields in inner.items():
                self.assertIn(self.strict(fields), list(map(self.strict, objects(entry["decoded"]))), f"{name} is not in `decoded`")
            for key in ("notificationType", "subtype", "signedDate", "notificationUUID"):
                self.assertEqual(entry[key], payload.get(key))
            desk.check_replay()
            return entry

    @staticmethod
    def strict(value) -> str:
        """JSON that tells 1 from 1.0 and from true."""
        return json.dumps(value, sort_keys=True)

    def opened(self, decoded, like):
        """The members of the notification that `like` has, each JWS in them replaced by what it says, decoded already or not."""
        if isinstance(like, dict):
            return {key: self.opened(decoded.get(key), like[key]) for key in like}
        if isinstance(like, str) and like.count(".") == 2 and like.startswith("ey"):
            return self.strict(payload_of(decoded) if isinstance(decoded, str) else decoded)
        return decoded

    def test_notification_with_transaction_and_renewal_info(self):
        transaction, renewal = model("signedTransaction"), model("signedRenewalInfo")
        payload = model("signedNotification")
        payload["data"] |= {"signedTransactionInfo": CHAIN.sign(transaction), "signedRenewalInfo": CHAIN.sign(renewal)}
        entry = self.goes_through(payload, {"transaction": transaction, "renewal info": renewal})
        self.assertEqual(entry["transactionId"], transaction["transactionId"])

    def test_consumption_request_with_revoked_transaction(self):
        transaction, renewal = model("signedTransactionWithRevocation"), model("signedRenewalInfo")
        payload = model("signedConsumptionRequestNotification")
        payload["data"] |= {"signedTransactionInfo": CHAIN.sign(transaction), "signedRenewalInfo": CHAIN.sign(renewal)}
        self.goes_through(payload, {"transaction": transaction, "renewal info": renewal})

    def test_summary(self):
        payload = model("signedSummaryNotification")
        self.goes_through(payload, {"summary": payload["summary"]})

    @field_report(34)
    def test_field_report_34_external_purchase_token_with_all_fields(self):
        for subtype, more in (("UNREPORTED", {}), ("CREATED", {"tokenType": "ACQUISITION", "tokenExpirationDate": now_ms() + HOUR}),
                              ("ACTIVE_TOKEN_REMINDER", {"tokenType": "SERVICES", "tokenExpirationDate": now_ms() + HOUR})):
            payload = model("signedExternalPurchaseTokenNotification", subtype=subtype)
            payload["externalPurchaseToken"] |= more
            self.goes_through(payload, {"token": payload["externalPurchaseToken"]})

    def test_external_purchase_token_of_the_sandbox_by_its_prefix(self):
        payload = model("signedExternalPurchaseTokenSandboxNotification")
        self.assertEqual(self.goes_through(payload, {"token": payload["externalPurchaseToken"]}, "Sandbox")["environment"], "Sandbox")

    @field_report(35)
    def test_field_report_35_rescind_consent_with_its_app_transaction(self):
        app_transaction, payload = model("appTransaction"), model("signedRescindConsentNotification")
        payload["appData"]["signedAppTransactionInfo"] = CHAIN.sign(app_transaction)
        self.goes_through(payload, {"app transaction": app_transaction})

    def test_app_data_of_the_sandbox(self):
        app_transaction = model("appTransaction", receiptType="Sandbox")
        payload = model("signedRescindConsentNotification", appData=model("appData"))
        payload["appData"]["signedAppTransactionInfo"] = CHAIN.sign(app_transaction)
        self.goes_through(payload, {"app transaction": app_transaction}, "Sandbox")


def objects(value):
    """Every object in a JSON value."""
    if isinstance(value, dict):
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from objects(each)
