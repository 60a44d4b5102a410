/// One stretch of what a customer may use, for drawing: a subscription's period, or a purchase that grants access by itself.
package struct AccessSpan: Hashable, Sendable {
    package var originalTransactionID: TransactionID
    package var transactionID: TransactionID
    package var productID: ProductID
    package var rawOwnershipType: String
    package var start: Timestamp
    /// Where access really ends; nil for ever.
    package var end: Timestamp?
    /// The paid end: earlier than ``end`` where a grace period follows, later where a revocation or an upgrade cut it.
    package var paidUntil: Timestamp?
    package var revokedAt: Timestamp?
    package var isUpgraded: Bool
    /// Of a 12-month commitment.
    package var billingPeriodNumber: Int32?
}

extension CustomerAccess {
    /// All stretches, chain by chain, each chain's in order.
    package var spans: [AccessSpan] {
        let periods = subscriptions.flatMap { chain in chain.periods.map { AccessSpan($0, of: chain.originalTransactionID) } }
        return periods + singles.map(AccessSpan.init)
    }
}

extension AccessSpan {
    fileprivate init(_ period: SubscriptionPeriod, of original: TransactionID) {
        self.init(
            originalTransactionID: original, transactionID: period.transactionID, productID: period.productID,
            rawOwnershipType: period.rawOwnershipType, start: period.start, end: period.end, paidUntil: period.expires,
            revokedAt: period.revokedAt, isUpgraded: period.isUpgraded,
            billingPeriodNumber: period.isMonthlyCommitment ? period.commitment?.billingPeriodNumber : nil)
    }

    fileprivate init(_ purchase: SinglePurchase) {
        self.init(
            originalTransactionID: purchase.originalTransactionID, transactionID: purchase.transactionID, productID: purchase.productID,
            rawOwnershipType: purchase.rawOwnershipType, start: purchase.start, end: purchase.end, paidUntil: purchase.end,
            revokedAt: purchase.revokedAt, isUpgraded: false, billingPeriodNumber: nil)
    }
}
