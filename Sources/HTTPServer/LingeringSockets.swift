import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Sockets of refused uploads, kept open for a moment while what still arrives is read and dropped.
///
/// A socket closed with bytes unread resets the connection, and the client could lose the answer it was sent.
final class LingeringSockets: Sendable {
    /// Over this many, a refused client takes its chances.
    private static let limit = 256

    private let queue = DispatchQueue(label: "HTTPServer.LingeringSockets")
    private let count = Atomic<Int>(0)

    /// - Parameter socket: Stays the caller's, who may close it at once.
    func keep(_ socket: Int32) {
        guard count.add(1, ordering: .relaxed).newValue <= Self.limit else { return release() }
        let copy = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { return release() }
        queue.async { [self] in empty(copy, until: .now() + .seconds(2)) }
    }

    /// Looks every few milliseconds: these sockets are few, and short-lived.
    private func empty(_ socket: Int32, until end: DispatchTime) {
        if drop(from: socket) && .now() < end {
            return queue.asyncAfter(deadline: .now() + .milliseconds(20)) { [self] in empty(socket, until: end) }
        }
        close(socket)
        release()
    }

    private func release() {
        count.subtract(1, ordering: .relaxed)
    }
}

/// Reads what has arrived, and forgets it. False when no more can come.
private func drop(from socket: Int32) -> Bool {
    // Linux discards what is read with MSG_TRUNC from a TCP socket, and writes to no buffer. As much as one look allows for.
    let read = recv(socket, nil, 8 << 20, Int32(MSG_TRUNC) | Int32(MSG_DONTWAIT))
    return read > 0 || (read < 0 && (errno == EAGAIN || errno == EINTR))
}
