import Domain
import Foundation

extension ConfigurationPlace {
    /// A length of time of one unit: `90s`, `15m`, `2h`, `1d`.
    func duration() -> Span? { span(["s": .seconds(1), "m": .minutes(1), "h": .hours(1), "d": .days(1)], example: "90s, 15m, 2h or 1d") }

    /// How long something is kept: `30d`, `2y` (years of 365 days), or null for ever.
    func retention() -> Span? { isNull ? nil : span(["d": .days(1), "y": .days(365)], example: "30d, 2y, or null to keep for ever") }

    private func span(_ units: [Character: Span], example: String) -> Span? {
        guard let text = text() else { return nil }
        guard let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()), (1...1_000_000).contains(count) else {
            return refused("a duration is expected: \(example)")
        }
        return count * unit
    }

    /// An instant: `2026-11-01T10:00Z`, seconds optional, always UTC.
    func instant() -> Timestamp? {
        guard let text = text() else { return nil }
        guard let instant = Timestamp(utc: text) else { return refused("a time in UTC is expected, such as 2026-11-01T10:00Z") }
        return instant
    }

    /// An ISO 8601 period: `P30D`, `P1Y6M`.
    func period() -> CalendarPeriod? {
        guard let text = text() else { return nil }
        guard let period = CalendarPeriod(iso8601: text), period != CalendarPeriod() else {
            return refused("an ISO 8601 period is expected, such as P30D, P1M or P1Y")
        }
        return period
    }
}

extension Timestamp {
    /// Reads `2026-11-01T10:00Z` or `2026-11-01T10:00:30Z`; nil for anything else, also for days no calendar has.
    init?(utc text: String) {
        guard let match = text.wholeMatch(of: /([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2})(?::([0-9]{2}))?Z/) else { return nil }
        let fields = [match.1, match.2, match.3, match.4, match.5, match.6 ?? "0"].compactMap { Int($0) }
        guard fields.count == 6, let utc = TimeZone(identifier: "UTC") else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = utc
        let parts = DateComponents(
            calendar: calendar, timeZone: utc, year: fields[0], month: fields[1], day: fields[2], hour: fields[3], minute: fields[4],
            second: fields[5])
        guard parts.isValidDate, let date = parts.date else { return nil }
        self.init(milliseconds: Int64(date.timeIntervalSince1970) * 1000)
    }
}
