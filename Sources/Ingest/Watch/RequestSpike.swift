import Domain

/// Whether an app gets more requests for refunds than it is used to.
package struct RequestSpike: Hashable, Sendable {
    package enum Span: String, Sendable { case hour = "the last hour", day = "the last 24 hours" }
    package var span: Span
    package var count: Int64
    /// The median of the days before; nil where too little is known of them.
    package var usualPerDay: Int64?

    /// Fewer than this is never unusual, so that a small app stays quiet.
    package static let least: Int64 = 10
    /// What is unusual for an app of which no week is known yet.
    package static let leastWhileNew: Int64 = 50
    /// How far back the usual is looked for.
    package static let days = 28

    /// - Parameters:
    ///   - lastDay: Purchases asked about in the last 24 hours; `lastHour` likewise.
    ///   - daysBefore: The same of each known day before those 24 hours, at most ``days`` of them.
    /// - Returns: nil where it is as usual: up to three times a usual day, and up to a quarter of one in an hour.
    package static func judge(lastDay: Int64, lastHour: Int64, daysBefore: [Int64]) -> RequestSpike? {
        let isNew = daysBefore.count < 7
        let usual = median(daysBefore)
        let least = isNew ? leastWhileNew : RequestSpike.least
        let known = isNew ? nil : usual
        if lastHour > max(least - 1, usual / 4) { return RequestSpike(span: .hour, count: lastHour, usualPerDay: known) }
        if lastDay > max(least - 1, usual * 3) { return RequestSpike(span: .day, count: lastDay, usualPerDay: known) }
        return nil
    }

    private static func median(_ counts: [Int64]) -> Int64 { counts.isEmpty ? 0 : counts.sorted()[counts.count / 2] }

    package var text: String {
        let usual =
            usualPerDay.map { "usual are \($0) a day (median of the last \(RequestSpike.days) days)" } ?? "what is usual is not known yet"
        return "\(count) purchases were asked about in \(span.rawValue); \(usual)."
    }
}
