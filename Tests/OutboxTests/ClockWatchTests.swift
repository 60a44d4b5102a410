import Domain
import Store
import Synchronization
import Testing

@testable import Outbox

/// A clock that is set back: what was scheduled while it ran ahead does not wait until that time comes again.
@Suite(.timeLimit(.minutes(1)))
struct ClockWatchTests {
    /// - Parameter jump: Where the clock is set once it has run for ten seconds; nil leaves it alone.
    private func notes(startingAt start: Timestamp, jump: Timestamp?) async throws -> (due: Timestamp?, notes: [ClockWatch.Note]) {
        let world = try await World()
        let ledger = world.ledger
        try await world.store.write { tx throws(StoreError) in
            try tx.enqueue(OutboxRow(kind: .webhook, ledger: ledger, subject: "e", key: "0", dueAt: start + .hours(20), createdAt: start))
        }
        let clock = SteppedClock(start, jump: jump)
        let notes = Mutex<[ClockWatch.Note]>([])
        let watch = ClockWatch(store: world.store, time: clock, elapsed: { clock.elapsed }, forgetClocks: {}) { note in
            notes.withLock { $0.append(note) }
        }
        try await watch.run()
        let due = try await world.store.read { tx throws(StoreError) in
            try tx.outboxRow(.webhook, subject: "e", key: "0", in: ledger)?.dueAt
        }
        return (due, notes.withLock { $0 })
    }

    @Test func aStepBackMakesWaitsDue() async throws {
        let (due, notes) = try await notes(startingAt: day(1), jump: day(0))
        #expect(due.map { $0 < day(0) + .minutes(1) } == true)
        guard case .setBack(let span, hastened: 1)? = notes.first else { return #expect(Bool(false), "\(notes)") }
        #expect(abs(span.milliseconds - Span.days(1).milliseconds) < 30_000)
    }

    @Test func atTheStartOnlyWaitsThatNobodyAskedFor() async throws {
        #expect(try await notes(startingAt: day(0), jump: nil).due == day(0) + .hours(20))
        #expect(try await notes(startingAt: day(3), jump: day(4)).due == day(3) + .hours(20), "a step ahead makes nothing due early")
    }

    @Test(arguments: [(day(0), 1), (day(5), 1), (nil, 0)]) func whatWasKnownOfOtherClocksIsForgotten(_ jump: Timestamp?, _ times: Int)
        async throws
    {
        let clock = SteppedClock(day(3), jump: jump)
        let forgotten = Mutex(0)
        let world = try await World()
        try await ClockWatch(
            store: world.store, time: clock, elapsed: { clock.elapsed }, forgetClocks: { forgotten.withLock { $0 += 1 } }
        ) { _ in }.run()
        #expect(forgotten.withLock { $0 } == times)
    }

    @Test func aStepWhileTheDeskWasDown() async throws {
        let world = try await World()
        let ledger = world.ledger
        try await world.store.write { tx throws(StoreError) in
            try tx.enqueue(OutboxRow(kind: .alert, ledger: ledger, subject: "e", key: "0", dueAt: day(2), createdAt: day(2)))
        }
        let clock = SteppedClock(day(0), jump: nil)
        try await ClockWatch(store: world.store, time: clock, elapsed: { clock.elapsed }, forgetClocks: {}) { _ in }.run()
        let due = try await world.store.read { tx throws(StoreError) in try tx.outboxRow(.alert, subject: "e", key: "0", in: ledger)?.dueAt
        }
        #expect(due == day(0))
    }
}

/// A wall clock that is set once, beside one that nobody sets; after half a minute nobody sleeps any more.
private final class SteppedClock: Domain.Time {
    private let state: Mutex<(wall: Timestamp, ran: Int64, jump: Timestamp?)>

    init(_ start: Timestamp, jump: Timestamp?) { state = Mutex((start, 0, jump)) }

    var elapsed: Span { state.withLock { Span(milliseconds: $0.ran) } }
    func now() -> Timestamp { state.withLock { $0.wall } }

    func sleep(until wake: Timestamp) async throws {
        try state.withLock { state in
            guard state.ran < 30_000 else { throw CancellationError() }
            state.ran += (wake - state.wall).milliseconds
            state.wall = wake
            if state.ran >= 10_000, let jump = state.jump { (state.wall, state.jump) = (jump, nil) }
        }
    }
}
