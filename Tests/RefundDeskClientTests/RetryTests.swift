import Foundation
import Testing

@testable import RefundDeskClient

@Suite(.timeLimit(.minutes(1)))
struct RetryTests {
    private func deliver(_ transport: FakeTransport, _ time: FakeTime = FakeTime(), _ retries: RetryPolicy = RetryPolicy()) async
        -> RefundDeskError?
    {
        await failure { try await desk(transport, time, retries: retries).recordDelivery(of: "1", .delivered) }
    }

    @Test func theSameRequestIsSentAgainWithGrowingWaits() async throws {
        let (transport, time) = (FakeTransport(.failure, .problem(503, "unavailable"), .json(502, "<html>"), .json(200, "{}")), FakeTime())
        #expect(await deliver(transport, time) == nil)
        #expect(await time.slept == [0.5, 1, 2])
        let requests = await transport.requests
        #expect(requests.count == 4)
        #expect(requests.allSatisfy { $0 == requests[0] })
    }

    @Test func jitterTakesUpToHalf() async throws {
        let time = FakeTime(drawing: 0)
        #expect(await deliver(FakeTransport(.failure, .failure, .json(200, "{}")), time) == nil)
        #expect(await time.slept == [0.25, 0.5])
    }

    @Test(arguments: [
        ("7", [7.0]), ("0", [0.5]), ("-3", [0.5]), ("soon", [0.5]), ("Fri, 15 Jan 2027 08:00:20 GMT", [20]),
        ("Fri, 15 Jan 2027 07:00:00 GMT", [0.5]),
    ])
    func retryAfterIsHonoured(_ text: String, _ waits: [TimeInterval]) async throws {
        let time = FakeTime()
        #expect(await deliver(FakeTransport(.problem(503, "unavailable", ["retry-after": text]), .json(200, "{}")), time) == nil)
        #expect(await time.slept == waits)
    }

    @Test func aWaitThatIsTooLongIsLeftToTheCaller() async throws {
        let time = FakeTime()
        let error = await deliver(FakeTransport(.json(429, "slow down", ["Retry-After": "3600"])), time)
        #expect(error?.code == .rateLimited)
        #expect(error?.retryAfter == 3_600)
        #expect(error?.isRetryable == true)
        #expect(await time.slept.isEmpty)
    }

    @Test func itGivesUpAfterItsAttempts() async throws {
        let transport = FakeTransport(.failure)
        let error = await deliver(transport, FakeTime(), RetryPolicy(attempts: 3))
        #expect(error?.code == .unreachable)
        #expect(await transport.requests.count == 3)
        let once = FakeTransport(.failure)
        #expect(await deliver(once, FakeTime(), .none)?.code == .unreachable)
        #expect(await once.requests.count == 1)
    }

    @Test func waitsStayBelowTheLongestHoweverManyAttempts() {
        let policy = RetryPolicy(attempts: 1_000, first: 0.5, longest: 30)
        for made in 1..<1_000 {
            let wait = policy.wait(after: .unreachable(URLError(.timedOut)), made: made, draw: 1)
            #expect(wait.map { $0 <= 30 } == true)
        }
    }

    @Test(arguments: [
        (400, "malformed", RefundDeskError.Code.invalid), (400, "bad-signature", .rejected), (401, "unauthorized", .unauthorized),
        (403, "forbidden", .forbidden), (404, "not-found", .notFound), (405, "method-not-allowed", .unexpectedAnswer),
        (409, "window-closed", .conflict), (413, "too-large", .tooLarge), (422, "invalid", .invalid),
        (422, "consent-source", .consentSource),
    ])
    func whatRetryingCannotMendIsToldAtOnce(_ status: Int, _ deskCode: String, _ code: RefundDeskError.Code) async throws {
        let transport = FakeTransport(.problem(status, deskCode, field: "source"))
        let error = await deliver(transport)
        #expect(error?.code == code)
        #expect(error?.isRetryable == false)
        #expect(error?.detail == "Do that.")
        #expect(error?.field == "source")
        #expect(error?.deskCode == deskCode)
        #expect(await transport.requests.count == 1)
    }

    @Test func strangersAreRecognized() async throws {
        let redirected = await deliver(FakeTransport(.json(302, "", ["Location": "https://elsewhere.example.com"])))
        #expect(redirected?.code == .unexpectedAnswer)
        #expect(redirected?.detail.contains("redirect") == true)
        let page = await failure { try await desk(FakeTransport(.json(200, "<html>"))).entitlements(of: "u") }
        #expect(page?.code == .unexpectedAnswer)
    }

    @Test func errorsTellNoSecretAndNoCustomer() async throws {
        for reply in [FakeTransport.Reply.failure, .json(500, "token secret of u-42")] {
            let error = await failure { try await desk(FakeTransport(reply), retries: .none).recordConsent(of: "u-42", source: "s") }
            let text = "\(try #require(error))"
            #expect(!text.contains("secret"))
            #expect(!text.contains("u-42"))
        }
    }

    @Test func aCancelledCallEndsInItsWait() async throws {
        let (transport, time) = (FakeTransport(.failure), FakeTime(endsSleeps: false))
        let task = Task { try await desk(transport, time).recordDelivery(of: "1", .delivered) }
        await transport.arrived(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(await transport.requests.count == 1)
    }
}
