/// When something for the owner's own receivers (webhooks, alerts, forwards) is tried again: growing waits, for three days.
package enum DeliverySchedule {
    package static let waits: [Span] = [.seconds(5), .seconds(30), .minutes(2), .minutes(10), .minutes(30), .hours(1), .hours(4)]
    package static let span = Span.days(3)

    /// - Parameters:
    ///   - attempts: How many were made, at least 1.
    ///   - jitter: A random draw from -1...1; spreads the wait by a tenth either way.
    /// - Returns: nil where three days have passed since the first was due.
    package static func next(afterAttempts attempts: Int, since first: Timestamp, at now: Timestamp, jitter: Double) -> Timestamp? {
        let wait = waits[min(max(attempts, 1), waits.count) - 1]
        let spread = Span(milliseconds: Int64(Double(wait.milliseconds) * 0.1 * min(max(jitter, -1), 1)))
        let due = now + wait + spread
        return due <= first + span ? due : nil
    }
}
