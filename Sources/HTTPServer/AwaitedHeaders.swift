import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Since when each connection has owed the headers of its next request.
///
/// The library closes what is silent. A client that sends a byte now and then is never silent, and would keep its connection for ever: a few
/// thousand of them would leave none for others.
///
/// - Source: The attack is known as Slowloris.
final class AwaitedHeaders: Sendable {
    private struct Waiting {
        /// By the socket's number, which is small: sockets are numbered from the lowest that is free.
        var since: [ContinuousClock.Instant?] = []
        var looked = ContinuousClock.now
    }

    private static let pause = Duration.milliseconds(500)
    private let waiting = Mutex(Waiting())

    /// The connection was opened, or its request is done with.
    func begin(_ socket: Int32) {
        guard let index = Int(exactly: socket), index >= 0 else { return }
        waiting.withLock {
            if index >= $0.since.count { $0.since += Array(repeating: nil, count: index + 1 - $0.since.count) }
            $0.since[index] = .now
        }
    }

    /// The headers have come, or nothing will: the connection is about to be closed.
    func done(_ socket: Int32) {
        guard let index = Int(exactly: socket) else { return }
        waiting.withLock {
            if $0.since.indices.contains(index) { $0.since[index] = nil }
        }
    }

    /// Ends the connections that have waited since before an instant; their owner closes them. Looks no more often than twice a second.
    func end(begunBefore instant: ContinuousClock.Instant) {
        waiting.withLock {
            guard .now - $0.looked >= AwaitedHeaders.pause else { return }
            $0.looked = .now
            for index in $0.since.indices {
                guard let since = $0.since[index], since < instant else { continue }
                // Still open: whoever closes it calls `done` before, and waits for this lock.
                shutdown(Int32(index), Int32(SHUT_RDWR))
                $0.since[index] = nil
            }
        }
    }
}
