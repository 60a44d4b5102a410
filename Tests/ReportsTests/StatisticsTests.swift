import Testing

@testable import Reports

/// A small generator, the same in every run.
private struct Dice: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// How many of so many tries succeed.
    mutating func successes(_ tries: Int, _ chance: Double) -> Int64 {
        var count: Int64 = 0
        for _ in 0..<tries where Double.random(in: 0..<1, using: &self) < chance { count += 1 }
        return count
    }
}

@Suite struct StatisticsTests {
    /// - Source: the worked examples of Newcombe's papers of 1998: 81 of 263 (Wilson), 56/70 against 48/80 (difference).
    @Test func intervalsAreThoseOfThePapers() throws {
        let wilson = try #require(Share(81, of: 263).interval)
        #expect(abs(wilson.lowerBound - 0.2553) < 0.00005 && abs(wilson.upperBound - 0.3662) < 0.00005)
        let difference = try #require(ShareDifference(Share(56, of: 70), Share(48, of: 80)).interval)
        #expect(abs(difference.lowerBound - 0.0524) < 0.00005 && abs(difference.upperBound - 0.3339) < 0.00005)
    }

    @Test func theEdgesAreInside() throws {
        #expect(Share(0, of: 0).value == nil && Share(0, of: 0).interval == nil)
        let none = try #require(Share(0, of: 10).interval)
        let all = try #require(Share(10, of: 10).interval)
        #expect(none.lowerBound == 0 && none.upperBound > 0.2 && all.upperBound > 0.999_999 && all.lowerBound < 0.8)
        #expect(ShareDifference(Share(1, of: 2), Share(0, of: 0)).isDistinct == nil)
    }

    /// The interval of the holdout's comparison holds the true difference about as often as it says, whatever the sizes and the rates.
    @Test(arguments: [(900, 100, 0.40, 0.55), (180, 20, 0.30, 0.30), (400, 45, 0.05, 0.10), (60, 60, 0.80, 0.65), (2_000, 105, 0.5, 0.5)])
    func theIntervalCoversTheTruth(_ answered: Int, _ heldOut: Int, _ ofAnswered: Double, _ ofHeldOut: Double) throws {
        var dice = Dice(state: UInt64(answered))
        let worlds = 4_000
        var covered = 0
        for _ in 0..<worlds {
            let first = Share(dice.successes(answered, ofAnswered), of: Int64(answered))
            let second = Share(dice.successes(heldOut, ofHeldOut), of: Int64(heldOut))
            if try #require(ShareDifference(first, second).interval).contains(ofAnswered - ofHeldOut) { covered += 1 }
        }
        // 4,000 worlds: one standard error is 0.0034; the method is somewhat generous where shares are small.
        let coverage = Double(covered) / Double(worlds)
        #expect((0.938...0.978).contains(coverage), "\(coverage)")
    }

    /// Where nothing differs, a difference is claimed about once in twenty; where much does, nearly always.
    @Test func aDifferenceIsClaimedWhereThereIsOne() throws {
        var dice = Dice(state: 7)
        var (claims, findings) = (0, 0)
        for _ in 0..<2_000 {
            let same = ShareDifference(Share(dice.successes(450, 0.4), of: 450), Share(dice.successes(50, 0.4), of: 50))
            if same.isDistinct == true { claims += 1 }
            let other = ShareDifference(Share(dice.successes(450, 0.2), of: 450), Share(dice.successes(50, 0.6), of: 50))
            if other.isDistinct == true { findings += 1 }
        }
        #expect((50...140).contains(claims), "\(claims) of 2000")
        #expect(findings > 1_980, "\(findings) of 2000")
    }
}
