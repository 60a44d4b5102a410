/// One signed renewal info as far as the desk reasons about it.
///
/// - Source: JWSRenewalInfoDecodedPayload.
package struct RenewalInfo: Hashable, Sendable {
    package var originalTransactionID: TransactionID
    package var signedDate: Timestamp

    package var productID: ProductID?
    package var autoRenewProductID: ProductID?
    /// Apple's 0 and 1; nil where Apple left it out.
    package var autoRenewStatus: Int32?
    package var renewalDate: Timestamp?
    package var renewalPrice: Int64?
    package var currency: String?
    package var expirationIntent: Int32?
    package var isInBillingRetryPeriod: Bool?
    package var gracePeriodExpiresDate: Timestamp?
    package var priceIncreaseStatus: Int32?
    package var offerType: Int32?
    package var offerIdentifier: String?
    package var appTransactionID: AppTransactionID?
    package var appAccountToken: AppAccountToken?
    package var recentSubscriptionStartDate: Timestamp?
    package var rawRenewalBillingPlanType: String?
    package var commitment: RenewalCommitment?

    package init(originalTransactionID: TransactionID, signedDate: Timestamp) {
        self.originalTransactionID = originalTransactionID
        self.signedDate = signedDate
    }
}

/// What follows a 12-month commitment.
///
/// - Source: RenewalCommitmentInfo, API 1.21.
package struct RenewalCommitment: Hashable, Sendable {
    package var commitmentAutoRenewProductID: ProductID?
    /// 0: no new commitment follows. This, not `autoRenewStatus`, tells a cancellation during the commitment.
    package var commitmentAutoRenewStatus: Int32?
    package var rawCommitmentRenewalBillingPlanType: String?
    package var commitmentRenewalDate: Timestamp?
    package var commitmentRenewalPrice: Int64?

    package init(
        commitmentAutoRenewProductID: ProductID? = nil, commitmentAutoRenewStatus: Int32? = nil,
        rawCommitmentRenewalBillingPlanType: String? = nil, commitmentRenewalDate: Timestamp? = nil,
        commitmentRenewalPrice: Int64? = nil
    ) {
        self.commitmentAutoRenewProductID = commitmentAutoRenewProductID
        self.commitmentAutoRenewStatus = commitmentAutoRenewStatus
        self.rawCommitmentRenewalBillingPlanType = rawCommitmentRenewalBillingPlanType
        self.commitmentRenewalDate = commitmentRenewalDate
        self.commitmentRenewalPrice = commitmentRenewalPrice
    }
}
