import Synchronization

/// The requests handed to handlers and not yet answered: bounded, each with its deadline, each answered exactly once.
final class InFlight: Sendable {
    fileprivate struct Entry {
        var exchange: Exchange
        var deadline: ContinuousClock.Instant
        var task: Task<Void, Never>?
    }
    fileprivate struct State {
        var entries: [Entry?]
        var free: [Int]
        var isClosed = false
        /// Answered, but the call that resumes the connection has not returned.
        var resuming = 0
        /// Expected, but the daemon still has to read the rest or to send the answer.
        var unsent = 0
        var closing: (flushedBy: ContinuousClock.Instant, whenEmpty: CheckedContinuation<Void, Never>)?
    }

    private let state: Mutex<State>

    init(limit: Int) {
        state = Mutex(State(entries: Array(repeating: nil, count: limit), free: Array((0..<limit).reversed())))
    }

    /// Notes a request whose headers are there and whose body may still come: a stop waits for it.
    /// - Returns: Whether it came before the server began to stop.
    func expect() -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.unsent += 1
            return true
        }
    }

    /// Takes a place for one request that was expected, to be filled by ``enter(_:deadline:)``; `nil` when all are taken.
    func reserve() -> Int? { state.withLock { $0.free.popLast() } }

    /// Fills the exchange's reserved place. Its connection must be suspended by now: the answer resumes it.
    func enter(_ exchange: Exchange, deadline: ContinuousClock.Instant) {
        guard let place = exchange.place else { preconditionFailure("entered without a reserved place") }
        state.withLock { $0.entries[place] = Entry(exchange: exchange, deadline: deadline) }
    }

    /// Remembers the task that works on the request, for its deadline to cancel.
    /// - Returns: Whether the request still waits for its answer.
    func attach(_ task: Task<Void, Never>, to exchange: Exchange) -> Bool {
        state.withLock { state in
            guard let place = state.place(of: exchange) else { return false }
            state.entries[place]?.task = task
            return true
        }
    }

    /// Answers the request and resumes its connection, unless it was answered before.
    func answer(_ exchange: Exchange, with response: HTTPResponse) {
        let isClosed: Bool? = state.withLock { state in
            guard let place = state.place(of: exchange) else { return nil }
            state.vacate(place)
            return state.isClosed
        }
        guard let isClosed else { return }
        resume(exchange, response, closes: isClosed)
    }

    /// Answers every request past its deadline with 503 and cancels its task.
    func expire(at now: ContinuousClock.Instant) {
        let (expired, isClosed) = state.withLock { state in
            let places = state.entries.indices.filter { state.entries[$0].map { $0.deadline <= now } ?? false }
            let expired = places.compactMap { state.entries[$0] }
            places.forEach { state.vacate($0) }
            state.finishIfEmpty(at: now)
            return (expired, state.isClosed)
        }
        for entry in expired {
            entry.task?.cancel()
            resume(entry.exchange, .unavailable, closes: isClosed)
        }
    }

    private func resume(_ exchange: Exchange, _ response: HTTPResponse, closes: Bool) {
        exchange.resume(with: response, closes: closes)
        state.withLock { state in
            state.resuming -= 1
            state.finishIfEmpty()
        }
    }

    /// The daemon is done with an admitted request: its answer is sent, or its connection lost.
    func sent() {
        state.withLock { state in
            state.unsent -= 1
            state.finishIfEmpty()
        }
    }

    /// Admits no more.
    func close() {
        state.withLock { $0.isClosed = true }
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Returns when all requests are answered, and the answers sent or `flushedBy` past. Needs ``expire(at:)`` called in between.
    func emptied(flushedBy: ContinuousClock.Instant) async {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                state.closing = (flushedBy, continuation)
                state.finishIfEmpty()
            }
        }
    }
}

extension InFlight.State {
    /// `nil` once the exchange is answered.
    fileprivate func place(of exchange: Exchange) -> Int? {
        exchange.place.flatMap { entries[$0]?.exchange === exchange ? $0 : nil }
    }

    fileprivate mutating func vacate(_ place: Int) {
        entries[place] = nil
        free.append(place)
        resuming += 1
    }

    /// - Parameter now: Given from time to time, to stop waiting for clients that do not read.
    fileprivate mutating func finishIfEmpty(at now: ContinuousClock.Instant? = nil) {
        guard let closing, free.count == entries.count, resuming == 0 else { return }
        guard unsent == 0 || now.map({ $0 >= closing.flushedBy }) ?? false else { return }
        closing.whenEmpty.resume()
        self.closing = nil
    }
}
