import CLibpq

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A connection that hears what others say by NOTIFY. One thread at a time.
@safe package final class Listener {
    private let handle: OpaquePointer
    private let target: Target

    /// - Parameter channel: A plain identifier.
    package init(_ target: Target, channel: StaticString) throws(PostgresError) {
        self.target = target
        unsafe handle = try Connection.open(target)
        let result = unsafe PQexec(handle, "LISTEN \(channel)").map { unsafe QueryResult($0) }
        guard let result, result.status == PGRES_COMMAND_OK else { throw lost }
    }

    deinit { unsafe PQfinish(handle) }

    /// Waits for calls.
    ///
    /// - Returns: The payload of each that came; none where the time ran out.
    /// - Throws: `connectionLost`; calls may have been missed since the last return.
    package func wait(milliseconds: Int32) throws(PostgresError) -> [String] {
        var place = unsafe pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&place, 1, milliseconds) > 0 else { return [] }
        guard unsafe PQconsumeInput(handle) == 1, unsafe PQstatus(handle) == CONNECTION_OK else { throw lost }
        var payloads: [String] = []
        while let notification = unsafe PQnotifies(handle) {
            unsafe payloads.append(String(cString: notification.pointee.extra))
            unsafe PQfreemem(notification)
        }
        return payloads
    }

    private var lost: PostgresError {
        unsafe PostgresError(.connectionLost, "postgres.listen", target.redacted(String(cString: PQerrorMessage(handle))))
    }
}
