import Testing

@testable import Domain

private let ledger = Ledger(app: AppID("acme"), environment: .production)

/// Apple's rules between the fields of an answer, from its documentation of `ConsumptionRequest` (V2), by Apple's words alone.
///
/// - Returns: What Apple would refuse; empty where nothing.
private func faults(_ body: ConsumptionAnswer, ofType type: String) -> [String] {
    var faults: [String] = []
    let known = ["Consumable", "Non-Consumable", "Non-Renewing Subscription", "Auto-Renewable Subscription"]
    let isDelivered = body.deliveryStatus.rawValue == "DELIVERED"
    if let percentage = body.consumptionPercentage {
        if percentage < 0 || percentage > 100_000 { faults.append("percentage out of range") }
        if type == "Auto-Renewable Subscription" { faults.append("percentage of an auto-renewable") }
        if !known.contains(type) { faults.append("percentage of an unknown type") }
        if !isDelivered, percentage != 0 { faults.append("use of what was not delivered") }
    }
    if body.refundPreference?.rawValue == "GRANT_PRORATED", type != "Auto-Renewable Subscription" {
        if !isDelivered { faults.append("prorated, but not delivered") }
        switch body.consumptionPercentage {
        case nil: faults.append("prorated without a percentage")
        case 0, 100_000: faults.append("prorated all or nothing")
        default: break
        }
    }
    return faults
}

/// One decision drawn from a seed, with all that it was made by.
private struct Draw {
    let policy: Policy
    let context: DecisionContext
    let authority: DecisionAuthority
    let decision: Decision
    /// The truth may change between deciding and sending: another delivery is recorded, more is used.
    let truthWhenSent: PurchaseTruth?

    init(seed: UInt64) {
        var world = RandomPolicyWorld(seed: seed)
        policy = world.policy()
        context = world.context(Int(seed))
        authority = world.authority(policy, world.facts())
        decision = Domain.decision(context, by: authority, in: ledger)
        var later = context
        (later.delivery, later.consumed) = (world.delivery(), world.consumed())
        truthWhenSent = later.truth
    }

    var type: String { context.purchase.transaction.rawType }

    /// What the policy says, where one was asked.
    var verdict: PolicyVerdict? {
        switch authority {
        case .policy(let policy, let facts), .afterHold(let policy, let facts): policy.evaluate(facts)
        default: nil
        }
    }
}

private let seeds = UInt64(1)...8_000

@Test func noPolicyMakesAnIllegalBody() throws {
    var prorated = 0
    for seed in seeds {
        let draw = Draw(seed: seed)
        guard draw.decision.kind == .answer else { continue }
        let truth = try #require(draw.context.truth, "seed \(seed): an answer without a known delivery")
        let body = ConsumptionAnswer(truth, preferring: draw.decision.preference)
        #expect(faults(body, ofType: draw.type) == [], "seed \(seed): \(body) of \(draw.type)")
        #expect(body.refundPreference == draw.decision.preference, "seed \(seed): what is dropped is dropped when deciding")
        #expect(body.deliveryStatus == truth.deliveryStatus && body.sampleContentProvided == truth.sampleContentProvided, "seed \(seed)")
        if let changed = draw.truthWhenSent {
            let late = ConsumptionAnswer(changed, preferring: draw.decision.preference)
            #expect(faults(late, ofType: draw.type) == [], "seed \(seed): \(late) of \(draw.type)")
        }
        if body.refundPreference == .grantProrated { prorated += 1 }
    }
    #expect(prorated > 40, "the draws reach what is tested")
}

@Test func noPolicyAnswersWithoutConsentOrAfterTheWindowOrWhatIsNobodys() {
    var kinds: [Decision.Kind: Int] = [:]
    for seed in seeds {
        let (context, decision) = { ($0.context, $0.decision) }(Draw(seed: seed))
        kinds[decision.kind, default: 0] += 1
        guard decision.kind != .abstain else {
            #expect(!decision.because.isEmpty && decision.preference == nil && decision.holdUntil == nil, "seed \(seed): \(decision)")
            continue
        }
        #expect(context.consent.isGiven, "seed \(seed)")
        #expect(context.now < context.round.requestedAt + context.environment.answerWindow, "seed \(seed)")
        #expect(context.round.outcome == nil && !context.purchase.transaction.isAdvancedCommerce, "seed \(seed)")
        let ownership = context.purchase.transaction.rawOwnershipType
        #expect(ownership != "FAMILY_SHARED" && ownership != "ASSIGNED", "seed \(seed)")
    }
    #expect(kinds.values.allSatisfy { $0 > 200 } && kinds.count == 3, "\(kinds)")
}

@Test func consentCountsAsItWasLastSaid() {
    for seed in seeds {
        var world = RandomPolicyWorld(seed: seed)
        let consent = world.consent()
        #expect(consent.standing.isGiven == consent.isGiven, "seed \(seed): \(consent.standing)")
    }
}

@Test func everyHoldLeavesTheWindowSafe() throws {
    var holds = 0
    for seed in seeds {
        let draw = Draw(seed: seed)
        let context = draw.context
        guard draw.decision.kind == .hold else {
            #expect(draw.decision.holdUntil == nil, "seed \(seed)")
            continue
        }
        holds += 1
        let until = try #require(draw.decision.holdUntil, "seed \(seed)")
        let margin = Span.minutes(context.environment == .sandbox ? 1 : 10)
        #expect(context.now < until && until <= context.round.deadline - margin, "seed \(seed): \(until)")
        #expect(draw.decision.preference == nil, "seed \(seed): nothing is said before its time")
        var later = context
        later.now = until
        guard case .policy(let policy, let known) = draw.authority else {
            Issue.record("seed \(seed): only a policy holds")
            continue
        }
        let end = decision(later, by: .afterHold(policy, facts: known), in: ledger)
        #expect(end.kind != .hold && end.rule == draw.decision.rule && end.trace == draw.decision.trace, "seed \(seed): \(end)")
    }
    #expect(holds > 200)
}

@Test func theTraceTellsHowItCame() throws {
    for seed in seeds {
        let draw = Draw(seed: seed)
        let decision = draw.decision
        guard let verdict = draw.verdict, decision.rule != nil else {
            #expect(decision.trace.isEmpty, "seed \(seed): no rule was asked")
            if decision.rule != nil { #expect(["override", "person"].contains(decision.rule), "seed \(seed)") }
            continue
        }
        let tried = draw.policy.rules.prefix(decision.trace.count)
        #expect(decision.trace.map(\.rule) == tried.map(\.name), "seed \(seed): tried in order")
        for (step, rule) in zip(decision.trace, tried) {
            #expect(step.matched == (step.failedOn == nil), "seed \(seed)")
            if let failed = step.failedOn { #expect(rule.conditions.contains { $0.key.text == failed }, "seed \(seed)") }
        }
        #expect(decision.trace.dropLast().allSatisfy { !$0.matched }, "seed \(seed): the first that holds decides")
        let decided = decision.trace.last?.matched == true ? decision.trace.last?.rule : "default"
        #expect(decision.rule == decided && verdict.ruleName == decided, "seed \(seed)")
        #expect(decision.rule != "default" || decision.trace.count == draw.policy.rules.count, "seed \(seed): all were tried")
    }
}

@Test func theSameIsDecidedAgain() {
    for seed in seeds {
        let (first, again) = (Draw(seed: seed), Draw(seed: seed))
        #expect(first.decision == again.decision, "seed \(seed)")
    }
}

/// Lots are drawn only where an answer could be sent, once per case and rule, and come to about their share.
@Test(arguments: [1, 10, 25, 50, 90])
func aHoldoutIsAboutItsShare(_ percent: Int) {
    var heldOut: Set<Int> = []
    let count = 10_000
    let rule = PolicyRule(name: "measure", outcome: PolicyOutcome(.send(preference: .decline, holdoutPercent: percent)))
    for id in 0..<count {
        var world = RandomPolicyWorld(seed: UInt64(id))
        var context = world.context(id)
        // What could be answered, at any time of the window and round.
        (context.consent, context.delivery, context.round.outcome) = (.given, .delivered, nil)
        (context.purchase.newest.value.rawOwnershipType, context.purchase.newest.value.isAdvancedCommerce) = ("PURCHASED", false)
        context.now = min(context.now, context.round.deadline - .seconds(1))
        let decided = decision(context, by: .policy(Policy(rules: [rule]), facts: world.facts()), in: ledger)
        #expect((decided.because == [.holdout]) == (decided.kind == .abstain))
        if decided.kind == .abstain { heldOut.insert(id) }
        context.consent = .absent
        #expect(decision(context, by: .policy(Policy(rules: [rule]), facts: PolicyFacts()), in: ledger).because == [.noConsent])
    }
    // Five standard deviations either way.
    let share = Double(percent) / 100
    let spread = 5 * (Double(count) * share * (1 - share)).squareRoot()
    #expect(abs(Double(heldOut.count) - Double(count) * share) < spread, "\(heldOut.count) of \(count)")
    // Neighbouring ids and other rules draw lots of their own.
    let draws = (0..<count).filter { id in
        HoldoutDraw(ledger: ledger, transactionID: TransactionID("\(2_000_000_000 + id)"), rule: "another").isHeldOut(percent: percent)
    }
    let both = Double(draws.filter(heldOut.contains).count)
    #expect(abs(both - Double(count) * share * share) < 5 * (Double(count) * share * share).squareRoot() + 5, "\(both)")
}
