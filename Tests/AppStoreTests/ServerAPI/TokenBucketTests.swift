import AppStore
import Domain
import Testing

private func at(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: 1_800_000_000_000 + milliseconds) }

struct TokenBucketTests {
    @Test func aBurstAndThenTheSteadyRate() {
        var bucket = TokenBucket(perSecond: 10, burst: 3, at: at(0))
        let turns = (0..<6).map { _ in bucket.reserve(at: at(0)) }
        #expect(turns == [at(0), at(0), at(0), at(100), at(200), at(300)])
        #expect(bucket.reserve(at: at(350)) == at(400), "behind those promised before")
    }

    @Test func aQuietTimeEarnsTheBurstAndNoMore() {
        var bucket = TokenBucket(perSecond: 10, burst: 2, at: at(0))
        for _ in 0..<2 { _ = bucket.reserve(at: at(0)) }
        let turns = (0..<3).map { _ in bucket.reserve(at: at(3_600_000)) }
        #expect(turns == [at(3_600_000), at(3_600_000), at(3_600_100)])
    }

    @Test func overAnHourTheRateIsNeverExceeded() {
        var bucket = TokenBucket(perSecond: 10, burst: 50, at: at(0))
        let turns = (0..<40_000).map { _ in bucket.reserve(at: at(0)) }
        #expect(turns.count { $0 < at(3_600_000) } <= 36_000 + 50)
        #expect(zip(turns, turns.dropFirst()).allSatisfy { $0 <= $1 })
    }

    @Test func aPromiseGivenBackIsFreeAgain() {
        var bucket = TokenBucket(perSecond: 1, burst: 1, at: at(0))
        #expect(bucket.reserve(at: at(0)) == at(0))
        #expect(bucket.reserve(at: at(0)) == at(1_000))
        bucket.giveBack()
        #expect(bucket.reserve(at: at(0)) == at(1_000))
    }

    @Test func closedNothingLeavesAndAfterwardsTheCallsOfTenSeconds() {
        var bucket = TokenBucket(perSecond: 10, burst: 1_000, at: at(0))
        bucket.close(until: at(60_000), at: at(0))
        let turns = (0..<102).map { _ in bucket.reserve(at: at(1_000)) }
        #expect(turns[0] == at(60_000) && turns[99] == at(60_000))
        #expect(turns[100] == at(60_100) && turns[101] == at(60_200))
    }

    @Test func aSecondRefusalNeverShortensTheFirst() {
        var bucket = TokenBucket(perSecond: 10, burst: 10, at: at(0))
        bucket.close(until: at(60_000), at: at(0))
        bucket.close(until: at(5_000), at: at(100))
        #expect(bucket.reserve(at: at(200)) == at(60_000))
    }

    @Test func aClockSetBackBlocksNothing() {
        var bucket = TokenBucket(perSecond: 1, burst: 2, at: at(7_200_000))
        #expect(bucket.reserve(at: at(7_200_000)) == at(7_200_000))
        #expect(bucket.reserve(at: at(0)) == at(0))
        #expect(bucket.reserve(at: at(0)) == at(1_000))
    }
}
