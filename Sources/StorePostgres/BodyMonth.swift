import Domain

/// One month, UTC, of what Apple signed: a part of `log_bodies`.
struct BodyMonth: Hashable {
    /// The first of the month.
    private let first: CivilDate

    init(of instant: Timestamp) {
        let day = CivilDate(instant)
        first = CivilDate(daysSinceEpoch: day.daysSinceEpoch - (day.day - 1))
    }

    private init(first: CivilDate) { self.first = first }

    /// - Parameter name: As ``name``; nil for the rest, and for whatever else somebody put there.
    init?(name: String) {
        guard name.hasPrefix(BodyMonth.prefix) else { return nil }
        let parts = name.dropFirst(BodyMonth.prefix.count).split(separator: "_").map { String($0) }
        guard parts.count == 2, let start = Timestamp(utc: "\(parts[0])-\(parts[1])-01T00:00Z") else { return nil }
        self.init(of: start)
    }

    private static let prefix = "log_bodies_"

    /// `log_bodies_2026_11`.
    var name: String {
        let year = String(first.year)
        return BodyMonth.prefix + String(repeating: "0", count: max(4 - year.count, 0)) + year + (first.month < 10 ? "_0" : "_")
            + String(first.month)
    }

    var start: Timestamp { first.midnight }
    /// The next one's start.
    var end: Timestamp { next.start }
    var next: BodyMonth { BodyMonth(first: first.adding(months: 1)) }
}
