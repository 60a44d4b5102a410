import Crypto
import Domain

/// A notification that the App Store signed, with the signed payloads inside it, each verified on its own.
package struct VerifiedNotification: Sendable {
    /// Whether outside and inside tell of the same thing. All of it is signed by Apple either way.
    package enum Integrity: Equatable, Sendable {
        case consistent
        case innerMismatch(detail: String)
    }

    package let payload: ResponseBodyV2DecodedPayload
    package let jws: VerifiedJWS
    package let notificationUUID: String
    package let rawNotificationType: String
    package let transaction: Verified<JWSTransactionDecodedPayload>?
    package let renewalInfo: Verified<JWSRenewalInfoDecodedPayload>?
    package let appTransaction: Verified<AppTransactionDecodedPayload>?
    package let integrity: Integrity
    /// Whether any of the payloads is dated more than a day ahead.
    package let isFutureDated: Bool

    package var claimedIdentity: ClaimedIdentity? { payload.claimedIdentity }

    /// Every chain that proved a part of it.
    package var paths: [CertificatePath] {
        [jws, transaction?.jws, renewalInfo?.jws, appTransaction?.jws].compactMap { $0?.path }
    }

    init(
        _ jws: VerifiedJWS, _ payload: ResponseBodyV2DecodedPayload, transaction: Verified<JWSTransactionDecodedPayload>?,
        renewalInfo: Verified<JWSRenewalInfoDecodedPayload>?, appTransaction: Verified<AppTransactionDecodedPayload>?, now: Int64
    ) throws(VerificationError) {
        guard let uuid = payload.notificationUUID, !uuid.isEmpty, let type = payload.rawNotificationType, !type.isEmpty else {
            throw VerificationError(.notANotification, "signed by the App Store, but without notificationType or notificationUUID")
        }
        self.payload = payload
        self.jws = jws
        notificationUUID = uuid
        rawNotificationType = type
        self.transaction = transaction
        self.renewalInfo = renewalInfo
        self.appTransaction = appTransaction
        let fault = payload.fault(
            transaction: transaction?.payload, renewalInfo: renewalInfo?.payload, appTransaction: appTransaction?.payload)
        integrity = fault.map(Integrity.innerMismatch(detail:)) ?? .consistent
        isFutureDated = [jws, transaction?.jws, renewalInfo?.jws, appTransaction?.jws].contains { $0?.isFutureDated(now: now) == true }
    }
}

extension VerifiedJWS {
    /// Whether it is dated more than a day ahead, which no clock that is merely wrong explains.
    package func isFutureDated(now: Int64) -> Bool {
        guard let signedDateMilliseconds else { return false }
        return Timestamp(milliseconds: signedDateMilliseconds) > Timestamp(milliseconds: now) + .hours(24)
    }
}

extension VerifiedNotification {
    /// The notification as the ledger takes it; nil where it has no `signedDate`, since facts are ordered by it.
    package var fact: NotificationFact? {
        guard let signedDate = jws.signedDateMilliseconds else { return nil }
        return NotificationFact(
            notificationUUID: NotificationUUID(notificationUUID), rawType: rawNotificationType, rawSubtype: payload.rawSubtype,
            signedDate: Timestamp(milliseconds: signedDate), rawReason: payload.data?.rawConsumptionRequestReason,
            status: payload.data?.rawStatus, transaction: transaction?.snapshot(notificationUUID: notificationUUID),
            renewal: renewalInfo?.snapshot(notificationUUID: notificationUUID))
    }
}

extension Verified where Payload == JWSTransactionDecodedPayload {
    /// - Parameter notificationUUID: Of the notification it came in, or empty.
    package func snapshot(notificationUUID: String) -> Snapshot<Transaction>? {
        payload.transaction.map { Snapshot($0, jws.precedence($0.signedDate, notificationUUID)) }
    }
}

extension Verified where Payload == JWSRenewalInfoDecodedPayload {
    /// - Parameter notificationUUID: Of the notification it came in, or empty.
    package func snapshot(notificationUUID: String) -> Snapshot<RenewalInfo>? {
        payload.renewalInfo.map { Snapshot($0, jws.precedence($0.signedDate, notificationUUID)) }
    }
}

extension VerifiedJWS {
    fileprivate func precedence(_ signedDate: Timestamp, _ notificationUUID: String) -> Precedence {
        Precedence(signedDate: signedDate, notificationUUID: notificationUUID, payloadSHA256: payloadSHA256)
    }
}
