import Postgres
import Store

private enum SQL {
    static let take: StaticString = "SELECT pg_try_advisory_lock($1)"
    static let isAlive: StaticString = "SELECT true"
}

/// Whether this process leads: it does while a connection of its own holds a lock that only one can hold. Where the process or its
/// connection dies, the server gives the lock to the next who asks.
actor Leadership {
    private let executor = SerialQueueExecutor(label: "store.leadership")
    private let target: Target
    private var connection: Connection?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ target: Target) {
        self.target = target
    }

    /// Through a pooler no session is one's own: there everybody leads, which costs calls to Apple and nothing else.
    func isMine() -> Bool {
        guard target.pooling == .session else { return true }
        do {
            if let connection { return try connection.first("leadership.isAlive", SQL.isAlive) { try $0.bool(0) } ?? false }
            let candidate = try Connection(target)
            let isTaken = try candidate.first("leadership.take", SQL.take, AdvisoryKey.leader.number) { try $0.bool(0) } ?? false
            if isTaken { connection = candidate }
            return isTaken
        } catch {
            connection = nil
            return false
        }
    }

    func giveUp() { connection = nil }
}
