import Domain

/// Rules in few signs: keys and values as the owner wrote them, the rest in signs that need no language.
extension PolicyCondition {
    var text: String { tests.map { "\(key.text) \($0.text)" }.joined(separator: ", ") }
}

extension PolicyTest {
    fileprivate var text: String {
        switch self {
        case .anyOf(let patterns): patterns.count == 1 ? "= \(patterns[0].text)" : "∈ {\(patterns.map(\.text).joined(separator: ", "))}"
        case .noneOf(let patterns): patterns.count == 1 ? "≠ \(patterns[0].text)" : "∉ {\(patterns.map(\.text).joined(separator: ", "))}"
        case .atLeast(let bound): "≥ \(bound.plainText)"
        case .below(let bound): "< \(bound.plainText)"
        }
    }
}

extension PolicyPattern {
    fileprivate var text: String {
        switch self {
        case .exactly(.text(let text)): text
        case .exactly(.number(let number)): number.plainText
        case .exactly(.flag(let flag)): "\(flag)"
        case .prefix(let start): "\(start)*"
        }
    }
}

extension ExactDecimal {
    /// With a point, as in the configuration.
    fileprivate var plainText: String {
        guard exponent < 0 else { return wholeNumber.map { "\($0)" } ?? "\(significand)e\(exponent)" }
        let digits = String(significand.magnitude)
        let padded = String(repeating: "0", count: max(1 - exponent - digits.count, 0)) + digits
        return (significand < 0 ? "-" : "") + padded.dropLast(-exponent) + "." + padded.suffix(-exponent)
    }
}

extension Texts {
    /// What a rule does.
    func outcome(_ outcome: PolicyOutcome) -> String {
        guard let hold = outcome.hold else { return answer(outcome.answer) }
        return self(.thenHold, ["time": span(hold), "answer": answer(outcome.answer)])
    }

    private func answer(_ answer: PolicyAnswer) -> String {
        switch answer {
        case .abstain: self[.choiceAbstain]
        case .send(let preference, 0): self[preference.phrase]
        case .send(let preference, let holdout): self(.thenHoldout, ["answer": self[preference.phrase], "percent": "\(holdout)"])
        }
    }

    /// What a decision does, for comparing two.
    func verdict(_ decision: Decision) -> String {
        switch decision.kind {
        case .answer: self[decision.preference.phrase]
        case .hold: self[.held]
        case .abstain: ([self[.nothingSent]] + decision.because.map { self[$0.phrase] }).joined(separator: ": ")
        }
    }
}
