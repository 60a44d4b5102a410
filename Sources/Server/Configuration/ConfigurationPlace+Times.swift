import Domain

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
