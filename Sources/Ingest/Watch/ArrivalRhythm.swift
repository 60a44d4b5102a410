import Domain

/// How long an app's notifications usually pause.
package struct ArrivalRhythm: Hashable, Sendable {
    /// The longest pause that nine days in ten keep to.
    package var usualPause: Span

    /// How far back the rhythm is looked for, and how finely: pauses shorter than this are of no interest.
    package static let reach = Span.days(28)
    package static let grain = Span.minutes(30)
    /// A pause shorter than this is never an alarm.
    package static let shortestSilence = Span.hours(6)

    /// - Parameter arrivals: Oldest first, ``grain`` or more apart.
    /// - Returns: nil where too little is known: fewer than ten arrivals, or on fewer than seven days.
    package init?(_ arrivals: [Timestamp]) {
        var longest: [Int64: Int64] = [:]
        for (earlier, later) in zip(arrivals, arrivals.dropFirst()) {
            let day = later.milliseconds / Span.days(1).milliseconds
            longest[day] = max(longest[day] ?? 0, (later - earlier).milliseconds)
        }
        guard arrivals.count >= 10, longest.count >= 7 else { return nil }
        let pauses = longest.values.sorted()
        usualPause = Span(milliseconds: pauses[(pauses.count * 9 + 9) / 10 - 1])
    }

    /// From when on a pause is an alarm: twice the usual one.
    package var alarmAfter: Span { max(ArrivalRhythm.shortestSilence, 2 * usualPause) }
}
