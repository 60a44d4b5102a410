import Domain
import Foundation
import Store
import Testing

@testable import AppStoreSimulator
@testable import Ingest

private let token = "7e3fb20b-4cdb-47cc-936d-99d65f608138"

extension TestDesk {
    fileprivate func forget(_ ref: String) async throws -> Forgetting.Report? {
        try await Forgetting(ref, in: ledger).run(on: store, at: clock.now())
    }

    /// A person of whom every kind of fact is known, and a neighbour of whom the same is.
    fileprivate static func peopled() async throws -> TestDesk {
        var app = AppSettings.acme
        app.events = EventSettings(
            targets: [WebhookTarget(id: "hook", url: "https://example.com", events: ["*"], environments: [.production])],
            render: { Array(#"{"originalTransactionId":"\#($0.subject.originalTransactionID?.rawValue ?? "")"}"#.utf8) },
            makeID: { "evt_\(UUID())" })
        let desk = try await TestDesk(app)
        for (id, owner) in [("2001777", token), ("2002888", "0b0b0b0b-4cdb-47cc-936d-99d65f608138")] {
            let pack = TransactionPayload.coins(id).with { $0.appAccountToken = owner }
            let month = TransactionPayload.month("30" + id, of: "30" + id).with {
                ($0.appAccountToken, $0.appTransactionId) = (owner, "704" + id)
            }
            try await desk.notify("ONE_TIME_CHARGE", nil, pack)
            try await desk.notify("SUBSCRIBED", nil, month, month.renewal())
            try await desk.notify("FUTURE_EVENT", nil, pack)
            try await desk.consent(owner)
            let now = desk.clock.now()
            try await desk.owner { owner throws(StoreError) in
                try owner.record(UserLinkFact(originalTransactionID: TransactionID(id), userID: UserID("u-" + id), at: now))
                try owner.record(DeliveryFact(transactionID: TransactionID(id), status: .delivered, at: now))
                try owner.record(CustomerSetting(kind: .tags, ref: "u-" + id, json: "vip", at: now))
            }
            #expect(try await desk.use(30_000_000, "use-" + id, of: .customer(ref: "u-" + id)))
            #expect(try await desk.use(10_000_000, "own-" + id, of: .transaction(TransactionID(id))))
            try await desk.ask(pack, "ask-" + owner.prefix(2))
            #expect(try await desk.send(.accepted) != nil)
            try await desk.notify("REFUND", nil, pack.refunded(at: desk.clock.now()))
        }
        return desk
    }
}

@Test(arguments: ["7042001777", "2001777", "u-2001777", token]) func aPersonIsForgottenEverywhere(_ ref: String) async throws {
    let desk = try await TestDesk.peopled()
    let report = try #require(try await desk.forget(ref))
    #expect(report.purchases == 2)
    #expect(try await desk.forget(ref) == nil, "nobody is known by that name any more")
    #expect(try await desk.differences().isEmpty)
    let trail = try await AuditTrail.verify(desk.store)
    #expect(trail.faults == [] && trail.forgotten > 0)
    await desk.store.close()
    // Not in a page that is no longer used either.
    let text = try desk.databaseText()
    for name in ["2001777", token] { #expect(text.surroundings(of: name) == nil) }
    #expect(text.surroundings(of: "2002888") != nil, "the neighbour is somebody else")
}

extension String {
    /// Where a text is found, with what stands around it; nil where it is not.
    fileprivate func surroundings(of text: String) -> String? {
        guard let found = range(of: text) else { return nil }
        let start = index(found.lowerBound, offsetBy: -200, limitedBy: startIndex) ?? startIndex
        let end = index(found.upperBound, offsetBy: 100, limitedBy: endIndex) ?? endIndex
        return self[start..<end].filter { $0.isASCII && !$0.isNewline && ($0.isLetter || $0.isNumber || $0.isPunctuation) }
    }
}

@Test func aPersonIsForgottenWhereBodiesWereReduced() async throws {
    let desk = try await TestDesk.peopled()
    desk.clock.advance(.days(2))
    #expect(try await desk.takeAway(Retention(bodies: .days(1))).bodies >= 10)
    #expect(try await desk.differences().isEmpty)
    #expect(try await desk.forget(token)?.purchases == 2)
    #expect(try await desk.differences().isEmpty)
    await desk.store.close()
    let text = try desk.databaseText()
    for name in ["2001777", token] { #expect(text.surroundings(of: name) == nil) }
    #expect(text.surroundings(of: "2002888") != nil)
}

@Test func aForgottenMessageIsReducedLater() async throws {
    let desk = try await TestDesk.peopled()
    _ = try await desk.forget(token)
    desk.clock.advance(.days(2))
    #expect(try await desk.takeAway(Retention(bodies: .days(1))).bodies >= 10)
    #expect(try await desk.differences().isEmpty)
}

@Test func countsAndAmountsStay() async throws {
    let desk = try await TestDesk.peopled()
    let before = try await desk.totals()
    _ = try await desk.forget("u-2001777")
    #expect(try await desk.totals() == before)
    #expect(before.cases == 2 && before.refunded == 1_980)
    // Apple's late repeat brings nobody back; a new purchase is that of somebody new.
    #expect(try await desk.notify("ONE_TIME_CHARGE", nil, .coins("2001777"), uuid: "ask-7e") == .duplicate)
    try await desk.notify("ONE_TIME_CHARGE", nil, TransactionPayload.coins("2009").with { $0.appTransactionId = "7042001777" })
    #expect(try await desk.forget("7042001777")?.purchases == 1)
}

/// Who refused and was forgotten is not answered for by an attestation for everybody.
@Test(arguments: [false, true]) func aNoOutlivesTheName(_ saysYesAgain: Bool) async throws {
    var app = AppSettings.acme
    app.consentMode = .blanket(attestation: "the tests")
    let desk = try await TestDesk(app)
    try await desk.notify("ONE_TIME_CHARGE", nil, coins)
    try await desk.consent("7042001", false)
    #expect(try await desk.forget("7042001") != nil)
    desk.clock.advance(.hours(1))
    if saysYesAgain { try await desk.consent("7042001", true) }
    let next = TransactionPayload.coins("2009").with { $0.appTransactionId = "7042001" }
    try await desk.ask(next, "ask-9")
    #expect(try await desk.decision("2009")?.kind == (saysYesAgain ? .answer : .abstain))
    #expect(try await desk.differences().isEmpty)
    #expect(try await AuditTrail.verify(desk.store).faults == [])
}

/// A try that comes back after its customer was forgotten brings no name back.
@Test func aTryOnItsWayWhileSomebodyIsForgottenLeavesNothing() async throws {
    let desk = try await TestDesk()
    try await desk.askAboutCoins()
    let attempt = try #require(try await desk.begin())
    #expect(try await desk.forget("7042001") != nil)
    try await desk.end(attempt, .accepted)
    let entries = try await desk.store.read { tx throws(StoreError) in try tx.logEntries(after: 0, limit: 100) }
    #expect(entries.allSatisfy { $0.transactionID != TransactionID("2001") && !String(decoding: $0.body, as: UTF8.self).contains("2001") })
    #expect(try await desk.differences().isEmpty)
}

@Test func whoOnlyTheBackendNamedIsForgottenToo() async throws {
    let desk = try await TestDesk()
    try await desk.consent("nobody-yet")
    #expect(try await desk.forget("nobody-yet")?.logEntries == 1)
    #expect(try await desk.forget("nobody-yet") == nil)
    #expect(try await desk.differences().isEmpty)
}

private struct Totals: Equatable {
    var cases = 0
    var refunded: Int64 = 0
}

extension TestDesk {
    fileprivate func totals() async throws -> Totals {
        let ledger = ledger
        return try await store.read { tx throws(StoreError) in
            var totals = Totals()
            for row in try tx.cases(CaseQuery(ledger: ledger, page: PageRequest(limit: 200))).items where row.state == .refunded {
                totals.cases += 1
                totals.refunded += try tx.purchase(row.transactionID, in: ledger)?.transaction.money?.amount ?? 0
            }
            return totals
        }
    }
}
