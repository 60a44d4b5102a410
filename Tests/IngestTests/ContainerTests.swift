import Domain
import Store
import Testing

@testable import Ingest

/// A notification without `data`: nothing to fold, but on record whole.
struct ContainerRow: CustomTestStringConvertible, Sendable {
    var name: String
    /// The object beside type and identity.
    var container: String
    var receipt: Receipt
    var environment: Environment
    var testDescription: String { name }

    init(_ name: String, _ container: String, in environment: Environment = .production, is receipt: Receipt = .accepted) {
        (self.name, self.container, self.environment, self.receipt) = (name, container, environment, receipt)
    }

    var type: String { String(name.prefix { $0 != " " && $0 != "/" }) }
    var subtype: String? { name.split(separator: " ")[0].split(separator: "/").dropFirst().first.map(String.init) }
}

private let ids = #""bundleId":"com.acme.app","appAppleId":900100200"#

@Test(arguments: [
    ContainerRow("RESCIND_CONSENT", #""appData":{\#(ids),"environment":"Production"}"#),
    ContainerRow("UNCLAIM_SEATS (of an app)", #""unclaimInfo":{\#(ids),"environment":"Production","unclaimSeatIds":["s1","s2"]}"#),
    ContainerRow("UNCLAIM_SEATS", #""unclaimInfo":{"unclaimSeatIds":["s1"]}"#, is: .quarantined(.unattributed)),
    ContainerRow(
        "RENEWAL_EXTENSION/SUMMARY",
        #""summary":{\#(ids),"environment":"Production","requestIdentifier":"r","productId":"p","succeededCount":5,"failedCount":1}"#),
    ContainerRow(
        "EXTERNAL_PURCHASE_TOKEN/UNREPORTED", #""externalPurchaseToken":{\#(ids),"externalPurchaseId":"1","tokenCreationDate":1}"#),
    ContainerRow("EXTERNAL_PURCHASE_TOKEN/CREATED", #""externalPurchaseToken":{\#(ids),"externalPurchaseId":"1","tokenCreationDate":1}"#),
    ContainerRow("EXTERNAL_PURCHASE_TOKEN/ACTIVE_TOKEN_REMINDER", #""externalPurchaseToken":{\#(ids),"externalPurchaseId":"1"}"#),
    ContainerRow(
        "EXTERNAL_PURCHASE_TOKEN/CREATED (sandbox)", #""externalPurchaseToken":{\#(ids),"externalPurchaseId":"SANDBOX_1"}"#, in: .sandbox),
    ContainerRow("NEWS (unknown container)", #""news":{\#(ids),"environment":"Production"}"#, is: .quarantined(.unattributed)),
    ContainerRow("TEST", #""data":{\#(ids),"environment":"Production"}"#),
    ContainerRow("TEST (sandbox, no appAppleId)", #""data":{"bundleId":"com.acme.app","environment":"Sandbox"}"#, in: .sandbox),
])
func containerRow(_ row: ContainerRow) async throws {
    let desk = try await TestDesk()
    try await desk.notify("SUBSCRIBED", "INITIAL_BUY", month, month.renewal())
    let subtype = row.subtype.map { #","subtype":"\#($0)""# } ?? ""
    let json =
        #"{"notificationType":"\#(row.type)"\#(subtype),"notificationUUID":"u","version":"2.0","signedDate":\#(on(0).milliseconds),"#
        + row.container + "}"
    let body = TestDesk.body(json: json)
    #expect(try await desk.intake.receiveNotification(body, postedTo: desk.app.id) == row.receipt)
    let isTaken = row.receipt == .accepted
    let entry = try #require(try await desk.entry(isTaken ? "u" : LogEntry.quarantinedIdentity("u")))
    #expect(entry.rawNotificationType == row.type && entry.rawSubtype == row.subtype && entry.transactionID == nil)
    #expect(entry.ledger.environment == row.environment)
    #expect(try await desk.store.read { tx throws(StoreError) in try StoredBody.decode(entry, tx) } == body, "byte for byte")
    #expect(try await desk.sketch(["3001"]) == "+pro active 30 renews", "no access changed")
    #expect(try await desk.differences().isEmpty)
}
