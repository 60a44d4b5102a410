"""The verdicts of Apple's own server library, asked as a careful user of it would ask: the notification, then each JWS inside it."""

import json
import warnings

from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier, VerificationException

from message import Message, Profile


class AppleVerdicts:
    def __init__(self, roots: list[bytes]):
        self.roots = roots
        self.verifiers: dict[Profile, SignedDataVerifier] = {}
        warnings.simplefilter("ignore")

    def __call__(self, message: Message) -> tuple[bool, str]:
        """Whether it accepts, and the name of its status or of the error that it lets through."""
        try:
            self.verify(message, self.verifier(message.profile))
            return True, "OK"
        except VerificationException as error:
            return False, error.status.name
        except Exception as error:  # Its converter raises many kinds on payloads of another shape; its users see a refusal.
            return False, type(error).__name__

    def verifier(self, profile: Profile) -> SignedDataVerifier:
        if profile not in self.verifiers:
            # No online checks: no certificate here has a responder. Then it judges chains at the payload's date, as we do.
            self.verifiers[profile] = SignedDataVerifier(self.roots, False, Environment(profile.environment), profile.bundle, profile.app_id)
        return self.verifiers[profile]

    def verify(self, message: Message, verifier: SignedDataVerifier) -> None:
        match message.kind:
            case "transaction": verifier.verify_and_decode_signed_transaction(message.content.decode())
            case "renewalInfo": verifier.verify_and_decode_renewal_info(message.content.decode())
            case "appTransaction": verifier.verify_and_decode_app_transaction(message.content.decode())
            case _: self.verify_notification(self.signed_payload(message.content), verifier)

    def signed_payload(self, content: bytes) -> str:
        return json.loads(content)["signedPayload"] if content.lstrip().startswith(b"{") else content.decode()

    def verify_notification(self, signed_payload: str, verifier: SignedDataVerifier) -> None:
        notification = verifier.verify_and_decode_notification(signed_payload)
        if notification.data and notification.data.signedTransactionInfo is not None:
            verifier.verify_and_decode_signed_transaction(notification.data.signedTransactionInfo)
        if notification.data and notification.data.signedRenewalInfo is not None:
            verifier.verify_and_decode_renewal_info(notification.data.signedRenewalInfo)
        if notification.appData and notification.appData.signedAppTransactionInfo is not None:
            verifier.verify_and_decode_app_transaction(notification.appData.signedAppTransactionInfo)
