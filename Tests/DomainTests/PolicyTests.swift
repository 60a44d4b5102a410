import Testing

@testable import Domain

private let usedUp = PolicyRule(
    name: "used up",
    conditions: [
        PolicyCondition(.named(.productType), .anyOf([PolicyPattern(text: "Consumable")])),
        PolicyCondition(.named(.consumedPercentage), .atLeast(ExactDecimal(80))),
    ], outcome: PolicyOutcome(.prefer(.decline)))
private let secondAsk = PolicyRule(
    name: "second ask", conditions: [PolicyCondition(.named(.round), .atLeast(ExactDecimal(2)))],
    outcome: PolicyOutcome(.send(preference: .grantFull, holdoutPercent: 10), after: .hours(2)))
private let policy = Policy(rules: [usedUp, secondAsk], default: PolicyOutcome(.abstain))

@Test func theFirstRuleThatHoldsDecides() {
    var facts = PolicyFacts()
    facts.rawProductType = "Consumable"
    facts.consumedPercentage = 90_000
    facts.round = 2
    let verdict = policy.evaluate(facts)
    #expect(verdict.ruleName == "used up")
    #expect(verdict.outcome == usedUp.outcome)
    #expect(verdict.trace == [PolicyTraceStep(rule: "used up", matched: true)])
}

@Test func theTraceNamesTheKeyThatFailed() {
    var facts = PolicyFacts()
    facts.rawProductType = "Consumable"
    facts.round = 3
    let verdict = policy.evaluate(facts)
    #expect(verdict.ruleName == "second ask" && verdict.outcome == secondAsk.outcome)
    #expect(
        verdict.trace == [
            PolicyTraceStep(rule: "used up", matched: false, failedOn: "consumedPercentage"),
            PolicyTraceStep(rule: "second ask", matched: true),
        ])
}

@Test func theDefaultDecidesOtherwise() {
    let verdict = policy.evaluate(PolicyFacts())
    #expect(verdict.ruleName == "default" && verdict.outcome == PolicyOutcome(.abstain))
    #expect(verdict.trace.map(\.failedOn) == ["productType", "round"])
    #expect(Policy().evaluate(PolicyFacts()) == PolicyVerdict(ruleName: "default", outcome: .dataOnly, trace: []))
}

@Test func aRuleWithoutConditionsAlwaysHolds() {
    let policy = Policy(rules: [PolicyRule(name: "all", outcome: PolicyOutcome(.prefer(.grantProrated)))])
    #expect(policy.evaluate(PolicyFacts()).ruleName == "all")
}

private func lot(_ id: Int, app: String = "acme", environment: Environment = .production, rule: String = "measure") -> HoldoutDraw {
    let ledger = Ledger(app: AppID(app), environment: environment)
    return HoldoutDraw(ledger: ledger, transactionID: TransactionID(String(2_000_000_000_000_000 + id)), rule: rule)
}

@Test func holdoutDrawsAreUniform() {
    var counts = [Int](repeating: 0, count: 100)
    for id in 0..<100_000 { counts[lot(id).value] += 1 }
    // Chi-squared with 99 degrees of freedom: the 99.99th percentile is 161.
    let chiSquared = counts.reduce(0.0) { $0 + Double(($1 - 1000) * ($1 - 1000)) / 1000 }
    #expect(chiSquared < 161, "\(chiSquared)")
}

@Test func holdoutDrawsOfOtherRulesAppsAndEnvironmentsAreIndependent() {
    let both = (0..<10_000).filter { lot($0).isHeldOut(percent: 10) }
    for (name, other) in [
        ("rule", { lot($0, rule: "measure 2") }), ("app", { lot($0, app: "acme-2") }),
        ("environment", { lot($0, environment: .sandbox) }),
    ] {
        let shared = both.count { other($0).isHeldOut(percent: 10) }
        #expect((50...160).contains(shared), "\(name): \(shared) of \(both.count)")
    }
}

@Test func holdoutDrawsNeverChange() {
    // Recorded: another value would move running experiments from one arm to the other.
    #expect((0..<8).map { lot($0).value } == [19, 95, 29, 11, 3, 21, 11, 10])
    let parts = [("ab", "c"), ("a", "bc")].map {
        HoldoutDraw(ledger: Ledger(app: AppID("acme"), environment: .production), transactionID: TransactionID($0.0), rule: $0.1)
    }
    #expect(parts[0] != parts[1])
}

@Test func holdoutShare() {
    let lots = (0..<1000).map { lot($0) }
    #expect(lots.allSatisfy { !$0.isHeldOut(percent: 0) && $0.isHeldOut(percent: 100) })
    #expect(lots.allSatisfy { $0.isHeldOut(percent: $0.value + 1) && !$0.isHeldOut(percent: $0.value) })
}
