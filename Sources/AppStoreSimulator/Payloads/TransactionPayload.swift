/// A transaction as it is signed. Names, units and absences are Apple's; dates are in milliseconds.
///
/// - Source: JWSTransactionDecodedPayload, API 1.23.
package struct TransactionPayload: Codable, Hashable, Sendable {
    package var transactionId: String
    package var originalTransactionId: String
    package var webOrderLineItemId: String?
    package var appTransactionId: String?
    package var bundleId: String
    package var productId: String
    package var subscriptionGroupIdentifier: String?
    package var type: String
    package var quantity: Int32 = 1
    package var purchaseDate: Int64
    package var originalPurchaseDate: Int64
    package var expiresDate: Int64?
    package var signedDate: Int64
    package var environment: String
    package var storefront: String
    package var storefrontId: String
    package var currency: String?
    /// Milliunits for the whole quantity.
    package var price: Int64?
    package var transactionReason: String
    package var appAccountToken: String?
    package var inAppOwnershipType = "PURCHASED"
    package var isUpgraded: Bool?
    package var offerType: Int32?
    package var offerIdentifier: String?
    package var offerDiscountType: String?
    package var offerPeriod: String?
    package var revocationDate: Int64?
    package var revocationReason: Int32?
    package var revocationType: String?
    /// Thousandths of a percent.
    package var revocationPercentage: Int32?
    package var billingPlanType: String?
    package var commitmentInfo: TransactionCommitmentInfo?
    package var multiSeatInfo: MultiSeatInfo?
    package var advancedCommerceInfo: AdvancedCommerceInfo?
}

/// - Source: TransactionCommitmentInfo, API 1.21.
package struct TransactionCommitmentInfo: Codable, Hashable, Sendable {
    package var billingPeriodNumber: Int32
    package var totalBillingPeriods: Int32 = 12
    package var commitmentExpiresDate: Int64
    package var commitmentPrice: Int64
}

/// - Source: multiSeatInfo, API 1.23.
package struct MultiSeatInfo: Codable, Hashable, Sendable {
    package var invitationManagement: String
    package var revokedSeatQuantity: Int32?
}

/// The least that marks a purchase through the Advanced Commerce API.
package struct AdvancedCommerceInfo: Codable, Hashable, Sendable {
    package var requestReferenceId: String
}

extension TransactionPayload {
    package var isAutoRenewable: Bool { type == "Auto-Renewable Subscription" }
    package var isPurchased: Bool { inAppOwnershipType == "PURCHASED" }
}
