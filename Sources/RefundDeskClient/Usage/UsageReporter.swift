import Foundation

/// Gathers usage and reports it in batches.
///
/// ```swift
/// let usage = UsageReporter(desk)
/// try await withThrowingTaskGroup(of: Void.self) { group in
///     group.addTask { await usage.run() }          // sends every few seconds, and what is left once it is cancelled
///     group.addTask { try await serve(usage) }     // calls usage.record(...)
///     try await group.next()
///     group.cancelAll()
/// }
/// ```
///
/// Events keep their ids over all attempts, so one that was sent twice counts once. They are held in memory: a crash loses what was not
/// sent. Where that matters, keep events in your own database and call ``RefundDesk/report(_:)``.
public actor UsageReporter {
    private let desk: RefundDesk
    private let batch: Int
    private let interval: TimeInterval
    private let capacity: Int
    private let onRejected: @Sendable (UsageEvent, RefundDeskError) -> Void
    private let onFailure: @Sendable (RefundDeskError) -> Void
    private var waiting: [UsageEvent] = []
    private var sending: Task<UsageReceipt, any Error>?
    private var pause: Pause?
    private var pauses = 0

    /// A wait of ``run()``.
    private struct Pause {
        var number: Int
        var endsWhenFull: Bool
        var end: CheckedContinuation<Void, Never>
    }

    /// - Parameters:
    ///   - desk: Where usage is reported.
    ///   - batch: As soon as so many wait they are sent; at most 1,000.
    ///   - interval: The longest that an event waits while all is well, in seconds.
    ///   - capacity: As many are held at most.
    ///   - onRejected: Told of each event that the desk refuses for good, such as one that an older version of your code built wrongly. It is
    ///     dropped so that it does not hold up the others.
    ///   - onFailure: Told by ``run()`` each time that sending failed. The events stay and are sent with the next batch.
    public init(
        _ desk: RefundDesk, batch: Int = 200, interval: TimeInterval = 5, capacity: Int = 50_000,
        onRejected: @escaping @Sendable (UsageEvent, RefundDeskError) -> Void = { _, _ in },
        onFailure: @escaping @Sendable (RefundDeskError) -> Void = { _ in }
    ) {
        self.desk = desk
        self.batch = min(max(1, batch), UsageEvent.mostInRequest)
        self.interval = max(0.01, interval)
        self.capacity = max(1, capacity)
        self.onRejected = onRejected
        self.onFailure = onFailure
    }

    /// Events that the desk has not confirmed.
    public var count: Int { waiting.count }

    /// Takes an event to be sent soon.
    ///
    /// - Throws: ``RefundDeskError``: ``RefundDeskError/Code/invalid`` for one that the desk would refuse;
    ///   ``RefundDeskError/Code/bufferFull`` where too many wait.
    public func record(_ event: UsageEvent) throws {
        try desk.check(event, "event")
        guard waiting.count < capacity else { throw RefundDeskError.bufferFull(capacity) }
        waiting.append(event)
        if waiting.count >= batch, let pause, pause.endsWhenFull { endPause(pause.number) }
    }

    /// Sends all that wait, and returns once the desk has it.
    ///
    /// - Throws: ``RefundDeskError`` of the first batch that could not be sent. What was not confirmed stays, to be sent again.
    @discardableResult
    public func flush() async throws -> UsageReceipt {
        // One sends at a time; whoever comes meanwhile sends what is left after it.
        while let sending { _ = try? await sending.value }
        let task = Task {
            defer { sending = nil }
            return try await sendAll()
        }
        sending = task
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Sends batch after batch until cancelled, then what is left. After a failure it waits for the whole interval.
    public func run() async {
        var isWell = true
        while !Task.isCancelled {
            await pause(endsWhenFull: isWell)
            if Task.isCancelled { break }
            isWell = await flushReporting()
        }
        // The task is cancelled; what it leaves behind is sent by one that is not.
        await Task { _ = await flushReporting() }.value
    }

    /// Until a batch is full, the interval is over, or the task is cancelled.
    private func pause(endsWhenFull: Bool) async {
        pauses += 1
        let number = pauses
        let timer = Task { [desk, interval] in
            do { try await desk.time.sleep(seconds: interval) } catch { return }
            endPause(number)
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { end in
                pause = Pause(number: number, endsWhenFull: endsWhenFull, end: end)
                if Task.isCancelled || endsWhenFull && waiting.count >= batch { endPause(number) }
            }
        } onCancel: {
            Task { await endPause(number) }
        }
        timer.cancel()
    }

    private func endPause(_ number: Int) {
        guard let pause, pause.number == number else { return }
        self.pause = nil
        pause.end.resume()
    }

    /// - Returns: Whether nothing failed.
    private func flushReporting() async -> Bool {
        guard !waiting.isEmpty else { return true }
        do {
            try await flush()
            return true
        } catch let error as RefundDeskError { onFailure(error) } catch {}
        return false
    }

    private func sendAll() async throws -> UsageReceipt {
        var receipt = UsageReceipt()
        var size = UsageEvent.mostInRequest
        while !waiting.isEmpty {
            let events = Array(waiting.prefix(size))
            do {
                receipt = receipt + (try await desk.post(events))
                waiting.removeFirst(events.count)
            } catch let error as RefundDeskError {
                size = try smaller(size, after: error, of: events)
            }
        }
        return receipt
    }

    /// Makes the next request one that may succeed: without the event at fault, or of half the size.
    private func smaller(_ size: Int, after error: RefundDeskError, of events: [UsageEvent]) throws -> Int {
        if error.code == .tooLarge, events.count > 1 { return events.count / 2 }
        let isOfOneEvent = error.code == .invalid || error.code == .tooLarge
        guard isOfOneEvent, let index = events.count == 1 ? 0 : eventIndex(error.field), events.indices.contains(index) else { throw error }
        onRejected(waiting.remove(at: index), error)
        return size
    }
}

/// 3 of `events[3].quantity`.
private func eventIndex(_ field: String?) -> Int? {
    guard let field, field.hasPrefix("events["), let end = field.firstIndex(of: "]") else { return nil }
    return Int(field[field.index(field.startIndex, offsetBy: 7)..<end])
}
