/// What is to be done: `then` of a rule.
package struct PolicyOutcome: Hashable, Sendable {
    /// How long after the request a person may decide first; nil is not at all.
    package var hold: Span?
    package var answer: PolicyAnswer

    package init(_ answer: PolicyAnswer, after hold: Span? = nil) {
        self.answer = answer
        self.hold = hold
    }

    package static let dataOnly = PolicyOutcome(.dataOnly)
}

/// What is sent once nothing holds the case any more.
package enum PolicyAnswer: Hashable, Sendable {
    /// - Parameters:
    ///   - preference: nil sends the data without a preference.
    ///   - holdoutPercent: How many of a hundred cases get no answer, so that the effect of answering can be measured: 0...100.
    case send(preference: RefundPreference?, holdoutPercent: Int)
    /// No answer: `policy-none`.
    case abstain

    package static let dataOnly = PolicyAnswer.send(preference: nil, holdoutPercent: 0)

    package static func prefer(_ preference: RefundPreference) -> PolicyAnswer { .send(preference: preference, holdoutPercent: 0) }
}
