/// One subscription chain of a customer as folded from its transactions and its newest renewal info.
struct SubscriptionAccess: Hashable, Sendable {
    let originalTransactionID: TransactionID
    /// In order, none overlapping another; never empty.
    let periods: [SubscriptionPeriod]
    /// The periods of each 12-month commitment, in order.
    let commitments: [Range<Int>]
    let renewal: RenewalInfo?
    let statusConfirmedAt: Timestamp?

    /// - Parameters:
    ///   - transactions: Of this chain, in any order; at least one.
    ///   - replacedAt: Where the chain this one migrated to starts.
    init(_ original: TransactionID, transactions: [SubscriptionPeriod], chain: Chain?, replacedAt: Timestamp?) {
        var periods = [SubscriptionPeriod](chain: transactions)
        let renewal = chain?.renewal?.value
        if let grace = renewal?.gracePeriodExpiresDate { periods[periods.count - 1].extend(toGrace: grace, by: renewal) }
        if let replacedAt {
            for index in periods.indices { periods[index].cut(at: replacedAt) }
        }
        originalTransactionID = original
        self.periods = periods
        commitments = periods.commitmentRuns()
        self.renewal = renewal
        statusConfirmedAt = chain?.statusConfirmedAt
    }
}

extension SubscriptionPeriod {
    /// Adds the grace period, up to a refund: never to a commitment's month, and only by a renewal info signed since this
    /// period began.
    fileprivate mutating func extend(toGrace grace: Timestamp, by renewal: RenewalInfo?) {
        guard let renewal, renewal.signedDate >= start, let expires, end == expires else { return }
        guard !isMonthlyCommitment, !isUpgraded else { return }
        end = max(end, min(grace, revokedAt ?? grace))
    }
}

extension SubscriptionAccess {
    /// The period that matters at the instant: the last one begun, else the first to come. Only this one can grant access then.
    func index(at instant: Timestamp) -> Int {
        periods.lastIndex { $0.start <= instant } ?? 0
    }

    func entitlement(at instant: Timestamp) -> Entitlement {
        let index = index(at: instant)
        let period = periods[index]
        return Entitlement(
            productID: period.productID, subscriptionGroupIdentifier: period.subscriptionGroupIdentifier,
            originalTransactionID: originalTransactionID, transactionID: period.transactionID, access: access(index, at: instant),
            state: state(index, at: instant), rawOwnershipType: period.rawOwnershipType, willRenew: willRenew(index),
            pendingProductID: pendingProduct(index), commitment: progress(ofPeriod: index, at: instant), seats: period.seats)
    }

    /// Access through one product without a break, over as many periods as are known.
    private func access(_ index: Int, at instant: Timestamp) -> Access {
        let period = periods[index]
        guard instant >= period.start, instant < period.end else { return Access(active: false, until: period.end) }
        var end = period.end
        for next in periods[(index + 1)...] {
            guard next.start <= end, next.productID == period.productID else { break }
            end = max(end, next.end)
        }
        return Access(active: true, until: end)
    }

    private func state(_ index: Int, at instant: Timestamp) -> Entitlement.State {
        let period = periods[index]
        if instant < period.start { return .upcoming }
        if instant < period.end { return period.expires.map { instant < $0 } ?? true ? .active : .grace }
        if period.isUpgraded { return .upgraded }
        if let revoked = period.revokedAt, revoked <= instant { return .revoked }
        return isInBillingRetry(index, at: instant) ? .billingRetry : .expired
    }

    /// What the newest renewal info says of the newest period; nil of others, and where it was signed before that period began.
    func renewal(of index: Int) -> RenewalInfo? {
        guard index == periods.count - 1, let renewal, renewal.signedDate >= periods[index].start else { return nil }
        return renewal
    }

    private func isInBillingRetry(_ index: Int, at instant: Timestamp) -> Bool {
        guard let ends = periods[index].billingRetryEnds, renewal(of: index)?.isInBillingRetryPeriod == true else { return false }
        return instant < ends
    }

    /// A period that another followed did renew. Else the newest word counts, also one signed before an early period began.
    private func willRenew(_ index: Int) -> Bool {
        guard index + 1 < periods.count else { return renewal?.autoRenewStatus == 1 }
        let next = periods[index + 1]
        return next.isRenewal || periods[index].expires.map { next.start <= $0 } ?? false
    }

    private func pendingProduct(_ index: Int) -> ProductID? {
        let current = periods[index].productID
        guard willRenew(index) else { return nil }
        let next = index + 1 < periods.count ? periods[index + 1].productID : productAfterNewest()
        return next == current ? nil : next
    }

    /// The product of the next renewal; nil where the newest word is about an older product, as after an upgrade.
    private func productAfterNewest() -> ProductID? {
        let newest = periods[periods.count - 1]
        guard let renewal, renewal.productID ?? newest.productID == newest.productID else { return nil }
        guard newest.isMonthlyCommitment, let after = renewal.commitment else { return renewal.autoRenewProductID }
        return after.commitmentAutoRenewStatus == 0 ? nil : after.commitmentAutoRenewProductID ?? renewal.autoRenewProductID
    }
}

extension SubscriptionPeriod {
    /// When Apple gives up on a failed renewal.
    ///
    /// - Source: Managing the lifecycle: 60 days, 90 for commitment plans.
    var billingRetryEnds: Timestamp? { expires.map { $0 + .days(isMonthlyCommitment ? 90 : 60) } }
}
