import Domain
import Store
import Testing

@testable import AppStoreSimulator
@testable import Ingest

private let unstated = TransactionPayload.make("2007", "unstated", .consumable, at: on(0))

/// What one purchase is told to be: recorded and configured outages, a recorded delivery, a product's own statement.
struct TruthRow: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var product: String
    var set: @Sendable (TestDesk) async throws -> Void
    var configured: [Outage] = []
    var expected: String

    init(
        _ name: String, _ product: String, configured: [Outage] = [], tells expected: String,
        _ set: @escaping @Sendable (TestDesk) async throws -> Void
    ) {
        (testDescription, self.product, self.set, self.configured, self.expected) = (name, product, set, configured, expected)
    }
}

private let covering = [Outage(from: on(-1), to: on(1), status: .undeliveredOther)]

@Test(arguments: [
    TruthRow("nothing recorded", "gem", tells: "DELIVERED") { _ in },
    TruthRow("an outage that begins with the purchase", "gem", tells: "UNDELIVERED_SERVER_OUTAGE") {
        try await $0.outages(of: "com.acme.gem", (0, 1))
    },
    TruthRow("an outage that ends with the purchase", "gem", tells: "DELIVERED") { try await $0.outages(of: "com.acme.gem", (-1, 0)) },
    TruthRow("the second of two outages", "gem", tells: "UNDELIVERED_SERVER_OUTAGE") {
        try await $0.outages(of: "com.acme.gem", (-9, -5), (-1, 1))
    },
    TruthRow("an outage of another product", "gem", tells: "DELIVERED") { try await $0.outages(of: "com.acme.coins100", (-1, 1)) },
    TruthRow("an outage of all that is not named", "gem", tells: "UNDELIVERED_SERVER_OUTAGE") { try await $0.outages(of: "*", (-1, 1)) },
    TruthRow("a named product is none of the rest", "coins100", tells: "DELIVERED") { try await $0.outages(of: "*", (-1, 1)) },
    TruthRow("its own outage before that of the rest", "gem", tells: "UNDELIVERED_QUALITY_ISSUE") {
        try await $0.outages(of: "*", (-1, 1))
        try await $0.outages(of: "com.acme.gem", (-1, 1), status: .undeliveredQualityIssue)
    },
    TruthRow("a configured one", "gem", configured: covering, tells: "UNDELIVERED_OTHER") { _ in },
    TruthRow("a configured one beside recorded ones", "gem", configured: covering, tells: "UNDELIVERED_OTHER") {
        try await $0.outages(of: "com.acme.gem", (5, 6))
    },
    TruthRow("recorded before configured", "gem", configured: covering, tells: "UNDELIVERED_SERVER_OUTAGE") {
        try await $0.outages(of: "com.acme.gem", (-1, 1))
    },
    TruthRow("what is recorded for the transaction beats all", "gem", configured: covering, tells: "DELIVERED") {
        try await $0.outages(of: "com.acme.gem", (-1, 1))
        try await $0.deliver("2008", .delivered)
    },
    TruthRow("an outage taken back", "gem", tells: "DELIVERED") {
        try await $0.outages(of: "com.acme.gem", (-1, 1))
        try await $0.outages(of: "com.acme.gem")
    },
    TruthRow("an outage where nothing is stated", "unstated", tells: "UNDELIVERED_SERVER_OUTAGE") {
        try await $0.outages(of: "com.acme.unstated", (-1, 1))
    },
])
func whatOfADeliveryIsTold(_ row: TruthRow) async throws {
    var app = AppSettings.acme
    app.products.rest?.outages = row.configured
    let desk = try await TestDesk(app)
    try await row.set(desk)
    try await desk.consent("7042008")
    try await desk.ask(.make("2008", row.product, .consumable, at: on(0)))
    #expect(try await desk.send(.accepted)?.contains(#""deliveryStatus":"\#(row.expected)""#) == true)
    #expect(try await desk.differences().isEmpty)
}

@Test func anOutageRecordedLaterAnswersAtOnce() async throws {
    let desk = try await TestDesk()
    try await desk.consent("7042007")
    try await desk.ask(unstated)
    try await desk.ask(.make("2009", "unstated", .consumable, at: on(-3)), "ask-2009")
    #expect(try await desk.decision("2007")?.because == [.deliveryUnknown])
    desk.clock.advance(.hours(3))
    try await desk.outages(of: "com.acme.unstated", (-1, 1))
    #expect(try await desk.decision("2007")?.kind == .answer)
    #expect(try await desk.nextDue(.answer) == desk.clock.now())
    #expect(try await desk.send(.accepted)?.contains(#""deliveryStatus":"UNDELIVERED_SERVER_OUTAGE""#) == true)
    #expect(try await desk.decision("2009")?.because == [.noConsent, .deliveryUnknown], "bought before it")
    #expect(try await desk.differences().isEmpty)
}

@Test func whatWaitsToBeSentSaysTheNewTruth() async throws {
    let desk = try await TestDesk()
    try await desk.askAboutCoins()
    try await desk.send(.notTaken(notBefore: nil))
    try await desk.outages(of: "com.acme.coins100", (-1, 1))
    #expect(
        try await desk.sendWhenDue(.accepted)
            == #"{"consumptionPercentage":0,"customerConsented":true,"deliveryStatus":"UNDELIVERED_SERVER_OUTAGE","sampleContentProvided":true}"#
    )
}

@Test func anOutageTakenBackStopsWhatNobodyStates() async throws {
    let desk = try await TestDesk()
    try await desk.outages(of: "com.acme.unstated", (-1, 1))
    try await desk.consent("7042007")
    try await desk.ask(unstated)
    #expect(try await desk.decision("2007")?.kind == .answer)
    try await desk.outages(of: "com.acme.unstated")
    #expect(try await desk.decision("2007")?.because == [.deliveryUnknown])
    #expect(try await desk.answer("2007")?.status == .cancelled)
    #expect(try await desk.send(.accepted) == nil)
    #expect(try await desk.differences().isEmpty)
}

@Test func anOutageAfterTheWindowAnswersNothing() async throws {
    let desk = try await TestDesk()
    try await desk.consent("7042007")
    try await desk.ask(unstated)
    desk.clock.advance(.hours(12))
    try await desk.outages(of: "com.acme.unstated", (-1, 1))
    #expect(try await desk.decision("2007")?.because == [.deliveryUnknown])
    #expect(try await desk.depth(.answer) == 0)
}

/// One place makes a name that is a UUID lower case, whoever records it.
@Test func everyNameIsKeptInLowerCaseWhereItIsAUUID() async throws {
    let token = "7E3FB20B-4CDB-47CC-936D-99D65F608138"
    let desk = try await TestDesk()
    let named = TransactionPayload.coins().with { $0.appAccountToken = token }
    try await desk.consent(token)
    for kind in [CustomerSetting.Kind.preference, .tags] {
        let setting = CustomerSetting(kind: kind, ref: token, json: kind == .tags ? "vip" : "GRANT_FULL", at: desk.clock.now())
        try await desk.owner { owner throws(StoreError) in try owner.record(setting) }
    }
    _ = try await desk.use(1_000_000, "e1", of: .customer(ref: token), meter: "gems")
    try await desk.ask(named)
    #expect(try await desk.decision("2001")?.preference == .grantFull)
    #expect(try await desk.send(.accepted)?.contains(#""consumptionPercentage":0,"#) == true, "its customer reports usage")
    let ledger = desk.ledger
    try await desk.store.read { tx throws(StoreError) in
        #expect(try tx.consents(refs: [token], in: ledger).isEmpty)
        #expect(try tx.consents(refs: [token.lowercased()], in: ledger).count == 1)
        #expect(try tx.setting(.tags, refs: [token.lowercased()], in: ledger)?.json == "vip")
    }
    #expect(try await desk.differences().isEmpty)
}
