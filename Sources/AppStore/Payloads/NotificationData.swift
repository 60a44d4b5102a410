import Domain

/// The app and the purchase that a notification is about. Its signed members are verified on their own.
///
/// - Source: data.
package struct NotificationData: WireObject, Equatable, Sendable {
    package var rawEnvironment: String?
    /// Not in every sandbox message.
    package var appAppleId: Int64?
    package var bundleId: String?
    package var bundleVersion: String?
    package var signedTransactionInfo: String?
    package var signedRenewalInfo: String?
    package var rawStatus: Int32?
    package var rawConsumptionRequestReason: String?

    private enum CodingKeys: String, CodingKey {
        case appAppleId, bundleId, bundleVersion, signedTransactionInfo, signedRenewalInfo
        case rawEnvironment = "environment"
        case rawStatus = "status"
        case rawConsumptionRequestReason = "consumptionRequestReason"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        rawEnvironment = try container.text(.rawEnvironment)
        appAppleId = try container.int64(.appAppleId)
        bundleId = try container.text(.bundleId)
        bundleVersion = try container.text(.bundleVersion)
        signedTransactionInfo = try container.text(.signedTransactionInfo)
        signedRenewalInfo = try container.text(.signedRenewalInfo)
        rawStatus = try container.int32(.rawStatus)
        rawConsumptionRequestReason = try container.text(.rawConsumptionRequestReason)
    }
}

extension NotificationData {
    package var environment: Environment? { rawEnvironment.flatMap(Environment.init(rawValue:)) }
    package var status: SubscriptionStatus? { rawStatus.flatMap(SubscriptionStatus.init(rawValue:)) }
    package var consumptionRequestReason: ConsumptionRequestReason? {
        rawConsumptionRequestReason.flatMap(ConsumptionRequestReason.init(rawValue:))
    }
}
