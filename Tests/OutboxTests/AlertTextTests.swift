import Domain
import Ingest
import Testing

@testable import Outbox

@Suite struct AlertTextTests {
    private let app = AppSettings(id: AppID("acme"), name: "Acme", bundleID: "com.acme.app", appAppleID: 1, environments: [.production])

    private func message(_ notice: AlertNotice, isSimulated: Bool = false) -> AlertMessage {
        AlertMessage(
            notice, app: app, ledger: Ledger(app: app.id, environment: .production), file: nil,
            channel: AlertChannel(
                kind: .webhook(url: "https://a.example"), showsAmounts: false, publicURL: "https://desk.example.com",
                isSimulated: isSimulated),
            at: Timestamp(milliseconds: 0))
    }

    /// What each event that is about no case tells besides its detail.
    @Test(arguments: [
        (AlertEvent.spike, "5.6.4"), (.silence, "doctor --app acme"), (.keyRejected, "doctor --app acme"), (.unknown, "newer version"),
        (.quarantined, "/v1/apps/acme/notifications?result=quarantined"), (.disk, "free space"),
    ])
    func saysWhatToDo(_ event: AlertEvent, _ advice: String) {
        let message = message(AlertNotice(event: event, detail: "the detail"))
        let lines = message.text.split(separator: "\n")
        #expect(lines.first == "\(event.title): Acme, Production")
        #expect(lines.dropFirst().first == "the detail")
        #expect(message.text.contains(advice))
        #expect(message.url == nil && message.transactionID == nil)
    }

    @Test func marksASimulatedInstance() {
        let message = message(AlertNotice(event: .disk), isSimulated: true)
        #expect(message.title.hasPrefix("[simulated] "))
        #expect(message.text.hasPrefix("[simulated] "))
    }

    @Test func namesTheCase() {
        let message = message(AlertNotice(event: .answerExpired, transactionID: TransactionID("7")))
        #expect(message.url == "https://desk.example.com/apps/acme/cases/7")
        #expect(message.isUrgent)
    }

    @Test func instantsAreReadable() {
        #expect(clockText(Timestamp(milliseconds: 1_796_000_000_123)) == "2026-11-30 00:53 UTC")
    }
}
