import Foundation
import Simulation
import Testing

/// The production code in simulated worlds. `REFUND_DESK_SEEDS=from..to` chooses other seeds than 1 to 500.
@Suite(.serialized)
struct SimulationTests {
    private static let usualSeeds: ClosedRange<UInt64> = 1...500

    private static var seeds: ClosedRange<UInt64> {
        guard let text = ProcessInfo.processInfo.environment["REFUND_DESK_SEEDS"] else { return usualSeeds }
        let bounds = text.components(separatedBy: "..").compactMap { UInt64($0) }
        guard bounds.count == 2, bounds[0] <= bounds[1] else {
            Issue.record("REFUND_DESK_SEEDS is FROM..TO, as 1..500, and not \(text)")
            return 1...1
        }
        return bounds[0]...bounds[1]
    }

    @Test func everyPromiseHoldsInEveryWorld() async {
        var (worlds, steps) = (0, 0)
        await simulate(Self.seeds) { report in
            worlds += 1
            steps += report.steps
            #expect(report.breaches.isEmpty, "\(report.description)")
            return true
        }
        #expect(worlds == Self.seeds.count)
        print("simulation: \(worlds) worlds, \(steps) steps")
    }

    @Test func equalSeedsGiveEqualHistories() async {
        for seed in UInt64(1)...3 {
            let (one, other) = (await simulate(seed: seed), await simulate(seed: seed))
            #expect(one.chronicle == other.chronicle, "seed \(seed)")
            #expect(one.digest == other.digest && one.steps == other.steps)
        }
        #expect(await simulate(seed: 1).digest != simulate(seed: 2).digest)
    }

    @Test func everyPromiseHasACanary() { #expect(Set(Sabotage.allCases.map(\.promise)) == Set(Promise.allCases)) }

    /// A desk that is broken on purpose is caught by one of the usual seeds, by the check that is there for it.
    @Test(arguments: Sabotage.allCases)
    func aBrokenDeskIsCaught(_ sabotage: Sabotage) async {
        var isCaught = false
        await simulate(Self.usualSeeds, sabotage: sabotage) { report in
            isCaught = report.breaches.contains { $0.promise == sabotage.promise }
            return !isCaught
        }
        #expect(isCaught, "no world noticed that the desk \(sabotage.rawValue)")
    }
}
