import Domain

/// A notification before it is signed: what happened, with the state at that instant.
package struct StoreNotification: Hashable, Sendable {
    package var notificationUUID: String
    package var notificationType: String
    package var subtype: String?
    package var signedDate: Int64
    package var environment: Environment
    package var bundleID: String
    /// Sent in Production only.
    package var appAppleID: Int64
    package var transaction: TransactionPayload?
    package var renewal: RenewalPayload?
    package var status: Int32?
    package var consumptionRequestReason: String?

    package init(
        notificationUUID: String, notificationType: String, subtype: String? = nil, signedDate: Int64, environment: Environment,
        bundleID: String, appAppleID: Int64, transaction: TransactionPayload? = nil, renewal: RenewalPayload? = nil,
        status: Int32? = nil, consumptionRequestReason: String? = nil
    ) {
        self.notificationUUID = notificationUUID
        self.notificationType = notificationType
        self.subtype = subtype
        self.signedDate = signedDate
        self.environment = environment
        self.bundleID = bundleID
        self.appAppleID = appAppleID
        self.transaction = transaction
        self.renewal = renewal
        self.status = status
        self.consumptionRequestReason = consumptionRequestReason
    }

    /// The compact JWS, its inner ones signed too.
    package func signedPayload(_ signer: SimulatorSigner) -> String { signer.sign(payload(signer)) }

    /// The body of Apple's POST.
    package func body(_ signer: SimulatorSigner) -> [UInt8] {
        Array(#"{"signedPayload":"\#(signedPayload(signer))"}"#.utf8)  // base64url and dots: nothing to escape
    }

    func payload(_ signer: SimulatorSigner) -> NotificationPayload {
        NotificationPayload(
            notificationType: notificationType, subtype: subtype, notificationUUID: notificationUUID, signedDate: signedDate,
            data: NotificationPayload.Data(
                environment: environment.rawValue, appAppleId: environment == .production ? appAppleID : nil, bundleId: bundleID,
                bundleVersion: notificationType == "TEST" ? nil : "1",
                signedTransactionInfo: transaction.map { signer.sign($0) }, signedRenewalInfo: renewal.map { signer.sign($0) },
                status: status, consumptionRequestReason: consumptionRequestReason))
    }
}

/// - Source: responseBodyV2DecodedPayload.
struct NotificationPayload: Encodable {
    struct Data: Encodable {
        var environment: String
        var appAppleId: Int64?
        var bundleId: String
        var bundleVersion: String?
        var signedTransactionInfo: String?
        var signedRenewalInfo: String?
        var status: Int32?
        var consumptionRequestReason: String?
    }
    var notificationType: String
    var subtype: String?
    var notificationUUID: String
    var version = "2.0"
    var signedDate: Int64
    var data: Data
}
