import Domain

/// What a policy says that works, but hardly as meant or at a price: warnings, each naming Apple's guideline where one is at stake.
extension ConfigurationPlace {
    /// - Parameter rules: In order, each with its place; nil where it has a mistake.
    func warn(of policy: Policy, rules: [(place: ConfigurationPlace, rule: PolicyRule?)]) {
        let catchAll = rules.firstIndex { $0.rule?.conditions.isEmpty == true }
        if let catchAll { warnOfUnreached(rules.dropFirst(catchAll + 1).map(\.place), behind: rules[catchAll]) }
        for (place, rule) in rules.prefix(catchAll ?? rules.count) { rule.map { place.warnOfDeclinedUndelivered($0) } }
        let rest = catchAll.map { rules[$0].place.member("then") } ?? member("default")
        if policy.outcomeOfTheRest.prefersDecline { rest?.warnOfBlanketDecline() }
    }

    private func warnOfUnreached(_ places: [ConfigurationPlace], behind catchAll: (place: ConfigurationPlace, rule: PolicyRule?)) {
        let name = catchAll.rule?.name ?? ""
        for place in places {
            place.warn("is never reached: \"\(name)\" on line \(catchAll.place.node.line) has no condition and decides before it")
        }
    }

    private func warnOfBlanketDecline() {
        warn(
            "every request that no rule meets before would get DECLINE, so likely more than half of your customers: Apple gives refusals of "
                + "all alike less weight, and App Review Guideline 5.6 asks to treat customers with respect. Name in a rule why to refuse, "
                + "and let the rest be { answer: \"data-only\" }")
    }

    private func warnOfDeclinedUndelivered(_ rule: PolicyRule) {
        guard rule.outcome.prefersDecline, let condition = rule.conditions.first(where: \.singlesOutUnused) else { return }
        member("when")?.member(condition.key.text)?.warn(
            "meets purchases that were never delivered too, as those count as 0 % used: refusing them is against App Review Guideline 5.6. "
                + "Ask for atLeast some use")
    }
}

extension Policy {
    /// What is done where no condition was met.
    fileprivate var outcomeOfTheRest: PolicyOutcome { rules.first { $0.conditions.isEmpty }?.outcome ?? self.default }
}

extension PolicyOutcome {
    fileprivate var prefersDecline: Bool {
        if case .send(preference: .decline, _) = answer { true } else { false }
    }
}

extension PolicyCondition {
    /// Whether it picks purchases by how little they were used, those not used at all among them.
    fileprivate var singlesOutUnused: Bool {
        guard key == .named(.consumedPercentage) else { return false }
        let picks = tests.contains { test in
            switch test {
            case .anyOf, .below: true
            case .noneOf, .atLeast: false
            }
        }
        var unused = PolicyFacts()
        unused.consumedPercentage = 0
        return picks && holds(for: unused)
    }
}
