import AppStoreSimulator
import Domain

/// Somebody who buys.
struct Buyer: Sendable {
    var customer: StoreCustomer
    var environment: Environment
    /// A number for names that the owner's backend gives.
    var number: Int
}

// What customers do, and what Apple decides about it.
extension World {
    func planCustomers() {
        for number in 0..<dice.pick([1, 2, 2, 3]) {
            let environment: Environment = dice.chance(30) ? .sandbox : .production
            let hasToken = dice.chance(70)
            let arrival = World.start + dice.span(.minutes(1), .hours(12))
            schedule(at: arrival) { world in
                let customer = world.happen(environment, "customer \(number) arrives") { store, now in
                    store.world.newCustomer(of: SimulatedOwner.bundleID, hasAccountToken: hasToken, at: now)
                }
                guard let customer else { return }
                world.live(Buyer(customer: customer, environment: environment, number: number))
            }
        }
        for _ in 0..<dice.int(0...2) {
            let environment = dice.pick(Environment.allCases)
            schedule(at: World.start + dice.span(.hours(1), horizon - World.start)) { await $0.uploadOldCopy(environment) }
        }
        if dice.chance(15) { act(after: dice.span(.hours(1), .hours(28))) { $0.inventSomething() } }
    }

    static let inventedType = "PURCHASE_POSTPONED"

    /// Apple sends a notification of a type that nobody knows yet, about some purchase: it is kept and changes nothing.
    private func inventSomething() {
        let purchases = apple.see(.production) { $0.world.purchases.keys.sorted() }
        guard let id = dice.pickAny(purchases) else { return }
        let uuid = "00000000-0000-4000-8000-00000000" + String(dice.int(1_000...9_999))
        happen(.production, "Apple invents something about \(id)") { store, now throws(SimulatorError) in
            var copy = try store.world.purchase(id).transaction
            copy.signedDate = now.milliseconds
            copy.revocationDate = now.milliseconds
            store.add(
                StoreNotification(
                    notificationUUID: uuid, notificationType: World.inventedType, signedDate: now.milliseconds,
                    environment: .production, bundleID: SimulatedOwner.bundleID, appAppleID: SimulatedOwner.appAppleID, transaction: copy))
        }
    }

    /// Plans what one customer does, and what the owner says of them.
    private func live(_ buyer: Buyer) {
        let now = time.now()
        for _ in 0..<dice.int(1...2) { act(after: dice.span(.seconds(1), .hours(6))) { $0.shop(buyer) } }
        for _ in 0..<dice.int(1...2) {
            act(after: dice.span(.minutes(10), max(horizon - now, .hours(1)))) { $0.ask(buyer) }
        }
        planOwner(for: buyer)
    }

    /// Does something later, unless the world has come to rest by then.
    func act(after span: Span, _ action: @escaping (World) async -> Void) {
        schedule(in: span) { world in
            if world.time.now() < world.horizon { await action(world) }
        }
    }

    // MARK: Buying

    private func shop(_ buyer: Buyer) {
        let draw = buyer.environment == .sandbox ? dice.int(0...54) : dice.int(0...99)
        switch draw {
        case 0..<20: buy(.coins100, buyer, PurchaseOptions(quantity: Int32(dice.int(1...3))))
        case 20..<25: buy(.coins1000, buyer)
        case 25..<45: buy(.season, buyer)
        case 45..<55: buyAndShare(buyer)
        case 55..<63:
            if let id = buy(.proYearly, buyer, PurchaseOptions(isCommitment: true)) { planCommitment(id, buyer) }
        case 63..<68:
            var options = PurchaseOptions(quantity: 3)
            options.seatInvitations = "DEVELOPER"
            guard let id = buy(.maxYearly, buyer, options) else { return }
            act(after: dice.span(.hours(1), .hours(30))) { world in
                // Of what is refunded as a whole no seat is left to be refunded.
                guard world.isNewest(id, of: id) else { return }
                // A refund, also of a seat, is Apple's decision of what was asked.
                world.closeRound(of: id, .production)
                world.happen(.production, "seats of \(id)") { store, now throws(SimulatorError) in
                    try store.world.refundSeats(1, of: id, at: now)
                }
            }
        case 68..<73:
            var options = PurchaseOptions()
            options.isAdvancedCommerce = true
            buy(.coins100, buyer, options)
        default:
            let options = PurchaseOptions(hasFreeTrial: dice.chance(15))
            if let id = buy(dice.chance(50) ? .basicMonthly : .proMonthly, buyer, options) { planPeriod(of: id, buyer) }
        }
    }

    @discardableResult
    private func buy(_ kind: SampleProduct, _ buyer: Buyer, _ options: PurchaseOptions = PurchaseOptions()) -> String? {
        let product = SimulatedOwner.goods.product(kind).id
        return happen(buyer.environment, "customer \(buyer.number) buys \(kind.rawValue)") { store, now throws(SimulatorError) in
            try store.world.buy(product, by: buyer.customer, options, at: now)
        }
    }

    private func buyAndShare(_ buyer: Buyer) {
        guard let id = buy(.lifetime, buyer), dice.chance(60) else { return }
        let environment = buyer.environment
        act(after: dice.span(.minutes(1), .hours(3))) { world in
            let shared = world.happen(environment, "\(id) is shared") { store, now throws(SimulatorError) in
                let member = store.world.newCustomer(of: SimulatedOwner.bundleID, hasAccountToken: false, at: now)
                return try store.world.share(id, with: member, at: now)
            }
            guard let shared else { return }
            // Apple may ask about a member's transaction too: that one cannot be answered.
            world.act(after: world.dice.span(.minutes(5), .hours(20))) { world in
                if world.dice.chance(40) {
                    world.happen(environment, "sharing of \(shared) ends") { store, now throws(SimulatorError) in
                        try store.world.stopSharing(shared, at: now)
                    }
                } else {
                    world.happen(environment, "a member asks about \(shared)") { store, now throws(SimulatorError) in
                        try store.world.askForRefund(of: shared, .other, at: now)
                    }
                }
            }
        }
    }

    // MARK: Subscriptions

    /// What happens at the end of the newest period, and sometimes before.
    private func planPeriod(of original: String, _ buyer: Buyer) {
        let newest = apple.see(.production) { try? $0.world.newestTransaction(of: original) }
        guard let newest, let end = newest.expiresDate else { return }
        if dice.chance(20) { act(after: dice.span(.hours(1), .hours(40))) { $0.upgrade(original, from: newest.transactionId, buyer) } }
        // Renewals are told before and after the end.
        let shift = dice.chance(50) ? dice.span(.hours(0), .hours(6)) : .milliseconds(0)
        act(after: max(Timestamp(milliseconds: end) - shift - time.now(), .seconds(1))) {
            $0.endPeriod(of: original, newest.transactionId, buyer)
        }
    }

    private func isNewest(_ id: String, of original: String) -> Bool {
        let newest = apple.see(.production) { try? $0.world.newestTransaction(of: original) }
        return newest?.transactionId == id && newest?.revocationDate == nil
    }

    private func upgrade(_ original: String, from id: String, _ buyer: Buyer) {
        guard isNewest(id, of: original) else { return }
        let product = SimulatedOwner.goods.product(.maxYearly).id
        happen(.production, "\(original) is upgraded") { store, now throws(SimulatorError) in
            try store.world.upgrade(original, to: product, at: now)
        }
    }

    private func endPeriod(of original: String, _ id: String, _ buyer: Buyer) {
        guard isNewest(id, of: original) else { return }
        switch dice.int(0...99) {
        case 0..<65:
            // A long world would be filled by the renewals of one subscription.
            guard !isLong || dice.chance(70) else { return }
            happen(.production, "\(original) renews") { store, now throws(SimulatorError) in try store.world.renew(original, at: now) }
            planPeriod(of: original, buyer)
        case 65..<85:
            happen(.production, "\(original) fails to renew") { store, now throws(SimulatorError) in
                try store.world.failRenewal(original, at: now)
            }
            act(after: dice.span(.hours(1), .hours(30))) { $0.endRetry(of: original, id, buyer) }
        default:
            happen(.production, "\(original) is cancelled") { store, now throws(SimulatorError) in
                try store.world.setAutoRenew(false, of: original, at: now)
            }
            let end = apple.see(.production) { try? $0.world.newestTransaction(of: original).expiresDate } ?? nil
            act(after: max(Timestamp(milliseconds: end ?? 0) - time.now(), .seconds(1))) { world in
                guard world.isNewest(id, of: original) else { return }
                world.happen(.production, "\(original) expires") { store, now throws(SimulatorError) in
                    try store.world.expire(original, .voluntary, at: now)
                }
            }
        }
    }

    private func endRetry(of original: String, _ id: String, _ buyer: Buyer) {
        guard isNewest(id, of: original) else { return }
        if dice.chance(60) {
            happen(.production, "\(original) recovers") { store, now throws(SimulatorError) in try store.world.recover(original, at: now) }
            planPeriod(of: original, buyer)
        } else {
            happen(.production, "\(original) is given up") { store, now throws(SimulatorError) in
                try store.world.expire(original, .billingRetry, at: now)
            }
        }
    }

    private func planCommitment(_ original: String, _ buyer: Buyer) {
        if dice.chance(40) {
            act(after: dice.span(.hours(1), .hours(20))) { world in
                world.happen(.production, "\(original) will not be committed to again") { store, now throws(SimulatorError) in
                    try store.world.setAutoRenew(false, of: original, at: now)
                }
            }
        }
        planMonth(of: original)
    }

    /// The end of a month that was committed to; now and then the next one is sold early.
    private func planMonth(of original: String) {
        let newest = apple.see(.production) { try? $0.world.newestTransaction(of: original) }
        guard let newest, let end = newest.expiresDate else { return }
        let left = Timestamp(milliseconds: end) - time.now()
        let wait = dice.chance(20) ? dice.span(.hours(2), .hours(30)) : left
        act(after: max(wait, .seconds(1))) { $0.endMonth(of: original, newest.transactionId) }
    }

    private func endMonth(of original: String, _ id: String) {
        guard isNewest(id, of: original) else { return }
        if dice.chance(80) {
            happen(.production, "next month of \(original)") { store, now throws(SimulatorError) in
                try store.world.renew(original, at: now)
            }
            return planMonth(of: original)
        }
        happen(.production, "a month of \(original) is not paid") { store, now throws(SimulatorError) in
            try store.world.failRenewal(original, at: now)
        }
        act(after: dice.span(.hours(5), .days(25))) { $0.endUnpaidMonth(of: original, id) }
    }

    private func endUnpaidMonth(of original: String, _ id: String) {
        guard isNewest(id, of: original) else { return }
        let isPaid = dice.chance(70)
        happen(.production, "\(original) is \(isPaid ? "paid after all" : "given up")") { store, now throws(SimulatorError) in
            if isPaid { try store.world.recover(original, at: now) } else { try store.world.expire(original, .billingRetry, at: now) }
        }
        if isPaid { planMonth(of: original) }
    }

    // MARK: Asking for money back

    /// Asks about any purchase, the newest or an old one.
    private func ask(_ buyer: Buyer) {
        let own = apple.see(buyer.environment) { store in
            store.world.purchases.values.map(\.transaction).filter { $0.appTransactionId == buyer.customer.appTransactionID }
                .map(\.transactionId).sorted()
        }
        guard !own.isEmpty else { return act(after: .hours(1)) { $0.ask(buyer) } }
        ask(about: dice.pick(own), buyer)
    }

    private func ask(about id: String, _ buyer: Buyer) {
        let (environment, reason) = (buyer.environment, dice.pick(ConsumptionRequestReason.allCases))
        let switchesOff = dice.chance(20)
        let round = happen(environment, "customer \(buyer.number) asks about \(id)") { store, now throws(SimulatorError) in
            try store.request(id, reason, text: dice.chance(30) ? "DECLINE" : nil, switchesRenewalOff: switchesOff, at: now)
        }
        guard let round else { return }
        watchRound(of: id, buyer)
        if dice.chance(12) { act(after: dice.span(.minutes(1), .hours(3))) { await $0.answerByHand(id, environment) } }
        if dice.chance(30) { storm(environment == .production ? dice.span(.minutes(1), .hours(2)) : dice.span(.seconds(10), .minutes(4))) }
        for _ in 0..<dice.int(0...2) {
            let wait = environment == .production ? dice.span(.minutes(30), .hours(14)) : dice.span(.seconds(20), .minutes(8))
            act(after: wait) { world in
                guard world.apple.see(environment, { $0.requests[id]?.last?.round == round && $0.requests[id]?.last?.outcome == nil })
                else { return }
                world.happen(environment, "Apple asks again about \(id)") { store, now throws(SimulatorError) in
                    try store.world.askForRefund(of: id, reason, at: now)
                }
            }
        }
        // Of some requests nobody ever hears again.
        guard dice.chance(85) else { return }
        let wait = environment == .production ? dice.span(.minutes(15), .hours(20)) : dice.span(.minutes(1), .minutes(20))
        schedule(in: wait) { $0.decide(id, round, buyer) }
    }

    private func decide(_ id: String, _ round: Int, _ buyer: Buyer) {
        let (environment, style) = (buyer.environment, buyer.environment == .sandbox ? DecisionStyle.sandbox : .lifelike)
        closeRound(of: id, environment)
        let outcome = happen(environment, "Apple decides about \(id)") { [seed] store, now throws(SimulatorError) in
            try store.decide(id, round: round, style, seed: seed, at: now)
            return store.requests[id]?.last?.outcome
        }
        switch outcome ?? nil {
        case .declined?:
            if dice.chance(50) { act(after: dice.span(.minutes(2), .hours(10))) { $0.ask(about: id, buyer) } }
        case .granted?, .prorated?:
            if dice.chance(25) { act(after: dice.span(.minutes(5), .hours(20))) { $0.reverse(id, environment) } }
        case nil: break
        }
    }

    private func reverse(_ id: String, _ environment: Environment) {
        let keepsDate = dice.chance(50)
        let now = time.now()
        let done: Bool? = happen(environment, "the refund of \(id) is reversed") { store, now throws(SimulatorError) in
            try store.world.reverseRefund(of: id, keepsDate: keepsDate, at: now)
            return true
        }
        if done == true { reversals["\(environment.rawValue)/\(id)"] = now }
    }
}
