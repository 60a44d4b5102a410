import Domain

/// Life after the history: purchases, renewals and requests, a few seconds apart, until cancelled.
package struct DemoTraffic: Sendable {
    private let simulator: AppStoreSimulator
    private let time: any Time
    private let pause: ClosedRange<Int64>
    private var random: SplitMix64
    private static let firstRequests = 15

    /// - Parameter pause: Between two things that happen, in milliseconds.
    package init(_ simulator: AppStoreSimulator, time: any Time, seed: UInt64, pause: ClosedRange<Int64> = 1_500...6_000) {
        self.simulator = simulator
        self.time = time
        self.pause = pause
        random = SplitMix64(seed: seed ^ 0x7AFF)
    }

    package mutating func run() async {
        // Somebody who looks at once finds something to look at.
        for _ in 0..<DemoTraffic.firstRequests { ask(at: simulator.production) }
        while !Task.isCancelled {
            step()
            let wait = Int64.random(in: pause, using: &random)
            do { try await time.sleep(until: time.now() + .milliseconds(wait)) } catch { return }
        }
    }

    /// One thing happens. What cannot happen now, such as a second request while one runs, does not.
    mutating func step() {
        let host = random.chance(90) ? simulator.production : simulator.sandbox
        switch Int.random(in: 0..<100, using: &random) {
        case ..<40: buy(at: host)
        case ..<85: ask(at: host)
        case ..<90: reverse(at: host)
        default: cancel(at: host)
        }
    }

    private mutating func buy(at host: EnvironmentHost) {
        let product = random.pick(SampleProduct.allCases)
        let storefront = random.pick(Storefront.all)
        let draw = random.next()
        let isCommitment = product == .proYearly && random.chance(50)
        try? host.happen { world, now throws(SimulatorError) in
            guard !world.apps.isEmpty else { return }
            let app = world.apps[Int(draw % UInt64(world.apps.count))]
            let customer = world.newCustomer(of: app.bundleID, storefront: storefront, at: now)
            try world.buy(app.product(product).id, by: customer, PurchaseOptions(isCommitment: isCommitment), at: now)
        }
    }

    private mutating func ask(at host: EnvironmentHost) {
        let recent = ids(at: host) { $0.isPurchased && $0.revocationDate == nil && ($0.price ?? 0) > 0 }
        guard !recent.isEmpty else { return }
        let reason = random.pick(ConsumptionRequestReason.allCases)
        try? host.requestRefund(of: random.pick(recent), reason, switchesRenewalOff: random.chance(20))
    }

    private mutating func reverse(at host: EnvironmentHost) {
        let refunded = ids(at: host) { $0.revocationType?.hasPrefix("REFUND") == true }
        guard !refunded.isEmpty else { return }
        let id = random.pick(refunded)
        try? host.happen { world, now throws(SimulatorError) in try world.reverseRefund(of: id, at: now) }
    }

    private mutating func cancel(at host: EnvironmentHost) {
        let running = ids(at: host) { $0.isAutoRenewable && $0.isPurchased && $0.revocationDate == nil }
        guard !running.isEmpty else { return }
        let id = random.pick(running)
        try? host.happen { world, now throws(SimulatorError) in
            let original = try world.purchase(id).transaction.originalTransactionId
            guard try world.chain(original).newestTransactionID == id else { return }
            try world.setAutoRenew(false, of: original, at: now)
        }
    }

    /// The transactions of the last 60 days that qualify, in order, so that a seed repeats a choice.
    private func ids(at host: EnvironmentHost, where qualifies: (TransactionPayload) -> Bool) -> [String] {
        let since = (time.now() - .days(60)).milliseconds
        return host.state.withLock { store in
            store.world.purchases.values.map(\.transaction).filter { $0.purchaseDate > since && qualifies($0) }.map(\.transactionId)
        }.sorted()
    }
}

extension AppStoreSimulator {
    /// Takes a history over as Production's past: the API then knows it, and undecided requests are decided. Before ``run()``.
    package func adopt(_ history: DemoHistory) { production.adopt(history) }
}

extension EnvironmentHost {
    fileprivate func adopt(_ history: DemoHistory) {
        let open: [RefundRequest] = state.withLock { store in
            store.adopt(history)
            return history.requests.values.compactMap(\.last).filter { $0.outcome == nil }
        }
        for request in open.sorted(by: { $0.transactionID < $1.transactionID }) { scheduleDecision(of: request) }
    }
}
