import Domain
import Store
import Testing

@testable import AppStoreSimulator
@testable import Ingest

private let token = "7e3fb20b-4cdb-47cc-936d-99d65f608138"
private let named = coins.with { $0.appAccountToken = token.uppercased() }

@Test(arguments: ["7042001", "2001", token])
func aConsentGivenLaterAnswersAtOnce(_ ref: String) async throws {
    let desk = try await TestDesk()
    try await desk.ask(named)
    #expect(try await desk.decision("2001")?.because == [.noConsent])
    #expect(try await desk.send(.accepted) == nil, "no consent, no call")
    desk.clock.set(on(0) + .hours(3))
    try await desk.consent(ref)
    #expect(try await desk.nextDue(.answer) == desk.clock.now())
    #expect(try await desk.send(.accepted) == delivered)
    #expect(try await desk.answer("2001")?.status == .accepted)
    #expect(try await desk.differences().isEmpty)
}

@Test func aConsentMayComeBeforeThePurchase() async throws {
    let desk = try await TestDesk()
    try await desk.consent(token)
    try await desk.ask(named)
    #expect(try await desk.decision("2001")?.kind == .answer)
}

@Test func namesJoinWhateverCopyCarriesThem() async throws {
    let desk = try await TestDesk()
    try await desk.consent(token)
    desk.clock.set(on(1))
    try await desk.notify("ONE_TIME_CHARGE", nil, coins)
    try await desk.notify("ONE_TIME_CHARGE", nil, named, signed: on(0))
    try await desk.ask(coins)
    #expect(try await desk.decision("2001")?.kind == .answer, "an older copy named the account")
    #expect(try await desk.differences().isEmpty)
}

@Test func aConsentUnderTheOwnersIdCountsOnceLinked() async throws {
    for user in ["u-42", "AE3FB20B-4CDB-47CC-936D-99D65F608138"] {
        let desk = try await TestDesk()
        try await desk.consent(user.count == 36 ? user.lowercased() : user)
        try await desk.ask(coins)
        #expect(try await desk.decision("2001")?.because == [.noConsent])
        try await desk.link("2001", to: user)
        #expect(try await desk.decision("2001")?.kind == .answer, "the link joins")
        #expect(try await desk.file("2001")?.userID == UserID(user), "kept as it was said")
        #expect(try await desk.differences().isEmpty)
    }
}

@Test func aConsentOfAnotherCustomerIsNone() async throws {
    let desk = try await TestDesk()
    try await desk.notify("ONE_TIME_CHARGE", nil, .coins("2005"))
    try await desk.consent("7042005")
    try await desk.ask(coins)
    #expect(try await desk.decision("2001")?.because == [.noConsent])
}

@Test func consentAfterTheWindowAnswersNothing() async throws {
    let desk = try await TestDesk()
    try await desk.ask(coins)
    desk.clock.set(on(0) + .hours(12))
    try await desk.consent("7042001")
    #expect(try await desk.decision("2001")?.because == [.noConsent])
    #expect(try await desk.depth(.answer) == 0)
}

@Test func aWithdrawalCancels() async throws {
    let desk = try await TestDesk()
    try await desk.askAboutCoins()
    try await desk.send(.notTaken(notBefore: nil))
    try await desk.consent("7042001", false)
    #expect(try await desk.decision("2001")?.because == [.consentWithdrawn])
    #expect(try await desk.answer("2001")?.status == .cancelled)
    #expect(try await desk.file("2001")?.attempts.count == 1, "its tries stay on record")
    #expect(try await desk.depth(.answer) == 0)
    try await desk.consent("7042001")
    #expect(try await desk.sendWhenDue(.accepted) == delivered, "and a new consent answers after all")
    #expect(try await desk.differences().isEmpty)
}

@Test func aWithdrawalEndsAHold() async throws {
    let desk = try await TestDesk(.acme(PolicyOutcome(.prefer(.decline), after: .hours(2))))
    try await desk.askAboutCoins()
    #expect(try await desk.decision("2001")?.kind == .hold)
    try await desk.consent("7042001", false)
    #expect(try await desk.decision("2001")?.because == [.consentWithdrawn])
    #expect(try await desk.depth(.decide) == 0)
}

@Test func aDeliveryRecordedLaterAnswers() async throws {
    let desk = try await TestDesk()
    let pack = TransactionPayload.make("2007", "unstated", .consumable, at: on(0))
    try await desk.consent("7042007")
    try await desk.ask(pack)
    #expect(try await desk.decision("2007")?.because == [.deliveryUnknown])
    try await desk.deliver("2007", .undeliveredServerOutage)
    let body = try await desk.send(.accepted)
    #expect(
        body
            == #"{"consumptionPercentage":0,"customerConsented":true,"deliveryStatus":"UNDELIVERED_SERVER_OUTAGE","sampleContentProvided":false}"#
    )
    #expect(try await desk.differences().isEmpty)
}

@Test func aDeliveryOfAnUnknownTransactionWaitsForIt() async throws {
    let desk = try await TestDesk()
    try await desk.deliver("2007", .delivered)
    try await desk.consent("7042007")
    try await desk.ask(.make("2007", "unstated", .consumable, at: on(0)))
    #expect(try await desk.decision("2007")?.kind == .answer)
}

@Test func anOutageCoversWhatWasBoughtInIt() async throws {
    var app = AppSettings.acme
    app.products.rest?.outages = [.init(from: on(1), to: on(2), status: .undeliveredServerOutage)]
    let desk = try await TestDesk(app)
    desk.clock.set(on(3))
    for (id, start, status) in [("1", on(0), "DELIVERED"), ("2", on(1), "UNDELIVERED_SERVER_OUTAGE"), ("3", on(2), "DELIVERED")] {
        try await desk.consent("704" + id)
        try await desk.ask(.make(id, "gem", .consumable, at: start), "ask-" + id)
        #expect(try await desk.send(.accepted)?.contains(#""deliveryStatus":"\#(status)""#) == true)
    }
}

@Test func usageCountsOnce() async throws {
    let desk = try await TestDesk()
    try await desk.notify("ONE_TIME_CHARGE", nil, coins)
    let pack = UsageFact.Subject.transaction(TransactionID("2001"))
    #expect(try await desk.use(30_000_000, "e1", of: pack))
    #expect(try await !desk.use(30_000_000, "e1", of: pack))
    #expect(try await desk.use(20_500_000, "e2", of: pack))
    try await desk.consent("7042001")
    try await desk.ask(coins)
    #expect(try await desk.send(.accepted)?.contains(#""consumptionPercentage":50500,"#) == true)
    #expect(try await desk.differences().isEmpty)
}

/// Usage in millionths of a coin of a pack of a hundred, and the percentage sent.
@Test(arguments: [
    ([Int64(-5_000_000)], Int?(0)), ([60_000_000, -10_000_000], 50_000), ([1], 0), ([33_333_999], 33_333), ([100_000_000], 100_000),
    ([250_000_000], 100_000), ([.max], 100_000), ([], nil),
])
func usageAsPercentage(_ quantities: [Int64], _ expected: Int?) async throws {
    let desk = try await TestDesk()
    for (index, quantity) in quantities.enumerated() {
        #expect(try await desk.use(quantity, "e\(index)", of: .transaction(TransactionID("2001"))))
    }
    try await desk.askAboutCoins()
    let body = try #require(try await desk.send(.accepted))
    let wanted = expected.map { #"{"consumptionPercentage":\#($0),"customerConsented":true,"# } ?? #"{"customerConsented":true,"#
    #expect(body.hasPrefix(wanted), "\(body)")
}

@Test func usageOfAPackNobodyUsedIsZeroWhereItsCustomerEverReported() async throws {
    let desk = try await TestDesk()
    #expect(try await desk.use(1_000_000, "e1", of: .customer(ref: "7042001"), meter: "gems"))
    try await desk.askAboutCoins()
    #expect(try await desk.send(.accepted)?.contains(#""consumptionPercentage":0,"#) == true)
}

@Test func settingsBeatTheRules() async throws {
    let rows: [(String, Decision.Kind, RefundPreference?)] = [
        ("GRANT_FULL", .answer, .grantFull), ("none", .abstain, nil), ("data-only", .answer, nil),
    ]
    for (word, kind, preference) in rows {
        let desk = try await TestDesk(.acme(PolicyOutcome(.prefer(.decline))))
        let setting = CustomerSetting(kind: .preference, ref: "7042001", json: word, at: desk.clock.now())
        try await desk.owner { owner throws(StoreError) in try owner.record(setting) }
        try await desk.askAboutCoins()
        let decision = try #require(try await desk.decision("2001"))
        #expect(decision.kind == kind && decision.preference == preference && decision.because.first == .customerOverride)
        #expect(try await desk.differences().isEmpty)
    }
}

// MARK: A person decides

extension TestDesk {
    /// - Returns: The code of the refusal, nil where the decision was taken.
    fileprivate func person(_ preference: RefundPreference?, _ id: String = "2001") async throws -> String? {
        let result = try await owner { desk throws(StoreError) in try desk.answer(TransactionID(id), preferring: preference) }
        if case .failure(let refusal) = result { return "\(refusal)" }
        return nil
    }
    fileprivate func abstain() async throws -> String? {
        let result = try await owner { desk throws(StoreError) in try desk.abstain(TransactionID("2001")) }
        if case .failure(let refusal) = result { return "\(refusal)" }
        return nil
    }
}

@Test func aPersonDecidesAHeldCase() async throws {
    let desk = try await TestDesk(.acme(PolicyOutcome(.prefer(.grantFull), after: .hours(2))))
    try await desk.askAboutCoins()
    #expect(try await desk.person(.decline) == nil)
    #expect(try await desk.depth(.decide) == 0)
    #expect(try await desk.send(.accepted)?.contains(#""refundPreference":"DECLINE""#) == true)
    #expect(try await desk.person(.grantFull) == "alreadyAnswered")
    #expect(try await desk.abstain() == "alreadyAnswered")
    #expect(try await desk.differences().isEmpty)
}

@Test func aPersonAbstains() async throws {
    let desk = try await TestDesk()
    try await desk.askAboutCoins()
    #expect(try await desk.abstain() == nil)
    #expect(try await desk.answer("2001")?.status == .cancelled)
    #expect(try await desk.depth(.answer) == 0)
    try await desk.consent("7042001")
    #expect(try await desk.depth(.answer) == 0, "a consent changes no person's word")
    #expect(try await desk.person(nil) == nil, "another word of a person does")
    #expect(try await desk.send(.accepted) == delivered)
}

@Test func aPersonAnswersAgainWhatAppleRefused() async throws {
    let desk = try await TestDesk()
    try await desk.askAboutCoins()
    try await desk.send(.refused)
    #expect(try await desk.answer("2001")?.status == .failed)
    #expect(try await desk.person(nil) == nil)
    #expect(try await desk.sendWhenDue(.accepted) == delivered)
}

@Test func personsAreRefused() async throws {
    let desk = try await TestDesk()
    #expect(try await desk.person(.decline) == "noSuchCase")
    try await desk.notify("REFUND", nil, .coins("2009").refunded(at: on(0)))
    #expect(try await desk.person(.decline, "2009") == "windowClosed", "nobody asked")
    try await desk.ask(coins)
    #expect(try await desk.person(.decline) == "noConsent")
    try await desk.consent("7042001")
    #expect(try await desk.person(.grantProrated) == "illegalPreference", "its use is unknown")
    let attempt = try #require(try await desk.begin())
    #expect(try await desk.person(.decline) == "alreadyAnswered", "a try whose fate is unknown is followed by no other body")
    try await desk.end(attempt, .notTaken(notBefore: nil))
    #expect(try await desk.person(.decline) == nil)
    desk.clock.set(on(0) + .hours(12))
    #expect(try await desk.person(.decline) == "windowClosed")
    #expect(try await desk.abstain() == "windowClosed")
}

@Test func personsAreRefusedWhatNobodyCanAnswer() async throws {
    let desk = try await TestDesk()
    let shared = month.with { $0.inAppOwnershipType = "FAMILY_SHARED" }
    try await desk.ask(shared)
    #expect(try await desk.person(.decline, "3001") == "unanswerable([Domain.Because.familyShared])")
    let pack = TransactionPayload.make("2007", "unstated", .consumable, at: on(0))
    try await desk.ask(pack, "other")
    try await desk.consent("7042007")
    #expect(try await desk.person(.decline, "2007") == "deliveryUnknown")
    try await desk.askAboutCoins()
    try await desk.decline(coins)
    #expect(try await desk.person(.decline) == "windowClosed", "decided")
}
