import AppStore
import Domain
import Store
import Synchronization
import Testing

@testable import AppStoreSimulator
@testable import Ingest

/// A desk with one follower, who gets `type transactionId` and the rest on demand.
private func followed(_ wanted: String..., app: AppSettings = .acme) async throws -> TestDesk {
    let numbers = Mutex(0)
    var app = app
    let target = WebhookTarget(id: "hook", url: "https://example.com", events: wanted, environments: [.production])
    app.events = EventSettings(
        targets: [target],
        render: { event in
            let access = event.subject.access.map { $0.active ? " +" : " -" } ?? ""
            return Array("\(event.sequence) \(event.type) \(event.subject.transactionID?.rawValue ?? "none")\(access)".utf8)
        },
        makeID: { "evt_\(numbers.withLock { $0 += 1; return $0 })" })
    return try await TestDesk(app)
}

extension TestDesk {
    /// Everything followers were ever told, oldest first, with sequence numbers.
    fileprivate func numbered() async throws -> [String] {
        let app = app.id
        let page = try await store.read { tx throws(StoreError) in
            try tx.eventDeliveries(of: app, environment: nil, page: PageRequest(limit: 500))
        }
        return page.items.reversed().map { String(decoding: $0.row.payload, as: UTF8.self) }
    }

    fileprivate func told() async throws -> [String] {
        try await numbered().map { String($0.drop { $0 != " " }.dropFirst()) }
    }

    /// Performs what the clock alone brought about.
    fileprivate func turn() async throws {
        let (app, now) = (app, clock.now())
        for row in try await claim(.turn) {
            try await store.write { tx throws(StoreError) in try TurnDesk.perform(row, app: app, tx: tx, now: now) }
        }
    }

    /// Apple answers what it was asked of a chain.
    fileprivate func confirm(_ original: String, _ newest: TransactionPayload, _ renewal: RenewalPayload? = nil) async throws {
        let signed = clock.now().milliseconds
        let row = SignedStatus(
            signedTransactionInfo: TestDesk.signer.sign(newest.with { $0.signedDate = signed }),
            signedRenewalInfo: renewal.map {
                var renewal = $0
                renewal.signedDate = signed
                return TestDesk.signer.sign(renewal)
            })
        try await intake.receiveStatuses([row], of: TransactionID(original), in: ledger, askedAt: clock.now())
    }
}

@Test func accessEventsTellChangesOnly() async throws {
    let desk = try await followed("access.*")
    try await desk.notify("SUBSCRIBED", "INITIAL_BUY", month, month.renewal())
    #expect(try await desk.told() == ["access.granted 3001 +"])
    try await desk.notify("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", month, month.renewal { $0.autoRenewStatus = 0 })
    try await desk.notify("CONSUMPTION_REQUEST", nil, month, month.renewal())
    #expect(try await desk.told().count == 1, "nothing changed for access")
    desk.clock.set(on(29))
    try await desk.notify("DID_RENEW", nil, second, second.renewal())
    #expect(try await desk.told().last == "access.changed 3001 +")
    desk.clock.set(on(40))
    try await desk.notify("REFUND", nil, second.refunded(at: on(40)), second.renewal())
    #expect(try await desk.told().last == "access.revoked 3002 -")
    try await desk.notify("REFUND", nil, second.refunded(at: on(40)), second.renewal())
    try await desk.notify("DID_RENEW", nil, second, second.renewal(), signed: on(31))
    #expect(try await desk.told().count == 3, "a repeat and a late old copy change nothing")
    desk.clock.set(on(41))
    try await desk.notify("REFUND_REVERSED", nil, second, second.renewal())
    #expect(try await desk.told().last == "access.granted 3002 +")
    desk.clock.set(on(61))
    try await desk.notify("EXPIRED", "VOLUNTARY", second, second.renewal { $0.autoRenewStatus = 0 })
    #expect(try await desk.told().count == 4, "what runs out by the clock was told with its end")
    #expect(try await desk.differences().isEmpty)
}

@Test func theClockAloneIsToldAtItsTurn() async throws {
    let desk = try await followed("access.*")
    try await desk.notify("DID_RENEW", nil, month.with { $0.purchaseDate = on(1).milliseconds }, signed: on(0))
    #expect(try await desk.told().isEmpty, "signed before it begins")
    #expect(try await desk.nextDue(.turn) == on(1))
    desk.clock.set(on(1))
    try await desk.turn()
    #expect(try await desk.told() == ["access.granted 3001 +"])
}

@Test func sequencesRiseByCustomer() async throws {
    let desk = try await followed("access.*", "refund.*")
    try await desk.notify("ONE_TIME_CHARGE", nil, .make("1", "life", .nonConsumable, at: on(0)))
    try await desk.notify("ONE_TIME_CHARGE", nil, .make("2", "life", .nonConsumable, at: on(0)))
    try await desk.notify("REFUND", nil, TransactionPayload.make("1", "life", .nonConsumable, at: on(0)).refunded(at: on(0)))
    try await desk.notify("REFUND_REVERSED", nil, .make("1", "life", .nonConsumable, at: on(0)), signed: on(0) + .seconds(1))
    let told = try await desk.numbered()
    let first = told.filter { $0.contains(" 1") }.compactMap { Int($0.prefix { $0 != " " }) }
    let second = told.filter { $0.contains(" 2 ") }.compactMap { Int($0.prefix { $0 != " " }) }
    #expect(first == Array(1...5) && second == [1])
    // The owner's link makes the two one customer: the numbers only ever rise.
    try await desk.link("1", to: "u")
    try await desk.link("2", to: "u")
    try await desk.notify("REFUND", nil, TransactionPayload.make("2", "life", .nonConsumable, at: on(0)).refunded(at: on(0)))
    let joined = try await desk.numbered().dropFirst(told.count)
    #expect(joined == ["6 refund.granted 2 +", "7 access.changed 2 +"], "what the other purchase still grants is not revoked")
}

@Test func aCaseIsToldFromRequestToReversal() async throws {
    let desk = try await followed("refund.*")
    try await desk.askAboutCoins()
    try await desk.ask(coins, "again")
    try await desk.send(.accepted)
    desk.clock.advance(.minutes(5))
    try await desk.notify("REFUND", nil, coins.refunded(at: desk.clock.now()))
    desk.clock.advance(.hours(20))
    try await desk.keepRounds()
    try await desk.notify("REFUND_REVERSED", nil, coins)
    try await desk.ask(coins, "late", signed: on(0) + .minutes(1))
    let told = try await desk.told().map { $0.split(separator: " ")[0] }
    #expect(told == ["refund.requested", "refund.answered", "refund.granted", "refund.reversed"])
}

@Test func aMissedAnswerIsToldOnceHoweverTheRoundEnds() async throws {
    for decisionComes in [Span.hours(3), .hours(13)] {
        for isKeptBefore in [true, false] {
            let desk = try await followed("refund.unanswered", "refund.declined")
            try await desk.ask(coins)
            desk.clock.set(on(0) + decisionComes)
            if isKeptBefore { try await desk.keepRounds() }
            try await desk.notify("REFUND_DECLINED", nil, coins, signed: on(0) + .hours(2))
            try await desk.notify("REFUND_DECLINED", nil, coins, signed: on(0) + .hours(2))
            desk.clock.set(on(0) + .hours(14))
            try await desk.keepRounds()
            let told = try await desk.told().map { $0.split(separator: " ")[0] }.sorted()
            #expect(told == ["refund.declined", "refund.unanswered"], "\(decisionComes) \(isKeptBefore)")
        }
    }
}

@Test func theCloseOfAnUndecidedRoundIsTold() async throws {
    let desk = try await followed("refund.*")
    try await desk.ask(coins)
    desk.clock.set(on(0) + .hours(12))
    try await desk.keepRounds()
    try await desk.decline(coins)
    let told = try await desk.told().map { $0.split(separator: " ")[0] }
    #expect(told == ["refund.requested", "refund.unanswered", "refund.declined"])
}

@Test func seatsAreToldWithoutTouchingAccess() async throws {
    let desk = try await followed("access.*", "seats.*")
    let five = month.with { ($0.quantity, $0.multiSeatInfo) = (5, MultiSeatInfo(invitationManagement: "DEVELOPER")) }
    try await desk.notify("SUBSCRIBED", "INITIAL_BUY", five)
    try await desk.notify("REFUND", "SEATS", five.with { $0.multiSeatInfo?.revokedSeatQuantity = 2 }, signed: on(0) + .seconds(1))
    #expect(try await desk.told() == ["access.granted 3001 +", "seats.changed 3001 +"])
}

@Test func notificationsAreToldWhateverTheirType() async throws {
    let desk = try await followed("notification.received")
    try await desk.notify("NEWS", "OF_DAY", month)
    try await desk.notify("NEWS", "OF_DAY", month, uuid: "u")
    try await desk.notify("NEWS", "OF_DAY", month, uuid: "u")
    _ = try await desk.post(json: #"{"notificationType":"TEST","notificationUUID":"q","signedDate":1790000000000}"#)
    #expect(try await desk.told().count == 2, "neither repeats nor what was set aside")
}

@Test func followersHearOfTheirEnvironmentsAndTypesOnly() {
    let target = WebhookTarget(id: "", url: "", events: ["refund.*", "access.granted"], environments: [.production])
    #expect(target.wants("refund.granted", .production) && target.wants("access.granted", .production))
    #expect(!target.wants("refund.granted", .sandbox) && !target.wants("access.changed", .production))
    #expect(!target.wants("access.granted.more", .production))
    #expect(WebhookTarget(id: "", url: "", events: ["*"], environments: [.sandbox]).wants("anything", .sandbox))
}

// MARK: Commitments

private let fourth = TransactionPayload.committed(4, "4004")
private let fifth = TransactionPayload.committed(5, "4005")

/// A customer in the fourth month of a commitment.
private func committed() async throws -> TestDesk {
    let desk = try await followed("access.*", "commitment.*")
    for number in Int32(1)...4 {
        desk.clock.set(on(Int64(number - 1) * 30))
        let period = TransactionPayload.committed(number, "400\(number)")
        try await desk.notify(number == 1 ? "SUBSCRIBED" : "DID_RENEW", number == 1 ? "INITIAL_BUY" : nil, period, period.renewal())
    }
    #expect(try await desk.told().filter { $0.hasPrefix("commitment") } == ["commitment.started 4001 +"])
    desk.clock.set(on(100))
    return desk
}

@Test func refundOfAPastMonthEndsNoCommitment() async throws {
    let desk = try await committed()
    let before = try await desk.told()
    try await desk.notify("REFUND", nil, TransactionPayload.committed(2, "4002").refunded(at: on(100)), fourth.renewal())
    #expect(try await desk.told() == before)
    #expect(try await desk.depth(.confirmStatus) == 0)
}

@Test func theEndOfACommitmentIsToldAfterAppleConfirmed() async throws {
    let desk = try await committed()
    try await desk.notify("REFUND", nil, fourth.refunded(at: on(100)), fourth.renewal())
    #expect(try await desk.told().last == "access.revoked 4004 -", "access ends at once")
    #expect(try await desk.told().allSatisfy { !$0.hasPrefix("commitment.ended") })
    #expect(try await desk.nextDue(.confirmStatus) == on(100))
    #expect(try await desk.sketch(["4001"]) == "-yearly revoked 100 renews 4/12 running")
    desk.clock.advance(.minutes(1))
    try await desk.confirm("4001", fourth.refunded(at: on(100)))
    #expect(try await desk.told().last == "commitment.ended 4004 -")
    #expect(try await desk.sketch(["4001"]) == "-yearly revoked 100 renews 4/12 endedByRefund")
    #expect(try await desk.differences().isEmpty)
}

@Test func aNewerMonthThatAppleKnowsKeepsTheCommitment() async throws {
    let desk = try await committed()
    desk.clock.set(on(125))  // the fifth month began, unheard of
    try await desk.notify("REFUND", nil, fourth.refunded(at: on(125)), fourth.renewal())
    desk.clock.advance(.minutes(1))
    try await desk.confirm("4001", fifth, fifth.renewal())
    #expect(try await desk.told().allSatisfy { !$0.hasPrefix("commitment.ended") })
    #expect(try await desk.sketch(["4001"]) == "+yearly active 150 renews 5/12 running")
    #expect(try await desk.differences().isEmpty)
}

@Test func statusesOfAnotherAppAreIgnored() async throws {
    let desk = try await committed()
    try await desk.notify("REFUND", nil, fourth.refunded(at: on(100)))
    try await desk.confirm("4001", fifth.with { $0.bundleId = "com.other" })
    #expect(try await desk.sketch(["4001"]).hasPrefix("-yearly revoked 100"))
}
