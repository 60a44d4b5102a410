import Domain
import Synchronization

/// Hands out the calls that Apple's limits leave to one app in one environment, to all who share it: threads, processes, machines.
package protocol CallAllowance: AnyObject, Sendable {
    /// Takes the places of the next calls of a family: as many as may leave at once, up to a number; where none may, the next one's.
    ///
    /// - Returns: When each may leave, the earliest first; nil where nobody can say at the moment.
    func take(upTo count: Int, of family: ServerAPIPace.Family, at now: Timestamp) async -> [Timestamp]?
    /// Takes a place back that is not used.
    func giveBack(_ family: ServerAPIPace.Family) async
    /// Apple refuses these families until an instant; what was taken before is void.
    func close(_ families: [ServerAPIPace.Family], until instant: Timestamp, at now: Timestamp) async
}

/// The allowance of a process that shares it with nobody.
package final class LocalAllowance: CallAllowance {
    private let buckets: Mutex<[ServerAPIPace.Family: TokenBucket]>

    package init(_ environment: Environment, at now: Timestamp) {
        let pairs = ServerAPIPace.Family.allCases.map { ($0, $0.bucket(in: environment, at: now)) }
        buckets = Mutex(Dictionary(uniqueKeysWithValues: pairs))
    }

    package func take(upTo count: Int, of family: ServerAPIPace.Family, at now: Timestamp) -> [Timestamp]? {
        buckets.withLock { $0[family]?.reserve(upTo: count, at: now) }
    }

    package func giveBack(_ family: ServerAPIPace.Family) { buckets.withLock { $0[family]?.giveBack() } }

    package func close(_ families: [ServerAPIPace.Family], until instant: Timestamp, at now: Timestamp) {
        buckets.withLock { buckets in
            for family in families { buckets[family]?.close(until: instant, at: now) }
        }
    }
}

extension ServerAPIPace.Family {
    /// What is used of Apple's limits in Production: calls a second, and at once. The sandbox has a tenth.
    ///
    /// - Source: Identifying rate limits: 50 a second for answers, notification history and lookups, 10 for refunds, 1 for tests, each
    ///   counted by the hour, so a burst costs nothing that the hour does not give back. A whole hour of the first three together stays
    ///   below one limit of 180,000.
    private var limit: (perSecond: Double, burst: Double) {
        switch self {
        case .answers: (25, 6_000)
        case .notificationHistory: (10, 600)
        case .lookups: (10, 600)
        case .refunds: (5, 300)
        case .tests: (0.5, 30)
        }
    }

    /// A full bucket.
    package func bucket(in environment: Environment, at now: Timestamp) -> TokenBucket {
        let share = environment == .production ? 1.0 : 0.1
        return TokenBucket(perSecond: limit.perSecond * share, burst: limit.burst * share, at: now)
    }
}
