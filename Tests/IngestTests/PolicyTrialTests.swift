import Domain
import Store
import Testing

@testable import AppStoreSimulator
@testable import Ingest

extension TestDesk {
    fileprivate func tries(_ policy: Policy, since: Timestamp = on(0)) async throws -> PolicyTrialReport {
        try await PolicyTrial(policy, in: ledger, at: clock.now()).run(on: store, since: since)
    }
}

private func number(_ value: Int) -> ExactDecimal { ExactDecimal(value) }

private let usedUp = Policy(
    rules: [
        PolicyRule(
            name: "used up", conditions: [PolicyCondition(.named(.consumedPercentage), .atLeast(number(80)))],
            outcome: PolicyOutcome(.prefer(.decline)))
    ])

/// Each request is judged by what was known when it was decided, not by what is known now.
@Test func aDraftIsTriedOnTheFactsAsTheyWere() async throws {
    let desk = try await TestDesk()
    for id in ["2001", "2002", "2003"] {
        try await desk.notify("ONE_TIME_CHARGE", nil, .coins(id))
        try await desk.consent("704" + id)
    }
    #expect(try await desk.use(90_000_000, "e1", of: .transaction(TransactionID("2001"))))
    for id in ["2001", "2002", "2003"] { try await desk.ask(.coins(id), "ask-" + id) }
    // Used up after the decision: the draft must not see it.
    #expect(try await desk.use(90_000_000, "e2", of: .transaction(TransactionID("2002"))))

    let report = try await desk.tries(usedUp)
    #expect(report.requests == 3)
    #expect(report.changes.map(\.transactionID.rawValue) == ["2001"])
    #expect(report.changes.first?.was.preference == nil && report.changes.first?.becomes.preference == .decline)
    #expect(report.rules.map(\.name) == ["used up", "default"])
    #expect(report.rules.map(\.requests) == [1, 2] && report.rules.map(\.customers.count) == [1, 2])
    #expect(report.warnings.isEmpty)
    #expect(try await desk.tries(desk.app.policy).changes.isEmpty, "the policy in use changes nothing")
    #expect(try await desk.tries(usedUp, since: on(1)).requests == 0)
}

@Test func declinesForMoreThanHalfAreWarnedOf() async throws {
    let desk = try await TestDesk()
    for id in ["2001", "2002", "2003"] {
        try await desk.notify("ONE_TIME_CHARGE", nil, .coins(id))
        try await desk.consent("704" + id)
        try await desk.ask(.coins(id), "ask-" + id)
    }
    let all = Policy(default: PolicyOutcome(.prefer(.decline)))
    let warnings = try await desk.tries(all).warnings
    #expect(warnings.count == 1 && warnings[0].contains("5.6") && warnings[0].contains("3 of 3 customers"))
    desk.clock.set(on(91))
    #expect(try await desk.tries(all).warnings.isEmpty, "only the customers of the last 90 days count")
}

@Test func aHeldRoundCountsOnceAndABlockedOneNever() async throws {
    let desk = try await TestDesk(.acme(PolicyOutcome(.prefer(.decline), after: .hours(2))))
    try await desk.askAboutCoins()
    desk.clock.advance(.hours(2))
    try await desk.keepRounds()
    #expect(try await desk.decision("2001")?.kind == .answer)
    // Without consent no rule is asked, so no rule would change anything.
    try await desk.notify("ONE_TIME_CHARGE", nil, .coins("2002"))
    try await desk.ask(.coins("2002"), "ask-2")
    let report = try await desk.tries(Policy(default: PolicyOutcome(.prefer(.grantFull))))
    #expect(report.requests == 1)
    #expect(report.changes.map(\.was.kind) == [.hold])
}

@Test func aDeclineOfAnUnintendedConversionIsWarnedOf() async throws {
    let desk = try await TestDesk()
    let trial = TransactionPayload.month("3001").with { ($0.price, $0.offerDiscountType) = (0, "FREE_TRIAL") }
    let paid = TransactionPayload.month("3002", of: "3001", at: on(30))
    try await desk.notify("SUBSCRIBED", nil, trial)
    desk.clock.set(on(30))
    try await desk.notify("DID_RENEW", nil, paid)
    try await desk.consent("7043001")
    desk.clock.set(on(31))
    let receipt = try await desk.notify("CONSUMPTION_REQUEST", nil, paid, reason: "UNINTENDED_PURCHASE", uuid: "ask")
    #expect(receipt == .accepted)
    let warnings = try await desk.tries(Policy(default: PolicyOutcome(.prefer(.decline)))).warnings
    #expect(warnings.contains { $0.contains("3.1.2(c)") && $0.contains("1 of 1 requests") }, "\(warnings)")
}
