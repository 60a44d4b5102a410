/// The day of an instant in both zones that reports speak of: UTC, and Pacific Time, in which Apple counts the days of its own reports.
package struct ReportDay: Hashable, Comparable, Sendable, Codable {
    /// Days since 1970-01-01.
    package var utc: Int64
    /// Days since 1970-01-01: that of UTC or the one before.
    package var pacific: Int64

    package init(utc: Int64, pacific: Int64) {
        self.utc = utc
        self.pacific = pacific
    }

    package init(_ instant: Timestamp) {
        utc = CivilDate(instant).daysSinceEpoch
        pacific = CivilDate(instant + PacificTime.offset(at: instant)).daysSinceEpoch
    }

    package static func < (a: ReportDay, b: ReportDay) -> Bool { (a.utc, a.pacific) < (b.utc, b.pacific) }
}

/// For how long a row of the counters stands. Every contribution is in one of each, so that many days are read as few rows.
package enum ReportTier: String, Sendable, CaseIterable {
    case day
    /// Its days are the first ones of the months.
    case month
}

extension ReportDay {
    /// The first days of the months, each in its zone.
    var month: ReportDay { ReportDay(utc: ReportDay.firstOfMonth(utc), pacific: ReportDay.firstOfMonth(pacific)) }

    /// - Parameter day: Days since 1970-01-01.
    package static func firstOfMonth(_ day: Int64) -> Int64 { day - CivilDate(daysSinceEpoch: day).day + 1 }
}

/// `America/Los_Angeles`, by the rule in force since 2007: daylight saving from the second Sunday of March, 2:00 in standard time, to the
/// first Sunday of November, 2:00 in daylight time.
///
/// - Source: Energy Policy Act of 2005, section 110. The App Store's first in-app purchases came in 2009.
package enum PacificTime {
    private static let standard = Span.hours(-8)
    private static let daylight = Span.hours(-7)

    /// What has to be added to UTC.
    package static func offset(at instant: Timestamp) -> Span {
        let year = CivilDate(instant + standard).year
        let begins = sunday(2, month: 3, year) + .hours(2) - standard
        let ends = sunday(1, month: 11, year) + .hours(2) - daylight
        return instant >= begins && instant < ends ? daylight : standard
    }

    /// The first instant of a day in Pacific Time.
    ///
    /// - Parameter day: Days since 1970-01-01.
    package static func midnight(ofDay day: Int64) -> Timestamp {
        let midnight = Timestamp(milliseconds: 0) + .days(day)
        let inDaylight = midnight - daylight
        return offset(at: inDaylight) == daylight ? inDaylight : midnight - standard
    }

    /// Midnight, as if in UTC, of a month's Sunday of that number.
    private static func sunday(_ number: Int64, month: Int64, _ year: Int64) -> Timestamp {
        let first = CivilDate(year: year, month: month, day: 1)
        // 1970-01-01 was a Thursday.
        let weekday = ((first.daysSinceEpoch + 4) % 7 + 7) % 7
        let day = 1 + (7 - weekday) % 7 + 7 * (number - 1)
        return CivilDate(year: year, month: month, day: day).midnight
    }
}
