import Domain
import Synchronization

/// Keeps the calls about one app in one environment below Apple's limits, each family of endpoints by itself.
///
/// Answers have a share of their own, which nothing else can use up; catch-up and questions live on the rest.
package final class ServerAPIPace: Sendable {
    /// Endpoints that share a limit here.
    package enum Family: Sendable, CaseIterable {
        /// Send Consumption Information.
        case answers
        case notificationHistory
        /// Subscription statuses, transactions and their history.
        case lookups
        /// Refund history and order ids.
        case refunds
        case tests
    }

    private struct State {
        var buckets: [Family: TokenBucket]
        var promises: [Int64: Timestamp] = [:]
    }
    /// Apple counts calls by the hour, so no refusal lasts longer, whatever a header says.
    private static let longestClosing = Span.hours(1)
    /// A promise that is close enough to be waited for.
    package static let patience = Span.seconds(1)
    private static let promiseLimit = 4_096

    private let state: Mutex<State>

    package init(_ environment: Environment, at now: Timestamp) {
        let buckets = Family.allCases.map { ($0, TokenBucket(limit: $0.limit, in: environment, at: now)) }
        state = Mutex(State(buckets: Dictionary(uniqueKeysWithValues: buckets)))
    }

    /// When the next call of a family may leave.
    func reserve(_ family: Family, at now: Timestamp) -> Timestamp {
        state.withLock { $0.buckets[family]?.reserve(at: now) ?? now }
    }

    func giveBack(_ family: Family) { state.withLock { $0.buckets[family]?.giveBack() } }

    /// When a piece of work that comes back under the same number may leave. Its place is kept until then, so that waiting costs nothing.
    func promise(_ family: Family, to number: Int64, at now: Timestamp) -> Timestamp {
        state.withLock { state in
            if let kept = state.promises[number] {
                if kept <= now + Self.patience { state.promises[number] = nil }
                return kept
            }
            let slot = state.buckets[family]?.reserve(at: now) ?? now
            guard slot > now + Self.patience else { return slot }
            // Work that was cancelled never comes back for its place.
            if state.promises.count >= Self.promiseLimit { state.promises = state.promises.filter { $0.value > now - .minutes(10) } }
            state.promises[number] = slot
            return slot
        }
    }

    /// Apple answered 429: the whole family waits. Where answers are refused, the rest of their hourly limit's users wait with them.
    func close(_ family: Family, until instant: Timestamp, at now: Timestamp) {
        let end = min(instant, now + Self.longestClosing)
        guard end > now else { return }
        let families = family == .answers ? [.answers, .notificationHistory, .lookups] : [family]
        state.withLock { state in
            for family in families { state.buckets[family]?.close(until: end, at: now) }
            if family == .answers { state.promises = [:] }
        }
    }
}

extension ServerAPIPace.Family {
    /// What is used of Apple's limits in Production: calls a second, and at once. The sandbox has a tenth.
    ///
    /// - Source: Identifying rate limits: 50 a second for answers, notification history and lookups, 10 for refunds, 1 for tests, each
    ///   counted by the hour, so a burst costs nothing that the hour does not give back. A whole hour of the first three together stays
    ///   below one limit of 180,000.
    fileprivate var limit: (perSecond: Double, burst: Double) {
        switch self {
        case .answers: (25, 6_000)
        case .notificationHistory: (10, 600)
        case .lookups: (10, 600)
        case .refunds: (5, 300)
        case .tests: (0.5, 30)
        }
    }
}

extension TokenBucket {
    fileprivate init(limit: (perSecond: Double, burst: Double), in environment: Environment, at now: Timestamp) {
        let share = environment == .production ? 1.0 : 0.1
        self.init(perSecond: limit.perSecond * share, burst: limit.burst * share, at: now)
    }
}
