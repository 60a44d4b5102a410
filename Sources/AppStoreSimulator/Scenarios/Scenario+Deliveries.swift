import Domain

// Stories about how messages arrive.
extension Scenario {
    static let deliveries: [Scenario] = [
        Scenario("shuffled", "A year of one subscription with a refund, delivered in a random order.") { stage in
            let (original, periods) = try stage.commitment(months: 8)
            try stage.world.setAutoRenew(false, of: original, at: stage.clock)
            stage.reachPresent()
            try stage.world.askForRefund(of: periods[3], .unintendedPurchase, at: stage.clock)
            try stage.world.refund(periods[3], at: stage.clock)
            try stage.world.reverseRefund(of: periods[3], at: stage.clock)
            var random = SplitMix64(seed: stage.setting.seed)
            for notification in stage.world.takeNotifications().shuffled(using: &random) { try await stage.deliver(notification) }
        },
        Scenario("duplicates", "Every message comes three times, signed anew each time.") { stage in
            let purchase = try stage.buy(.coins100, by: stage.customer())
            try stage.world.askForRefund(of: purchase, .other, at: stage.clock)
            try stage.world.refund(purchase, at: stage.clock)
            for notification in stage.world.takeNotifications() {
                for _ in 1...3 { try await stage.deliver(notification) }
            }
        },
        Scenario("forged", "Attacks on the signature: the desk refuses each, and still takes a genuine message.") { stage in
            let purchase = try stage.buy(.coins100, by: stage.customer())
            try stage.world.refund(purchase, at: stage.clock)
            let genuine = stage.world.takeNotifications()
            let forger = Forger(identity: stage.setting.identity, victim: genuine[1], now: stage.clock)
            var taken: [String] = []
            for forgery in forger.forgeries {
                let outcome = await stage.post(forgery.body)
                stage.setting.report("\(forgery.name) -> \(ScenarioStage.text(outcome))")
                if !(outcome.status.map { (400..<500).contains($0) } ?? false) { taken.append(forgery.name) }
            }
            guard taken.isEmpty else { throw ScenarioFailure("not refused with 4xx: \(taken.joined(separator: "; ")).") }
            for notification in genuine { try await stage.deliver(notification) }
        },
        Scenario("renewals-load", "Renewals of many subscriptions, as fast as they go.") { stage in
            try await stage.postLoad()
        },
    ]
}

extension ScenarioStage {
    /// Signs first, then posts over many connections, and reports the rate.
    fileprivate mutating func postLoad() async throws {
        let bodies = try renewals(setting.loadCount)
        setting.report("\(bodies.count) messages signed, of \((bodies.first?.count ?? 0) / 1024) kB each")
        let began = ContinuousClock.now
        let refused = await post(bodies, lanes: 32)
        let seconds = (ContinuousClock.now - began) / .seconds(1)
        count(bodies.count)
        setting.report("\(bodies.count) messages in \(Int(seconds * 1000)) ms: \(Int(Double(bodies.count) / seconds)) a second")
        guard refused == 0 else { throw ScenarioFailure("\(refused) of \(bodies.count) messages were not taken.") }
    }

    private mutating func renewals(_ count: Int) throws -> [[UInt8]] {
        var bodies: [[UInt8]] = []
        bodies.reserveCapacity(count)
        while bodies.count < count {
            begin(ago: .days(60))
            let customer = world.newCustomer(of: setting.app.bundleID, at: clock)
            let original = try buy(.proMonthly, by: customer)
            for _ in 1...5 {
                clock = Timestamp(milliseconds: try world.newestTransaction(of: original).expiresDate ?? 0)
                if clock > setting.time.now() { break }
                try world.renew(original, at: clock)
            }
            for notification in world.takeNotifications() where bodies.count < count {
                bodies.append(notification.body(setting.identity.signer))
            }
        }
        return bodies
    }

    /// - Returns: How many were not taken.
    private func post(_ bodies: [[UInt8]], lanes: Int) async -> Int {
        await withTaskGroup(of: Int.self) { group in
            for lane in 0..<lanes {
                group.addTask { [setting] in
                    var refused = 0
                    for index in stride(from: lane, to: bodies.count, by: lanes) {
                        let outcome = await setting.sender.post(bodies[index], to: setting.url)
                        if outcome.result != "SUCCESS" { refused += 1 }
                    }
                    return refused
                }
            }
            return await group.reduce(0, +)
        }
    }
}
