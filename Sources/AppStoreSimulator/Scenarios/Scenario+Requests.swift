import Domain

// Stories about refund requests.
extension Scenario {
    static let requests: [Scenario] = [
        Scenario("request-granted", "A customer asks about a pack of coins; Apple refunds it whole.") { stage in
            let purchase = try await stage.coinsFromYesterday()
            try await stage.ask(about: purchase)
            try stage.world.refund(purchase, at: stage.clock)
            try await stage.deliver()
        },
        Scenario("request-declined", "A customer asks about a pack of coins; Apple declines.") { stage in
            let purchase = try await stage.coinsFromYesterday()
            try await stage.ask(about: purchase, .other)
            try stage.world.declineRefund(of: purchase, at: stage.clock)
            try await stage.deliver()
        },
        Scenario("asked-twice", "Apple asks again while it waits, declines; the customer asks once more and is refunded.") { stage in
            let purchase = try await stage.coinsFromYesterday()
            try await stage.ask(about: purchase, .unsatisfiedWithPurchase)
            stage.setting.report("Apple asks again, under a new notificationUUID: there is no second answer")
            try stage.world.askForRefund(of: purchase, .unsatisfiedWithPurchase, at: stage.clock)
            try stage.world.declineRefund(of: purchase, at: stage.clock)
            try await stage.ask(about: purchase, .fulfillmentIssue)
            try stage.world.refund(purchase, reason: 1, at: stage.clock)
            try await stage.deliver()
        },
        Scenario("prorated", "A year's subscription and two packs of coins go back in part.") { stage in
            stage.begin(ago: .days(100))
            let buyer = stage.customer()
            let year = try stage.buy(.proYearly, by: buyer)
            let coins = try stage.buy(.coins1000, by: buyer, PurchaseOptions(quantity: 2))
            stage.reachPresent()
            try await stage.ask(about: year)
            try stage.world.refund(year, percentage: 72_603, at: stage.clock)
            try await stage.ask(about: coins)
            try stage.world.refund(coins, percentage: 50_000, at: stage.clock)
            try await stage.deliver()
        },
        Scenario("reversed", "A refund is reversed after a dispute; the second time copies keep their old date.") { stage in
            let coins = try await stage.coinsFromYesterday()
            let lifetime = try stage.buy(.lifetime, by: stage.customer())
            for (purchase, keepsDate) in [(coins, false), (lifetime, true)] {
                try await stage.ask(about: purchase)
                try stage.world.refund(purchase, at: stage.clock)
                try stage.world.reverseRefund(of: purchase, keepsDate: keepsDate, at: stage.clock)
                try await stage.deliver()
            }
        },
        Scenario("family", "The purchaser is refunded, and what two family members hold is revoked.") { stage in
            stage.begin(ago: .days(20))
            let purchase = try stage.buy(.proYearly, by: stage.customer())
            for _ in 1...2 { try stage.world.share(purchase, with: stage.customer(), at: stage.clock) }
            stage.reachPresent()
            try await stage.ask(about: purchase)
            try stage.world.refund(purchase, at: stage.clock)
            try await stage.deliver()
        },
        Scenario("commitment-past-month", "Month two of a commitment is refunded in month five: nothing ends.") { stage in
            let (_, periods) = try stage.commitment(months: 5)
            stage.reachPresent()
            try await stage.ask(about: periods[1])
            try stage.world.refund(periods[1], at: stage.clock)
            try await stage.deliver()
        },
        Scenario("commitment-current-month", "The running month of a commitment is refunded in part: the commitment ends.") { stage in
            let (_, periods) = try stage.commitment(months: 5)
            stage.reachPresent()
            try await stage.ask(about: periods[4])
            try stage.world.refund(periods[4], percentage: 66_000, reason: 1, at: stage.clock)
            try await stage.deliver()
        },
        Scenario("refund-without-request", "Apple refunds a purchase that nobody was asked about.") { stage in
            let purchase = try await stage.coinsFromYesterday()
            try stage.world.refund(purchase, at: stage.clock)
            try await stage.deliver()
        },
        Scenario("refund-before-request", "The refund arrives before the request that it decides.") { stage in
            let purchase = try await stage.coinsFromYesterday()
            try stage.world.askForRefund(of: purchase, .legal, at: stage.clock)
            try stage.world.refund(purchase, at: stage.clock)
            for notification in stage.world.takeNotifications().reversed() { try await stage.deliver(notification) }
        },
        Scenario("consumables", "One customer buys coins again and again, and asks about most of them.") { stage in
            stage.begin(ago: .days(14))
            let buyer = stage.customer()
            var purchases: [String] = []
            for quantity in [Int32(1), 1, 3, 2] {
                purchases.append(try stage.buy(.coins100, by: buyer, PurchaseOptions(quantity: quantity)))
                stage.advance(.days(2))
            }
            stage.reachPresent()
            for purchase in purchases.dropLast() { try await stage.ask(about: purchase, .unsatisfiedWithPurchase) }
            try stage.world.declineRefund(of: purchases[0], at: stage.clock)
            try stage.world.refund(purchases[1], at: stage.clock)
            try stage.world.refund(purchases[2], percentage: 33_333, at: stage.clock)
            try await stage.deliver()
        },
        Scenario("sandbox", "A purchase, a request and a refund in the sandbox: five minutes to answer.", in: .sandbox) { stage in
            let purchase = try stage.buy(.proMonthly, by: stage.customer())
            stage.advance(.seconds(1))
            try await stage.ask(about: purchase)
            try stage.world.refund(purchase, percentage: 80_000, at: stage.clock)
            try await stage.deliver()
        },
    ]
}

extension ScenarioStage {
    /// A new customer bought a pack of coins yesterday, and the desk was told. The clock is at the present again.
    mutating func coinsFromYesterday() async throws -> String {
        begin(ago: .days(1))
        let purchase = try buy(.coins100, by: customer())
        try await deliver()
        reachPresent()
        return purchase
    }
}
