/// A share of successes, with the interval that holds the true one in 95 of 100 such samples.
package struct Share: Hashable, Sendable {
    package var successes: Int64
    package var total: Int64

    package init(_ successes: Int64, of total: Int64) {
        self.successes = successes
        self.total = total
    }

    /// nil of nothing.
    package var value: Double? { total > 0 ? Double(successes) / Double(total) : nil }

    /// Wilson's score interval at 95 %; nil of nothing.
    ///
    /// - Source: Wilson, Probable inference, the law of succession, and statistical inference, JASA 22 (1927).
    package var interval: ClosedRange<Double>? {
        guard let p = value else { return nil }
        let n = Double(total)
        let z = Share.z
        let centre = p + z * z / (2 * n)
        let reach = z * (p * (1 - p) / n + z * z / (4 * n * n)).squareRoot()
        let scale = 1 + z * z / n
        return max((centre - reach) / scale, 0)...min((centre + reach) / scale, 1)
    }

    /// The 97.5th percentile of the normal distribution.
    private static let z = 1.959_963_984_540_054
}

/// The difference of two independent shares, first less second.
package struct ShareDifference: Hashable, Sendable {
    package var first: Share
    package var second: Share

    package init(_ first: Share, _ second: Share) {
        self.first = first
        self.second = second
    }

    /// nil where one of them is of nothing.
    package var value: Double? {
        guard let a = first.value, let b = second.value else { return nil }
        return a - b
    }

    /// The interval at 95 % that is made of both shares' own; nil where one of them is of nothing.
    ///
    /// - Source: Newcombe, Interval estimation for the difference between independent proportions, Statistics in Medicine 17 (1998),
    ///   method 10.
    package var interval: ClosedRange<Double>? {
        guard let a = first.value, let b = second.value, let ofA = first.interval, let ofB = second.interval else { return nil }
        let below = squared(a - ofA.lowerBound) + squared(ofB.upperBound - b)
        let above = squared(ofA.upperBound - a) + squared(b - ofB.lowerBound)
        return (a - b - below.squareRoot())...(a - b + above.squareRoot())
    }

    /// Whether chance alone would rarely show so much: at most once in twenty where there is no difference. nil where nothing is known.
    package var isDistinct: Bool? { interval.map { !$0.contains(0) } }

    private func squared(_ value: Double) -> Double { value * value }
}
