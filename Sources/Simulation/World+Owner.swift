import Domain
import Ingest
import Store

// What the owner's backend tells the desk.
extension World {
    func planOwner(for buyer: Buyer) {
        switch dice.int(0...99) {
        case 0..<60: act(after: dice.span(.seconds(1), .hours(2))) { await $0.say(true, of: buyer) }
        case 60..<80: act(after: dice.span(.hours(2), .hours(40))) { await $0.say(true, of: buyer) }
        default: break
        }
        if dice.chance(35) { act(after: dice.span(.hours(1), .hours(60))) { await $0.say(false, of: buyer) } }
        if dice.chance(25) { act(after: dice.span(.hours(4), .hours(80))) { await $0.say(true, of: buyer) } }
        if dice.chance(40) { act(after: dice.span(.minutes(5), .hours(20))) { await $0.link(buyer) } }
        for _ in 0..<dice.int(0...4) { act(after: dice.span(.minutes(5), .hours(40))) { await $0.use(buyer) } }
        if dice.chance(30) { act(after: dice.span(.minutes(5), .hours(30))) { await $0.deliverGoods(buyer) } }
        if dice.chance(15) { act(after: dice.span(.minutes(5), .hours(30))) { await $0.recordOutage(buyer) } }
    }

    private func say(_ isGiven: Bool, of buyer: Buyer) async {
        let refs = [buyer.customer.appTransactionID] + (buyer.customer.appAccountToken.map { [$0] } ?? [])
        let fact = ConsentFact(ref: dice.pick(refs), consented: isGiven, source: "in-app dialog", textVersion: nil, at: clock.now())
        let isKept = await tell("consent \(isGiven) of customer \(buyer.number)", buyer.environment) { desk throws(StoreError) in
            try desk.record(fact)
        }
        if isKept.committed { judge.noteConsent(isGiven, of: buyer.customer.appTransactionID, buyer.environment) }
        // A backend that heard an error says it again.
        if !isKept.heard { act(after: dice.span(.minutes(1), .minutes(10))) { await $0.say(isGiven, of: buyer) } }
    }

    private func link(_ buyer: Buyer) async {
        guard let id = dice.pickAny(purchases(of: buyer)) else { return }
        let original = apple.see(buyer.environment) { $0.world.purchases[id]?.transaction.originalTransactionId } ?? id
        let fact = UserLinkFact(originalTransactionID: TransactionID(original), userID: UserID("user-\(buyer.number)"), at: clock.now())
        _ = await tell("link of \(original)", buyer.environment) { desk throws(StoreError) in try desk.record(fact) }
    }

    private func use(_ buyer: Buyer) async {
        guard let id = dice.pickAny(purchases(of: buyer)) else { return }
        let fact = UsageFact(
            id: "use-" + dice.word(), subject: .transaction(TransactionID(id)), meter: "coins", millionths: dice.int(1...90) * 1_000_000,
            at: clock.now())
        _ = await tell("usage of \(id)", buyer.environment) { desk throws(StoreError) in _ = try desk.record(fact) }
    }

    private func deliverGoods(_ buyer: Buyer) async {
        guard let id = dice.pickAny(purchases(of: buyer)) else { return }
        let fact = DeliveryFact(transactionID: TransactionID(id), status: dice.pick(DeliveryStatus.allCases), at: clock.now())
        _ = await tell("delivery of \(id)", buyer.environment) { desk throws(StoreError) in try desk.record(fact) }
    }

    private func recordOutage(_ buyer: Buyer) async {
        let now = time.now()
        let product = ProductID(dice.pick(SimulatedOwner.goods.products).id)
        let outage = Outage(from: now - .hours(10), to: now - .hours(1), status: .undeliveredServerOutage)
        let fact = OutagesFact(productID: product, outages: [outage], at: now)
        _ = await tell("outage of \(product)", buyer.environment) { desk throws(StoreError) in try desk.record(fact) }
    }

    /// A person decides what is sent, or is told why that cannot be.
    func answerByHand(_ id: String, _ environment: Environment) async {
        let preference = dice.pick([RefundPreference.decline, .grantFull, .grantProrated])
        _ = await tell("a person wants \(preference.rawValue) for \(id)", environment) { desk throws(StoreError) in
            _ = try desk.answer(TransactionID(id), preferring: preference)
        }
    }

    private func purchases(of buyer: Buyer) -> [String] {
        apple.see(buyer.environment) { store in
            store.world.purchases.values.map(\.transaction).filter { $0.appTransactionId == buyer.customer.appTransactionID }
                .map(\.transactionId).sorted()
        }
    }

    /// - Returns: Whether the desk keeps it, and whether the backend heard so.
    private func tell(
        _ what: String, _ environment: Environment, _ body: @escaping @Sendable (OwnerDesk) throws(StoreError) -> Void
    ) async -> (committed: Bool, heard: Bool) {
        guard let desk else {
            chronicle.note("owner: \(what): nobody answers")
            return (false, false)
        }
        let (app, now) = (desk.app, clock.now())
        let ledger = Ledger(app: app.id, environment: environment)
        do throws(StoreError) {
            try await desk.store.write { tx throws(StoreError) in try body(OwnerDesk(app: app, ledger: ledger, tx: tx, now: now)) }
            chronicle.note("owner: \(what)")
            return (desk.store.lastWasCommitted, true)
        } catch {
            chronicle.note("owner: \(what): \(error)")
            return (desk.store.lastWasCommitted, false)
        }
    }
}

extension Dice {
    /// nil where there is nothing to pick.
    func pickAny<Choice: Sendable>(_ choices: [Choice]) -> Choice? { choices.isEmpty ? nil : pick(choices) }
}
