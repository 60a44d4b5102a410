import Foundation
import Testing

@testable import RefundDeskClient

/// A yes that is tried again must not overtake a no.
@Suite(.timeLimit(.minutes(1)))
struct ConsentOrderTests {
    @Test func aYesThatWaitsToBeTriedAgainGivesUpForANo() async throws {
        let (transport, time) = (FakeTransport(.problem(503, "unavailable"), .consent), FakeTime(endsSleeps: false))
        let client = try desk(transport, time)
        let yes = Task { await failure { try await client.recordConsent(of: "U-1", source: "s") } }
        await transport.arrived(1)
        while await time.slept.isEmpty { await Task.yield() }
        try await client.withdrawConsent(of: "u-1", source: "s")
        await time.letGo()
        #expect(await yes.value?.code == .superseded)
        #expect(await words(transport) == [true, false])
    }

    @Test func aNoWaitsForTheYesThatIsOnItsWay() async throws {
        let transport = FakeTransport(.problem(503, "unavailable"), .consent)
        await transport.hold()
        let client = try desk(transport)
        let yes = Task { await failure { try await client.recordConsent(of: "u", source: "s") } }
        await transport.arrived(1)
        let no = Task { try await client.withdrawConsent(of: "u", source: "s") }
        for _ in 0..<1_000 { await Task.yield() }
        #expect(await words(transport) == [true])
        await transport.open()
        _ = try await no.value
        #expect(await yes.value?.code == .superseded)
        #expect(await words(transport) == [true, false])
    }

    @Test func aNoThatWaitsToBeTriedAgainOutlivesAYesThatFails() async throws {
        let (transport, time) = (
            FakeTransport(.problem(503, "unavailable"), .problem(422, "invalid"), .consent), FakeTime(endsSleeps: false)
        )
        let client = try desk(transport, time)
        let no = Task { try await client.withdrawConsent(of: "u", source: "s") }
        await transport.arrived(1)
        while await time.slept.isEmpty { await Task.yield() }
        let yes = await failure { try await client.recordConsent(of: "u", source: "s") }
        #expect(yes?.code == .invalid)
        await time.letGo()
        _ = try await no.value
        #expect(await words(transport) == [false, true, false])
    }

    @Test func aNoGivesUpOnceALaterYesWasRecorded() async throws {
        let (transport, time) = (FakeTransport(.problem(503, "unavailable"), .consent), FakeTime(endsSleeps: false))
        let client = try desk(transport, time)
        let no = Task { await failure { try await client.withdrawConsent(of: "u", source: "s") } }
        await transport.arrived(1)
        while await time.slept.isEmpty { await Task.yield() }
        try await client.recordConsent(of: "u", source: "s")
        await time.letGo()
        #expect(await no.value?.code == .superseded)
        #expect(await words(transport) == [false, true])
    }

    /// The no may have been taken though its answer was lost: a yes from before it must not be the last word.
    @Test func aYesStaysGivenUpThoughTheNoFails() async throws {
        let (transport, time) = (
            FakeTransport(.problem(503, "unavailable"), .problem(422, "invalid"), .consent), FakeTime(endsSleeps: false)
        )
        let client = try desk(transport, time)
        let yes = Task { await failure { try await client.recordConsent(of: "u", source: "s") } }
        await transport.arrived(1)
        while await time.slept.isEmpty { await Task.yield() }
        #expect(await failure { try await client.withdrawConsent(of: "u", source: "s") } != nil)
        await time.letGo()
        #expect(await yes.value?.code == .superseded)
        #expect(await words(transport) == [true, false])
    }

    @Test func customersDoNotWaitForOneAnother() async throws {
        let transport = FakeTransport(.consent)
        await transport.hold()
        let client = try desk(transport)
        let calls = (0..<5).map { number in Task { try await client.recordConsent(of: "u-\(number)", source: "s") } }
        await transport.arrived(5)
        await transport.open()
        for call in calls { _ = try await call.value }
    }

    @Test func oneAfterTheOtherBothCount() async throws {
        let transport = FakeTransport(.consent)
        let client = try desk(transport)
        try await client.recordConsent(of: "u", source: "s")
        try await client.withdrawConsent(of: "u", source: "s")
        try await client.recordConsent(of: "u", source: "s")
        #expect(await words(transport) == [true, false, true])
    }

    private func words(_ transport: FakeTransport) async -> [Bool] {
        await transport.requests.compactMap { $0.body }.map { String(decoding: $0, as: UTF8.self).contains("true") }
    }
}
