/// A renewal info as it is signed.
///
/// - Source: JWSRenewalInfoDecodedPayload, API 1.23. There is no `bundleId` in it.
package struct RenewalPayload: Codable, Hashable, Sendable {
    package var originalTransactionId: String
    package var productId: String
    package var autoRenewProductId: String
    package var autoRenewStatus: Int32 = 1
    package var renewalDate: Int64
    package var renewalPrice: Int64?
    package var currency: String?
    package var expirationIntent: Int32?
    package var isInBillingRetryPeriod: Bool?
    package var gracePeriodExpiresDate: Int64?
    package var priceIncreaseStatus: Int32?
    package var offerType: Int32?
    package var offerIdentifier: String?
    package var recentSubscriptionStartDate: Int64
    package var appAccountToken: String?
    package var appTransactionId: String?
    package var environment: String
    package var signedDate: Int64
    package var renewalBillingPlanType: String?
    package var commitmentInfo: RenewalCommitmentInfo?
}

/// - Source: RenewalCommitmentInfo, API 1.21.
package struct RenewalCommitmentInfo: Codable, Hashable, Sendable {
    package var commitmentAutoRenewProductId: String
    package var commitmentAutoRenewStatus: Int32 = 1
    package var commitmentRenewalBillingPlanType = "MONTHLY"
    package var commitmentRenewalDate: Int64
    package var commitmentRenewalPrice: Int64
}
