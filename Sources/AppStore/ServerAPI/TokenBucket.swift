import Domain

/// A rate limit: so many calls at once, then so many a second. It is told the time and says when the next call may leave.
package struct TokenBucket: Sendable, Hashable {
    /// Calls a second in the long run.
    package let rate: Double
    /// Calls that may leave at once after a quiet time.
    package let burst: Double
    /// Calls that may leave at ``asOf``; below zero where more are promised already.
    package private(set) var level: Double
    package private(set) var asOf: Timestamp
    package private(set) var closedUntil = Timestamp(milliseconds: .min)

    package init(perSecond rate: Double, burst: Double, at now: Timestamp) {
        precondition(rate > 0 && burst >= 1, "a rate limit lets at least one call through")
        self.rate = rate
        self.burst = burst
        level = burst
        asOf = now
    }

    /// The same bucket as it was kept.
    package init(
        perSecond rate: Double, burst: Double, level: Double, asOf: Timestamp, closedUntil: Timestamp = Timestamp(milliseconds: .min)
    ) {
        self.init(perSecond: rate, burst: burst, at: asOf)
        self.level = min(level, burst)
        self.closedUntil = closedUntil
    }

    /// Promises one call its place, behind those promised before.
    ///
    /// - Returns: When it may leave: now or later.
    package mutating func reserve(at now: Timestamp) -> Timestamp {
        let base = refill(at: now)
        level -= 1
        guard level < 0 else { return base }
        return base + .milliseconds(Int64((-level / rate * 1_000).rounded(.up)))
    }

    /// Promises the next calls their places: as many as may leave at once, up to a number, but at least one.
    package mutating func reserve(upTo count: Int, at now: Timestamp) -> [Timestamp] {
        var places = [reserve(at: now)]
        while places.count < count, level >= 1, places[0] <= now { places.append(reserve(at: now)) }
        return places
    }

    /// Takes back a promise that is not used.
    package mutating func giveBack() { level = min(burst, level + 1) }

    /// Lets nothing through until an instant, as Apple asked; what was promised before is void. After that it begins with the calls of
    /// ten seconds, so that what has gathered meanwhile does not run into the same refusal.
    package mutating func close(until instant: Timestamp, at now: Timestamp) {
        _ = refill(at: now)
        level = min(max(level, 0), max(rate * 10, 1))
        closedUntil = max(closedUntil, instant)
        asOf = max(asOf, closedUntil)
    }

    /// - Returns: From when calls are counted: now, or the end of the closing. A clock set back neither earns nor costs anything.
    private mutating func refill(at now: Timestamp) -> Timestamp {
        let base = max(now, closedUntil)
        level = min(burst, level + rate * Double(max((base - asOf).milliseconds, 0)) / 1_000)
        asOf = base
        return base
    }
}
