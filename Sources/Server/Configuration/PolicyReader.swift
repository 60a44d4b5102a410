import Domain

enum PolicyFileKey: String, ConfigurationKey { case rules, `default` }

enum RuleKey: String, ConfigurationKey { case name, when, then }

enum ThenKey: String, ConfigurationKey { case prefer, answer, hold, otherwise, holdout }

private enum AnswerWord: String, CaseIterable {
    case dataOnly = "data-only"
    case none
}

extension ConfigurationPlace {
    /// `{ rules, default }`, compiled so that deciding reads no text.
    func policy() -> Policy? {
        guard let policy = object(PolicyFileKey.self) else { return nil }
        let rules = policy[.rules]?.list()?.map { ($0, $0.rule()) } ?? []
        notes.noteRepeats(of: RuleKey.name, in: rules.map { ($0, $1?.name) })
        let otherwise = policy[.default].map { $0.outcome() } ?? .dataOnly
        guard let otherwise else { return nil }
        let complete = Policy(rules: rules.compactMap { $1 }, default: otherwise)
        warn(of: complete, rules: rules.map { (place: $0, rule: $1) })
        return complete
    }

    private func rule() -> PolicyRule? {
        guard let rule = object(RuleKey.self) else { return nil }
        let name = rule.required(.name, "decisions are shown under it")?.ruleName()
        let conditions = rule[.when].map { $0.conditions() } ?? []
        let outcome = rule.required(.then, "such as { prefer: \"DECLINE\" } or { answer: \"data-only\" }")?.outcome()
        guard let name, let conditions, let outcome else { return nil }
        return PolicyRule(name: name, conditions: conditions, outcome: outcome)
    }

    private func ruleName() -> String? {
        guard let name = filledText() else { return nil }
        let reserved = [Policy.defaultName, "override", "person"]
        return reserved.contains(name) ? refused("\"\(name)\" is what decisions say that no rule made: choose another name") : name
    }

    /// Any form of `then`.
    private func outcome() -> PolicyOutcome? {
        guard let then = object(ThenKey.self) else { return nil }
        guard let hold = then[.hold] else { return answer(then).map { PolicyOutcome($0) } }
        for key in [ThenKey.prefer, .answer, .holdout] {
            then[key]?.mistake("\"\(key.rawValue)\" cannot stand beside \"hold\": put it into \"otherwise\"")
        }
        let span = hold.duration()
        let otherwise = then.required(.otherwise, "what is done when nobody decided in time, such as { answer: \"data-only\" }")?
            .unheldAnswer()
        guard let span, let otherwise else { return nil }
        return PolicyOutcome(otherwise, after: span)
    }

    private func unheldAnswer() -> PolicyAnswer? {
        guard let then = object(ThenKey.self) else { return nil }
        if let hold = then[.hold] { return hold.refused("a hold cannot stand inside a hold: write prefer or answer") }
        return answer(then)
    }

    private func answer(_ then: ConfigurationObject<ThenKey>) -> PolicyAnswer? {
        then[.otherwise]?.mistake("\"otherwise\" has a meaning only beside \"hold\"")
        let holdout = then[.holdout].map { $0.wholeNumber(0...100) } ?? 0
        guard let holdout else { return nil }
        switch (then[.prefer], then[.answer]) {
        case (let prefer?, nil):
            return prefer.word(RefundPreference.self).map { .send(preference: $0, holdoutPercent: Int(holdout)) }
        case (nil, let answer?):
            guard let word = answer.word(AnswerWord.self) else { return nil }
            if word == .dataOnly { return .send(preference: nil, holdoutPercent: Int(holdout)) }
            if let stray = then[.holdout] { return stray.refused("a holdout has no meaning where no answer is sent") }
            return .abstain
        case (_?, let answer?):
            return answer.refused("\"answer\" cannot stand beside \"prefer\": a preference is always sent with the data")
        case (nil, nil):
            return refused("one of \"prefer\", \"answer\" or \"hold\" is expected, such as { answer: \"data-only\" }")
        }
    }
}
