import AppStoreSimulator
import Domain

/// Who may use what by the App Store's own books. Written without the desk's code, from Apple's rules alone.
struct AccessOracle {
    let store: StoreEnvironment
    /// When a refund was taken back, by transaction.
    let reversals: [String: Timestamp]

    /// Original transaction ids under which a customer has access at an instant.
    func active(_ customer: String, at instant: Timestamp) -> Set<String> {
        let own = transactions(of: customer).filter { $0.type != ProductType.consumable.rawValue }
        let chains = Dictionary(grouping: own, by: \.originalTransactionId)
        return Set(chains.filter { isActive($0.value, at: instant) }.keys)
    }

    /// Units of consumables, by product: bought and taken back.
    func balances(_ customer: String) -> [String: [Int64]] {
        var balances: [String: [Int64]] = [:]
        for transaction in transactions(of: customer) where transaction.type == ProductType.consumable.rawValue {
            let granted = SimulatedOwner.products[ProductID(transaction.productId)]?.terms.granted ?? 1
            let units = granted * Int64(transaction.quantity)
            let taken = revokedAt(transaction) == nil ? 0 : units * Int64(transaction.revocationPercentage ?? 100_000) / 100_000
            let known = balances[transaction.productId] ?? [0, 0]
            balances[transaction.productId] = [known[0] + units, known[1] + taken]
        }
        return balances
    }

    private func transactions(of customer: String) -> [TransactionPayload] {
        store.world.purchases.values.map(\.transaction).filter { $0.appTransactionId == customer }
    }

    /// A refund that was not taken back later.
    private func revokedAt(_ transaction: TransactionPayload) -> Timestamp? {
        guard let date = transaction.revocationDate.map(Timestamp.init(milliseconds:)) else { return nil }
        if let reversal = reversals[transaction.transactionId], date <= reversal { return nil }
        return date
    }

    /// The newest period that has begun decides; nothing before it counts any more.
    private func isActive(_ chain: [TransactionPayload], at instant: Timestamp) -> Bool {
        let begun = chain.filter { $0.purchaseDate <= instant.milliseconds }
        guard let period = begun.max(by: { ($0.purchaseDate, $0.transactionId) < ($1.purchaseDate, $1.transactionId) }) else {
            return false
        }
        if let revoked = revokedAt(period), revoked <= instant { return false }
        guard let end = end(of: period) else { return true }
        return instant.milliseconds < max(end, grace(period) ?? end)
    }

    /// nil is for ever.
    private func end(of transaction: TransactionPayload) -> Int64? {
        switch ProductType(rawValue: transaction.type) {
        case .nonConsumable: nil
        case .nonRenewingSubscription: transaction.purchaseDate + Span.days(30).milliseconds
        default: transaction.expiresDate ?? transaction.purchaseDate
        }
    }

    /// Of the newest period, never in a commitment.
    private func grace(_ transaction: TransactionPayload) -> Int64? {
        guard let chain = store.world.chains[transaction.originalTransactionId], transaction.commitmentInfo == nil,
            chain.newestTransactionID == transaction.transactionId
        else { return nil }
        return chain.renewal.gracePeriodExpiresDate
    }
}
