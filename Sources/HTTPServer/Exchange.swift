import CMicrohttpd

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// One request on its way through: filled by a thread of the daemon, answered by a task, sent by the daemon again.
///
/// `@unchecked Sendable`: one side at a time touches it. The daemon's thread does until it hands the exchange over;
/// the handler's side then takes `request`, and the one whose answer ``InFlight`` accepts writes `answer`; the daemon's
/// thread has it back when resumed. The locks of the stream, of `InFlight` and of the daemon order these.
@safe final class Exchange: @unchecked Sendable {
    enum Phase {
        /// The headers are still to come.
        case headers
        /// The body is being read.
        case body
        /// Refused in the middle of a body that has to be read on to be answered.
        case discarding(HTTPResponse)
        /// Its connection is suspended until the answer is there.
        case handedOver
        /// A response is queued.
        case answered
    }

    let connection: OpaquePointer
    /// As in the request line; `nil` when it is no UTF-8.
    let target: String?
    /// The address behind the target's last character in the library's buffer. Only to be compared.
    let targetEnd: Int
    /// Whether there was a NUL in the target, behind which `target` says nothing.
    var hidesPartOfTarget = false
    var isHTTP11 = false
    var phase = Phase.headers
    var request: HTTPRequest
    /// When the request line was read.
    let started = ContinuousClock.now
    var receivedBytes = 0
    /// Counted against ``HTTPServerConfiguration/bufferedBodyLimit``.
    var bufferedBytes = 0
    /// Among those in flight; set once, before the hand-over.
    var place: Int?
    /// Whether it was counted among the requests that a stop waits for.
    var isExpected = false
    /// Refused with a body under way: closing at once could lose the answer.
    var lingers = false
    private(set) var answer = (response: HTTPResponse.unavailable, closes: false)

    init(connection: OpaquePointer, target: UnsafePointer<CChar>?) {
        unsafe self.connection = connection
        self.target = unsafe target.flatMap { unsafe String(validatingCString: $0) }
        targetEnd = unsafe target.map { unsafe Int(bitPattern: $0) + strlen($0) } ?? 0
        request = .empty
    }

    /// Moves the request out, so that its memory is the handler's to free.
    func takeRequest() -> HTTPRequest {
        defer { request = .empty }
        return request
    }

    /// Holds the connection until ``resume(with:closes:)``. To be called by the daemon's thread.
    func suspend() {
        unsafe MHD_suspend_connection(connection)
    }

    /// Lets the daemon send the response. Once only; the connection may be gone when this returns.
    func resume(with response: HTTPResponse, closes: Bool) {
        answer = (response, closes)
        unsafe MHD_resume_connection(connection)
    }

    /// The connection's socket, the daemon's to close.
    var socket: Int32 { unsafe mhd_socket(connection) }
}

extension HTTPRequest {
    fileprivate static var empty: HTTPRequest { HTTPRequest(path: "", pathSegments: [], remoteAddress: "") }
}
