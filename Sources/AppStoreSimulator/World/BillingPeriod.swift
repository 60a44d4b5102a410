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
        let day = start.milliseconds.floored(by: 86_400_000)
        let clock = start.milliseconds - day * 86_400_000
        var date = CivilDate(daysSinceEpoch: day)
        if months > 0 { date = date.adding(months: months, anchorDay: anchorDay ?? date.day) }
        return Timestamp(milliseconds: (date.daysSinceEpoch + days) * 86_400_000 + clock)
    }
}

/// A date of the Gregorian calendar.
///
/// - Source: Howard Hinnant, chrono-compatible low-level date algorithms: `days_from_civil` and its inverse.
struct CivilDate: Hashable {
    var year: Int64
    var month: Int64
    var day: Int64

    init(daysSinceEpoch: Int64) {
        let shifted = daysSinceEpoch + 719_468  // from 0000-03-01
        let era = shifted.floored(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    var daysSinceEpoch: Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear.floored(by: 400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    func adding(months: Int64, anchorDay: Int64) -> CivilDate {
        var date = self
        let index = year * 12 + month - 1 + months
        date.year = index.floored(by: 12)
        date.month = index - date.year * 12 + 1
        date.day = min(anchorDay, date.lengthOfMonth)
        return date
    }

    private var lengthOfMonth: Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension CivilDate {
    init(_ instant: Timestamp) { self.init(daysSinceEpoch: instant.milliseconds.floored(by: 86_400_000)) }
}

extension Int64 {
    /// The quotient rounded down, also below zero.
    fileprivate func floored(by divisor: Int64) -> Int64 {
        let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? quotient - 1 : quotient
    }
}
