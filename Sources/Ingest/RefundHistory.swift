import Domain
import Store

/// What one customer bought and got back, folded from all purchases and cases of all chains.
package struct RefundHistory: Sendable {
    /// Every case, with its purchase where that was seen.
    private let cases: [(folded: RefundCase, purchase: Purchase?)]
    private let purchases: [Purchase]

    package init(of customer: CustomerID, in ledger: Ledger, _ tx: any ReadTransaction) throws(StoreError) {
        let purchases = try tx.purchases(of: customer)
        var events = try tx.caseEvents(of: customer)
        var cases: [(RefundCase, Purchase?)] = []
        let window = ledger.environment.answerWindow
        for purchase in purchases {
            let own = events.removeValue(forKey: purchase.transaction.transactionID) ?? []
            if let folded = RefundCase(folding: own, purchase: purchase, window: window) { cases.append((folded, purchase)) }
        }
        for own in events.values {
            if let folded = RefundCase(folding: own, purchase: nil, window: window) { cases.append((folded, nil)) }
        }
        self.purchases = purchases
        self.cases = cases
    }

    /// Cases that were asked about.
    package var requested: Int { cases.count { !$0.folded.rounds.isEmpty } }
    /// Cases whose refund stands.
    package var granted: Int { standing.count }

    /// Rounds of asking that began since then.
    package func requests(since instant: Timestamp) -> Int {
        cases.reduce(0) { count, each in count + each.folded.rounds.count { $0.requestedAt >= instant } }
    }

    /// Refunds that stand and were told since then.
    package func refunds(since instant: Timestamp) -> Int { standing.count { $0.refund.toldAt >= instant } }

    /// What was paid, per currency; family members and assigned seats pay nothing.
    package var paid: [Money] { totals(purchases.filter { $0.transaction.ownership == .purchased }.compactMap(\.transaction.money)) }

    /// What stands refunded, per currency.
    package var refunded: [Money] {
        totals(
            standing.compactMap { refund, purchase in
                guard let transaction = purchase?.transaction, transaction.ownership == .purchased else { return nil }
                return refund.amount(of: transaction)
            })
    }

    private var standing: [(refund: Refund, purchase: Purchase?)] {
        cases.compactMap { each in
            guard each.folded.state == .refunded, let refund = each.folded.refund, refund.reversedAt == nil else { return nil }
            return (refund, each.purchase)
        }
    }

    /// Sums per currency, in the order of the currencies' codes; amounts of different currencies are never added.
    private func totals(_ amounts: [Money]) -> [Money] {
        var sums: [String: Int64] = [:]
        for money in amounts {
            let (sum, overflow) = sums[money.currency, default: 0].addingReportingOverflow(money.amount)
            sums[money.currency] = overflow ? .max : sum
        }
        return sums.sorted { $0.key < $1.key }.map { Money(amount: $0.value, currency: $0.key) }
    }
}
