import AppStore
import Crypto
import Domain
import Foundation
import Store
import StoreConformance
import Testing

@testable import AppStoreSimulator
@testable import Ingest

extension TestDesk {
    /// Takes away what is too old, batch by batch, until there is nothing left to do.
    @discardableResult
    func takeAway(_ retention: Retention? = nil) async throws -> (bodies: Int, usage: Int) {
        var (bodies, usage, place) = (0, 0, UsagePlace?.none)
        while true {
            let progress = try await batch(retention) { desk throws(StoreError) in try desk.reduceBodies() }
            bodies += progress.count
            if progress.isAtEnd { break }
        }
        while true {
            let from = place
            let progress = try await batch(retention) { desk throws(StoreError) in try desk.removeUsage(behind: from) }
            usage += progress.count
            place = progress.place
            if progress.isAtEnd { return (bodies, usage) }
        }
    }

    func batch(
        _ retention: Retention? = nil, _ body: @escaping @Sendable (RetentionDesk) throws(StoreError) -> RetentionDesk.Progress
    ) async throws -> RetentionDesk.Progress {
        var app = app
        if let retention { app.retention = retention }
        let (kept, ledger, now) = (app, ledger, clock.now())
        return try await store.write { tx throws(StoreError) in try body(RetentionDesk(app: kept, ledger: ledger, tx: tx, now: now)) }
    }

    /// A desk that keeps for a month.
    fileprivate static func monthly(_ retention: Retention = Retention(usage: .days(30), bodies: .days(30))) async throws -> TestDesk {
        var app = AppSettings.acme
        app.retention = retention
        return try await TestDesk(app)
    }

    fileprivate func record(_ units: Int64, _ id: String, of subject: UsageFact.Subject, at instant: Timestamp) async throws -> UsageReceipt
    {
        let fact = UsageFact(id: id, subject: subject, meter: "coins", millionths: units * 1_000_000, at: instant)
        return try await owner { desk throws(StoreError) in try desk.record(fact) }
    }

    fileprivate func body(_ uuid: String) async throws -> String {
        try await store.read { tx throws(StoreError) in
            guard let entry = try tx.logEntry(identity: uuid) else { return "" }
            return String(decoding: try StoredBody.decode(entry, tx), as: UTF8.self)
        }
    }

    fileprivate func coins(of ref: String) async throws -> Int64? {
        let ledger = ledger
        return try await store.read { tx throws(StoreError) in try tx.usage(of: .customer(ref: ref), in: ledger)["coins"] }
    }
}

/// The parts of a notification's JWS.
private func parts(_ body: String) throws -> (header: String, payload: String, signature: [UInt8]) {
    let object = try #require(JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: String])
    let parts = try #require(object["signedPayload"]).split(separator: ".").map(String.init)
    func bytes(_ text: String) throws -> [UInt8] {
        let decoded = Base64URL.decode(Array(text.utf8))
        return try #require(decoded)
    }
    return (String(decoding: try bytes(parts[0]), as: UTF8.self), String(decoding: try bytes(parts[1]), as: UTF8.self), try bytes(parts[2]))
}

@Test func anOldBodyKeepsWhatIsFoldedOfItAndNothingElse() async throws {
    let desk = try await TestDesk.monthly()
    let month = TransactionPayload.month().with { $0.appAccountToken = "7e3fb20b-4cdb-47cc-936d-99d65f608138" }
    try await desk.notify("SUBSCRIBED", nil, month, month.renewal(), uuid: "old")
    let signed = try await desk.body("old")
    desk.clock.set(on(31))
    try await desk.notify("DID_RENEW", nil, month, month.renewal(), uuid: "young")
    let young = try await desk.body("young")
    #expect(try await desk.takeAway().bodies == 1)
    #expect(try await desk.takeAway().bodies == 0)
    #expect(try await desk.body("young") == young)

    let reduced = try await desk.body("old")
    #expect(reduced.utf8.count < signed.utf8.count / 4)
    let (header, payload, hash) = try parts(reduced)
    #expect(header == #"{"alg":"none"}"#)
    let original = try parts(signed).payload
    #expect(hash == SHA256Digest.hash(Array(original.utf8)))
    #expect(payload.contains(#""notificationUUID":"old""#) && !payload.contains("x5c"))
    #expect(try await desk.entry("old")?.reducedAt == on(31))
    #expect(try await desk.differences().isEmpty)
    #expect(try await desk.notify("SUBSCRIBED", nil, month, month.renewal(), uuid: "old") == .duplicate)
}

/// Of copies that Apple signed in one instant the one with the greater hash of its payload counts: that hash outlives the payload.
@Test func theHashThatDecidesBetweenCopiesStays() async throws {
    let desk = try await TestDesk.monthly()
    for price in Int64(1)...20 {
        let copy = TransactionPayload.coins().with { ($0.price, $0.signedDate) = (price * 1_000, on(0).milliseconds) }
        _ = try await desk.intake.receiveTransaction(TestDesk.signer.sign(copy), postedTo: desk.app.id)
    }
    desk.clock.set(on(40))
    #expect(try await desk.takeAway().bodies == 20)
    #expect(try await desk.differences() == [])
}

@Test func whatWasSetAsideIsReducedToo() async throws {
    let desk = try await TestDesk.monthly()
    try await desk.notify("DID_RENEW", nil, coins.with { $0.bundleId = "com.other" }, uuid: "strange")
    desk.clock.set(on(31))
    #expect(try await desk.takeAway().bodies == 1)
    #expect(try parts(try await desk.body("quarantined:strange")).header == #"{"alg":"none"}"#)
    #expect(try await desk.notify("DID_RENEW", nil, coins.with { $0.bundleId = "com.other" }, uuid: "strange") == .duplicate)
}

@Test func aDamagedBodyStandsInNobodysWay() async throws {
    let desk = try await TestDesk.monthly()
    try await desk.notify("ONE_TIME_CHARGE", nil, coins, uuid: "a")
    try await desk.notify("ONE_TIME_CHARGE", nil, TransactionPayload.coins("2002"), uuid: "b")
    try desk.edit("UPDATE log SET body = x'ff' WHERE identity = 'a'")
    desk.clock.set(on(31))
    #expect(try await desk.takeAway().bodies == 2)
    #expect(try parts(try await desk.body("b")).header == #"{"alg":"none"}"#)
    #expect(try await desk.takeAway().bodies == 0)
}

@Test func nothingIsTakenAwayUnlessItIsAskedFor() async throws {
    let desk = try await TestDesk()
    try await desk.notify("ONE_TIME_CHARGE", nil, coins)
    #expect(try await desk.record(1, "e", of: .customer(ref: "7042001"), at: on(0)) == .accepted)
    desk.clock.set(on(5_000))
    let taken = try await desk.takeAway()
    #expect(taken == (0, 0))
    #expect(try await desk.record(1, "e", of: .customer(ref: "7042001"), at: on(0)) == .duplicate)
    #expect(try await desk.record(1, "f", of: .customer(ref: "7042001"), at: on(-900)) == .accepted)
}

@Test func oldUsageGoesOutOfLogAndSums() async throws {
    let desk = try await TestDesk.monthly()
    try await desk.notify("ONE_TIME_CHARGE", nil, coins)
    try await desk.consent("7042001")
    // Many of one instant, a correction that makes zero, and what is young.
    for index in 0..<250 { #expect(try await desk.record(1, "a\(index)", of: .customer(ref: "7042001"), at: on(0)) == .accepted) }
    #expect(try await desk.record(-250, "b", of: .customer(ref: "7042001"), at: on(0) + .minutes(1)) == .accepted)
    for index in 0..<120 { _ = try await desk.record(2, "c\(index)", of: .customer(ref: "r\(index)"), at: on(0)) }
    desk.clock.set(on(20))
    #expect(try await desk.record(5, "young", of: .customer(ref: "7042001"), at: on(20)) == .accepted)
    desk.clock.set(on(35))
    var place: UsagePlace?
    var removed = 0
    while true {
        let from = place
        let progress = try await desk.batch { desk throws(StoreError) in try desk.removeUsage(behind: from) }
        removed += progress.count
        // Whoever dies now leaves what `replay` finds right.
        #expect(try await desk.differences() == [])
        if progress.isAtEnd { break }
        place = removed > 200 ? nil : progress.place  // And whoever comes after begins anew.
    }
    #expect(removed == 371)
    #expect(try await desk.coins(of: "7042001") == 5_000_000)
    #expect(try await desk.coins(of: "r7") == nil)
    #expect(try await desk.entry("usage:acme/Production/a1") == nil)
    #expect(try await AuditTrail.verify(desk.store).faults == [])
    // A late repeat counts no more.
    #expect(try await desk.record(1, "a1", of: .customer(ref: "7042001"), at: on(0)) == .expired)
    #expect(try await desk.record(5, "young", of: .customer(ref: "7042001"), at: on(20)) == .duplicate)
    #expect(try await desk.coins(of: "7042001") == 5_000_000)
}

/// Days go as a whole, so that no event that still counts falls into one that is gone.
@Test func usageGoesByWholeDays() async throws {
    let desk = try await TestDesk.monthly()
    let start = UsageResolution.day.start(of: on(0))
    #expect(try await desk.record(1, "e", of: .customer(ref: "r"), at: start) == .accepted)
    desk.clock.set(start + .days(31) + .minutes(59))
    #expect(try await desk.takeAway().usage == 0)
    #expect(try await desk.record(1, "f", of: .customer(ref: "r"), at: start + .days(1)) == .expired)
    desk.clock.set(start + .days(31) + .hours(1))
    #expect(try await desk.takeAway().usage == 1)
}

@Test func usageOfBeforeIsFoundThoughNothingSaysWhenItWas() async throws {
    let desk = try await TestDesk.monthly()
    for index in 0..<130 { _ = try await desk.record(1, "\(index)", of: .customer(ref: "r\(index % 3)"), at: on(0) + .hours(Int64(index))) }
    try desk.edit("UPDATE log SET used_at_ms = NULL, usage_group = NULL WHERE kind = 'usage'")
    desk.clock.set(on(60))
    #expect(try await desk.takeAway().usage == 130)
    #expect(try await desk.differences() == [])
}

@Test func whatAnOpenRequestNeedsStays() async throws {
    let desk = try await TestDesk.monthly()
    let other = TransactionPayload.coins("2002").with { $0.appTransactionId = "7042001" }
    for bought in [coins, other] { try await desk.notify("ONE_TIME_CHARGE", nil, bought) }
    #expect(try await desk.record(30, "e1", of: .customer(ref: "7042001"), at: on(1)) == .accepted)
    #expect(try await desk.record(40, "e2", of: .transaction(TransactionID("2002")), at: on(1)) == .accepted)
    #expect(try await desk.record(9, "stranger", of: .customer(ref: "stranger"), at: on(1)) == .accepted)
    desk.clock.set(on(40))
    try await desk.ask(coins)
    #expect(try await desk.takeAway().usage == 1, "only the stranger's")
    // What belongs to it and is reported late counts as well.
    #expect(try await desk.record(20, "late", of: .customer(ref: "7042001"), at: on(2)) == .accepted)
    desk.clock.advance(.hours(1))
    try await desk.consent("7042001")
    #expect(try await desk.send(.accepted)?.contains(#""consumptionPercentage":50000,"#) == true)
    #expect(try await desk.answer("2001")?.percentageSource == .usage)
    desk.clock.advance(.hours(12))
    #expect(try await desk.takeAway().usage == 3)
    #expect(try await desk.differences() == [])
}

/// What is left of usage is not what was used: nothing is said of it.
@Test(arguments: [true, false]) func ofUsageThatIsGoneNothingIsTold(_ isOwn: Bool) async throws {
    var app = AppSettings.acme
    app.retention = Retention(usage: .days(30))
    app.products.byID[ProductID("com.acme.coins100")]?.usageIsComplete = true
    let desk = try await TestDesk(app)
    let second = TransactionPayload.coins("2002", at: on(35)).with { $0.appTransactionId = "7042001" }
    try await desk.notify("ONE_TIME_CHARGE", nil, coins)
    let subject = isOwn ? UsageFact.Subject.transaction(TransactionID("2001")) : .customer(ref: "7042001")
    #expect(try await desk.record(100, "e1", of: subject, at: on(1)) == .accepted)
    desk.clock.set(on(40))
    try await desk.notify("ONE_TIME_CHARGE", nil, second)
    // Of the second pack, since the first is used up; but who knows that then?
    #expect(try await desk.record(5, "e2", of: .customer(ref: "7042001"), at: on(38)) == .accepted)
    #expect(try await desk.takeAway().usage == 1)
    try await desk.consent("7042001")
    for bought in [coins, second] {
        try await desk.ask(bought, "ask-\(bought.transactionId)")
        let body = try #require(try await desk.send(.accepted))
        #expect(!body.contains("consumptionPercentage"), "\(bought.transactionId): \(body)")
    }
}

@Test func aSubscriptionsPeriodThatBeganLaterIsKnownWhole() async throws {
    let desk = try await TestDesk.monthly()
    let first = TransactionPayload.month()
    let second = TransactionPayload.month("3002", at: on(30))
    try await desk.notify("SUBSCRIBED", nil, first)
    #expect(try await desk.record(10, "e1", of: .customer(ref: "7043001"), at: on(3)) == .accepted)
    desk.clock.set(on(31))
    try await desk.notify("DID_RENEW", nil, second)
    #expect(try await desk.record(7, "e2", of: .customer(ref: "7043001"), at: on(31)) == .accepted)
    desk.clock.set(on(45))
    #expect(try await desk.takeAway().usage == 1)
    try await desk.consent("7043001")
    for (bought, known) in [(first, nil), (second, ExactDecimal(7))] {
        try await desk.ask(bought, "ask-\(bought.transactionId)")
        let ledger = desk.ledger
        let facts = try await desk.store.read { tx throws(StoreError) in
            try tx.judgedDecisions(in: ledger, since: on(0), page: PageRequest(limit: 200)).items.last {
                $0.transactionID == TransactionID(bought.transactionId)
            }?.basis?.facts
        }
        #expect(facts != nil && facts?.usage["coins"] == known, "\(bought.transactionId)")
    }
}
