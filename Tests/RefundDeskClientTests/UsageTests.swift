import Foundation
import Testing

@testable import RefundDeskClient

private func event(_ id: String, quantity: Decimal = 1) -> UsageEvent {
    UsageEvent(id: id, subject: .customer("u"), meter: "coins", quantity: quantity, at: Date(timeIntervalSince1970: 1))
}

/// The ids of each request, in order.
private func batches(_ transport: FakeTransport) async throws -> [[String]] {
    struct Body: Decodable {
        struct Event: Decodable { var id: String }
        var events: [Event]
    }
    return try await transport.requests.map { try JSONDecoder().decode(Body.self, from: $0.body ?? Data()).events.map(\.id) }
}

/// What a callback was told.
private actor Told {
    private(set) var ids: [String] = []
    private(set) var failures: [RefundDeskError.Code] = []
    func rejected(_ id: String) { ids.append(id) }
    func failed(_ code: RefundDeskError.Code) { failures.append(code) }
}

@Suite(.timeLimit(.minutes(1)))
struct UsageTests {
    @Test func anEventOnTheWireKeepsItsDecimals() async throws {
        let transport = FakeTransport(.accepted(2))
        let fraction = try #require(Decimal(string: "0.300001"))
        let paid = UsageEvent(
            id: "b", subject: .transaction("2000000000000001"), meter: "m", quantity: -2, at: Date(timeIntervalSince1970: 1.5))
        #expect(try await desk(transport).report([event("a", quantity: fraction), paid]) == UsageReceipt(accepted: 2))
        let text = String(decoding: try #require(await transport.requests.first?.body), as: UTF8.self)
        for part in [#""quantity":0.300001"#, #""quantity":-2"#, #""customer":"u""#, #""transactionId":"2000000000000001""#, #""at":1500"#]
        {
            #expect(text.contains(part), "\(text)")
        }
    }

    @Test func manyGoInSeveralRequests() async throws {
        let transport = FakeTransport(.accepted(1_000), .accepted(1_000), .accepted(500, duplicates: 1))
        let receipt = try await desk(transport).report((0..<2_501).map { event("\($0)") })
        #expect(receipt == UsageReceipt(accepted: 2_500, duplicates: 1))
        #expect(try await batches(transport).map(\.count) == [1_000, 1_000, 501])
    }

    @Test func aBadEventIsRefusedBeforeItIsSent() async throws {
        let transport = FakeTransport(.accepted(1))
        let client = try desk(transport)
        #expect(await failure { try await client.report([event("a"), event("")]) }?.field == "events[1].id")
        #expect(await failure { try await client.report([event("a", quantity: .nan)]) }?.field == "events[0].quantity")
        #expect(await failure { try await client.report([event("a", quantity: 1_000_000_001)]) }?.field == "events[0].quantity")
        let reporter = UsageReporter(client)
        #expect(await failure { try await reporter.record(event("a\u{7F}")) }?.field == "event.id")
        #expect(await transport.requests.isEmpty)
    }

    @Test func whatWasNotConfirmedIsSentAgainWithTheSameIDs() async throws {
        let transport = FakeTransport(.failure, .accepted(1, duplicates: 2))
        let reporter = UsageReporter(try desk(transport, retries: .none))
        for id in ["a", "b"] { try await reporter.record(event(id)) }
        #expect(await failure { try await reporter.flush() }?.code == .unreachable)
        try await reporter.record(event("c"))
        #expect(await reporter.count == 3)
        #expect(try await reporter.flush() == UsageReceipt(accepted: 1, duplicates: 2))
        #expect(try await batches(transport) == [["a", "b"], ["a", "b", "c"]])
        #expect(await reporter.count == 0)
    }

    @Test func oneThatIsRefusedForGoodDoesNotHoldUpTheOthers() async throws {
        let transport = FakeTransport(.problem(422, "invalid", field: "events[1].at"), .accepted(2))
        let told = Told()
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        let reporter = UsageReporter(try desk(transport), onRejected: { event, _ in continuation.yield(event.id) })
        for id in ["a", "b", "c"] { try await reporter.record(event(id)) }
        #expect(try await reporter.flush() == UsageReceipt(accepted: 2))
        continuation.finish()
        for await id in stream { await told.rejected(id) }
        #expect(await told.ids == ["b"])
        #expect(try await batches(transport) == [["a", "b", "c"], ["a", "c"]])
    }

    @Test func aMistakeThatIsOfNoEventKeepsThem() async throws {
        for reply in [
            FakeTransport.Reply.problem(422, "invalid", field: "environment"), .problem(401, "unauthorized"), .problem(404, "not-found"),
        ] {
            let reporter = UsageReporter(try desk(FakeTransport(reply)), onRejected: { event, _ in Issue.record("dropped \(event.id)") })
            for id in ["a", "b"] { try await reporter.record(event(id)) }
            #expect(await failure { try await reporter.flush() } != nil)
            #expect(await reporter.count == 2)
        }
    }

    @Test func aBatchThatIsTooLargeIsHalved() async throws {
        let transport = FakeTransport(.problem(413, "too-large"), .accepted(2), .accepted(2))
        let reporter = UsageReporter(try desk(transport))
        for id in ["a", "b", "c", "d"] { try await reporter.record(event(id)) }
        try await reporter.flush()
        #expect(try await batches(transport) == [["a", "b", "c", "d"], ["a", "b"], ["c", "d"]])
    }

    @Test func flushesAtOnceSendEachEventOnce() async throws {
        let transport = FakeTransport(.accepted(1))
        await transport.hold()
        let reporter = UsageReporter(try desk(transport))
        try await reporter.record(event("a"))
        let flushes = (0..<10).map { _ in Task { try await reporter.flush() } }
        await transport.arrived(1)
        try await reporter.record(event("b"))
        for _ in 0..<1_000 { await Task.yield() }
        await transport.open()
        for flush in flushes { _ = try await flush.value }
        #expect(try await batches(transport) == [["a"], ["b"]])
    }

    @Test func noMoreAreHeldThanMay() async throws {
        let reporter = UsageReporter(try desk(FakeTransport(.failure)), capacity: 2)
        for id in ["a", "b"] { try await reporter.record(event(id)) }
        let error = await failure { try await reporter.record(event("c")) }
        #expect(error?.code == .bufferFull)
        #expect(error?.isRetryable == true)
    }

    @Test func runningSendsFullBatchesAndWhatIsLeftAtTheEnd() async throws {
        let (transport, time) = (FakeTransport(.accepted(1)), FakeTime(endsSleeps: false))
        let reporter = UsageReporter(try desk(transport, time), batch: 2)
        let running = Task { await reporter.run() }
        while await time.slept.isEmpty { await Task.yield() }
        for id in ["a", "b"] { try await reporter.record(event(id)) }
        await transport.arrived(1)
        while await reporter.count > 0 { await Task.yield() }
        try await reporter.record(event("c"))
        running.cancel()
        await running.value
        #expect(try await batches(transport) == [["a", "b"], ["c"]])
    }

    @Test func runningSendsWhenTheIntervalIsOver() async throws {
        let (transport, time) = (FakeTransport(.problem(503, "unavailable"), .accepted(1)), FakeTime(endsSleeps: false))
        let (failures, told) = AsyncStream.makeStream(of: RefundDeskError.Code.self)
        let reporter = UsageReporter(try desk(transport, time, retries: .none), interval: 5, onFailure: { told.yield($0.code) })
        try await reporter.record(event("a"))
        let running = Task { await reporter.run() }
        while await time.slept.count < 1 { await Task.yield() }
        await time.letGo()
        for await code in failures {
            #expect(code == .unavailable)
            break
        }
        while await time.slept.count < 2 { await Task.yield() }
        await time.letGo()
        await transport.arrived(2)
        #expect(await time.slept.first == 5)
        running.cancel()
        await running.value
        #expect(try await batches(transport) == [["a"], ["a"]])
    }

    @Test func runningWaitsForEachIntervalAndForNothingElse() async throws {
        let (transport, time) = (FakeTransport(.accepted(1)), FakeTime(endsSleeps: false))
        let reporter = UsageReporter(try desk(transport, time))
        let running = Task { await reporter.run() }
        for interval in 1...5 {
            while await time.slept.count < interval { await Task.yield() }
            for _ in 0..<200 { await Task.yield() }
            #expect(await time.slept.count == interval)
            await time.letGo()
        }
        running.cancel()
        await running.value
        #expect(await transport.requests.isEmpty)
    }

    @Test func aFullBufferDoesNotHurryADeskThatIsAway() async throws {
        let (transport, time) = (FakeTransport(.failure), FakeTime(endsSleeps: false))
        let reporter = UsageReporter(try desk(transport, time, retries: .none), batch: 1)
        try await reporter.record(event("a"))
        let running = Task { await reporter.run() }
        await transport.arrived(1)
        try await reporter.record(event("b"))
        while await time.slept.count < 2 { await Task.yield() }
        for _ in 0..<200 { await Task.yield() }
        #expect(await transport.requests.count == 1)
        await time.letGo()
        await transport.arrived(2)
        running.cancel()
        await running.value
    }
}
