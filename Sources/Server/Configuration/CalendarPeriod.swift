/// An ISO 8601 period in calendar units: a month is as long as the month it falls on.
package struct CalendarPeriod: Hashable, Sendable {
    package var months: Int
    package var days: Int
    package var seconds: Int

    package init(months: Int = 0, days: Int = 0, seconds: Int = 0) {
        self.months = months
        self.days = days
        self.seconds = seconds
    }

    /// Reads `P1Y2M3W4DT5H6M7S` with any of its parts, in whole numbers; nil where it is no period or lasts no time.
    package init?(iso8601 text: String) {
        guard let match = text.wholeMatch(of: /P(?:(\d{1,4})Y)?(?:(\d{1,4})M)?(?:(\d{1,4})W)?(?:(\d{1,4})D)?(?:T(\d.*))?/) else {
            return nil
        }
        func count(_ digits: Substring?) -> Int { digits.flatMap { Int($0) } ?? 0 }
        self.init(months: count(match.1) * 12 + count(match.2), days: count(match.3) * 7 + count(match.4))
        if let time = match.5 {
            guard let parts = time.wholeMatch(of: /(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,6})S)?/) else { return nil }
            seconds = count(parts.1) * 3600 + count(parts.2) * 60 + count(parts.3)
        }
        guard self != CalendarPeriod() else { return nil }
    }
}
