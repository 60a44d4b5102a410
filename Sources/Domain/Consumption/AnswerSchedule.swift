/// When an answer that did not get through is tried again.
///
/// - Source: Apple documents no schedule of its own; these waits are the interface's. Nothing is ever due at or past the deadline.
package struct AnswerSchedule: Sendable {
    package var environment: Environment
    package var deadline: Timestamp

    package init(environment: Environment, deadline: Timestamp) {
        self.environment = environment
        self.deadline = deadline
    }

    /// When to try next, nil where no try fits before the deadline.
    ///
    /// - Parameters:
    ///   - attempts: How many were made, at least 1.
    ///   - jitter: A random draw from -1...1; spreads the wait by a fifth either way.
    ///   - notBefore: What Apple's `Retry-After` said; one past the window is capped to the last try, as it may be nonsense.
    package func next(afterAttempts attempts: Int, at now: Timestamp, jitter: Double, notBefore: Timestamp? = nil) -> Timestamp? {
        let wait = waits[min(max(attempts, 1), waits.count) - 1]
        let spread = Span(milliseconds: Int64(Double(wait.milliseconds) * 0.2 * min(max(jitter, -1), 1)))
        var due = now + wait + spread
        if let notBefore { due = max(due, notBefore) }
        let last = lastTry
        if due > last, now < last { due = last }
        return due < deadline ? due : nil
    }

    /// The last try is made then at the latest, even where Apple asked for more time.
    package var lastTry: Timestamp { deadline - lastTryMargin }

    private var waits: [Span] {
        switch environment {
        case .production: [.seconds(5), .seconds(15), .minutes(1), .minutes(5), .minutes(15), .minutes(30)]
        case .sandbox: [.seconds(2), .seconds(5), .seconds(15), .seconds(30), .seconds(60)]
        }
    }

    private var lastTryMargin: Span {
        switch environment {
        case .production: .minutes(2)
        case .sandbox: .seconds(10)
        }
    }
}
