import Domain
import Synchronization

/// The clock of the desk's machine: the world's, but off in spells. Everything of the desk reads this one; Apple, customers and judges keep
/// the world's.
final class DeskClock: Time {
    private let time: VirtualTime
    private let error = Mutex(Span.milliseconds(0))

    init(_ time: VirtualTime) { self.time = time }

    /// By how much it is ahead.
    var offset: Span { error.withLock { $0 } }
    var isRight: Bool { offset.milliseconds == 0 }

    func set(_ offset: Span) { error.withLock { $0 = offset } }

    func now() -> Timestamp { time.now() + offset }

    /// When it will show an instant, by the world's clock.
    func whenItShows(_ instant: Timestamp) -> Timestamp { instant + Span(milliseconds: -offset.milliseconds) }

    func sleep(until wake: Timestamp) async throws { try await time.sleep(until: whenItShows(wake)) }
}

// Spells in which the clock is off.
extension World {
    /// Some minutes or hours, either way; at its end, as by NTP, it is set right in one step.
    func planClock() {
        guard dice.chance(45) else { return }
        for _ in 0..<dice.int(1...2) {
            let size = dice.chance(50) ? dice.span(.minutes(1), .minutes(15)) : dice.span(.minutes(15), .hours(5))
            let offset = dice.chance(50) ? size : Span(milliseconds: -size.milliseconds)
            let begin = World.start + dice.span(.minutes(1), horizon - World.start)
            schedule(at: begin) { world in
                if world.time.now() < world.horizon { await world.setClock(offset) }
            }
            schedule(at: begin + dice.span(.minutes(1), .hours(6))) { await $0.setClock(.milliseconds(0)) }
        }
    }

    func setClock(_ offset: Span) async {
        guard clock.offset != offset else { return }
        chronicle.note("the desk's clock is off by \(offset.milliseconds) ms")
        chronicle.count("clock jumps")
        clock.set(offset)
        clockAhead.note(offset.milliseconds > 0, at: time.now())
        judge.noteClock(offset)
        if let desk { await noticeClock(desk) }
    }

    /// The desk's own watch looks each second; here where there is something to see, and again while the disk is full.
    func noticeClock(_ own: RunningDesk) async {
        guard desk === own, !own.life.isOver else { return }
        if await !own.clockWatch.step() { schedule(in: .minutes(1)) { await $0.noticeClock(own) } }
        await wakeWorkers(own)
    }
}
