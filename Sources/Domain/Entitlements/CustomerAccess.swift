/// What one customer may use, folded from everything known of one ledger: any instant can be asked, past or to come.
///
/// Access is the union of the transactions' intervals `[purchaseDate, expiresDate)`, each cut at its standing revocation and,
/// within one chain, at the start of the next period, plus the grace period. The clock ends it; no notification has to. The
/// result does not depend on the order of the facts.
package struct CustomerAccess: Hashable, Sendable {
    /// By original transaction id.
    let subscriptions: [SubscriptionAccess]
    /// By original transaction id, then transaction id.
    let singles: [SinglePurchase]
    /// By product, then transaction id.
    let consumables: [ConsumablePurchase]

    /// - Parameters:
    ///   - purchases: All transactions of the customer, each once, in any order.
    ///   - chains: What is known of their subscriptions; others are ignored.
    ///   - products: The owner's word on a product, asked once a purchase of consumables and non-renewing subscriptions.
    package init(purchases: some Sequence<Purchase>, chains: some Sequence<Chain>, products: (ProductID) -> ProductTerms) {
        var transactions: [TransactionID: [SubscriptionPeriod]] = [:]
        var replacedAt: [TransactionID: Timestamp] = [:]
        var singles: [SinglePurchase] = []
        var consumables: [ConsumablePurchase] = []
        for purchase in purchases {
            let original = purchase.newest.value.originalTransactionID
            switch purchase.newest.value.type {
            case .autoRenewableSubscription:
                transactions[original, default: []].append(SubscriptionPeriod(purchase.newest.value, revokedAt: purchase.revocation?.date))
                guard let previous = purchase.newest.value.previousOriginalTransactionID, previous != original else { break }
                replacedAt[previous] = min(replacedAt[previous] ?? purchase.newest.value.purchaseDate, purchase.newest.value.purchaseDate)
            case .consumable:
                consumables.append(ConsumablePurchase(purchase, terms: products(purchase.newest.value.productID)))
            case .nonConsumable, .nonRenewingSubscription, nil:
                singles.append(SinglePurchase(purchase, products: products))
            }
        }
        let chain = Dictionary(chains.map { ($0.originalTransactionID, $0) }, uniquingKeysWith: { $1 })
        subscriptions = transactions.sorted { $0.key < $1.key }.map { original, periods in
            SubscriptionAccess(original, transactions: periods, chain: chain[original], replacedAt: replacedAt[original])
        }
        self.singles = singles.sorted { ($0.originalTransactionID, $0.transactionID) < ($1.originalTransactionID, $1.transactionID) }
        self.consumables = consumables.sorted { ($0.productID, $0.transactionID) < ($1.productID, $1.transactionID) }
    }

    /// One row a subscription chain, one a non-consumable and a non-renewing transaction; subscriptions first, each by id.
    package func entitlements(at instant: Timestamp) -> [Entitlement] {
        subscriptions.map { $0.entitlement(at: instant) } + singles.map { $0.entitlement(at: instant) }
    }

    /// Units of each consumable bought by then, by product.
    package func balances(at instant: Timestamp) -> [Balance] {
        var balances: [Balance] = []
        for purchase in consumables where purchase.purchaseDate <= instant {
            if balances.last?.productID != purchase.productID {
                balances.append(Balance(productID: purchase.productID))
            }
            balances[balances.count - 1].add(purchase, at: instant)
        }
        return balances
    }

    /// Original ids of the chains for which Apple must be asked (Get All Subscription Statuses) before anyone is told that a
    /// commitment ended, since our newest month may be stale: it is revoked, its billing retry ran out without a word, or the
    /// term is over and the last months are unknown. Until then the commitment reads `running`.
    package func needsStatusConfirmation(at instant: Timestamp) -> [TransactionID] {
        subscriptions.filter { $0.needsStatusConfirmation(at: instant) }.map(\.originalTransactionID)
    }

    /// Whether some month of a commitment carries numbers that Apple does not document. They change no access; tell the owner.
    package var hasImplausibleCommitment: Bool {
        subscriptions.contains { $0.periods.contains(where: \.hasImplausibleCommitment) }
    }
}
