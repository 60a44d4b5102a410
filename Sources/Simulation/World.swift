import AppStoreSimulator
import Domain
import Foundation
import Ingest
import Outbox
import Store

/// A desk with everything around it, from a seed: an App Store, customers, the owner's backend, receivers, a disk and a network that
/// fail in spells, and crashes. Time jumps from one thing that happens to the next; one thing happens at a time.
final class World {
    /// When every world begins.
    static let start = Timestamp(milliseconds: 1_790_000_000_000)
    /// How long after the last act everything is given to come to rest.
    static let rest = Span.hours(26)
    private static let stepLimit = 20_000

    let seed: UInt64
    let time: VirtualTime
    let clock: DeskClock
    let dice: Dice
    let chronicle: Chronicle
    let weather: Weather
    let apple: SimulatedApple
    let judge: AnswerJudge
    let receivers: [Receiver]
    let (alerts, forwards) = (Sink("alerts"), Sink("forwards"))
    let surroundings: RunningDesk.Surroundings
    let folder: String
    let policy: Policy
    /// After this nobody does anything new, and nothing fails any more.
    let horizon: Timestamp
    /// Whether it goes on for months, for the sake of commitments.
    let isLong: Bool
    var end: Timestamp { horizon + World.rest }

    /// nil while it is down.
    var desk: RunningDesk?
    /// When everything that the desk needs for answering worked.
    var calm = Spells()
    /// When the desk's clock ran ahead: its windows may have closed early.
    var clockAhead = Spells()
    var acknowledged: Set<String> = []
    /// What was posted of each message, and which were taken then and there: those are passed on.
    var posted: [String: Set<[UInt8]>] = [:]
    var accepted: Set<String> = []
    /// Requests that reached the desk in their window, by environment and transaction.
    var expectedAlerts: Set<String> = []
    /// When a refund was taken back, by environment and transaction.
    var reversals: [String: Timestamp] = [:]
    var asked: [AskedRound] = []
    private(set) var steps = 0

    private struct Item {
        var due: Timestamp
        var action: (World) async -> Void
    }
    /// In the order of falling due.
    private var queue: [Item] = []
    private var workersDue: [Timestamp?] = []
    private var commitsSeen = 0

    init(seed: UInt64, sabotage: Sabotage?, folder: String) {
        self.seed = seed
        self.folder = folder
        let dice = Dice(seed: seed)
        let time = VirtualTime(World.start)
        let clock = DeskClock(time)
        (self.time, self.clock) = (time, clock)
        let chronicle = Chronicle(time)
        let (weather, apple) = (Weather(dice), SimulatedApple(seed: seed, time: time))
        let judge = AnswerJudge(apple, time, chronicle)
        var receivers = [Receiver("0", events: ["access.*", "commitment.*", "refund.*", "seats.*"], chronicle)]
        if dice.chance(25) { receivers.append(Receiver("1", events: ["*"], chronicle)) }
        let policy = dice.pick(SimulatedOwner.policies())
        let settings = SimulatedOwner.settings(
            policy: policy, receivers: receivers, alerts: alerts, forwards: forwards, sabotage: sabotage,
            makeID: { "evt_" + dice.word() })
        surroundings = RunningDesk.Surroundings(
            path: folder + "/desk.db", app: settings,
            internet: Internet(apple, receivers + [alerts, forwards] as [any Destination], judge, weather, time, dice, chronicle),
            weather: weather, time: time, clock: clock, dice: dice, chronicle: chronicle, receivers: receivers, alerts: alerts,
            forwards: forwards, sabotage: sabotage,
            transactions: { apple.transactions($0) })
        let draw = dice.int(0...99)
        let length = draw < 85 ? dice.span(.hours(30), .hours(96)) : draw < 95 ? dice.span(.days(60), .days(100)) : .days(400)
        horizon = World.start + length
        isLong = draw >= 85
        (self.dice, self.chronicle, self.weather, self.apple, self.judge, self.receivers, self.policy) =
            (dice, chronicle, weather, apple, judge, receivers, policy)
    }

    /// Lets everything happen, then looks at what has become of it.
    func run() async {
        await startDesk()
        planWeather()
        planClock()
        planCustomers()
        schedule(at: horizon) { await $0.calmDown() }
        while let due = nextDue(), due <= end {
            time.advance(to: due)
            await step(due)
            await settle()
            steps += 1
            guard steps < World.stepLimit else {
                chronicle.breach(.workIsDone, "the desk does not come to rest: \(steps) steps")
                break
            }
        }
        time.advance(to: end)
        if let desk { await FinalCheck(self, desk).run() }
        await desk?.store.close()
    }

    func schedule(at due: Timestamp, _ action: @escaping (World) async -> Void) {
        let place = queue.firstIndex { due < $0.due } ?? queue.endIndex
        queue.insert(Item(due: due, action: action), at: place)
    }

    func schedule(in span: Span, _ action: @escaping (World) async -> Void) { schedule(at: time.now() + span, action) }

    private func nextDue() -> Timestamp? {
        ([queue.first?.due] + workersDue).compactMap(\.self).min()
    }

    /// One thing happens: a worker's turn, else what is next in the queue.
    private func step(_ due: Timestamp) async {
        if let desk, let index = workersDue.firstIndex(where: { $0.map { $0 <= due } ?? false }) {
            let next = await desk.workers[index].step()
            workersDue[index] = next.map { clock.whenItShows($0) }
        } else if !queue.isEmpty {
            await queue.removeFirst().action(self)
        }
    }

    /// After each step: a crash is carried out, workers are woken by what was committed, and it is noted whether all is well.
    private func settle() async {
        if let desk, desk.life.isOver { await bury(desk) }
        if let desk, desk.store.commits != commitsSeen {
            commitsSeen = desk.store.commits
            await wakeWorkers(desk)
        }
        calm.note(desk != nil && weather.isCalm && clock.isRight, at: time.now())
    }

    /// As the signal of the outbox does; now and then a worker is late.
    func wakeWorkers(_ desk: RunningDesk) async {
        let lanes = desk.workers.map(\.lanes)
        let due = try? await desk.store.inner.read { tx throws(StoreError) in
            var due: [Timestamp?] = []
            for lanes in lanes { due.append(try tx.nextDue(in: lanes)) }
            return due
        }
        guard let due else { return }
        let now = time.now()
        workersDue = due.map { due in
            guard let due = due.map({ clock.whenItShows($0) }) else { return nil }
            return due <= now && dice.chance(8) ? now + dice.span(.seconds(1), .seconds(50)) : due
        }
    }
}

// The desk's process.
extension World {
    func startDesk() async {
        do throws(StoreError) {
            let fresh = try await RunningDesk(surroundings)
            chronicle.note("the desk starts")
            desk = fresh
            // What the process before acknowledged is there, before catch-up could bring it back.
            await checkAcknowledgedIsKept()
            commitsSeen = -1
            workersDue = fresh.workers.map { _ in nil }
            judge.noteClock(clock.offset)
            schedule(in: .milliseconds(5)) { await $0.noticeClock(fresh) }
            for ledger in fresh.ledgers {
                schedule(in: dice.span(.milliseconds(10), .seconds(2))) { await $0.keep(ledger, of: fresh, CatchUpKeeper.State()) }
            }
        } catch { chronicle.breach(.workIsDone, "the desk cannot start: \(error)") }
    }

    private func bury(_ dead: RunningDesk) async {
        chronicle.note("the desk is gone")
        chronicle.count("crashes")
        desk = nil
        workersDue = []
        await dead.store.close()
        let downtime =
            time.now() >= horizon
            ? Span.seconds(5) : dice.chance(70) ? dice.span(.seconds(1), .minutes(5)) : dice.span(.minutes(5), .hours(9))
        schedule(in: downtime) { await $0.startDesk() }
    }

    /// One step of the keeper of one ledger, as long as its process lives. In the background: it may come late.
    private func keep(_ ledger: Ledger, of own: RunningDesk, _ state: CatchUpKeeper.State) async {
        guard desk === own, surroundings.sabotage != .neverCatchesUp else { return }
        var state = state
        let next = clock.whenItShows(await own.keeper.step(ledger, &state))
        await noticeKnown(own)
        await checkHistory(ledger, own)
        let now = time.now()
        let late = next - now < .minutes(1) ? Span.milliseconds(0) : dice.span(.milliseconds(0), keeperDelay)
        let kept = state
        schedule(at: max(next, now + .milliseconds(1)) + late) { await $0.keep(ledger, of: own, kept) }
    }

    /// As a process in the background it may be late; in a long world the more, lest nothing else happens there.
    private var keeperDelay: Span {
        time.now() < horizon && isLong ? Span(milliseconds: (horizon - World.start).milliseconds / 25) : .hours(12)
    }

    /// Which messages came in by a history.
    private func noticeKnown(_ desk: RunningDesk) async {
        let unknown = Environment.allCases.flatMap { environment in
            apple.see(environment) { $0.sent.map(\.notification.notificationUUID) }
        }.filter { judge.knownAt($0) == nil }
        let found = await logged(unknown, desk.store.inner)
        for uuid in unknown where found.contains(uuid) { judge.noteKnown(uuid) }
    }

    func logged(_ uuids: [String], _ store: any Store) async -> Set<String> {
        let found = try? await store.read { tx throws(StoreError) in
            var found: Set<String> = []
            for uuid in uuids where try tx.logEntry(identity: uuid) != nil { found.insert(uuid) }
            return found
        }
        return found ?? []
    }

    /// The last good contact claims completeness up to an instant: what Apple had signed before must be there.
    private func checkHistory(_ ledger: Ledger, _ desk: RunningDesk) async {
        let contact = (try? await desk.store.inner.read { tx throws(StoreError) in try tx.contact(of: ledger) }) ?? nil
        guard let until = contact?.completeUntil else { return }
        let missing = apple.see(ledger.environment) { $0.sent.map(\.notification) }.filter {
            $0.signedDate < until.milliseconds && judge.knownAt($0.notificationUUID) == nil
        }
        for notification in missing {
            chronicle.breach(.historyIsComplete, "\(notification.notificationType) \(notification.notificationUUID) before \(until)")
        }
    }

    /// What was acknowledged must be in the log, looked up in the file as it is now.
    func checkAcknowledgedIsKept() async {
        guard let desk else { return }
        let found = await logged(acknowledged.sorted(), desk.store.inner)
        for uuid in acknowledged.sorted() where !found.contains(uuid) { chronicle.breach(.noAcknowledgedNotificationIsLost, uuid) }
    }
}

// Bad weather and crashes.
extension World {
    private func planWeather() {
        for _ in 0..<dice.int(1...3) {
            let begin = World.start + dice.span(.minutes(1), horizon - World.start)
            let kind = dice.pick(Weather.Apple.storms)
            let length = dice.chance(50) ? dice.span(.minutes(3), .hours(1)) : dice.span(.hours(1), .hours(14))
            spell(begin, length, on: { $0.weather.set(kind) }, off: { $0.weather.set(.calm) })
        }
        for _ in 0..<dice.int(0...2) {
            let begin = World.start + dice.span(.minutes(1), horizon - World.start)
            spell(
                begin, dice.span(.minutes(1), .hours(2)), on: { $0.weather.set(diskFull: true) }, off: { $0.weather.set(diskFull: false) })
        }
        for receiver in receivers as [any Destination] + [alerts, forwards] {
            for _ in 0..<dice.int(0...2) {
                let begin = World.start + dice.span(.minutes(1), horizon - World.start)
                let kind = dice.pick([Weather.Receiver.failing, .hanging, .losesReplies])
                let name = receiver.name
                spell(
                    begin, dice.span(.minutes(5), .hours(20)), on: { $0.weather.set(kind, of: name) },
                    off: { $0.weather.set(.calm, of: name) })
            }
        }
        for _ in 0..<dice.int(0...3) {
            let (steps, last) = (dice.int(0...25), dice.pick([Life.Step.endsBefore, .endsAfter]))
            schedule(at: World.start + dice.span(.minutes(1), horizon - World.start)) { $0.desk?.life.crash(in: steps, last) }
        }
    }

    /// Trouble with Apple's API just when it is needed.
    func storm(_ length: Span) {
        let kind = dice.pick(Weather.Apple.storms)
        chronicle.note("a storm: \(kind.rawValue)")
        spell(time.now(), length, on: { $0.weather.set(kind) }, off: { $0.weather.set(.calm) })
    }

    private func spell(_ begin: Timestamp, _ length: Span, on: @escaping (World) -> Void, off: @escaping (World) -> Void) {
        schedule(at: begin) { world in
            if world.time.now() < world.horizon { on(world) }
        }
        schedule(at: begin + length) { off($0) }
    }

    private func calmDown() async {
        await setClock(.milliseconds(0))
        chronicle.note("all is calm")
        weather.clear()
        desk?.life.spare()
    }
}
