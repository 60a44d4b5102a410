import Domain
import JSON5

enum FormKey: String, ConfigurationKey { case atLeast, below, not }

extension ConfigurationPlace {
    /// `when`: nil where any of it is wrong.
    func conditions() -> [PolicyCondition]? {
        guard case .object(let members) = node.value, let places = self.members() else {
            return refused("an object in { } is expected, not \(node.value.kind)")
        }
        var conditions: [PolicyCondition?] = []
        for (member, (_, place)) in zip(members, places) {
            guard let key = PolicyKey(member.key) else {
                noteUnknownKey(member, known: PolicyKey.Name.allCases.map(\.rawValue) + ["usage.METER"])
                conditions.append(nil)
                continue
            }
            if key.kind == .money, !members.contains(where: { $0.key == PolicyKey.Name.currency.rawValue }) {
                place.mistake("an amount of money needs a \"currency\" condition beside it, such as currency: \"USD\"")
            }
            conditions.append(place.condition(key))
        }
        let complete = conditions.compactMap { $0 }
        return complete.count == conditions.count ? complete : nil
    }

    private func condition(_ key: PolicyKey) -> PolicyCondition? {
        switch node.value {
        case .array: patterns(key).map { PolicyCondition(key, .anyOf($0)) }
        case .object: forms(key).map { PolicyCondition(key, tests: $0) }
        default: pattern(key).map { PolicyCondition(key, .anyOf([$0])) }
        }
    }

    /// `{ atLeast, below, not }`, any of them together.
    private func forms(_ key: PolicyKey) -> [PolicyTest]? {
        guard node.value != .object([]) else {
            return refused("\(key.kind.isNumeric ? "atLeast, below or not" : "not") is expected in { }")
        }
        guard let forms = object(FormKey.self) else { return nil }
        var tests: [PolicyTest?] = []
        if let place = forms[.atLeast] { tests.append(place.bound(key).map(PolicyTest.atLeast)) }
        if let place = forms[.below] { tests.append(place.bound(key).map(PolicyTest.below)) }
        if let place = forms[.not] { tests.append(place.patterns(key).map(PolicyTest.noneOf)) }
        let complete = tests.compactMap { $0 }
        return complete.count == tests.count ? complete : nil
    }

    private func bound(_ key: PolicyKey) -> ExactDecimal? {
        guard key.kind.isNumeric else { return refused("\"\(key.text)\" is no number: only not, a value or a list can stand here") }
        return number(key.kind)
    }

    /// One value or a list of them.
    private func patterns(_ key: PolicyKey) -> [PolicyPattern]? {
        guard case .array = node.value else { return pattern(key).map { [$0] } }
        guard let places = list(), !places.isEmpty else { return refused("an empty list meets nothing: name at least one value") }
        let patterns = places.compactMap { $0.pattern(key) }
        return patterns.count == places.count ? patterns : nil
    }

    private func pattern(_ key: PolicyKey) -> PolicyPattern? {
        switch key.kind {
        case .text: textPattern(key)
        case .flag: bool().map { .exactly(.flag($0)) }
        case .wholeNumber, .percentage, .decimal, .money: number(key.kind).map { .exactly(.number($0)) }
        }
    }

    private func number(_ kind: PolicyKey.Kind) -> ExactDecimal? {
        guard let number = number() else { return nil }
        if kind == .wholeNumber, number.wholeNumber == nil { return refused("a whole number is expected") }
        let isPercentage = ExactDecimal(0) <= number && number <= ExactDecimal(100)
        if kind == .percentage, !isPercentage { return refused("a percentage from 0 to 100 is expected") }
        return number
    }

    private func textPattern(_ key: PolicyKey) -> PolicyPattern? {
        guard let text = filledText() else { return nil }
        guard !text.dropLast().contains("*") else { return refused("a * may stand only at the end") }
        let pattern = PolicyPattern(text: text)
        if key == .named(.currency) || key == .named(.storefront), case .exactly = pattern, !text.isThreeCapitals {
            return refused("three capital letters are expected, as Apple writes them: \(key == .named(.currency) ? "USD" : "USA")")
        }
        if let known = key.knownWords, !known.contains(where: { pattern.matches(.text($0)) }) {
            warn("Apple is not known to send \"\(text.prefix(40))\" here: \(NearestWord.advice(for: text, among: known))")
        }
        return pattern
    }
}

extension PolicyKey.Kind {
    fileprivate var isNumeric: Bool { self != .text && self != .flag }
}

extension PolicyKey {
    /// The words Apple is known to use; it may send others some day, so that unknown ones are no mistake.
    fileprivate var knownWords: [String]? {
        switch self {
        case .named(.productType): ProductType.allCases.map(\.rawValue)
        case .named(.reason): ConsumptionRequestReason.allCases.map(\.rawValue)
        case .named(.billingPlanType): BillingPlanType.allCases.map(\.rawValue)
        case .named(.ownership): InAppOwnershipType.allCases.map(\.rawValue)
        default: nil
        }
    }
}
