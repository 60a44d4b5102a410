import CMicrohttpd
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// libmicrohttpd's daemon: its threads accept, read and send; an ``Intake`` decides.
///
/// `@unchecked Sendable`: the handle never changes, the library takes calls from any thread, and ``stop()`` ends it once.
@safe final class Daemon: @unchecked Sendable {
    private let handle: OpaquePointer
    private let intake: Intake
    /// Once quiesced, ours to close; -1 before.
    private let listening = Atomic<Int32>(-1)
    private let isStopped = Atomic<Bool>(false)

    /// Accepts from now on.
    init(_ configuration: HTTPServerConfiguration, on socket: ListeningSocket, intake: Intake) throws(HTTPServerError) {
        guard let handle = unsafe start(configuration, socket.descriptor, intake) else {
            // The library has closed the socket.
            throw configuration.tls == nil ? .notStarted : .badCertificate
        }
        unsafe self.handle = handle
        self.intake = intake
    }

    /// Refuses connections from now on, and serves those there are.
    func quiesce() {
        let socket = unsafe MHD_quiesce_daemon(handle)
        guard socket >= 0 else { return }
        // Closed in `stop`, after the threads that know its number.
        shutdown(socket, Int32(SHUT_RDWR))
        listening.store(socket, ordering: .relaxed)
    }

    /// Closes all connections and ends the threads. No request may be in flight.
    func stop() {
        guard !isStopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
        unsafe MHD_stop_daemon(handle)
        let socket = listening.load(ordering: .relaxed)
        if socket >= 0 { close(socket) }
    }

    deinit { stop() }
}

extension HTTPServerError {
    fileprivate static let notStarted = HTTPServerError(
        code: .system, message: "The HTTP daemon did not start. Look at the limits on memory, threads and open files.")
    fileprivate static let badCertificate = HTTPServerError(
        code: .tls, message: "TLS did not start. Give a certificate and the private key it was made for, both as PEM.")
}

private func start(_ configuration: HTTPServerConfiguration, _ socket: Int32, _ intake: Intake) -> OpaquePointer? {
    var callbacks = unsafe mhd_callbacks()
    unsafe callbacks.context = Unmanaged.passUnretained(intake).toOpaque()
    unsafe callbacks.target = requestLineRead
    unsafe callbacks.access = requestProgressed
    unsafe callbacks.completed = requestCompleted
    unsafe callbacks.connection = connectionChanged
    let threads = UInt32(clamping: max(1, configuration.threads))
    var settings = unsafe mhd_settings()
    unsafe settings.listening_socket = socket
    unsafe settings.threads = threads
    unsafe settings.connection_limit = max(threads, UInt32(clamping: configuration.connectionLimit))
    unsafe settings.per_address_connection_limit = UInt32(clamping: configuration.perAddressConnectionLimit ?? 0)
    unsafe settings.idle_seconds = wholeSeconds(configuration.idleTimeout)
    unsafe settings.connection_memory = max(4096, configuration.connectionMemory)
    guard let tls = configuration.tls else { return unsafe mhd_start(&settings, &callbacks) }
    // The library copies what it reads from both before it returns.
    return unsafe tls.certificatePEM.withCString { certificate in
        unsafe tls.privateKeyPEM.withCString { key in
            unsafe settings.certificate = certificate
            unsafe settings.private_key = key
            return unsafe mhd_start(&settings, &callbacks)
        }
    }
}

private func wholeSeconds(_ duration: Duration) -> UInt32 {
    let (seconds, attoseconds) = duration.components
    return max(1, UInt32(clamping: seconds + (attoseconds > 0 ? 1 : 0)))
}

// The daemon's callbacks. It keeps each exchange, retained, from the request line until the request's completion.

private typealias Slot = UnsafeMutablePointer<UnsafeMutableRawPointer?>

private func requestLineRead(
    _: UnsafeMutableRawPointer?, target: UnsafePointer<CChar>?, connection: OpaquePointer?
) -> UnsafeMutableRawPointer? {
    guard let connection = unsafe connection else { return nil }
    let exchange = unsafe Exchange(connection: connection, target: target)
    return unsafe Unmanaged.passRetained(exchange).toOpaque()
}

private func requestProgressed(
    context: UnsafeMutableRawPointer?, _: OpaquePointer?, _: UnsafePointer<CChar>?, method: UnsafePointer<CChar>?,
    version: UnsafePointer<CChar>?, part: UnsafePointer<CChar>?, size: UnsafeMutablePointer<Int>?, slot: Slot?
) -> MHD_Result {
    guard let context = unsafe context, let method = unsafe method, let size = unsafe size, let raw = unsafe slot?.pointee
    else { return .NO }
    let intake = unsafe Unmanaged<Intake>.fromOpaque(context).takeUnretainedValue()
    let exchange = unsafe Unmanaged<Exchange>.fromOpaque(raw).takeUnretainedValue()
    let body = unsafe UnsafeRawBufferPointer(start: part, count: size.pointee)
    unsafe size.pointee = 0  // Whatever arrived is taken.
    switch exchange.phase {
    case .headers:
        intake.awaited.done(exchange.socket)
        unsafe exchange.readHead(method: method, version: version)
        return intake.receiveHeaders(of: exchange)
    case .body where body.count > 0: return unsafe intake.receive(body, of: exchange)
    case .body: return intake.complete(exchange)
    case .discarding where body.count > 0: return intake.discard(body.count, of: exchange)
    case .discarding(let response): return exchange.queue(response, closes: true)
    case .handedOver: return exchange.queue(exchange.answer.response, closes: exchange.answer.closes)
    case .answered: return .YES
    }
}

private func requestCompleted(
    context: UnsafeMutableRawPointer?, _: OpaquePointer?, slot: Slot?, _: MHD_RequestTerminationCode
) {
    guard let context = unsafe context, let raw = unsafe slot?.pointee else { return }
    unsafe slot?.pointee = nil
    let intake = unsafe Unmanaged<Intake>.fromOpaque(context).takeUnretainedValue()
    intake.finish(unsafe Unmanaged<Exchange>.fromOpaque(raw).takeRetainedValue())
}

private func connectionChanged(
    context: UnsafeMutableRawPointer?, connection: OpaquePointer?, _: Slot?, change: MHD_ConnectionNotificationCode
) {
    guard let context = unsafe context, let connection = unsafe connection else { return }
    let awaited = unsafe Unmanaged<Intake>.fromOpaque(context).takeUnretainedValue().awaited
    let socket = unsafe mhd_socket(connection)
    switch change {
    case .CONNECTION_NOTIFY_STARTED: awaited.begin(socket)
    case .CONNECTION_NOTIFY_CLOSED: awaited.done(socket)  // The daemon closes the socket after this.
    }
}
