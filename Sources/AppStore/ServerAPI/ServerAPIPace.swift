import Domain
import Synchronization

/// Keeps the calls about one app in one environment below Apple's limits, each family of endpoints by itself.
///
/// Answers have a share of their own, which nothing else can use up; catch-up and questions live on the rest. Places come from an
/// allowance that others may share; a few are taken ahead while there is plenty, so that not every call has to ask.
package final class ServerAPIPace: Sendable {
    /// Endpoints that share a limit here.
    package enum Family: String, Sendable, CaseIterable {
        /// Send Consumption Information.
        case answers
        case notificationHistory
        /// Subscription statuses, transactions and their history.
        case lookups
        /// Refund history and order ids.
        case refunds
        case tests
    }

    fileprivate struct State {
        /// Taken from the allowance and not used yet, all for now.
        var ahead: [Family: [Timestamp]] = [:]
        var promises: [Int64: Timestamp] = [:]
        /// Known here at once, whoever else still has to hear of it.
        var closedUntil: [Family: Timestamp] = [:]
    }
    /// Apple counts calls by the hour, so no refusal lasts longer, whatever a header says.
    private static let longestClosing = Span.hours(1)
    /// A promise that is close enough to be waited for.
    package static let patience = Span.seconds(1)
    /// How long a place taken ahead may be used. Another process may have been refused since, which only the allowance knows.
    private static let freshness = Span.seconds(2)
    /// A promise this old is that of work which another process took up.
    fileprivate static let oblivion = Span.seconds(5)
    private static let takenAtOnce = 8
    private static let promiseLimit = 4_096

    private let allowance: any CallAllowance
    /// While nobody can say what others use.
    private let fallback: LocalAllowance
    private let state = Mutex(State())

    /// - Parameter allowance: nil where this process shares the limits with nobody.
    package init(_ environment: Environment, allowance: (any CallAllowance)? = nil, at now: Timestamp) {
        fallback = LocalAllowance(environment, at: now)
        self.allowance = allowance ?? fallback
    }

    /// When the next call of a family may leave.
    func reserve(_ family: Family, at now: Timestamp) async -> Timestamp {
        if let place = state.withLock({ $0.next(family, at: now, within: Self.freshness) }) { return place }
        var places = await allowance.take(upTo: Self.takenAtOnce, of: family, at: now) ?? []
        if places.isEmpty { places = fallback.take(upTo: 1, of: family, at: now) ?? [] }
        return state.withLock { state in
            let first = places.isEmpty ? now : places.removeFirst()
            state.ahead[family, default: []] += places
            return max(first, state.closedUntil[family] ?? first)
        }
    }

    func giveBack(_ family: Family) async { await allowance.giveBack(family) }

    /// When a piece of work that comes back under the same number may leave. Its place is kept until then, so that waiting costs nothing.
    func promise(_ family: Family, to number: Int64, at now: Timestamp) async -> Timestamp {
        if let kept = state.withLock({ $0.promised(to: number, at: now) }) { return kept }
        let slot = await reserve(family, at: now)
        guard slot > now + Self.patience else { return slot }
        state.withLock { state in
            if state.promises.count >= Self.promiseLimit { state.promises = state.promises.filter { $0.value > now - .minutes(10) } }
            state.promises[number] = slot
        }
        return slot
    }

    /// Apple answered 429: the whole family waits. Where answers are refused, the rest of their hourly limit's users wait with them.
    func close(_ family: Family, until instant: Timestamp, at now: Timestamp) async {
        let end = min(instant, now + Self.longestClosing)
        guard end > now else { return }
        let families: [Family] = family == .answers ? [.answers, .notificationHistory, .lookups] : [family]
        state.withLock { state in
            for family in families {
                state.ahead[family] = nil
                state.closedUntil[family] = max(end, state.closedUntil[family] ?? end)
            }
            if family == .answers { state.promises = [:] }
        }
        fallback.close(families, until: end, at: now)
        if allowance !== fallback { await allowance.close(families, until: end, at: now) }
    }
}

extension ServerAPIPace.State {
    /// A place that was taken ahead, while it is fresh.
    fileprivate mutating func next(_ family: ServerAPIPace.Family, at now: Timestamp, within freshness: Span) -> Timestamp? {
        guard let places = ahead[family] else { return nil }
        var fresh = places.filter { $0 <= now && now - $0 <= freshness }
        let place = fresh.popLast()
        ahead[family] = fresh
        return place
    }

    /// The place that is kept for a piece of work, or one whose own work does not come for it any more.
    fileprivate mutating func promised(to number: Int64, at now: Timestamp) -> Timestamp? {
        if let kept = promises[number] {
            if kept <= now + ServerAPIPace.patience { promises[number] = nil }
            return kept
        }
        guard let abandoned = promises.first(where: { $0.value < now - ServerAPIPace.oblivion }) else { return nil }
        promises[abandoned.key] = nil
        return now
    }
}
