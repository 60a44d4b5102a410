import Domain
import Store

/// A decision, and what a policy's verdict in it was based on.
struct Judgement {
    var decision: Decision
    var basis: DecisionBasis?
}

/// Gathers what a decision depends on and lets the domain decide.
struct CaseJudge {
    let app: AppSettings
    let tx: any ReadTransaction
    let now: Timestamp

    /// - Returns: nil where the transaction itself was never seen, which a signed request cannot be.
    func context(_ file: CaseFile, _ round: Round) throws(StoreError) -> DecisionContext? {
        guard let purchase = file.purchase else { return nil }
        let statement = app.products[purchase.transaction.productID]
        let usage = try UsageReader(app: app, tx: tx, file: file, purchase: purchase, at: now)
        return DecisionContext(
            round: round, purchase: purchase, environment: file.ledger.environment, now: now, consent: try consent(file),
            delivery: try delivery(purchase, statement, file.ledger), sampleContentProvided: statement?.sampleContentProvided ?? false,
            consumed: try consumed(purchase, statement, usage), isCurrentPeriod: file.isCurrentPeriod(at: now),
            isConvertedFromTrial: file.isConvertedFromTrial)
    }

    /// Decides by what the owner set for the customer, else by the policy.
    func decide(_ context: DecisionContext, _ file: CaseFile, afterHold: Bool = false) throws(StoreError) -> Judgement {
        if let override = try customerOverride(file) {
            return Judgement(decision: decision(context, by: .customerOverride(override), in: file.ledger))
        }
        // Where no answer is possible no rule is asked, so nothing is read for one.
        guard context.finalObstacles.isEmpty, context.mendableObstacles.isEmpty else {
            return Judgement(decision: decision(context, by: .policy(app.policy, facts: PolicyFacts()), in: file.ledger))
        }
        let facts = try PolicyFactReader(app: app, tx: tx, now: now).facts(context, file)
        let authority: DecisionAuthority =
            afterHold ? .afterHold(app.policy, facts: facts) : .policy(app.policy, facts: facts)
        return Judgement(decision: decision(context, by: authority, in: file.ledger), basis: context.basis(facts))
    }

    func consent(_ file: CaseFile) throws(StoreError) -> ConsentStanding {
        try consentStanding(of: file.aliases, app: app, in: file.ledger, tx)
    }

    /// Recorded for the transaction, else an outage that covers the purchase, recorded before configured, else what the owner states of
    /// the product.
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
    private func consumed(_ purchase: Purchase, _ statement: ProductStatement?, _ usage: UsageReader) throws(StoreError) -> Consumed? {
        guard !purchase.transaction.isAutoRenewable else { return nil }
        if let share = try usedShare(purchase, statement, usage) { return Consumed(thousandths: share, source: .usage) }
        guard purchase.transaction.type != .consumable, let end = purchase.end(statement) else { return nil }
        return elapsedShare(from: purchase.transaction.purchaseDate, to: end, at: now).map {
            Consumed(thousandths: $0, source: .elapsedTime)
        }
    }

    private func usedShare(_ purchase: Purchase, _ statement: ProductStatement?, _ usage: UsageReader) throws(StoreError) -> Int32? {
        guard let statement, let meter = statement.meter, let granted = statement.terms.granted, granted > 0,
            let used = try usage.used(meter, isReportNeeded: false)
        else { return nil }
        let units = Int128(granted) * Int128(max(purchase.transaction.quantity, 1))
        return Int32(clamping: min(Int128(used) * 100_000 / (units * 1_000_000), 100_000))
    }

    private func customerOverride(_ file: CaseFile) throws(StoreError) -> PolicyAnswer? {
        guard let json = try tx.setting(.preference, refs: refs(of: file.aliases), in: file.ledger)?.json else { return nil }
        return CustomerPreference(rawValue: json)?.answer
    }
}
