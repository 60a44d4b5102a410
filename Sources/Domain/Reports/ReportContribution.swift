/// Names of what the series are told apart by; they stand in the database.
package enum ReportDimension {
    package static let product = "product"
    package static let storefront = "storefront"
    package static let offer = "offer"
    package static let commitment = "commitment"
    package static let reason = "reason"
    package static let sent = "sent"
    package static let rule = "rule"
    /// Product and storefront, with a tab between them: as sales reports tell refunds apart. Of an auto-renewable subscription, which some of
    /// these reports speak of alone, another tab and ``subscription``.
    package static let territory = "territory"
    package static let subscription = "subscription"
}

/// What a sale is in the series of sales.
package enum SaleOutcome: String, Sendable, CaseIterable {
    case paid
    /// Free trials, and whatever else cost nothing.
    case free
}

/// What refunds cost, in the series of costs.
package enum CostOutcome: String, Sendable, CaseIterable {
    /// What was refunded at the standard share of proceeds, and at that after a year of paid service.
    case firstYear = "first-year"
    case afterFirstYear = "after-first-year"
    /// Recorded unit costs; its units are refunds without such a record.
    case unitCosts = "unit-costs"
    /// Payments of a commitment that will not come: their number stands in the units.
    case commitment
}

extension CaseFacts {
    /// What the case adds to the counters.
    package var contribution: ReportContribution {
        var all = ReportContribution()
        let own = CaseSums(self)
        for (dimension, value) in values {
            all.cases[CaseSumKey(.requested, dimension, ReportDay(openedAt), value: value, currency: currency)] = own
            guard let purchasedAt else { continue }
            all.cases[CaseSumKey(.purchased, dimension, ReportDay(purchasedAt), value: value, currency: currency)] = own
        }
        for round in rounds { round.contribute(to: &all) }
        rounds.first?.contributeArm(to: &all)
        contributeStart(to: &all)
        if let refund { contribute(refund, to: &all) }
        return all
    }

    private var values: [(CaseDimension, String)] {
        [
            (.product, productID), (.reason, reason), (.storefront, storefront), (.offer, offer), (.age, daysSincePurchase),
            (.commitment, commitmentMonth), (.rule, rounds.first?.rule ?? RoundFacts.noRule),
        ]
    }

    private func contributeStart(to all: inout ReportContribution) {
        guard let start else { return }
        let day = ReportDay(openedAt)
        all.count(ReportSumKey(.start, ReportDimension.product, day, value: productID, outcome: start.rawValue))
        all.count(ReportSumKey(.start, ReportDimension.offer, day, value: startOffer ?? offer, outcome: start.rawValue))
    }

    private func contribute(_ refund: RefundFacts, to all: inout ReportContribution) {
        let day = ReportDay(refund.date)
        let territory = "\(productID)\t\(storefront)" + (refund.isSubscription ? "\t\(ReportDimension.subscription)" : "")
        all.count(
            ReportSumKey(.refund, ReportDimension.territory, day, value: territory, outcome: refund.kind.rawValue, currency: currency),
            units: refund.units, amount: refund.amount)
        guard !refund.isReversed else { return }
        let values = [(ReportDimension.product, productID), (ReportDimension.reason, reason), (ReportDimension.storefront, storefront)]
        for (dimension, value) in values {
            let key = { (outcome: CostOutcome) in
                ReportSumKey(.cost, dimension, day, value: value, outcome: outcome.rawValue, currency: currency)
            }
            all.count(key(refund.isAfterFirstYear ? .afterFirstYear : .firstYear), amount: refund.amount)
            all.count(key(.unitCosts), units: refund.unitCost == nil ? 1 : 0, amount: refund.unitCost ?? 0)
            guard refund.paymentsLost > 0 else { continue }
            all.count(key(.commitment), units: refund.paymentsLost, amount: refund.paymentsLost * price)
        }
    }
}

extension RoundFacts {
    /// What the end of a round is called in the counters.
    package static let undecided = "undecided"

    private var word: String { outcome?.rawValue ?? RoundFacts.undecided }

    fileprivate func contribute(to all: inout ReportContribution) {
        let day = ReportDay(requestedAt)
        all.count(ReportSumKey(.round, ReportDimension.sent, day, value: sent, outcome: word))
        all.count(ReportSumKey(.round, ReportDimension.rule, day, value: rule, outcome: word))
        guard let secondsToDecision else { return }
        let bucket = TimeHistogram.bucket(of: secondsToDecision)
        all.count(ReportSumKey(.time, ReportDimension.sent, day, value: sent, outcome: "\(bucket)"))
    }

    fileprivate func contributeArm(to all: inout ReportContribution) {
        guard let arm else { return }
        all.count(ReportSumKey(.arm, arm.rawValue, ReportDay(requestedAt), value: rule, outcome: word))
    }
}

extension Transaction {
    /// What a purchase adds to the counters of sales: nothing where somebody else paid.
    package func saleContribution(in environment: Environment) -> ReportContribution {
        var all = ReportContribution()
        guard ownership == .purchased else { return all }
        let outcome: SaleOutcome = isFreeTrial || price == 0 ? .free : .paid
        var values = [(ReportDimension.product, productID.rawValue), (ReportDimension.storefront, storefront ?? ReportWord.unknown)]
        if let reportedOffer { values.append((ReportDimension.offer, reportedOffer)) }
        if let reportedCommitmentMonth { values.append((ReportDimension.commitment, reportedCommitmentMonth)) }
        for (dimension, value) in values {
            all.count(
                ReportSumKey(.sale, dimension, ReportDay(purchaseDate), value: value, outcome: outcome.rawValue, currency: currency ?? ""),
                units: Int64(quantity), amount: ReportAmount.bounded(price, environment))
        }
        return all
    }
}
