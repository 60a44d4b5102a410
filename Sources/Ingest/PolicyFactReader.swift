import Domain
import Store

/// Reads what the conditions of a policy may look at: the disputed purchase, and the customer's own history.
struct PolicyFactReader {
    let app: AppSettings
    let tx: any ReadTransaction
    let now: Timestamp

    func facts(_ context: DecisionContext, _ file: CaseFile) throws(StoreError) -> PolicyFacts {
        var facts = PolicyFacts()
        describePurchase(context, &facts)
        try describeUsage(context, file, &facts)
        try describeCustomer(context, file, &facts)
        facts.tags = try tags(file)
        facts.isConvertedFromTrial = context.isConvertedFromTrial
        return facts
    }

    private func describePurchase(_ context: DecisionContext, _ facts: inout PolicyFacts) {
        let transaction = context.purchase.transaction
        facts.productID = transaction.productID
        facts.rawProductType = transaction.rawType
        facts.price = transaction.price.map(ExactDecimal.init(milliunits:))
        facts.currency = transaction.currency
        facts.storefront = transaction.storefront
        facts.rawReason = context.round.rawReason
        facts.round = context.round.number
        facts.rawBillingPlanType = transaction.rawBillingPlanType
        facts.isCurrentPeriod = context.isCurrentPeriod
        facts.billingPeriodNumber = transaction.commitment?.billingPeriodNumber
        facts.offerType = transaction.offerType
        facts.rawOwnership = transaction.rawOwnershipType ?? InAppOwnershipType.purchased.rawValue
        facts.sincePurchase = now - transaction.purchaseDate
        facts.consumedPercentage = consumedPercentage(context)
    }

    /// For rules an auto-renewable counts as used by the elapsed share of its period; that is never sent.
    private func consumedPercentage(_ context: DecisionContext) -> Int32? {
        let transaction = context.purchase.transaction
        if let delivery = context.delivery, delivery != .delivered { return 0 }
        guard transaction.isAutoRenewable else { return context.consumed?.thousandths }
        guard let end = transaction.expiresDate else { return nil }
        return elapsedShare(from: transaction.purchaseDate, to: end, at: now)
    }

    private func describeUsage(_ context: DecisionContext, _ file: CaseFile, _ facts: inout PolicyFacts) throws(StoreError) {
        let statement = app.products[context.purchase.transaction.productID]
        let reader = try UsageReader(app: app, tx: tx, file: file, purchase: context.purchase, at: now)
        var cost: Int128?
        for meter in reader.reportedMeters.union([statement?.meter].compactMap(\.self)).union(statement?.costs.keys.map(\.self) ?? []) {
            guard let used = try reader.used(meter) else { continue }
            facts.usage[meter] = ExactDecimal(significand: used, exponent: -6)
            guard let unit = statement?.costs[meter], unit.currency == context.purchase.transaction.currency else { continue }
            cost = (cost ?? 0) + Int128(used) * Int128(unit.unit)
        }
        // Millionths of units times milliunits are billionths.
        facts.usageCost = cost.map { ExactDecimal(significand: Int64(clamping: $0 / 1_000), exponent: -6) }
    }

    private func describeCustomer(_ context: DecisionContext, _ file: CaseFile, _ facts: inout PolicyFacts) throws(StoreError) {
        guard let customer = file.customer else { return }
        let purchases = try tx.purchases(of: customer)
        let until = context.round.requestedAt + .milliseconds(1)
        facts.refundsRequested = try tx.refundCounts(of: customer, from: nil, to: until, without: file.transactionID).requested
        facts.refundsGranted = purchases.count { isEarlierRefund($0, context) }
        // A customer may be older than what this desk has seen: Apple dates the first purchase of each chain.
        let dates = purchases.map { min($0.transaction.originalPurchaseDate ?? $0.transaction.purchaseDate, $0.transaction.purchaseDate) }
        facts.sinceFirstPurchase = dates.min().map { now - $0 }
        guard let currency = context.purchase.transaction.currency else { return }
        let paid = purchases.compactMap { net($0, currency) }
        facts.lifetimePaid = ExactDecimal(milliunits: Int64(clamping: paid.reduce(Int128(0)) { $0 + Int128($1) }))
    }

    /// Whether another purchase of the customer's was refunded before the request, and the refund stands.
    private func isEarlierRefund(_ purchase: Purchase, _ context: DecisionContext) -> Bool {
        guard let revocation = purchase.refund, purchase.transaction.ownership == .purchased else { return false }
        return purchase.transaction.transactionID != context.purchase.transaction.transactionID
            && revocation.date <= context.round.requestedAt
    }

    /// What was paid for a purchase less what was given back of it, in milliunits of that currency; family members pay nothing.
    private func net(_ purchase: Purchase, _ currency: String?) -> Int64? {
        guard let paid = purchase.transaction.money, paid.currency == currency, purchase.transaction.ownership == .purchased else {
            return nil
        }
        guard let revocation = purchase.refund else { return paid.amount }
        return paid.amount - paid.share(thousandthsOfPercent: revocation.percentage ?? 100_000).amount
    }

    private func tags(_ file: CaseFile) throws(StoreError) -> [String] {
        guard let json = try tx.setting(.tags, refs: refs(of: file.aliases), in: file.ledger)?.json else { return [] }
        return json.split(separator: "\n").map(String.init)
    }
}
