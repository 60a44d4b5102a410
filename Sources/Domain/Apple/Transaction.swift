/// One signed transaction as far as the desk reasons about it: a purchase, a renewal, or a restore.
///
/// Names are Apple's. Values Apple may extend stay text (`raw…`) beside what we know of them.
/// - Source: JWSTransactionDecodedPayload.
package struct Transaction: Hashable, Sendable {
    package var transactionID: TransactionID
    package var originalTransactionID: TransactionID
    package var productID: ProductID
    package var rawType: String
    package var purchaseDate: Timestamp
    package var signedDate: Timestamp

    package var appTransactionID: AppTransactionID?
    package var appAccountToken: AppAccountToken?
    package var webOrderLineItemID: String?
    package var subscriptionGroupIdentifier: String?
    package var quantity: Int32 = 1
    package var originalPurchaseDate: Timestamp?
    package var expiresDate: Timestamp?
    package var storefront: String?
    /// Milliunits for the whole quantity.
    package var price: Int64?
    package var currency: String?
    package var rawTransactionReason: String?
    package var rawOwnershipType: String?
    package var isUpgraded = false

    package var offerType: Int32?
    package var offerIdentifier: String?
    package var rawOfferDiscountType: String?
    package var offerPeriod: String?

    package var revocationDate: Timestamp?
    package var revocationReason: Int32?
    package var rawRevocationType: String?
    /// Thousandths of a percent, the share refunded.
    package var revocationPercentage: Int32?

    package var rawBillingPlanType: String?
    package var commitment: TransactionCommitment?
    package var isAdvancedCommerce = false
    package var previousOriginalTransactionID: TransactionID?
    package var rawInvitationManagement: String?
    package var revokedSeatQuantity: Int32?

    package init(
        transactionID: TransactionID, originalTransactionID: TransactionID, productID: ProductID, rawType: String,
        purchaseDate: Timestamp, signedDate: Timestamp
    ) {
        self.transactionID = transactionID
        self.originalTransactionID = originalTransactionID
        self.productID = productID
        self.rawType = rawType
        self.purchaseDate = purchaseDate
        self.signedDate = signedDate
    }
}

extension Transaction {
    package var type: ProductType? { ProductType(rawValue: rawType) }
    package var isAutoRenewable: Bool { type == .autoRenewableSubscription }
    package var transactionReason: TransactionReason? { rawTransactionReason.flatMap(TransactionReason.init) }
    package var revocationType: RevocationType? { rawRevocationType.flatMap(RevocationType.init) }
    package var billingPlanType: BillingPlanType? { rawBillingPlanType.flatMap(BillingPlanType.init) }
    package var isFreeTrial: Bool { rawOfferDiscountType == "FREE_TRIAL" }
    package var isMonthlyCommitment: Bool { billingPlanType == .monthly }

    /// Absent means purchased: messages older than Family Sharing carry no ownership.
    package var ownership: InAppOwnershipType? {
        rawOwnershipType.map(InAppOwnershipType.init(rawValue:)) ?? .purchased
    }

    package var money: Money? {
        guard let price, let currency else { return nil }
        return Money(amount: price, currency: currency)
    }
}

/// Progress within a 12-month commitment: for display only, it grants nothing.
///
/// - Source: TransactionCommitmentInfo, API 1.21. Values outside 1...12 are kept as they came.
package struct TransactionCommitment: Hashable, Sendable {
    package var billingPeriodNumber: Int32?
    package var totalBillingPeriods: Int32?
    package var commitmentExpiresDate: Timestamp?
    package var commitmentPrice: Int64?

    package init(
        billingPeriodNumber: Int32? = nil, totalBillingPeriods: Int32? = nil, commitmentExpiresDate: Timestamp? = nil,
        commitmentPrice: Int64? = nil
    ) {
        self.billingPeriodNumber = billingPeriodNumber
        self.totalBillingPeriods = totalBillingPeriods
        self.commitmentExpiresDate = commitmentExpiresDate
        self.commitmentPrice = commitmentPrice
    }

    /// Whether the numbers are what Apple documents: period 1...12 of 12.
    package var isPlausible: Bool { totalBillingPeriods == 12 && (billingPeriodNumber.map { (1...12).contains($0) } ?? false) }
}
