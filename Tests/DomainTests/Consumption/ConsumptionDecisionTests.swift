import Testing

@testable import Domain

private let ledger = Ledger(app: AppID("acme"), environment: .production)

private func context(_ change: (inout DecisionContext) -> Void = { _ in }) throws -> DecisionContext {
    let round = try #require(RefundCase(folding: [asked("a", hour(0))], purchase: nil, window: .hours(12))?.rounds.first)
    var context = DecisionContext(
        round: round, purchase: coins(), environment: .production, now: hour(1), consent: .given, delivery: .delivered,
        sampleContentProvided: true, consumed: Consumed(thousandths: 50_000, source: .usage), isCurrentPeriod: true)
    change(&context)
    return context
}

private func policy(_ outcome: PolicyOutcome) -> DecisionAuthority { .policy(Policy(default: outcome), facts: PolicyFacts()) }

private func decide(_ authority: DecisionAuthority, _ change: (inout DecisionContext) -> Void = { _ in }) throws -> Decision {
    decision(try context(change), by: authority, in: ledger)
}

/// What stands against an answer.
struct ObstacleRule: CustomTestStringConvertible, Sendable {
    var name: String
    var change: @Sendable (inout DecisionContext) -> Void
    var expected: [Because]
    var isMendable: Bool
    var testDescription: String { name }

    init(_ name: String, mendable: Bool = false, _ expected: [Because], _ change: @escaping @Sendable (inout DecisionContext) -> Void) {
        (self.name, self.change, self.expected, self.isMendable) = (name, change, expected, mendable)
    }
}

@Test(arguments: [
    ObstacleRule("no consent", mendable: true, [.noConsent]) { $0.consent = .absent },
    ObstacleRule("consent withdrawn", mendable: true, [.consentWithdrawn]) { $0.consent = .withdrawn },
    ObstacleRule("consent to an old text", mendable: true, [.consentOutdated]) { $0.consent = .outdated },
    ObstacleRule("delivery unknown", mendable: true, [.deliveryUnknown]) { $0.delivery = nil },
    ObstacleRule("neither consent nor delivery", mendable: true, [.noConsent, .deliveryUnknown]) {
        ($0.consent, $0.delivery) = (.absent, nil)
    },
    ObstacleRule("already decided", [.alreadyDecided]) { $0.round.outcome = Round.Outcome(kind: .declined, at: hour(1)) },
    ObstacleRule("window closed", [.windowClosed]) { $0.now = hour(12) },
    ObstacleRule("advanced commerce", [.advancedCommerce]) { $0.purchase.newest.value.isAdvancedCommerce = true },
    ObstacleRule("family-shared", [.familyShared]) { $0.purchase.newest.value.rawOwnershipType = "FAMILY_SHARED" },
    ObstacleRule("assigned seat", [.assignedSeat]) { $0.purchase.newest.value.rawOwnershipType = "ASSIGNED" },
    ObstacleRule("what can never be mended hides the rest", [.familyShared]) {
        ($0.consent, $0.delivery) = (.absent, nil)
        $0.purchase.newest.value.rawOwnershipType = "FAMILY_SHARED"
    },
    ObstacleRule("all that is final is named, in order", [.alreadyDecided, .windowClosed, .advancedCommerce, .assignedSeat]) {
        $0.round.outcome = Round.Outcome(kind: .refunded, at: hour(2))
        $0.now = hour(20)
        $0.purchase.newest.value.isAdvancedCommerce = true
        $0.purchase.newest.value.rawOwnershipType = "ASSIGNED"
    },
])
func obstacles(_ rule: ObstacleRule) throws {
    let authorities: [DecisionAuthority] = [
        policy(PolicyOutcome(.prefer(.decline))), policy(PolicyOutcome(.dataOnly, after: .hours(2))), policy(PolicyOutcome(.abstain)),
        .afterHold(Policy(), facts: PolicyFacts()), .customerOverride(.prefer(.grantFull)), .person(.decline), .personAbstains,
    ]
    for authority in authorities {
        let decision = try decide(authority, rule.change)
        #expect(decision.kind == .abstain && decision.because == rule.expected)
        #expect(decision.preference == nil && decision.rule == nil && decision.holdUntil == nil)
        #expect(decision.isMendable == rule.isMendable)
    }
}

@Test func thePurchasersOwnIsAnswered() throws {
    for ownership in ["PURCHASED", nil] {
        let decision = try decide(policy(.dataOnly)) { $0.purchase.newest.value.rawOwnershipType = ownership }
        #expect(decision == Decision(.answer, rule: "default", isCurrentPeriod: true, consent: .given))
    }
}

@Test func aPolicysVerdictsBecomeDecisions() throws {
    let rule = PolicyRule(name: "used up", outcome: PolicyOutcome(.prefer(.decline)))
    let decided = try decide(.policy(Policy(rules: [rule]), facts: PolicyFacts())) { $0.isCurrentPeriod = false }
    #expect(
        decided
            == Decision(
                .answer, rule: "used up", preference: .decline, trace: [PolicyTraceStep(rule: "used up", matched: true)],
                isCurrentPeriod: false, consent: .given))
    #expect(try decide(policy(PolicyOutcome(.abstain))).because == [.policyNone])
    #expect(try decide(policy(PolicyOutcome(.abstain))).isMendable == false)
}

@Test func anIllegalProratedWishIsDropped() throws {
    let prorated = PolicyOutcome(.prefer(.grantProrated))
    #expect(try decide(policy(prorated)).preference == .grantProrated)
    for share: Int32? in [nil, 0, 100_000] {
        let decided = try decide(policy(prorated)) { $0.consumed = share.map { Consumed(thousandths: $0, source: .usage) } }
        #expect(decided.kind == .answer && decided.preference == nil && decided.because == [.preferenceDroppedProrated])
    }
    let lost = try decide(.customerOverride(.prefer(.grantProrated))) { $0.delivery = .undeliveredOther }
    #expect(lost.because == [.customerOverride, .preferenceDroppedProrated] && lost.preference == nil)
}

/// Until when a hold keeps a case of that environment, in milliseconds from the request; nil is not at all.
private func holdEnd(_ hold: Span, _ environment: Environment, now: Timestamp) throws -> Int64? {
    let events = [asked("a", hour(0))]
    let round = try #require(RefundCase(folding: events, purchase: nil, window: environment.answerWindow)?.rounds.first)
    let decided = try decide(policy(PolicyOutcome(.prefer(.decline), after: hold))) {
        ($0.round, $0.environment, $0.now) = (round, environment, now)
    }
    #expect(decided.kind == (decided.holdUntil == nil ? .answer : .hold))
    #expect(decided.preference == (decided.holdUntil == nil ? .decline : nil), "nothing is said before its time")
    return decided.holdUntil.map { ($0 - hour(0)).milliseconds }
}

@Test func aHoldRunsFromTheRequestAndLeavesAMargin() throws {
    let minute = Int64(60_000)
    #expect(try holdEnd(.hours(2), .production, now: hour(1)) == 120 * minute)
    #expect(try holdEnd(.hours(2), .production, now: hour(2)) == nil, "its time is up")
    #expect(try holdEnd(.hours(2), .production, now: hour(2) - .milliseconds(1)) == 120 * minute)
    #expect(try holdEnd(.days(3), .production, now: hour(1)) == (12 * 60 - 10) * minute, "ten minutes before the deadline")
    #expect(try holdEnd(.days(3), .production, now: hour(12) - .minutes(10)) == nil)
    #expect(try holdEnd(.hours(2), .sandbox, now: hour(0)) == 4 * minute, "one minute before the deadline")
    #expect(try holdEnd(.seconds(90), .sandbox, now: hour(0)) == 90_000)
}

@Test func afterAHoldTheRuleSaysWhatItWants() throws {
    let held = PolicyRule(name: "look at it", outcome: PolicyOutcome(.prefer(.decline), after: .hours(2)))
    let decided = try decide(.afterHold(Policy(rules: [held]), facts: PolicyFacts()))
    #expect(decided.kind == .answer && decided.rule == "look at it" && decided.preference == .decline)
}

@Test func overridesAndPersonsDecideAlone() throws {
    #expect(
        try decide(.customerOverride(.dataOnly))
            == Decision(.answer, rule: "override", because: [.customerOverride], isCurrentPeriod: true, consent: .given)
    )
    #expect(try decide(.customerOverride(.abstain)).because == [.customerOverride, .policyNone])
    #expect(
        try decide(.person(.grantFull))
            == Decision(.answer, rule: "person", preference: .grantFull, because: [.person], isCurrentPeriod: true, consent: .given))
    #expect(try decide(.personAbstains) == Decision(.abstain, rule: "person", because: [.person], isCurrentPeriod: true))
    #expect(try decide(.personAbstains).isMendable == false, "a consent given later changes no person's word")
}

@Test func aHoldoutIsStablePerCaseAndAboutItsShare() throws {
    let measured = policy(PolicyOutcome(.send(preference: .decline, holdoutPercent: 10)))
    var heldOut = 0
    for id in 0..<2_000 {
        let decided = try decide(measured) { $0.purchase.newest.value.transactionID = TransactionID("\(2_000_000 + id)") }
        let again = try decide(measured) {
            $0.purchase.newest.value.transactionID = TransactionID("\(2_000_000 + id)")
            $0.now = hour(9)
        }
        #expect(decided == again)
        if decided.because == [.holdout] { heldOut += 1 }
        #expect(decided.kind == (decided.because == [.holdout] ? .abstain : .answer))
    }
    #expect((140...260).contains(heldOut), "\(heldOut) of 2000")
    #expect(try decide(policy(PolicyOutcome(.send(preference: nil, holdoutPercent: 100)))).because == [.holdout])
    #expect(try decide(policy(PolicyOutcome(.send(preference: nil, holdoutPercent: 0)))).kind == .answer)
}
