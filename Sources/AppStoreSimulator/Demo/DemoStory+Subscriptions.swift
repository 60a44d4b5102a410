import Domain

// Lives with a subscription: one period after another, until something ends it or the present is reached.
extension DemoStory {
    mutating func subscribe(
        _ life: DemoLife, _ customer: StoreCustomer, _ app: SimulatedApp, from start: Timestamp
    ) throws(SimulatorError) {
        let product = app.product(life.product)
        let options = PurchaseOptions(isCommitment: life.isCommitment, hasFreeTrial: life == .trial)
        let original = try world.buy(product.id, by: customer, options, at: start)
        var subscription = Subscription(original: original, app: app, life: life)
        while let end = try end(of: subscription), end < now {
            guard try live(&subscription, until: end), try passOn(&subscription, at: end) else { return }
        }
        if let begin = try begin(of: subscription) { _ = try live(&subscription, from: begin) }
    }

    struct Subscription {
        let original: String
        let app: SimulatedApp
        let life: DemoLife
        /// Periods begun.
        var number = 1
        var isCancelled = false
    }

    private func begin(of subscription: Subscription) throws(SimulatorError) -> Timestamp? {
        Timestamp(milliseconds: try world.newestTransaction(of: subscription.original).purchaseDate)
    }

    private func end(of subscription: Subscription) throws(SimulatorError) -> Timestamp? {
        try world.newestTransaction(of: subscription.original).expiresDate.map(Timestamp.init(milliseconds:))
    }

    // MARK: Within a period

    /// - Returns: Whether the subscription goes on after the period.
    private mutating func live(_ subscription: inout Subscription, until end: Timestamp) throws(SimulatorError) -> Bool {
        guard let begin = try begin(of: subscription) else { return false }
        return try live(&subscription, from: begin)
    }

    private mutating func live(_ subscription: inout Subscription, from begin: Timestamp) throws(SimulatorError) -> Bool {
        let middle = begin + .days(6)
        guard middle < now else { return true }
        switch (subscription.life, subscription.number) {
        case (.upgrade, 2):
            try world.upgrade(subscription.original, to: subscription.app.product(.maxYearly).id, at: middle)
        case (.downgrade, 2):
            try world.downgrade(subscription.original, to: subscription.app.product(.basicMonthly).id, at: middle)
        case (.cancelledCommitment, 3):
            try world.setAutoRenew(false, of: subscription.original, at: middle)
        case (.currentMonthRefunded, 4):
            let id = try world.newestTransaction(of: subscription.original).transactionId
            _ = try ask(about: id, from: middle, outcome: .prorated(70_000))
            return false
        case (.pastMonthRefunded, 5):
            let past = try world.chain(subscription.original).transactionIDs[1]
            _ = try ask(about: past, from: middle, outcome: .granted)
        case (_, ..<3) where !DemoLife.usual.contains(subscription.life): break  // Nothing comes in between.
        default: return try liveOn(&subscription, middle)
        }
        return true
    }

    /// What may happen in anybody's period: a request about it, or a cancellation.
    private mutating func liveOn(_ subscription: inout Subscription, _ middle: Timestamp) throws(SimulatorError) -> Bool {
        let id = try world.newestTransaction(of: subscription.original).transactionId
        _ = try maybeAsk(about: id, percent: 5, from: middle)
        if try world.purchase(id).transaction.revocationDate != nil || requests[id]?.last?.outcome == nil && requests[id] != nil {
            return false
        }
        guard !subscription.life.isCommitment, random.chance(6), middle + .days(14) < now else { return true }
        try world.setAutoRenew(false, of: subscription.original, at: middle + .days(14))
        subscription.isCancelled = true
        return true
    }

    // MARK: At its end

    /// Renews, fails or ends.
    /// - Returns: Whether a new period began.
    private mutating func passOn(_ subscription: inout Subscription, at end: Timestamp) throws(SimulatorError) -> Bool {
        let original = subscription.original
        subscription.number += 1
        if subscription.isCancelled {
            try world.expire(original, .voluntary, at: end)
            return false
        }
        switch (subscription.life, subscription.number) {
        case (.grace, 3), (.retry, 3):
            return try failAndRecover(original, at: end)
        case (.neverPaid, 3):
            try failForGood(original, at: end)
            return false
        case (.priceIncrease, 3):
            try world.expire(original, .priceIncrease, at: end)
            return false
        default:
            try world.renew(original, at: end)
            return true
        }
    }

    private mutating func failAndRecover(_ original: String, at end: Timestamp) throws(SimulatorError) -> Bool {
        try world.failRenewal(original, at: end)
        let paid = end + days(2...7)
        guard paid < now else { return false }
        try world.recover(original, at: paid)
        return true
    }

    private mutating func failForGood(_ original: String, at end: Timestamp) throws(SimulatorError) {
        try world.failRenewal(original, at: end)
        guard end + .days(16) < now else { return }
        try world.endGrace(original, at: end + .days(16))
        guard end + .days(60) < now else { return }
        try world.expire(original, .billingRetry, at: end + .days(60))
    }
}

extension DemoLife {
    var isCommitment: Bool {
        switch self {
        case .commitment, .retry, .cancelledCommitment, .currentMonthRefunded, .pastMonthRefunded: true
        default: false
        }
    }

    var product: SampleProduct {
        switch self {
        case .yearly, .trial: .proYearly
        case _ where isCommitment: .proYearly
        default: .proMonthly
        }
    }
}
