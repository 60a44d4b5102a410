/// One key of `when` with what is asked of it; all its tests must hold.
package struct PolicyCondition: Hashable, Sendable {
    package var key: PolicyKey
    package var tests: [PolicyTest]

    package init(_ key: PolicyKey, _ tests: PolicyTest...) { self.init(key, tests: tests) }

    package init(_ key: PolicyKey, tests: [PolicyTest]) {
        self.key = key
        self.tests = tests
    }

    package func holds(for facts: PolicyFacts) -> Bool {
        let values = facts.values(of: key)
        return tests.allSatisfy { $0.holds(for: values) }
    }
}

/// One form of a condition. On a missing value only `noneOf` holds.
package enum PolicyTest: Hashable, Sendable {
    case anyOf([PolicyPattern])
    case noneOf([PolicyPattern])
    case atLeast(ExactDecimal)
    case below(ExactDecimal)

    func holds(for values: [PolicyValue]) -> Bool {
        switch self {
        case .anyOf(let patterns): values.contains { value in patterns.contains { $0.matches(value) } }
        case .noneOf(let patterns): !PolicyTest.anyOf(patterns).holds(for: values)
        case .atLeast(let bound): values.contains { if case .number(let number) = $0 { number >= bound } else { false } }
        case .below(let bound): values.contains { if case .number(let number) = $0 { number < bound } else { false } }
        }
    }
}

/// A value to be met, or the start of a text (`com.example.*`).
package enum PolicyPattern: Hashable, Sendable {
    case exactly(PolicyValue)
    case prefix(String)

    /// A text as written in a rule, where a `*` at the end stands for any rest.
    package init(text: String) {
        self = text.hasSuffix("*") ? .prefix(String(text.dropLast())) : .exactly(.text(text))
    }

    package func matches(_ value: PolicyValue) -> Bool {
        switch (self, value) {
        case (.exactly(let expected), _): value == expected
        case (.prefix(let start), .text(let text)): text.hasPrefix(start)
        case (.prefix, _): false
        }
    }
}
