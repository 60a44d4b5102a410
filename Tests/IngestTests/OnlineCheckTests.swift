import AppStore
import Domain
import Ingest
import Store
import StoreSQLite
import Testing

@testable import AppStoreSimulator

/// What `onlineChecks` changes at the door.
@Suite struct OnlineCheckTests {
    private func intake(_ desk: TestDesk, checks: Bool) -> Intake {
        var app = AppSettings.acme
        app.checksRevocation = checks
        let verifier = SignedPayloadVerifier(roots: [TestDesk.chain.root])
        let clock = desk.clock
        return Intake(
            store: desk.store, verifiers: VerifierDirectory([app.id: verifier]), apps: AppDirectory([app]), time: clock,
            metrics: Metrics(), revocations: RevocationChecks(now: { clock.now() }, ask: { _, _ in nil }))
    }

    private func body(signedAt instant: Timestamp) -> [UInt8] {
        let payload = """
            {"notificationType":"TEST","notificationUUID":"11111111-2222-3333-4444-555555555555","version":"2.0",\
            "signedDate":\(instant.milliseconds),"data":{"bundleId":"com.acme.app","environment":"Sandbox"}}
            """
        return Array(#"{"signedPayload":"\#(TestDesk.signer.sign(payload))"}"#.utf8)
    }

    @Test func unknownStandingIsRetryableAndChangesNothing() async throws {
        let desk = try await TestDesk()
        await #expect(throws: IntakeFault.self) {
            try await intake(desk, checks: true).receiveNotification(body(signedAt: desk.clock.now()), postedTo: AppID("acme"))
        }
        let query = LogQuery(app: AppID("acme"), environment: nil)
        #expect(try await desk.store.read { tx throws(StoreError) in try tx.logEntries(query) }.items.isEmpty)
        let receipt = try await intake(desk, checks: false).receiveNotification(
            body(signedAt: desk.clock.now()), postedTo: AppID("acme"))
        #expect(receipt == .accepted)
    }

    /// Attack 8: an expired leaf with a back-dated `signedDate`, live.
    @Test func aLiveMessageOfAnExpiredChainIsRefused() async throws {
        let desk = try await TestDesk()
        let signed = desk.clock.now()
        desk.clock.advance(.days(20_000))
        do {
            _ = try await intake(desk, checks: true).receiveNotification(body(signedAt: signed), postedTo: AppID("acme"))
            Issue.record("the message was taken in")
        } catch IntakeFault.rejected(let error) {
            #expect(error.code == .expiredCertificate)
        }
        let old = try await intake(desk, checks: true).receiveNotification(
            body(signedAt: signed), postedTo: AppID("acme"), source: .history)
        #expect(old == .accepted)
    }
}
