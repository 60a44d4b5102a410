import Domain

/// How usage is summed by time: every event counts in a sum of its day, of its minute and of its millisecond, so that any interval is
/// few sums however many events it holds.
package enum UsageResolution: Int64, Sendable, CaseIterable {
    case instant = 1
    case minute = 60_000
    case day = 86_400_000

    /// The beginning of the sum in which an instant counts.
    package func start(of instant: Timestamp) -> Timestamp {
        let offset = instant.milliseconds % rawValue
        return instant - Span(milliseconds: offset < 0 ? offset + rawValue : offset)
    }

    /// The first beginning of a sum that is not before an instant.
    private func firstStart(from instant: Timestamp) -> Timestamp {
        let start = start(of: instant)
        return start == instant ? instant : start + Span(milliseconds: rawValue)
    }

    /// The sums that together are exactly an interval: the longest that fit, shorter ones at its edges.
    package static func pieces(from: Timestamp, to: Timestamp) -> [Piece] { pieces(from, to, [.day, .minute, .instant]) }

    private static func pieces(_ from: Timestamp, _ to: Timestamp, _ resolutions: ArraySlice<UsageResolution>) -> [Piece] {
        guard from < to, let resolution = resolutions.first else { return [] }
        let finer = resolutions.dropFirst()
        let begin = resolution.firstStart(from: from)
        let end = resolution.start(of: to)
        guard begin < end else { return pieces(from, to, finer) }
        return pieces(from, begin, finer) + [Piece(resolution: resolution, from: begin, to: end)] + pieces(end, to, finer)
    }

    /// Sums of one resolution that begin in the interval, its end excluded.
    package struct Piece: Hashable, Sendable {
        package var resolution: UsageResolution
        package var from: Timestamp
        package var to: Timestamp
    }
}
