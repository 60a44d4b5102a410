import Domain
import Store

/// Gathers what a decision depends on and lets the domain decide.
struct CaseJudge {
    let app: AppSettings
    let tx: any ReadTransaction
    let now: Timestamp

    /// - Returns: nil where the transaction itself was never seen, which a signed request cannot be.
    func context(_ file: CaseFile, _ round: Round) throws(StoreError) -> DecisionContext? {
        guard let purchase = file.purchase else { return nil }
        let statement = app.products[purchase.transaction.productID]
        return DecisionContext(
            round: round, purchase: purchase, environment: file.ledger.environment, now: now, consent: try consent(file),
            delivery: try delivery(purchase, statement, file.ledger), sampleContentProvided: statement?.sampleContentProvided ?? false,
            consumed: try consumed(purchase, statement, file), isCurrentPeriod: file.isCurrentPeriod(at: now))
    }

    /// Decides by what the owner set for the customer, else by the policy.
    func decide(_ context: DecisionContext, _ file: CaseFile, afterHold: Bool = false) throws(StoreError) -> Decision {
        if let override = try customerOverride(file) {
            return decision(context, by: .customerOverride(override), in: file.ledger)
        }
        let facts = try PolicyFactReader(app: app, tx: tx, now: now).facts(context, file)
        return decision(
            context, by: afterHold ? .afterHold(app.policy, facts: facts) : .policy(app.policy, facts: facts), in: file.ledger)
    }

    func consent(_ file: CaseFile) throws(StoreError) -> ConsentStanding {
        let said = try tx.consents(refs: refs(of: file.aliases), in: file.ledger)
        return consentStanding(said, mode: app.consentMode, minimumTextVersion: app.minimumTextVersion)
    }

    /// Recorded for the transaction, else an outage that covers the purchase (recorded before configured), else what the owner states of the product.
    ///
    /// Without a statement on samples nothing can be told either, so a product the owner says nothing of has no delivery.
    func delivery(_ purchase: Purchase, _ statement: ProductStatement?, _ ledger: Ledger) throws(StoreError) -> DeliveryStatus? {
        guard let statement else { return nil }
        if let recorded = try tx.delivery(purchase.transaction.transactionID, in: ledger) { return recorded.status }
        let bought = purchase.transaction.purchaseDate
        for name in app.products.outageNames(of: purchase.transaction.productID) {
            if let outage = try tx.outages(of: name, in: ledger).first(where: { $0.covers(bought) }) { return outage.status }
        }
        return statement.outages.first { $0.covers(bought) }?.status ?? statement.delivery
    }

    /// From recorded usage, else from elapsed time where the product grants time, else unknown. Never for auto-renewables.
    func consumed(_ purchase: Purchase, _ statement: ProductStatement?, _ file: CaseFile) throws(StoreError) -> Consumed? {
        guard !purchase.transaction.isAutoRenewable else { return nil }
        if let share = try usedShare(purchase, statement, file) { return Consumed(thousandths: share, source: .usage) }
        return elapsedShare(purchase, statement).map { Consumed(thousandths: $0, source: .elapsedTime) }
    }

    private func usedShare(_ purchase: Purchase, _ statement: ProductStatement?, _ file: CaseFile) throws(StoreError) -> Int32? {
        guard let statement, let meter = statement.meter, let granted = statement.terms.granted, granted > 0 else { return nil }
        let own = try tx.usage(of: .transaction(purchase.transaction.transactionID), in: file.ledger)
        var isReported = !own.isEmpty
        for ref in refs(of: file.aliases) {
            let said = try tx.usage(of: .customer(ref: ref), in: file.ledger)
            // What was told of the customer as a whole is not spread over packs: the share is unknown rather than guessed.
            if said[meter] != nil { return nil }
            isReported = isReported || !said.isEmpty
        }
        guard let used = own[meter] ?? (isReported || statement.usageIsComplete ? 0 : nil) else { return nil }
        let units = Int128(granted) * Int128(max(purchase.transaction.quantity, 1))
        return Int32(clamping: min(Int128(max(used, 0)) * 100_000 / (units * 1_000_000), 100_000))
    }

    private func elapsedShare(_ purchase: Purchase, _ statement: ProductStatement?) -> Int32? {
        let begin = purchase.transaction.purchaseDate
        let end = purchase.transaction.expiresDate ?? statement?.terms.duration.map { begin + $0 }
        guard purchase.transaction.type != .consumable, let end, end > begin else { return nil }
        let share = Double((now - begin).milliseconds) / Double((end - begin).milliseconds)
        return Int32(min(max(share, 0), 1) * 100_000)
    }

    private func customerOverride(_ file: CaseFile) throws(StoreError) -> PolicyAnswer? {
        guard let json = try tx.setting(.preference, refs: refs(of: file.aliases), in: file.ledger)?.json else { return nil }
        return CustomerPreference(rawValue: json)?.answer
    }
}
