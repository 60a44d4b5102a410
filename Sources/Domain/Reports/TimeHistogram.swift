/// How long something took, in buckets that add up: two histograms of parts give the histogram of the whole.
///
/// Up to 31 seconds each second has a bucket of its own; above, each doubling has 16, so that a value read from a bucket's middle is at most
/// 1/32 (3.2 %) off.
package struct TimeHistogram: Hashable, Sendable {
    /// By bucket.
    package private(set) var counts: [Int64: Int64] = [:]

    package init() {}

    package mutating func add(_ count: Int64, inBucket bucket: Int64) { counts[bucket, default: 0] += count }

    package static func bucket(of seconds: Int64) -> Int64 {
        guard seconds >= 32 else { return max(seconds, 0) }
        let doublings = Int64(63 - seconds.leadingZeroBitCount) - 4
        return doublings * 16 + (seconds >> doublings)
    }

    /// The middle of a bucket, in seconds.
    package static func middle(ofBucket bucket: Int64) -> Int64 {
        guard bucket >= 32 else { return bucket }
        let doublings = min(bucket / 16 - 1, 57)
        let first = (bucket - doublings * 16) << doublings
        return first + ((1 << doublings) - 1) / 2
    }

    package var count: Int64 { counts.values.reduce(0, +) }

    /// The smallest value that at least this share of all does not exceed; nil of nothing.
    ///
    /// - Parameter percent: 1...100.
    package func quantile(percent: Int64) -> Int64? {
        let wanted = max((count * percent + 99) / 100, 1)
        var seen: Int64 = 0
        for (bucket, count) in counts.sorted(by: { $0.key < $1.key }) {
            seen += count
            if seen >= wanted { return TimeHistogram.middle(ofBucket: bucket) }
        }
        return nil
    }
}
