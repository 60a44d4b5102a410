import Domain
import Synchronization

/// The time of a world: it moves when the world says so, and when somebody sleeps. Nobody ever waits.
final class VirtualTime: Time {
    private let instant: Mutex<Timestamp>

    init(_ start: Timestamp) { instant = Mutex(start) }

    func now() -> Timestamp { instant.withLock { $0 } }

    /// Jumps to an instant; time never goes back.
    func advance(to now: Timestamp) { instant.withLock { $0 = max($0, now) } }

    func advance(by span: Span) { instant.withLock { $0 = $0 + span } }

    func sleep(until wake: Timestamp) async throws {
        try Task.checkCancellation()
        advance(to: wake)
    }
}
