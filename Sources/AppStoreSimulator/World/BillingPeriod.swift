import Domain

/// How long one payment lasts, in calendar units.
package struct BillingPeriod: Hashable, Sendable {
    package var months: Int64
    package var days: Int64

    package static func months(_ count: Int64) -> BillingPeriod { BillingPeriod(months: count, days: 0) }
    package static func days(_ count: Int64) -> BillingPeriod { BillingPeriod(months: 0, days: count) }

    /// The end of a period that begins at `start`; in the sandbox, time runs faster.
    ///
    /// - Parameter anchorDay: The day of the month that a subscription began on; a shorter month ends it early, the next does not.
    package func end(from start: Timestamp, anchorDay: Int64? = nil, in environment: Environment) -> Timestamp {
        switch environment {
        case .production: calendarEnd(from: start, anchorDay: anchorDay)
        case .sandbox: start + sandboxLength
        }
    }

    /// - Source: Testing in the sandbox: a week lasts 3 minutes, a month 5, a year an hour.
    private var sandboxLength: Span { months > 0 ? .minutes(5 * months) : .seconds(max(60, 26 * days)) }

    /// The same day and hour some months on, the month's last day where it has no such day; UTC.
    private func calendarEnd(from start: Timestamp, anchorDay: Int64?) -> Timestamp {
        var date = CivilDate(start)
        let clock = start - date.midnight
        if months > 0 { date = date.adding(months: months, anchorDay: anchorDay ?? date.day) }
        return date.midnight + .days(days) + clock
    }
}
