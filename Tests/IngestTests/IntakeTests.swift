import AppStore
import Domain
import Store
import Testing

@testable import AppStoreSimulator
@testable import Ingest

private let birdsong = AppSettings(
    id: AppID("birdsong"), name: "Birdsong", bundleID: "com.birdsong", appAppleID: 7, environments: [.production])

/// What is said of app and environment, and what becomes of it.
struct RoutingRow: CustomTestStringConvertible, Sendable {
    var name: String
    var data: String
    var receipt: Receipt
    /// The ledger that keeps it.
    var ledger: Ledger
    var testDescription: String { name }

    init(_ name: String, _ data: String, is receipt: Receipt, in app: String = "acme", _ environment: Environment = .production) {
        (self.name, self.data, self.receipt) = (name, data, receipt)
        ledger = Ledger(app: AppID(app), environment: environment)
    }
}

private func data(_ bundle: String, _ appAppleID: Int64?, _ environment: String) -> String {
    let id = appAppleID.map { #","appAppleId":\#($0)"# } ?? ""
    return #""data":{"bundleId":"\#(bundle)"\#(id),"environment":"\#(environment)"}"#
}

@Test(arguments: [
    RoutingRow("our own", data("com.acme.app", 900_100_200, "Production"), is: .accepted),
    RoutingRow("our own in the sandbox", data("com.acme.app", nil, "Sandbox"), is: .accepted, in: "acme", .sandbox),
    RoutingRow("another number in the sandbox", data("com.acme.app", 1, "Sandbox"), is: .accepted, in: "acme", .sandbox),
    RoutingRow("another configured app's", data("com.birdsong", 7, "Production"), is: .accepted, in: "birdsong"),
    RoutingRow("nobody's", data("com.other", 9, "Production"), is: .quarantined(.wrongApp)),
    RoutingRow("nobody's in the sandbox", data("com.other", nil, "Sandbox"), is: .quarantined(.wrongApp), in: "acme", .sandbox),
    RoutingRow("another number in Production", data("com.acme.app", 1, "Production"), is: .quarantined(.wrongApp)),
    RoutingRow("no number in Production", data("com.acme.app", nil, "Production"), is: .quarantined(.wrongApp)),
    RoutingRow(
        "an environment that is not configured", data("com.birdsong", 7, "Sandbox"), is: .quarantined(.wrongEnvironment), in: "acme",
        .sandbox),
    RoutingRow("an environment unknown to us", data("com.acme.app", 900_100_200, "Xcode"), is: .quarantined(.wrongEnvironment)),
    RoutingRow("an app before an environment", data("com.other", 9, "Xcode"), is: .quarantined(.wrongApp)),
    RoutingRow("no bundleId", #""data":{"environment":"Production","appAppleId":900100200}"#, is: .quarantined(.unattributed)),
    RoutingRow("no container", #""other":{}"#, is: .quarantined(.unattributed)),
])
func routing(_ row: RoutingRow) async throws {
    let desk = try await TestDesk(others: [birdsong])
    let json = #"{"notificationType":"TEST","notificationUUID":"u","version":"2.0","signedDate":\#(on(0).milliseconds),\#(row.data)}"#
    #expect(try await desk.post(json: json) == row.receipt)
    #expect(try await desk.post(json: json) == .duplicate)
    let isTaken = row.receipt == .accepted
    let entry = try #require(try await desk.entry(isTaken ? "u" : LogEntry.quarantinedIdentity("u")))
    #expect(entry.ledger == row.ledger)
    #expect((entry.result == .accepted) == isTaken)
    #expect(try await desk.entry(isTaken ? LogEntry.quarantinedIdentity("u") : "u") == nil)
    if case .quarantined(let reason) = row.receipt { #expect(entry.reason == reason.rawValue) }
}

@Test func aMessageFromTheFutureIsSetAside() async throws {
    let desk = try await TestDesk()
    #expect(try await desk.notify("REFUND", nil, coins.refunded(at: on(2)), signed: on(1)) == .accepted, "a day ahead is a wrong clock")
    let receipt = try await desk.notify("REFUND", nil, coins.refunded(at: on(2)), uuid: "u", signed: on(1) + .milliseconds(1))
    #expect(receipt == .quarantined(.futureDate))
}

@Test func anInnerPayloadOfAnotherAppIsSetAside() async throws {
    let desk = try await TestDesk()
    let receipt = try await desk.notify("REFUND", nil, coins.refunded(at: on(0)).with { $0.bundleId = "com.other" })
    #expect(receipt == .quarantined(.innerMismatch))
    #expect(try await desk.sketch(["2001"]).isEmpty, "not applied")
    #expect(
        try await desk.notify("DID_RENEW", nil, month, second.renewal { $0.originalTransactionId = "9" }) == .quarantined(.innerMismatch))
}

@Test func whatWasSetAsideIsTakenOnceItBelongs() async throws {
    let desk = try await TestDesk()
    let message = desk.message("ONE_TIME_CHARGE", nil, coins, uuid: "u").body(TestDesk.signer)
    let stranger = AppSettings(id: desk.app.id, name: "", bundleID: "com.new", appAppleID: 1, environments: [.production])
    let early = Intake(
        store: desk.store, verifiers: desk.intake.verifiers, apps: AppDirectory([stranger]), time: desk.clock, metrics: Metrics())
    #expect(try await early.receiveNotification(message, postedTo: desk.app.id) == .quarantined(.wrongApp))
    #expect(try await desk.sketch(["2001"]).isEmpty)
    #expect(try await desk.intake.receiveNotification(message, postedTo: desk.app.id) == .accepted)
    #expect(try await desk.sketch(["2001"]) == "coins100 100-0")
}

@Test func environmentsNeverMix() async throws {
    let desk = try await TestDesk(in: .sandbox)
    try await desk.notify("ONE_TIME_CHARGE", nil, coins.with { $0.environment = "Sandbox" })
    #expect(try await desk.sketch(["2001"]) == "coins100 100-0")
    let inProduction = Ledger(app: desk.app.id, environment: .production)
    let purchase = try await desk.store.read { tx throws(StoreError) in try tx.purchase(TransactionID("2001"), in: inProduction) }
    #expect(purchase == nil)
}

@Test func theBodyIsKeptByteForByte() async throws {
    let desk = try await TestDesk()
    let spaced =
        Array("{ \"extra\" : [1], \"signedPayload\":\"".utf8)
        + Array(desk.message("DID_RENEW", nil, month, month.renewal(), uuid: "u").signedPayload(TestDesk.signer).utf8) + Array("\"}\n".utf8)
    #expect(try await desk.intake.receiveNotification(spaced, postedTo: desk.app.id) == .accepted)
    let entry = try #require(try await desk.entry("u"))
    #expect(try await desk.store.read { tx throws(StoreError) in try StoredBody.decode(entry, tx) } == spaced)
    #expect(entry.body.count < spaced.count / 2, "certificates are kept once")
}

@Test func aTransactionFromTheAppIsTakenOnce() async throws {
    let desk = try await TestDesk()
    let jws = TestDesk.signer.sign(coins)
    #expect(try await desk.intake.receiveTransaction(jws, postedTo: desk.app.id) == .accepted)
    #expect(
        try await desk.intake.receiveTransaction(TestDesk.signer.sign(coins), postedTo: desk.app.id) == .duplicate,
        "other signature, same payload")
    #expect(try await desk.sketch(["2001"]) == "coins100 100-0")
    let other = TestDesk.signer.sign(coins.with { $0.bundleId = "com.other" })
    #expect(try await desk.intake.receiveTransaction(other, postedTo: desk.app.id) == .quarantined(.wrongApp))
    let future = TestDesk.signer.sign(coins.with { $0.signedDate = on(9).milliseconds })
    #expect(try await desk.intake.receiveTransaction(future, postedTo: desk.app.id) == .quarantined(.futureDate))
    let xcode = TestDesk.signer.sign(coins.with { $0.environment = "Xcode" })
    #expect(try await desk.intake.receiveTransaction(xcode, postedTo: desk.app.id) == .quarantined(.wrongEnvironment))
    #expect(try await desk.differences().isEmpty)
}

@Test func whatIsNotSignedChangesNothing() async throws {
    let desk = try await TestDesk()
    let forger = SigningChain.generate(at: on(0)).signer
    let body = desk.message("REFUND", nil, coins.refunded(at: on(0)), uuid: "u").body(forger)
    await #expect(throws: IntakeFault.self) { try await desk.intake.receiveNotification(body, postedTo: desk.app.id) }
    #expect(try await desk.entry("u") == nil)
    let counts = desk.metrics.snapshot.filter { $0.key.name == "refund_desk_rejected_total" }
    #expect(counts.map(\.value) == [1])
    await #expect(throws: IntakeFault.self) { try await desk.intake.receiveNotification(body, postedTo: AppID("nobody")) }
}

@Test func forwardsAreOfWhatIsTakenAliveOnly() async throws {
    var app = AppSettings.acme
    app.forwards = ["there", "elsewhere"]
    let desk = try await TestDesk(app)
    try await desk.notify("ONE_TIME_CHARGE", nil, coins)
    #expect(try await desk.depth(.forward) == 2)
    let old = desk.message("DID_RENEW", nil, month).body(TestDesk.signer)
    _ = try await desk.intake.receiveNotification(old, postedTo: app.id, source: .history)
    _ = try await desk.post(json: #"{"notificationType":"TEST","notificationUUID":"q","signedDate":1790000000000}"#)
    #expect(try await desk.depth(.forward) == 2)
    try await desk.notify("NEWS", nil, coins)
    #expect(try await desk.depth(.forward) == 4, "unknown types go on too")
}

@Test func unknownWordsRaiseOneAlertEach() async throws {
    var app = AppSettings.acme
    app.alerts = [AlertTarget(id: "slack", events: [.unknown, .quarantined])]
    let desk = try await TestDesk(app)
    for _ in 0..<3 { try await desk.notify("NEWS", nil, coins) }
    try await desk.notify("DID_RENEW", "NEWS", month)
    #expect(try await desk.depth(.alert) == 2)
    let unknown = desk.metrics.snapshot.first { $0.key.name == "refund_desk_unknown_type_total" }
    #expect(unknown?.value == 4)
    for uuid in ["a", "b"] {
        _ = try await desk.post(json: #"{"notificationType":"TEST","notificationUUID":"\#(uuid)","signedDate":1790000000000}"#)
    }
    #expect(try await desk.depth(.alert) == 3, "one an hour and reason")
}
