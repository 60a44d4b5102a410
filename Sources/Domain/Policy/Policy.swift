/// The owner's rules: the first whose conditions all hold decides, `default` otherwise.
package struct Policy: Hashable, Sendable {
    package var rules: [PolicyRule]
    package var `default`: PolicyOutcome

    package init(rules: [PolicyRule] = [], default: PolicyOutcome = .dataOnly) {
        self.rules = rules
        self.default = `default`
    }

    /// Decides by the facts alone: the same facts always give the same verdict.
    package func evaluate(_ facts: PolicyFacts) -> PolicyVerdict {
        var trace: [PolicyTraceStep] = []
        for rule in rules {
            let failed = rule.conditions.first { !$0.holds(for: facts) }
            trace.append(PolicyTraceStep(rule: rule.name, matched: failed == nil, failedOn: failed?.key.text))
            if failed == nil { return PolicyVerdict(ruleName: rule.name, outcome: rule.outcome, trace: trace) }
        }
        return PolicyVerdict(ruleName: Self.defaultName, outcome: `default`, trace: trace)
    }

    /// What stands as the rule's name where none held.
    package static let defaultName = "default"
}

package struct PolicyRule: Hashable, Sendable {
    package var name: String
    /// In the order of the text; none is always.
    package var conditions: [PolicyCondition]
    package var outcome: PolicyOutcome

    package init(name: String, conditions: [PolicyCondition] = [], outcome: PolicyOutcome) {
        self.name = name
        self.conditions = conditions
        self.outcome = outcome
    }
}

/// What a policy says about one request, and why.
package struct PolicyVerdict: Hashable, Sendable {
    package var ruleName: String
    package var outcome: PolicyOutcome
    /// The rules that were tried, in order; only the last can have matched.
    package var trace: [PolicyTraceStep]
}

package struct PolicyTraceStep: Hashable, Sendable, Codable {
    package var rule: String
    package var matched: Bool
    /// The first key whose condition did not hold.
    package var failedOn: String?

    package init(rule: String, matched: Bool, failedOn: String? = nil) {
        self.rule = rule
        self.matched = matched
        self.failedOn = failedOn
    }
}
