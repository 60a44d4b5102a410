/// A length of time in calendar units, as ISO 8601 writes it: `P1M` is a month, whatever its days.
package struct CalendarPeriod: Hashable, Sendable {
    package var years: Int32
    package var months: Int32
    package var days: Int32
    package var seconds: Int64

    package init(years: Int32 = 0, months: Int32 = 0, days: Int32 = 0, seconds: Int64 = 0) {
        self.years = years
        self.months = months
        self.days = days
        self.seconds = seconds
    }

    /// Reads `P1Y6M`, `P2W`, `P30D`, `P1DT12H`; nil for anything else. Whole numbers of up to six digits, each unit at most
    /// once and in order.
    package init?(iso8601 text: String) {
        let halves = text.dropFirst().split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
        guard text.first == "P", let last = halves.last, !last.isEmpty,
            let date = Self.counts(in: halves[0], units: "YMWD"),
            let time = Self.counts(in: halves.count > 1 ? last : "", units: "HMS")
        else { return nil }
        self.init(
            years: date[0], months: date[1], days: 7 * date[2] + date[3],
            seconds: 3_600 * Int64(time[0]) + 60 * Int64(time[1]) + Int64(time[2]))
    }

    /// One count for each unit, 0 where it is left out.
    private static func counts(in text: Substring, units: String) -> [Int32]? {
        var rest = text
        var counts: [Int32] = []
        for unit in units {
            let digits = rest.prefix { $0.isASCII && $0.isWholeNumber }
            let after = rest.dropFirst(digits.count)
            guard after.first == unit else {
                counts.append(0)
                continue
            }
            guard (1...6).contains(digits.count), let count = Int32(digits) else { return nil }
            counts.append(count)
            rest = after.dropFirst()
        }
        return rest.isEmpty ? counts : nil
    }
}

extension Timestamp {
    /// The same time of day that many calendar units later, in UTC: years and months first, clamped to the month's last day,
    /// then days, then seconds. 31 January and a month is 28 or 29 February.
    package static func + (instant: Timestamp, period: CalendarPeriod) -> Timestamp {
        let day = CivilDate(instant)
        let timeOfDay = instant - day.midnight
        let date = day.adding(months: 12 * Int64(period.years) + Int64(period.months))
        return date.midnight + .days(Int64(period.days)) + timeOfDay + .seconds(period.seconds)
    }
}
