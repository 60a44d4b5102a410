import Domain

// Stories about who may use what.
extension Scenario {
    static let ledger: [Scenario] = [
        Scenario("billing-retry", "A renewal fails without grace, and is paid four days later; in a commitment its end moves.") { stage in
            let (original, _) = try stage.commitment(months: 3, lastBegan: 40)
            stage.clock = Timestamp(milliseconds: try stage.world.newestTransaction(of: original).expiresDate ?? 0)
            try stage.world.failRenewal(original, at: stage.clock)
            try await stage.deliver()
            stage.advance(.days(4))
            try stage.world.recover(original, at: stage.clock)
            try await stage.deliver()
        },
        Scenario("grace", "A renewal fails, the grace period runs out, and the subscription ends unpaid.") { stage in
            stage.begin(ago: .days(110))
            let original = try stage.buy(.proMonthly, by: stage.customer())
            stage.clock = Timestamp(milliseconds: try stage.world.newestTransaction(of: original).expiresDate ?? 0)
            try stage.world.failRenewal(original, at: stage.clock)
            try await stage.deliver()
            stage.advance(.days(16))
            try stage.world.endGrace(original, at: stage.clock)
            stage.advance(.days(44))
            try stage.world.expire(original, .billingRetry, at: stage.clock)
            try await stage.deliver()
        },
        Scenario("upgrade", "A customer upgrades in mid-period, and the upgrade is refunded: the old product stays ended.") { stage in
            stage.begin(ago: .days(20))
            let original = try stage.buy(.proYearly, by: stage.customer())
            stage.advance(.days(10))
            let upgraded = try stage.world.upgrade(original, to: stage.setting.app.product(.maxYearly).id, at: stage.clock)
            stage.reachPresent()
            try await stage.ask(about: upgraded)
            try stage.world.refund(upgraded, at: stage.clock)
            try await stage.deliver()
        },
        Scenario("downgrade", "A customer chooses a lower level for the next period, which then begins.") { stage in
            stage.begin(ago: .days(40))
            let original = try stage.buy(.proMonthly, by: stage.customer())
            stage.advance(.days(5))
            try stage.world.downgrade(original, to: stage.setting.app.product(.basicMonthly).id, at: stage.clock)
            stage.clock = Timestamp(milliseconds: try stage.world.newestTransaction(of: original).expiresDate ?? 0)
            try stage.world.renew(original, at: stage.clock)
            try await stage.deliver()
        },
        Scenario("cancelled-commitment", "A commitment is cancelled in month three: months go on being charged.") { stage in
            let (original, _) = try stage.commitment(months: 3, lastBegan: 40)
            stage.advance(.days(3))
            try stage.world.setAutoRenew(false, of: original, at: stage.clock)
            stage.clock = Timestamp(milliseconds: try stage.world.newestTransaction(of: original).expiresDate ?? 0)
            try stage.world.renew(original, at: stage.clock)
            try await stage.deliver()
        },
        Scenario("trial", "A free week, then the first payment, then a request.") { stage in
            stage.begin(ago: .days(9))
            let original = try stage.buy(.proYearly, by: stage.customer(), PurchaseOptions(hasFreeTrial: true))
            stage.advance(.days(7))
            let paid = try stage.world.renew(original, at: stage.clock)
            stage.reachPresent()
            try await stage.ask(about: paid)
            try stage.world.declineRefund(of: paid, at: stage.clock)
            try await stage.deliver()
        },
        Scenario("seats", "Two of five seats are refunded: the purchaser keeps access.") { stage in
            stage.begin(ago: .days(3))
            var options = PurchaseOptions(quantity: 5)
            options.seatInvitations = "DEVELOPER"
            let purchase = try stage.buy(.proYearly, by: stage.customer(), options)
            stage.reachPresent()
            try stage.world.refundSeats(2, of: purchase, at: stage.clock)
            try await stage.deliver()
        },
        Scenario("non-renewing", "A season's pass and a lifetime unlock are bought; both are asked about.") { stage in
            stage.begin(ago: .days(12))
            let buyer = stage.customer()
            let season = try stage.buy(.season, by: buyer)
            let lifetime = try stage.buy(.lifetime, by: buyer)
            stage.reachPresent()
            try await stage.ask(about: season)
            try stage.world.refund(season, percentage: 60_000, at: stage.clock)
            try await stage.ask(about: lifetime, .fulfillmentIssue)
            try stage.world.refund(lifetime, reason: 1, at: stage.clock)
            try await stage.deliver()
        },
    ]
}
