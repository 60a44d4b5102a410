/// A purchase that grants access by itself: a non-consumable, a non-renewing subscription, or a type unknown to us.
struct SinglePurchase: Hashable, Sendable {
    let originalTransactionID: TransactionID
    let transactionID: TransactionID
    let productID: ProductID
    let subscriptionGroupIdentifier: String?
    let rawOwnershipType: String
    let start: Timestamp
    /// Nil for ever.
    let end: Timestamp?
    let revokedAt: Timestamp?

    init(_ purchase: Purchase, products: (ProductID) -> ProductTerms) {
        let transaction = purchase.newest.value
        originalTransactionID = transaction.originalTransactionID
        transactionID = transaction.transactionID
        productID = transaction.productID
        subscriptionGroupIdentifier = transaction.subscriptionGroupIdentifier
        rawOwnershipType = transaction.rawOwnershipType ?? InAppOwnershipType.purchased.rawValue
        let start = transaction.purchaseDate
        let revokedAt = purchase.revocation?.date
        let ends = [transaction.grantedUntil(products: products), revokedAt].compactMap { $0 }
        self.start = start
        self.revokedAt = revokedAt
        end = ends.min().map { max(start, $0) }
    }

    func entitlement(at instant: Timestamp) -> Entitlement {
        Entitlement(
            productID: productID, subscriptionGroupIdentifier: subscriptionGroupIdentifier, originalTransactionID: originalTransactionID,
            transactionID: transactionID, access: access(at: instant), state: state(at: instant), rawOwnershipType: rawOwnershipType,
            willRenew: false)
    }

    private func access(at instant: Timestamp) -> Access {
        Access(active: start <= instant && end.map { instant < $0 } ?? true, until: end)
    }

    private func state(at instant: Timestamp) -> Entitlement.State {
        if instant < start { return .upcoming }
        guard let end, end <= instant else { return .active }
        return revokedAt.map { $0 <= instant } ?? false ? .revoked : .expired
    }
}

extension Transaction {
    /// The end of what was bought, refunds apart; nil for ever. Without any word on the time nothing is granted.
    fileprivate func grantedUntil(products: (ProductID) -> ProductTerms) -> Timestamp? {
        guard type != .nonConsumable else { return nil }
        if type == .nonRenewingSubscription, let duration = products(productID).duration { return purchaseDate + duration }
        return expiresDate ?? purchaseDate
    }
}
