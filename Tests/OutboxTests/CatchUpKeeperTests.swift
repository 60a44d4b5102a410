import Domain
import Store
import Synchronization
import TestSupport
import Testing

@testable import AppStoreSimulator
@testable import Outbox

@Suite(.timeLimit(.minutes(1)))
struct CatchUpKeeperTests {
    private final class Notes: Sendable {
        let kept = Mutex<[CatchUpKeeper.Note]>([])
        var texts: [String] { kept.withLock { $0.compactMap { if case .stopped(let why) = $0 { why } else { nil } } } }
    }

    private func keeper(_ world: World, _ notes: Notes = Notes()) -> CatchUpKeeper {
        CatchUpKeeper(world.reader, apps: .init([world.app]), ledgers: [world.ledger]) { _, note in notes.kept.withLock { $0.append(note) }
        }
    }

    /// Steps until the next is not at once.
    /// - Returns: How long it waits then.
    private func settle(_ keeper: CatchUpKeeper, _ world: World, _ state: inout CatchUpKeeper.State) async -> Span {
        while true {
            let next = await keeper.step(world.ledger, &state)
            guard next - world.clock.now() < .seconds(1) else { return next - world.clock.now() }
            world.clock.set(next)
        }
    }

    private func put(_ contact: LedgerContact, _ world: World) async throws {
        let ledger = world.ledger
        try await world.store.write { tx throws(StoreError) in try tx.put(contact, of: ledger) }
    }

    @Test func theFirstStartLooksAtWhatCanStillBeAnswered() async throws {
        let world = try await World()
        var state = CatchUpKeeper.State()
        #expect(await settle(keeper(world), world, &state) == .minutes(15))
        let read = try #require(try await world.read())
        #expect(read.from == read.to - .hours(24) && !read.onlyFailures)
        #expect(try await world.contact()?.completeUntil == read.to)
        world.clock.advance(.minutes(15))
        #expect(await settle(keeper(world), world, &state) == .minutes(15))
        let second = try #require(try await world.read())
        #expect(second.onlyFailures && second.from == read.to - .hours(1))
        #expect(try await world.contact()?.completeUntil == second.to)
    }

    @Test(arguments: [(Environment.production, Span.hours(1)), (.sandbox, .minutes(15))])
    func afterAnOutageEverythingIsReadAndRefundsAreAsked(_ environment: Environment, _ margin: Span) async throws {
        let world = try await World(environment)
        _ = try await world.intake.receiveNotification(world.request(7, signed: day(0)).body(World.chain.signer), postedTo: world.app.id)
        try await put(LedgerContact(completeUntil: day(0)), world)
        let missed = (0..<45).map { FakeApple.Item(notification: world.message("ONE_TIME_CHARGE", 100 + $0, signed: day(1))) }
        world.apple.change { $0.history = missed }
        world.clock.set(day(2))
        var state = CatchUpKeeper.State()
        _ = await settle(keeper(world), world, &state)
        let read = try #require(try await world.read())
        #expect(read.from == day(0) - margin && !read.onlyFailures && read.outageBegan == day(0))
        #expect(read.counts.new == 45 && read.followUp == nil)
        #expect(try await world.depth(.refundHistory) == 1, "of the customer with the case")
        #expect(try await world.contact()?.completeUntil == day(2))
    }

    @Test func aFreshContactNeedsNoFullLook() async throws {
        let world = try await World()
        try await put(LedgerContact(completeUntil: day(0) - .minutes(4)), world)
        var state = CatchUpKeeper.State()
        _ = await settle(keeper(world), world, &state)
        #expect(try await world.read()?.onlyFailures == true)
    }

    @Test func whatAppleForgotIsNotAskedFor() async throws {
        let world = try await World(.sandbox)
        try await put(LedgerContact(completeUntil: day(-40)), world)
        var state = CatchUpKeeper.State()
        _ = await settle(keeper(world), world, &state)
        let read = try #require(try await world.read())
        #expect(read.from > day(-30) && read.endedAt != nil)
        #expect(try await world.contact()?.completeUntil == day(0), "nothing more can be had")
    }

    /// A full look that was broken off by the end of a process is gone on with, and followed by what came since.
    @Test func aNewProcessGoesOn() async throws {
        let world = try await World()
        try await put(LedgerContact(completeUntil: day(0)), world)
        let missed = (0..<45).map { FakeApple.Item(notification: world.message("ONE_TIME_CHARGE", 100 + $0, signed: day(1))) }
        world.apple.change { $0.history = missed }
        world.clock.set(day(2))
        let half = HistoryRead.byServer(world.ledger, after: try await world.contact(), at: day(2), isStart: true)
        _ = try await world.reader.go(on: half, pages: 1)
        world.clock.set(day(3))
        var state = CatchUpKeeper.State()
        _ = await settle(keeper(world), world, &state)
        let read = try #require(try await world.read())
        #expect(read.from == day(2) - .hours(1) && read.to >= day(3) && !read.onlyFailures)
        let tokens = world.apple.historyCalls.map { $0.path.contains("paginationToken") }
        #expect(tokens == [false, true, true, false])
    }

    /// - Source: field report 74: an empty 401 from production, while nothing is wrong with the sandbox.
    @Test func aRefusedKeyIsNoHotLoop() async throws {
        let world = try await World()
        world.apple.change { $0.override = { _, _ in .response(401) } }
        let notes = Notes()
        var state = CatchUpKeeper.State()
        let end = world.clock.now() + .hours(1)
        while world.clock.now() < end { world.clock.set(await keeper(world, notes).step(world.ledger, &state)) }
        #expect(world.apple.historyCalls.count <= 10, "two an attempt, every quarter of an hour")
        #expect(notes.texts.count == 1 && notes.texts[0].contains("not authorised (key, or app not released)"))
        #expect(try await world.contact()?.failure?.text.contains("401") == true)
        world.apple.change { $0.override = { _, _ in nil } }
        _ = await settle(keeper(world), world, &state)
        #expect(try await world.contact()?.failure == nil)
        #expect(try await world.read()?.onlyFailures == true, "what the full look left open is read after it")
    }

    @Test func anAppStoreThatIsDownIsAskedAfterGrowingWaits() async throws {
        let world = try await World()
        world.apple.change { $0.override = { _, _ in .response(503) } }
        var state = CatchUpKeeper.State()
        var waits: [Int64] = []
        for _ in 0..<8 {
            let next = await keeper(world).step(world.ledger, &state)
            waits.append((next - world.clock.now()).milliseconds / 1_000)
            world.clock.set(next)
        }
        #expect(waits == [15, 30, 60, 120, 240, 480, 900, 900])
    }

    @Test func aRefusalByTheLimitIsWaitedFor() async throws {
        let world = try await World()
        world.apple.change { $0.override = { _, now in .response(429, ["Retry-After": "\((now + .minutes(3)).milliseconds)"]) } }
        var state = CatchUpKeeper.State()
        #expect(await keeper(world).step(world.ledger, &state) == day(0) + .minutes(3))
    }
}
