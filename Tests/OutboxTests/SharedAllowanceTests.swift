import Domain
import Store
import Testing

@testable import AppStore
@testable import Outbox

/// Two processes are two paces on one database.
@Suite(.timeLimit(.minutes(1)))
struct SharedAllowanceTests {
    private func pace(_ world: World) -> ServerAPIPace {
        ServerAPIPace(.sandbox, allowance: SharedAllowance(world.ledger, in: world.store), at: world.clock.now())
    }

    /// The sandbox lets 60 lookups leave at once, whoever makes them.
    @Test func twoProcessesTogetherStayBelowTheLimit() async throws {
        let world = try await World(.sandbox)
        let (one, other) = (pace(world), pace(world))
        let now = world.clock.now()
        var leaving = 0
        for _ in 0..<100 {
            for process in [one, other] where await process.reserve(.lookups, at: now) <= now { leaving += 1 }
        }
        #expect(leaving == 60)
    }

    @Test func aRestartForgetsNothing() async throws {
        let world = try await World(.sandbox)
        let now = world.clock.now()
        let first = pace(world)
        for _ in 0..<60 { _ = await first.reserve(.lookups, at: now) }
        #expect(await pace(world).reserve(.lookups, at: now) == now + .seconds(1), "one call a second is left")
    }

    @Test func aRefusalReachesTheOthersWithinSeconds() async throws {
        let world = try await World(.sandbox)
        let (one, other) = (pace(world), pace(world))
        let now = world.clock.now()
        #expect(await other.reserve(.answers, at: now) == now)
        await one.close(.answers, until: now + .minutes(5), at: now)
        #expect(await other.reserve(.answers, at: now + .seconds(3)) == now + .minutes(5))
        #expect(await other.reserve(.refunds, at: now + .seconds(3)) == now + .seconds(3))
    }

    /// Without the database nobody knows what the others do; the whole limit is never exceeded by one.
    @Test func withoutTheDatabaseEachKeepsToTheLimitByItself() async throws {
        let world = try await World(.sandbox)
        let now = world.clock.now()
        let process = pace(world)
        await world.store.close()
        var leaving = 0
        for _ in 0..<100 where await process.reserve(.lookups, at: now) <= now { leaving += 1 }
        #expect(leaving == 60)
    }
}
