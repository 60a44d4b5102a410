import Domain
import Store
import Synchronization

/// Notices that the machine's clock was set: what was known of Apple's clock is forgotten, and where ours was set back, made up for is what
/// was scheduled while it ran ahead: leases and waits that would last until that time comes again.
package final class ClockWatch: Service {
    package let name = "clock"
    private let store: any Store
    private let time: any Time
    private let elapsed: @Sendable () -> Span
    private let forgetClocks: @Sendable () -> Void
    private let report: @Sendable (Note) -> Void
    private let state = Mutex(State())

    private struct State {
        /// The last look that is done with: by the clock, and by the one that nobody sets.
        var last: (wall: Timestamp, ran: Span)?
        var looks = 0
    }

    /// What the log is told.
    package enum Note: Sendable {
        /// By so much, and so many rows of the outbox were made due.
        case setBack(Span, hastened: Int)
        case storeFault(StoreError)
    }

    private static let interval = Span.seconds(1)
    /// How often it looks for waits that no try can have asked for, whenever the clock was wrong.
    /// It may have been set back while the desk was down, or forth and back between two looks.
    private static let sweep = 60
    /// A full disk is not asked again at once.
    private static let faultPause = Span.seconds(5)
    /// A clock that is trimmed moves by less.
    private static let tolerance = Span.seconds(20)
    /// What is due within this comes by itself. Longer than a lease and than any try takes.
    private static let soon = Span.minutes(2)
    /// No wait between two tries is longer: a receiver's `Retry-After` counts up to a day.
    private static let longestWait = Span.hours(25)

    /// - Parameters:
    ///   - elapsed: How long something has run, by a clock that nobody sets.
    ///   - forgetClocks: Called where the clock was set, either way: no comparison with another holds any more.
    package init(
        store: any Store, time: any Time, elapsed: @escaping @Sendable () -> Span, forgetClocks: @escaping @Sendable () -> Void,
        report: @escaping @Sendable (Note) -> Void
    ) {
        self.forgetClocks = forgetClocks
        self.store = store
        self.time = time
        self.elapsed = elapsed
        self.report = report
    }

    package func run() async throws {
        while !Task.isCancelled {
            let pause = await step() ? ClockWatch.interval : ClockWatch.faultPause
            do { try await time.sleep(until: time.now() + pause) } catch { return }
        }
    }

    /// One look.
    ///
    /// - Returns: Whether it is done with; if not, the next look tries again.
    package func step() async -> Bool {
        let (now, ran) = (time.now(), elapsed())
        let (back, sweeps) = state.withLock { state in
            let last = state.last ?? (now, ran)
            state.last = last
            return (Span(milliseconds: (ran.milliseconds - last.ran.milliseconds) - (now - last.wall).milliseconds), state.looks == 0)
        }
        let isBack = back > ClockWatch.tolerance
        if abs(back.milliseconds) > ClockWatch.tolerance.milliseconds { forgetClocks() }
        if isBack || sweeps {
            guard await hasten(by: back, after: isBack ? ClockWatch.soon : ClockWatch.longestWait, at: now) else { return false }
        }
        state.withLock { state in
            state.last = (now, ran)
            state.looks = (state.looks + 1) % ClockWatch.sweep
        }
        return true
    }

    private func hasten(by back: Span, after wait: Span, at now: Timestamp) async -> Bool {
        do throws(StoreError) {
            let count = try await store.write { tx throws(StoreError) in try tx.hasten(after: now + wait, at: now) }
            if count > 0 || back > ClockWatch.tolerance { report(.setBack(back, hastened: count)) }
            return true
        } catch {
            report(.storeFault(error))
            return false
        }
    }
}
