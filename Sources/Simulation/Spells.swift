import Domain

/// Stretches of time in which something held.
struct Spells: Sendable {
    private(set) var closed: [Range<Int64>] = []
    private var openedAt: Int64?

    var isOpen: Bool { openedAt != nil }

    /// Notes whether it holds from now on.
    mutating func note(_ holds: Bool, at now: Timestamp) {
        if holds {
            openedAt = openedAt ?? now.milliseconds
        } else if let opened = openedAt {
            if opened < now.milliseconds { closed.append(opened..<now.milliseconds) }
            openedAt = nil
        }
    }

    /// The longest stretch inside `[from, to)` in which this and another held.
    func longestOverlap(with other: Spells, from: Timestamp, to: Timestamp) -> Span {
        let end = to.milliseconds
        var longest: Int64 = 0
        for mine in stretches(until: end) {
            for theirs in other.stretches(until: end) {
                let begin = max(mine.lowerBound, theirs.lowerBound, from.milliseconds)
                longest = max(longest, min(mine.upperBound, theirs.upperBound, end) - begin)
            }
        }
        return .milliseconds(longest)
    }

    private func stretches(until end: Int64) -> [Range<Int64>] {
        guard let openedAt, openedAt < end else { return closed }
        return closed + [openedAt..<end]
    }
}
