import Domain
import Store
import Testing

@testable import AppStoreSimulator
@testable import Ingest

extension TestDesk {
    fileprivate func facts(_ id: String) async throws -> PolicyFacts? {
        let ledger = ledger
        return try await store.read { tx throws(StoreError) in
            try tx.judgedDecisions(in: ledger, since: on(-999), page: PageRequest(limit: 200)).items.last {
                $0.transactionID == TransactionID(id)
            }?.basis?.facts
        }
    }

    fileprivate func uses(_ units: Int64, _ ref: String, at instant: Timestamp, _ id: String) async throws {
        let fact = UsageFact(id: id, subject: .customer(ref: ref), meter: "coins", millionths: units * 1_000_000, at: instant)
        try await owner { desk throws(StoreError) in try desk.record(fact) }
    }
}

/// Half of a pack was refunded: half of it is still there to be used.
@Test func aPackRefundedInPartStillTakesUsage() async throws {
    let desk = try await TestDesk()
    let first = TransactionPayload.coins("2001")
    let second = TransactionPayload.coins("2002", at: on(1)).with { $0.appTransactionId = "7042001" }
    for bought in [first, second] { try await desk.notify("ONE_TIME_CHARGE", nil, bought) }
    try await desk.notify("REFUND", nil, first.refunded(at: on(2), percentage: 50_000))
    try await desk.uses(80, "7042001", at: on(3), "e1")
    try await desk.consent("7042001")
    desk.clock.set(on(4))
    try await desk.ask(second, "ask-2")
    #expect(try await desk.send(.accepted)?.contains(#""consumptionPercentage":30000,"#) == true)
}

@Test func whatIsDatedLaterHasNotBeenUsedYet() async throws {
    let desk = try await TestDesk()
    try await desk.notify("ONE_TIME_CHARGE", nil, coins)
    try await desk.uses(50, "7042001", at: on(30), "e1")
    let own = UsageFact(id: "e2", subject: .transaction(TransactionID("2001")), meter: "coins", millionths: 20_000_000, at: on(30))
    try await desk.owner { desk throws(StoreError) in try desk.record(own) }
    try await desk.consent("7042001")
    try await desk.ask(coins)
    #expect(try await desk.send(.accepted)?.contains(#""consumptionPercentage":0,"#) == true)
}

/// Who reports on one purchase would have reported on the other.
@Test func aReportOnAnotherPurchaseMakesAnUnusedPackKnown() async throws {
    let desk = try await TestDesk()
    for id in ["2001", "2002"] {
        try await desk.notify("ONE_TIME_CHARGE", nil, TransactionPayload.coins(id).with { $0.appTransactionId = "7042001" })
    }
    #expect(try await desk.use(5_000_000, "e1", of: .transaction(TransactionID("2002"))))
    try await desk.consent("7042001")
    try await desk.ask(TransactionPayload.coins("2001").with { $0.appTransactionId = "7042001" })
    #expect(try await desk.send(.accepted)?.contains(#""consumptionPercentage":0,"#) == true)
}

@Test func aHoldIsShortenedWithItsWindow() async throws {
    let desk = try await TestDesk(.acme(PolicyOutcome(.prefer(.decline), after: .hours(11))))
    desk.clock.set(on(1))
    try await desk.notify("ONE_TIME_CHARGE", nil, coins)
    try await desk.consent("7042001")
    try await desk.ask(coins, "later", signed: on(1) - .minutes(1))
    #expect(try await desk.decision("2001")?.holdUntil == on(1) - .minutes(1) + .hours(11))
    try await desk.ask(coins, "earlier", signed: on(1) - .hours(6))
    #expect(try await desk.decision("2001")?.holdUntil == on(1) + .hours(5))
    desk.clock.set(on(1) + .hours(5))
    try await desk.keepRounds()
    #expect(try await desk.send(.accepted)?.contains("DECLINE") == true)
    #expect(try await desk.differences().isEmpty)
}

@Test func aPersonsWordOutlastsAConsentTakenBackAndGivenAnew() async throws {
    let desk = try await TestDesk(.acme(PolicyOutcome(.prefer(.decline))))
    try await desk.askAboutCoins()
    let result = try await desk.owner { desk throws(StoreError) in try desk.answer(TransactionID("2001"), preferring: .grantFull) }
    guard case .success = result else { return #expect(Bool(false), "\(result)") }
    for isGiven in [false, true] { try await desk.consent("7042001", isGiven) }
    #expect(try await desk.decision("2001")?.rule == "person")
    #expect(try await desk.send(.accepted)?.contains("GRANT_FULL") == true)
}

@Test func theAlarmAtHalfTimeComesAtHalfTime() async throws {
    let desk = try await TestDesk(.acme(PolicyOutcome(.dataOnly, after: .hours(11))))
    desk.clock.set(on(1))
    for (id, age, due) in [
        ("2001", Span.hours(1), Span.hours(5)), ("2002", Span(milliseconds: 6 * 3_600_000 - 4_000), .seconds(4)),
        ("2003", .hours(9), .minutes(1)),
        ("2004", Span(milliseconds: 12 * 3_600_000 - 10_000), .seconds(5)),
    ] {
        try await desk.notify("ONE_TIME_CHARGE", nil, .coins(id))
        try await desk.consent("704" + id)
        try await desk.ask(.coins(id), "ask-" + id, signed: on(1) - age)
        let ledger = desk.ledger
        let row = try await desk.store.read { tx throws(StoreError) in
            try tx.outboxRow(.deadlineNear, subject: id, key: "ask-" + id, in: ledger)
        }
        #expect(row?.dueAt == on(1) + due, "\(id)")
    }
}

@Test func anUpgradeIsNoRefundAndTheFirstPurchaseIsApples() async throws {
    let desk = try await TestDesk()
    let old = TransactionPayload.month("3001", at: on(0)).with {
        ($0.isUpgraded, $0.revocationDate, $0.originalPurchaseDate) = (true, on(5).milliseconds, on(-400).milliseconds)
    }
    let new = TransactionPayload.month("3002", of: "3001", at: on(5), product: "yearly").with {
        $0.originalPurchaseDate = on(-400).milliseconds
    }
    desk.clock.set(on(6))
    for period in [old, new] { try await desk.notify("DID_CHANGE_RENEWAL_PREF", "UPGRADE", period) }
    try await desk.consent("7043001")
    try await desk.ask(new, "ask")
    let facts = try #require(try await desk.facts("3002"))
    #expect(facts.refundsGranted == 0)
    #expect(facts.sinceFirstPurchase == .days(406))
    #expect(facts.lifetimePaid == ExactDecimal(significand: 198, exponent: -2), "the upgrade took nothing back from what was paid")
    #expect(facts.isConvertedFromTrial == false)
}

@Test func whetherATrialCameBeforeTheOldestKnownPeriodIsUnknown() async throws {
    let desk = try await TestDesk()
    try await desk.notify("DID_RENEW", nil, .month("3005", of: "3001", at: on(0)))
    try await desk.consent("7043001")
    try await desk.ask(.month("3005", of: "3001", at: on(0)), "ask")
    #expect(try #require(try await desk.facts("3005")).isConvertedFromTrial == nil)
}
