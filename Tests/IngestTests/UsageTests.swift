import Domain
import Store
import Testing

@testable import AppStoreSimulator
@testable import Ingest

private func metered() -> AppSettings {
    var app = AppSettings.acme
    app.products.byID[ProductID("com.acme.yearly")] = ProductStatement(
        sampleContentProvided: true, delivery: .delivered, costs: ["generations": .init(unit: 40, currency: "USD")])
    app.products.byID[ProductID("com.acme.coins500")] = ProductStatement(
        sampleContentProvided: true, delivery: .delivered, meter: "coins", terms: ProductTerms(granted: 500))
    return app
}

extension TestDesk {
    fileprivate func use(_ units: Int64, _ meter: String, _ ref: String, at instant: Timestamp, _ id: String) async throws {
        let fact = UsageFact(id: id, subject: .customer(ref: ref), meter: meter, millionths: units * 1_000_000, at: instant)
        try await owner { desk throws(StoreError) in try desk.record(fact) }
    }

    /// What the newest decision about a purchase was based on.
    fileprivate func facts(_ id: String) async throws -> PolicyFacts? {
        let ledger = ledger
        return try await store.read { tx throws(StoreError) in
            try tx.judgedDecisions(in: ledger, since: on(0), page: PageRequest(limit: 200)).items.last {
                $0.transactionID == TransactionID(id)
            }?.basis?.facts
        }
    }
}

/// Month 2 of 12 is disputed while month 5 runs: its own usage counts, and the rules see that it is over.
@Test func theDisputedMonthsUsageCounts() async throws {
    let desk = try await TestDesk(metered())
    for number in Int32(1)...5 {
        desk.clock.set(on(Int64(number - 1) * 30))
        try await desk.notify(number == 1 ? "SUBSCRIBED" : "DID_RENEW", nil, .committed(number, "400\(number)"))
    }
    desk.clock.set(on(130))
    try await desk.consent("7044001")
    for index in 0..<300 { try await desk.use(1, "generations", "7044001", at: on(30) + .minutes(Int64(index) * 100), "e\(index)") }
    // At the very edges: the last instant of month 1 and the first of month 3 are not of month 2.
    try await desk.use(7, "generations", "7044001", at: on(30) - .milliseconds(1), "before")
    try await desk.use(9, "generations", "7044001", at: on(60), "after")

    try await desk.ask(.committed(2, "4002"), "ask-2")
    let second = try #require(try await desk.facts("4002"))
    #expect(second.isCurrentPeriod == false && second.billingPeriodNumber == 2)
    #expect(second.usage == ["generations": ExactDecimal(300)])
    #expect(second.usageCost == ExactDecimal(12))

    try await desk.ask(.committed(5, "4005"), "ask-5")
    let fifth = try #require(try await desk.facts("4005"))
    #expect(fifth.isCurrentPeriod == true)
    #expect(fifth.usage == ["generations": ExactDecimal(0)])
    #expect(fifth.usageCost == ExactDecimal(0))
    #expect(try await desk.send(.accepted) == delivered)
    #expect(try await desk.differences().isEmpty)
}

@Test func usageOfACustomerCountsForTheOldestPackThatIsNotUsedUp() async throws {
    let desk = try await TestDesk(metered())
    func pack(_ id: String, _ product: String, _ day: Int64) -> TransactionPayload {
        TransactionPayload.make(id, product, .consumable, at: on(day)).with { $0.appTransactionId = "7042001" }
    }
    let packs = [pack("2001", "coins100", 0), pack("2002", "coins500", 2), pack("2003", "coins100", 4)]
    for bought in packs { try await desk.notify("ONE_TIME_CHARGE", nil, bought) }
    try await desk.consent("7042001")
    // 70 of the first; of 80 more 30 are the first's and 50 the second's; 50 are reported for the third itself.
    try await desk.use(70, "coins", "7042001", at: on(1), "e1")
    try await desk.use(80, "coins", "7042001", at: on(3), "e2")
    #expect(try await desk.use(50_000_000, "e3", of: .transaction(TransactionID("2003"))))
    desk.clock.set(on(5))
    for (bought, percentage) in zip(packs, [100_000, 10_000, 50_000]) {
        try await desk.ask(bought, "ask-\(bought.transactionId)")
        let body = try #require(try await desk.send(.accepted))
        #expect(body.contains(#""consumptionPercentage":\#(percentage),"#), "\(bought.transactionId): \(body)")
        #expect(try await desk.answer(bought.transactionId)?.percentageSource == .usage)
    }
    #expect(try await desk.differences().isEmpty)
}

@Test func aRefundedPackTakesNoMoreUsage() async throws {
    let desk = try await TestDesk(metered())
    let first = TransactionPayload.coins("2001", at: on(0))
    let second = TransactionPayload.coins("2002", at: on(1)).with { $0.appTransactionId = "7042001" }
    for bought in [first, second] { try await desk.notify("ONE_TIME_CHARGE", nil, bought) }
    try await desk.notify("REFUND", nil, first.refunded(at: on(2)))
    try await desk.use(40, "coins", "7042001", at: on(3), "e1")
    try await desk.consent("7042001")
    desk.clock.set(on(4))
    try await desk.ask(second, "ask-2")
    #expect(try await desk.send(.accepted)?.contains(#""consumptionPercentage":40000,"#) == true)
}

@Test func elapsedTimeIsShownAsTheSource() async throws {
    let desk = try await TestDesk()
    let season = TransactionPayload.make("2009", "season", .nonRenewingSubscription, at: on(0))
    try await desk.notify("ONE_TIME_CHARGE", nil, season)
    try await desk.consent("7042009")
    desk.clock.set(on(3))
    try await desk.ask(season, "ask-9")
    #expect(try await desk.send(.accepted)?.contains("consumptionPercentage") == true)
    #expect(try await desk.answer("2009")?.percentageSource == .elapsedTime)
}

@Test func usageOfAnUndeliveredPurchaseIsSentAsZeroAndWarnedOf() async throws {
    let desk = try await TestDesk(.acme(PolicyOutcome(.prefer(.decline))))
    try await desk.notify("ONE_TIME_CHARGE", nil, coins)
    #expect(try await desk.use(30_000_000, "e1", of: .transaction(TransactionID("2001"))))
    let fact = DeliveryFact(transactionID: TransactionID("2001"), status: .undeliveredOther, at: desk.clock.now())
    try await desk.owner { desk throws(StoreError) in try desk.record(fact) }
    try await desk.consent("7042001")
    try await desk.ask(coins)
    #expect(try await desk.decision("2001")?.warnings == [.declineOfUndelivered, .usedButUndelivered])
    #expect(try await desk.send(.accepted)?.contains(#""consumptionPercentage":0,"#) == true)
    #expect(try await desk.answer("2001")?.percentageSource == nil)
}
