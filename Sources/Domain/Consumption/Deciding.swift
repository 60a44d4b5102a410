/// Who says what is to be done where nothing stands against an answer.
package enum DecisionAuthority: Sendable {
    /// The first rule that holds.
    case policy(Policy, facts: PolicyFacts)
    /// What the owner set for this customer beats the rules.
    case customerOverride(PolicyAnswer)
    /// A person, through the interface.
    case person(RefundPreference?)
    /// A person: no answer.
    case personAbstains
    /// The time of a hold is up: what the holding rule wants then, with what it said when it held.
    case afterHold(Policy, facts: PolicyFacts)
}

/// Decides one round. Pure: the deciding instant and every fact are passed in.
///
/// The order is the meaning: what can never be answered, then what the owner must say first, then whose word counts, then Apple's
/// rules between fields. A hold leaves the window safe by itself (``Environment/holdMargin``).
package func decision(_ context: DecisionContext, by authority: DecisionAuthority, in ledger: Ledger) -> Decision {
    var decision = obstacle(context) ?? verdict(context, authority, ledger)
    decision.isCurrentPeriod = context.isCurrentPeriod
    if decision.kind != .abstain { decision.consent = context.consent }
    decision.warnings = GuidelineWarning.of(decision, context)
    return decision
}

private func obstacle(_ context: DecisionContext) -> Decision? {
    let final = context.finalObstacles
    if !final.isEmpty { return Decision(.abstain, because: final) }
    let mendable = context.mendableObstacles
    return mendable.isEmpty ? nil : Decision(.abstain, because: mendable)
}

private func verdict(_ context: DecisionContext, _ authority: DecisionAuthority, _ ledger: Ledger) -> Decision {
    switch authority {
    case .policy(let policy, let facts):
        let verdict = policy.evaluate(facts)
        if let until = holdEnd(verdict.outcome, context) {
            return Decision(.hold, rule: verdict.ruleName, holdUntil: until, trace: verdict.trace)
        }
        return answer(verdict.outcome.answer, rule: verdict.ruleName, trace: verdict.trace, context, ledger)
    case .afterHold(let policy, let facts):
        let verdict = policy.evaluate(facts)
        return answer(verdict.outcome.answer, rule: verdict.ruleName, trace: verdict.trace, context, ledger)
    case .customerOverride(let wanted):
        return answer(wanted, rule: "override", because: [.customerOverride], context, ledger)
    case .person(let preference):
        return answer(.send(preference: preference, holdoutPercent: 0), rule: Decision.byPerson, because: [.person], context, ledger)
    case .personAbstains:
        return Decision(.abstain, rule: Decision.byPerson, because: [.person])
    }
}

private func answer(
    _ wanted: PolicyAnswer, rule: String, because: [Because] = [], trace: [PolicyTraceStep] = [], _ context: DecisionContext,
    _ ledger: Ledger
) -> Decision {
    guard case .send(let preference, let holdoutPercent) = wanted else {
        return Decision(.abstain, rule: rule, because: because + [.policyNone], trace: trace)
    }
    let draw = HoldoutDraw(ledger: ledger, transactionID: context.purchase.transaction.transactionID, rule: rule)
    guard !draw.isHeldOut(percent: holdoutPercent) else {
        return Decision(.abstain, rule: rule, because: because + [.holdout], trace: trace)
    }
    guard preference == .grantProrated, let truth = context.truth, !ConsumptionAnswer.mayPreferProrated(truth) else {
        return Decision(.answer, rule: rule, preference: preference, because: because, trace: trace)
    }
    return Decision(.answer, rule: rule, because: because + [.preferenceDroppedProrated], trace: trace)
}

/// Until when a person may decide first; nil where there is no hold or its time is up already.
private func holdEnd(_ outcome: PolicyOutcome, _ context: DecisionContext) -> Timestamp? {
    guard let hold = outcome.hold else { return nil }
    let latest = context.round.deadline - context.environment.holdMargin
    let until = min(context.round.requestedAt + hold, latest)
    return until > context.now ? until : nil
}

extension Environment {
    /// How long before the deadline a hold ends at the latest.
    package var holdMargin: Span {
        switch self {
        case .production: .minutes(10)
        case .sandbox: .minutes(1)
        }
    }
}
