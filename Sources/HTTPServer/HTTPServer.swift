import Dispatch

/// An HTTP/1.1 server. Sockets are the daemon's threads' work, each request is a task's.
package final class HTTPServer: Sendable {
    /// The bound port, also when the configuration leaves it to the system.
    package let port: UInt16

    private let configuration: HTTPServerConfiguration
    private let handler: @Sendable (HTTPRequest) async -> HTTPResponse
    private let requests: AsyncStream<Exchange>
    private let handOver: AsyncStream<Exchange>.Continuation
    private let inFlight: InFlight
    private let awaited: AwaitedHeaders
    private let daemon: Daemon

    /// Binds and listens. Requests wait until ``run()``.
    ///
    /// - Parameter handler: Answers one request. It is cancelled at its deadline, and what it returns later is dropped.
    package init(
        configuration: HTTPServerConfiguration, handler: @escaping @Sendable (HTTPRequest) async -> HTTPResponse
    ) throws(HTTPServerError) {
        self.configuration = configuration
        self.handler = handler
        let limit = max(1, configuration.pendingLimit)
        inFlight = InFlight(limit: limit)
        (requests, handOver) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(limit))
        let socket = try ListeningSocket(host: configuration.host, port: configuration.port)
        port = socket.port
        let intake = Intake(configuration, inFlight: inFlight, handOver: handOver)
        awaited = intake.awaited
        daemon = try Daemon(configuration, on: socket, intake: intake)
    }

    /// Serves until cancelled, then stops: refuses connections, finishes the requests that had begun, each until its deadline at
    /// most, and returns when their answers are sent; a client that neither sends nor reads is waited for ten seconds. Once only.
    package func run() async {
        let deadlines = enforceDeadlines()
        let pump = Task { for await exchange in requests { start(exchange) } }
        await cancelled()
        inFlight.close()
        daemon.quiesce()
        await inFlight.emptied(flushedBy: .now + min(configuration.handlerDeadline, .seconds(10)))
        handOver.finish()
        await pump.value
        deadlines.cancel()
        daemon.stop()
    }

    /// Returns when the task is cancelled.
    private func cancelled() async {
        let (signal, arrived) = AsyncStream<Void>.makeStream()
        await withTaskCancellationHandler {
            for await _ in signal {}
        } onCancel: {
            arrived.finish()
        }
    }

    /// Not a child task: it outlives a cancelled `run`, which still answers what is in flight, and is cancelled by its own deadline.
    private func start(_ exchange: Exchange) {
        let request = exchange.takeRequest()
        let task = Task { [handler, inFlight] in
            if Task.isCancelled { return }
            inFlight.answer(exchange, with: await handler(request))
        }
        if !inFlight.attach(task, to: exchange) { task.cancel() }
    }

    /// A timer, so that deadlines hold even when handlers occupy every thread of Swift's pool.
    private func enforceDeadlines() -> any DispatchSourceTimer {
        let interval = min(max(configuration.handlerDeadline / 20, .milliseconds(5)), .milliseconds(100))
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "HTTPServer.deadlines"))
        timer.setEventHandler { [inFlight, awaited, patience = configuration.headerDeadline] in
            inFlight.expire(at: .now)
            awaited.end(begunBefore: .now - patience)
        }
        timer.schedule(deadline: .now(), repeating: interval / .seconds(1))
        timer.resume()
        return timer
    }

    /// Answers what waits when `run()` was never called: no connection may be suspended when the daemon stops.
    deinit {
        handOver.finish()
        inFlight.close()
        inFlight.expire(at: .now + .seconds(1 << 32))
        daemon.stop()
    }
}
