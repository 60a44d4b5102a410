import Domain
import Testing

private func wait(_ attempts: Int, _ environment: Environment, jitter: Double = 0) -> Int64? {
    let deadline = hour(0) + environment.answerWindow
    let schedule = AnswerSchedule(environment: environment, deadline: deadline)
    return schedule.next(afterAttempts: attempts, at: hour(0), jitter: jitter).map { ($0 - hour(0)).milliseconds / 1_000 }
}

@Test func answersAreTriedAgainAfterGrowingWaits() {
    #expect((1...8).map { wait($0, .production) } == [5, 15, 60, 300, 900, 1_800, 1_800, 1_800])
    #expect((1...7).map { wait($0, .sandbox) } == [2, 5, 15, 30, 60, 60, 60])
    #expect(wait(0, .production) == 5 && wait(-3, .production) == 5 && wait(.max, .production) == 1_800)
}

@Test func jitterSpreadsAnswersByAFifth() {
    #expect(wait(6, .production, jitter: 1) == 2_160)
    #expect(wait(6, .production, jitter: -1) == 1_440)
    #expect(wait(6, .production, jitter: 7) == 2_160, "a draw out of range is bounded")
    #expect(wait(1, .production, jitter: -0.5) == 4)
}

@Test func theLastTryIsTwoMinutesBeforeTheDeadline() {
    let schedule = AnswerSchedule(environment: .production, deadline: hour(12))
    let last = hour(12) - .minutes(2)
    #expect(schedule.next(afterAttempts: 30, at: last - .minutes(5), jitter: 0) == last)
    #expect(schedule.next(afterAttempts: 30, at: last - .milliseconds(1), jitter: 0) == last)
    #expect(schedule.next(afterAttempts: 30, at: last, jitter: 0) == nil, "half an hour does not fit")
    #expect(schedule.next(afterAttempts: 1, at: last, jitter: 0) == last + .seconds(5), "five seconds do")
    let sandbox = AnswerSchedule(environment: .sandbox, deadline: hour(0) + .minutes(5))
    #expect(sandbox.next(afterAttempts: 6, at: hour(0) + .minutes(4), jitter: 0) == hour(0) + .seconds(290))
}

@Test func retryAfterIsHeardButCapped() {
    let schedule = AnswerSchedule(environment: .production, deadline: hour(12))
    let last = hour(12) - .minutes(2)
    #expect(schedule.next(afterAttempts: 1, at: hour(1), jitter: 0, notBefore: hour(1) + .minutes(3)) == hour(1) + .minutes(3))
    #expect(schedule.next(afterAttempts: 3, at: hour(1), jitter: 0, notBefore: hour(1) + .seconds(1)) == hour(1) + .minutes(1))
    #expect(schedule.next(afterAttempts: 1, at: hour(1), jitter: 0, notBefore: hour(900)) == last)
    #expect(schedule.next(afterAttempts: 1, at: hour(1), jitter: 0, notBefore: Timestamp(milliseconds: .max)) == last)
    #expect(schedule.next(afterAttempts: 1, at: last, jitter: 0, notBefore: hour(900)) == nil)
}

@Test func noTryIsEverDueAtOrPastTheDeadline() {
    var random = Seeded(7)
    for _ in 0..<20_000 {
        let environment: Environment = Bool.random(using: &random) ? .production : .sandbox
        let window = environment.answerWindow.milliseconds
        let deadline = hour(0) + environment.answerWindow
        let now = hour(0) + .milliseconds(.random(in: -window...2 * window, using: &random))
        let notBefore = Bool.random(using: &random) ? hour(0) + .milliseconds(.random(in: 0...2 * window, using: &random)) : nil
        let due = AnswerSchedule(environment: environment, deadline: deadline).next(
            afterAttempts: .random(in: 1...12, using: &random), at: now, jitter: .random(in: -1...1, using: &random), notBefore: notBefore)
        guard let due else { continue }
        #expect(due < deadline && due > now)
    }
}

@Test func deliveriesAreTriedForThreeDays() {
    func wait(_ attempts: Int, jitter: Double = 0) -> Int64? {
        DeliverySchedule.next(afterAttempts: attempts, since: hour(0), at: hour(0), jitter: jitter).map {
            ($0 - hour(0)).milliseconds / 1_000
        }
    }
    #expect((1...9).map { wait($0) } == [5, 30, 120, 600, 1_800, 3_600, 14_400, 14_400, 14_400])
    #expect(wait(7, jitter: 1) == 15_840 && wait(7, jitter: -9) == 12_960)
    let last = DeliverySchedule.next(afterAttempts: 20, since: hour(0), at: hour(68), jitter: 0)
    #expect(last == hour(72), "the end of the third day is within")
    #expect(DeliverySchedule.next(afterAttempts: 20, since: hour(0), at: hour(68) + .milliseconds(1), jitter: 0) == nil)
}

@Test func deliveriesAddUpToThreeDays() throws {
    var now = hour(0)
    var attempts = 1
    while let next = DeliverySchedule.next(afterAttempts: attempts, since: hour(0), at: now, jitter: 0) {
        (now, attempts) = (next, attempts + 1)
    }
    #expect(now > hour(68) && now <= hour(72))
    #expect((20...26).contains(attempts))
}
