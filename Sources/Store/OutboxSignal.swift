import Synchronization

/// Tells workers that a commit scheduled work, so that they need not look on a timer.
package final class OutboxSignal: Sendable {
    private let wakeUps = Mutex<[WakeUp]>([])

    package init() {}

    /// A wake-up call of one's own.
    package func subscribe() -> WakeUp {
        let wakeUp = WakeUp()
        wakeUps.withLock { $0.append(wakeUp) }
        return wakeUp
    }

    /// Called after a commit that scheduled work.
    package func signal() {
        for wakeUp in wakeUps.withLock({ $0 }) { wakeUp.call() }
    }
}

/// Lets one task sleep until it is called; a call while nobody sleeps is kept for the next sleep.
package final class WakeUp: Sendable {
    private enum State {
        case idle, called
        case sleeping(CheckedContinuation<Void, Never>)
    }
    private let state = Mutex(State.idle)

    init() {}

    package func call() {
        let sleeper = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard case .sleeping(let continuation) = state else {
                state = .called
                return nil
            }
            state = .idle
            return continuation
        }
        sleeper?.resume()
    }

    /// Returns when called, or when the task is cancelled. One task at a time.
    package func sleep() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDue = state.withLock { state -> Bool in
                    if case .called = state {
                        state = .idle
                        return true
                    }
                    if Task.isCancelled { return true }
                    state = .sleeping(continuation)
                    return false
                }
                if isDue { continuation.resume() }
            }
        } onCancel: {
            call()
        }
    }
}
