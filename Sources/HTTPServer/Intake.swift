import CMicrohttpd
import Synchronization

/// Takes requests in, on the daemon's threads: reads them whole, refuses what passes a limit, hands the rest over.
final class Intake: Sendable {
    let inFlight: InFlight
    /// Connections whose next request is still to come.
    let awaited = AwaitedHeaders()
    private let configuration: HTTPServerConfiguration
    private let handOver: AsyncStream<Exchange>.Continuation
    private let bufferedBytes = Atomic<Int>(0)
    private let lingering = LingeringSockets()

    init(_ configuration: HTTPServerConfiguration, inFlight: InFlight, handOver: AsyncStream<Exchange>.Continuation) {
        self.configuration = configuration
        self.inFlight = inFlight
        self.handOver = handOver
    }

    /// The headers are complete: refuses the request by what they say, or reads on.
    func receiveHeaders(of exchange: Exchange) -> MHD_Result {
        guard exchange.target?.utf8.count ?? 0 <= configuration.maximumTargetSize else {
            return refuse(exchange, .targetTooLong(limit: configuration.maximumTargetSize))
        }
        let size = exchange.request.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        guard size <= configuration.maximumHeaderSize else {
            return refuse(exchange, .headersTooLarge(limit: configuration.maximumHeaderSize))
        }
        guard !exchange.hidesPartOfTarget, let target = exchange.target.flatMap(RequestTarget.init) else {
            return refuse(exchange, .malformed("The target holds a bad percent-escape or character. Encode it as UTF-8."))
        }
        exchange.request.path = target.path
        exchange.request.pathSegments = target.segments
        exchange.request.query = target.query
        if let fault = exchange.request.ambiguity(isHTTP11: exchange.isHTTP11) { return refuse(exchange, .malformed(fault)) }
        // The daemon has answered a length that is no number.
        let length = exchange.request.header("Content-Length").flatMap(Int.init) ?? 0
        guard length <= configuration.maximumBodySize else {
            return refuse(exchange, .tooLarge(limit: configuration.maximumBodySize))
        }
        exchange.request.body.reserveCapacity(length)
        exchange.isExpected = inFlight.expect()
        exchange.phase = .body
        return .YES
    }

    private func refuse(_ exchange: Exchange, _ response: HTTPResponse) -> MHD_Result {
        exchange.lingers = true
        return exchange.queue(response, closes: true)
    }

    /// A part of the body has arrived.
    func receive(_ part: UnsafeRawBufferPointer, of exchange: Exchange) -> MHD_Result {
        exchange.receivedBytes += part.count
        guard exchange.receivedBytes <= configuration.maximumBodySize else {
            return interrupt(exchange, .tooLarge(limit: configuration.maximumBodySize))
        }
        exchange.bufferedBytes += part.count
        let buffered = bufferedBytes.add(part.count, ordering: .relaxed).newValue
        guard buffered <= configuration.bufferedBodyLimit else { return interrupt(exchange, .unavailable) }
        guard !isLate(exchange) else { return interrupt(exchange, .timeout) }
        unsafe exchange.request.body.append(contentsOf: part)
        return .YES
    }

    /// Refuses a request in the middle of its body, where the daemon takes no response: sends one by hand and closes.
    /// Under TLS the body has to be read on, up to as much again as was allowed.
    private func interrupt(_ exchange: Exchange, _ response: HTTPResponse) -> MHD_Result {
        exchange.request.body = []
        exchange.lingers = true
        if configuration.tls != nil {
            exchange.phase = .discarding(response)
            return .YES
        }
        exchange.phase = .answered
        exchange.sendByHand(response)
        return .NO
    }

    /// A part of a body that was refused has arrived.
    func discard(_ count: Int, of exchange: Exchange) -> MHD_Result {
        exchange.receivedBytes += count
        return exchange.receivedBytes / 2 <= configuration.maximumBodySize && !isLate(exchange) ? .YES : .NO
    }

    private func isLate(_ exchange: Exchange) -> Bool {
        .now - exchange.started >= configuration.handlerDeadline
    }

    /// The request is whole: hands it over, or answers 503 when too many wait or the server stops.
    func complete(_ exchange: Exchange) -> MHD_Result {
        guard exchange.isExpected, let place = inFlight.reserve() else {
            return exchange.queue(.unavailable, closes: inFlight.isClosed)
        }
        exchange.phase = .handedOver
        exchange.place = place
        exchange.suspend()
        inFlight.enter(exchange, deadline: .now + configuration.handlerDeadline)
        if case .enqueued = handOver.yield(exchange) { return .YES }
        inFlight.answer(exchange, with: .unavailable)
        return .YES
    }

    /// The daemon is done with the exchange.
    func finish(_ exchange: Exchange) {
        bufferedBytes.subtract(exchange.bufferedBytes, ordering: .relaxed)
        if exchange.isExpected { inFlight.sent() }
        awaited.begin(exchange.socket)
        if exchange.lingers { lingering.keep(exchange.socket) }
    }
}
