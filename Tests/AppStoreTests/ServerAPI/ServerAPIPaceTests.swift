import Domain
import TestSupport
import Testing

@testable import AppStore

private let start = Timestamp(milliseconds: 1_800_000_000_000)

struct ServerAPIPaceTests {
    /// - Source: Identifying rate limits: 50, 10 and 1 a second, enforced over the hour; a tenth in the sandbox.
    @Test(arguments: Environment.allCases) func anHourOfEverythingStaysBelowApplesLimits(_ environment: Environment) async {
        let pace = ServerAPIPace(environment, at: start)
        func calls(_ family: ServerAPIPace.Family) async -> Int {
            var count = 0
            while await pace.reserve(family, at: start) < start + .hours(1) { count += 1 }
            return count
        }
        let share = environment == .production ? 1 : 10
        #expect(await calls(.answers) + calls(.notificationHistory) + calls(.lookups) <= 180_000 / share)
        #expect(await calls(.refunds) <= 36_000 / share)
        #expect(await calls(.tests) <= 3_600 / share)
    }

    @Test(arguments: [(.production, 1_000), (.sandbox, 600)] as [(Environment, Int64)])
    func aBurstOfAnswersLeavesAtOnce(_ environment: Environment, _ count: Int64) async {
        let pace = ServerAPIPace(environment, at: start)
        for number in 1...count { #expect(await pace.promise(.answers, to: number, at: start) == start) }
    }

    @Test func catchUpTakesNothingFromTheAnswers() async {
        let pace = ServerAPIPace(.sandbox, at: start)
        for family in ServerAPIPace.Family.allCases where family != .answers {
            for _ in 0..<5_000 { _ = await pace.reserve(family, at: start) }
            await pace.close(family, until: start + .minutes(30), at: start)
        }
        #expect(await pace.promise(.answers, to: 1, at: start) == start)
    }

    @Test func aRefusalClosesItsFamilyAlone() async {
        let pace = ServerAPIPace(.production, at: start)
        await pace.close(.refunds, until: start + .minutes(5), at: start)
        #expect(await pace.reserve(.refunds, at: start) == start + .minutes(5))
        #expect(await pace.reserve(.notificationHistory, at: start) == start)
    }

    @Test func whereAnswersAreRefusedTheirLimitIsLeftToThem() async {
        let pace = ServerAPIPace(.production, at: start)
        await pace.close(.answers, until: start + .minutes(5), at: start)
        for family in [ServerAPIPace.Family.answers, .notificationHistory, .lookups] {
            #expect(await pace.reserve(family, at: start) == start + .minutes(5))
        }
        #expect(await pace.reserve(.refunds, at: start) == start)
    }

    @Test func noRefusalLastsLongerThanAnHour() async {
        let pace = ServerAPIPace(.production, at: start)
        await pace.close(.answers, until: Timestamp(milliseconds: .max), at: start)
        #expect(await pace.reserve(.answers, at: start) == start + .hours(1))
    }

    @Test func whatWaitsKeepsItsPlace() async {
        let pace = ServerAPIPace(.sandbox, at: start)
        for number in Int64(1)...600 { _ = await pace.promise(.answers, to: number, at: start) }
        var places: [Timestamp] = []
        for number in Int64(601)...620 { places.append(await pace.promise(.answers, to: number, at: start)) }
        #expect(places.last == start + .seconds(8), "2.5 a second")
        #expect(await pace.promise(.answers, to: 620, at: start + .seconds(1)) == places.last, "asking again costs no place")
        #expect(await pace.promise(.answers, to: 621, at: start + .seconds(4)) > start + .seconds(8), "nobody's place is free yet")
        #expect(await pace.promise(.answers, to: 620, at: start + .seconds(8)) == places.last)
    }

    /// Of several processes, another may take up what was put off here.
    @Test func aPlaceThatNobodyComesForIsNotLost() async {
        let pace = ServerAPIPace(.sandbox, at: start)
        for number in Int64(1)...601 { _ = await pace.promise(.answers, to: number, at: start) }
        let late = start + .seconds(6)
        _ = await pace.promise(.answers, to: 602, at: late)
        for _ in 0..<15 { _ = await pace.reserve(.answers, at: late) }
        #expect(await pace.promise(.answers, to: 603, at: late) > late, "one place was left behind, and it is taken")
    }
}

@Suite(.timeLimit(.minutes(1)))
struct ServerAPIWaitingTests {
    @Test func aRefusedFamilyIsNotCalledBeforeItsTime() async throws {
        let store = ScriptedAppStore([
            .response(429, ["Retry-After": "60"]), .json(#"{"signedTransactions": []}"#), .json(#"{"signedTransactionInfo": "a"}"#),
        ])
        for _ in 0..<3 {
            let error = try #require(
                await store.failure { () throws(AppStoreServerAPIError) in try await store.api.getRefundHistory(anyTransactionID: "1") })
            #expect(error.isRetryable && error.retryAfter == store.now + .seconds(60))
        }
        #expect(store.calls.count == 1)
        store.advance(by: .seconds(60))
        _ = try await store.api.getRefundHistory(anyTransactionID: "1")
        _ = try await store.api.getTransactionInfo(TransactionID("1"))
        #expect(store.calls.count == 3)
    }

    @Test func anAnswersTurnFollowsTheRefusal() async {
        let store = ScriptedAppStore([.response(429, ["Retry-After": "\((1_800_000_000 + 90) * 1_000)"])])
        #expect(await store.api.turn(ofAnswer: 1) == store.now)
        _ = await store.send()
        #expect(await store.api.turn(ofAnswer: 2) == store.now + .seconds(90))
    }
}

/// The scripted store's clock stands at 08:00:00 that day.
@Suite(.timeLimit(.minutes(1)))
struct ServerAPIClockTests {
    private func issued(_ request: RawServer.Request?) -> Int? { request.flatMap(BearerToken.init)?.claims["iat"] as? Int }

    @Test func aTokenRefusedByAWrongClockIsDatedByApples() async throws {
        let date = ["Date": "Fri, 15 Jan 2027 07:50:00 GMT"]
        let store = ScriptedAppStore([
            .response(401, date), .response(200, date, Array(#"{"signedTransactionInfo": "a"}"#.utf8)), .response(202, date),
        ])
        #expect(try await store.api.getTransactionInfo(TransactionID("1")).signedTransactionInfo == "a")
        _ = await store.send()
        #expect(store.calls.map { issued($0) } == [1_800_000_000, 1_799_999_400, 1_799_999_400])
        #expect(store.api.clockOffset == .minutes(-10))
        #expect(store.api.appleNow == store.now - .minutes(10))
    }

    @Test func onceTheClockIsRightItIsTrustedAgain() async {
        let (wrong, right) = (["Date": "Fri, 15 Jan 2027 08:10:00 GMT"], ["Date": "Fri, 15 Jan 2027 08:00:00 GMT"])
        let store = ScriptedAppStore([.response(401, wrong), .response(202, right), .response(202, right)])
        _ = await store.send()
        store.api.renewToken()
        _ = await store.send()
        store.api.renewToken()
        _ = await store.send()
        #expect(store.calls.map { issued($0) } == [1_800_000_000, 1_800_000_600, 1_800_000_000])
    }

    @Test(arguments: [
        (RawServer.Reply.response(401, ["Date": "Fri, 15 Jan 2027 08:00:20 GMT"]), "the clocks agree"),
        (.response(401), "no date"), (.response(503, ["Date": "Fri, 15 Jan 2027 09:00:00 GMT"]), "no token was refused"),
    ])
    func otherwiseOurClockCounts(_ reply: RawServer.Reply, _ why: String) async {
        let store = ScriptedAppStore([reply, .response(202)])
        _ = await store.send()
        store.api.renewToken()
        _ = await store.send()
        #expect(issued(store.calls.last) == 1_800_000_000, "\(why)")
    }
}
