import Domain
import Store
import Testing

@testable import AppStoreSimulator
@testable import Ingest

@Test func anAnswerIsSentAtOnce() async throws {
    let desk = try await TestDesk()
    try await desk.askAboutCoins()
    #expect(try await desk.nextDue(.answer) == on(0))
    #expect(try await desk.send(.accepted) == delivered)
    let answer = try #require(try await desk.answer("2001"))
    #expect(answer.status == .accepted && answer.body == delivered && !answer.isInDoubt)
    #expect(try await desk.depth(.answer) == 0, "one accepted answer, never two")
    #expect(try await desk.differences().isEmpty)
}

@Test func bytesInDoubtStayTheSame() async throws {
    let desk = try await TestDesk()
    try await desk.askAboutCoins()
    let first = try await desk.send(.inDoubt(notBefore: nil))
    #expect(try await desk.use(50_000_000, "e1", of: .transaction(TransactionID("2001"))))
    try await desk.deliver("2001", .undeliveredOther)
    #expect(try await desk.sendWhenDue(.inDoubt(notBefore: nil)) == first)
    #expect(try await desk.sendWhenDue(.accepted) == first, "what Apple may have taken is not contradicted")
    #expect(try await desk.answer("2001")?.isInDoubt == false)
}

@Test(arguments: [AnswerResult.notTaken(notBefore: nil), .unauthorized, .notFound])
func aLaterTryDoesNotSettleAnEarlierDoubt(_ later: AnswerResult) async throws {
    let desk = try await TestDesk()
    try await desk.askAboutCoins()
    let first = try await desk.send(.inDoubt(notBefore: nil))
    try await desk.sendWhenDue(later)
    #expect(try await desk.use(50_000_000, "e1", of: .transaction(TransactionID("2001"))))
    #expect(try await desk.sendWhenDue(.accepted) == first)
}

@Test func aTryThatWasNeverEndedIsInDoubt() async throws {
    let desk = try await TestDesk()
    try await desk.askAboutCoins()
    let lost = try #require(try await desk.begin())
    #expect(try await desk.use(50_000_000, "e1", of: .transaction(TransactionID("2001"))))
    desk.clock.advance(.minutes(1))  // the lease ends
    #expect(try await desk.send(.accepted) == lost.order.body)
}

@Test func aTryThatWasLostIsOnRecordThoughItsRoundClosedMeanwhile() async throws {
    let desk = try await TestDesk()
    try await desk.askAboutCoins()
    let lost = try #require(try await desk.begin())
    let began = desk.clock.now()
    desk.clock.advance(.seconds(10))
    try await desk.decline(coins)
    #expect(try await desk.answer("2001")?.status == .cancelled)
    desk.clock.advance(.minutes(1))  // the lease ends
    #expect(try await desk.send(.accepted) == nil, "nothing is sent once Apple has decided")
    let file = try #require(try await desk.file("2001"))
    #expect(file.attempts.map(\.at) == [began] && file.attempts.first?.error?.contains("whether Apple took it is unknown") == true)
    #expect(try await desk.answer("2001")?.body == lost.order.body)
    #expect(try await desk.depth(.answer) == 0)
    #expect(try await desk.differences().isEmpty)
}

@Test func aTryThatWasLostIsOnRecordThoughConsentWasWithdrawnMeanwhile() async throws {
    let desk = try await TestDesk()
    try await desk.askAboutCoins()
    _ = try #require(try await desk.begin())
    try await desk.consent("7042001", false)
    desk.clock.advance(.minutes(1))  // the lease ends
    #expect(try await desk.send(.accepted) == nil)
    #expect(try await desk.file("2001")?.attempts.count == 1)
    #expect(try await desk.depth(.answer) == 0)
    #expect(try await desk.differences().isEmpty)
}

@Test func whatWasNotTakenIsBuiltAnewFromTheTruth() async throws {
    let desk = try await TestDesk()
    try await desk.askAboutCoins()
    #expect(try await desk.send(.notTaken(notBefore: nil)) == delivered)
    #expect(try await desk.use(50_000_000, "e1", of: .transaction(TransactionID("2001"))))
    #expect(try await desk.sendWhenDue(.accepted)?.contains(#""consumptionPercentage":50000,"#) == true)
}

@Test func bytesInDoubtOutlastAWithdrawalAndANewConsent() async throws {
    let desk = try await TestDesk()
    try await desk.askAboutCoins()
    let first = try await desk.send(.inDoubt(notBefore: nil))
    try await desk.consent("7042001", false)
    #expect(try await desk.answer("2001")?.status == .cancelled)
    #expect(try await desk.sendWhenDue(.accepted) == nil)
    #expect(try await desk.use(50_000_000, "e1", of: .transaction(TransactionID("2001"))))
    try await desk.consent("7042001")
    #expect(try await desk.sendWhenDue(.accepted) == first)
    #expect(try await desk.differences().isEmpty)
}

@Test func aWithdrawalInFlightKeepsWhatAppleSaid() async throws {
    for result in [AnswerResult.accepted, .inDoubt(notBefore: nil), .notTaken(notBefore: nil), .refused] {
        let desk = try await TestDesk()
        try await desk.askAboutCoins()
        let attempt = try #require(try await desk.begin())
        try await desk.consent("7042001", false)
        try await desk.end(attempt, result)
        let answer = try #require(try await desk.answer("2001"))
        #expect(answer.status == (result == .accepted ? .accepted : .cancelled))
        #expect(try await desk.file("2001")?.attempts.count == 1)
        #expect(try await desk.depth(.answer) == 0, "nothing more is sent")
        #expect(try await desk.differences().isEmpty)
    }
}

@Test func aWithdrawalIsSeenAtTheMomentOfSending() async throws {
    let desk = try await TestDesk()
    try await desk.notify("ONE_TIME_CHARGE", nil, coins)
    try await desk.consent("u-42")
    try await desk.link("2001", to: "u-42")
    try await desk.ask(coins)
    // Recorded past the desk: no case was looked at.
    let (ledger, withdrawal) = (desk.ledger, ConsentFact(ref: "2001", consented: false, source: "mail", textVersion: nil, at: on(0)))
    try await desk.store.write { tx throws(StoreError) in try tx.put(withdrawal, sequence: 1_000, in: ledger) }
    #expect(try await desk.send(.accepted) == nil)
    #expect(try await desk.decision("2001")?.because == [.consentWithdrawn])
}

@Test func notFoundIsTriedThreeTimesMore() async throws {
    let desk = try await TestDesk()
    try await desk.askAboutCoins()
    try await desk.send(.notFound, errorCode: 4_040_010)
    for _ in 0..<3 {
        #expect(try await desk.answer("2001")?.status == .retrying)
        #expect(try await desk.sendWhenDue(.notFound, errorCode: 4_040_010) != nil)
    }
    #expect(try await desk.answer("2001")?.status == .failed)
    #expect(try await desk.file("2001")?.attempts.count == 4)
    #expect(try await desk.depth(.answer) == 0)
    #expect(desk.clock.now() == on(0) + .seconds(5 + 15 + 60), "on the schedule")
}

@Test func otherFaultsBetweenDoNotUseUpTheTriesOfNotFound() async throws {
    let desk = try await TestDesk()
    try await desk.askAboutCoins()
    try await desk.send(.notFound, errorCode: 4_040_010)
    for _ in 0..<5 { try await desk.sendWhenDue(.notTaken(notBefore: nil)) }
    try await desk.sendWhenDue(.notFound, errorCode: 4_040_010)
    #expect(try await desk.answer("2001")?.status == .retrying)
}

@Test func aRefusalIsFinal() async throws {
    var app = AppSettings.acme
    app.alerts = [AlertTarget(id: "slack", events: [.answerFailed])]
    let desk = try await TestDesk(app)
    try await desk.askAboutCoins()
    try await desk.send(.refused, errorCode: 4_000_185)
    #expect(try await desk.answer("2001")?.status == .failed)
    #expect(try await desk.depth(.answer) == 0)
    #expect(try await desk.depth(.alert) == 1)
}

@Test func aRejectedKeyGoesOnAndTellsTheOwnerOnceAnHour() async throws {
    var app = AppSettings.acme
    app.alerts = [AlertTarget(id: "slack", events: [.keyRejected])]
    let desk = try await TestDesk(app)
    try await desk.askAboutCoins()
    for _ in 0..<3 { #expect(try await desk.sendWhenDue(.unauthorized) != nil) }
    #expect(try await desk.answer("2001")?.status == .retrying)
    #expect(try await desk.depth(.alert) == 1)
    #expect(try await desk.sendWhenDue(.accepted) == delivered)
}

@Test func triesFillTheWindowAndEndBeforeTheDeadline() async throws {
    let desk = try await TestDesk()
    try await desk.askAboutCoins()
    var last = on(0)
    while let body = try await desk.sendWhenDue(.notTaken(notBefore: nil)) {
        #expect(!body.isEmpty)
        last = desk.clock.now()
    }
    #expect(last == on(0) + .hours(12) - .minutes(2), "the last try")
    #expect(try await desk.answer("2001")?.status == .expired)
    #expect(try await desk.differences().isEmpty)
}

@Test func nothingIsSentAfterTheWindow() async throws {
    let desk = try await TestDesk()
    try await desk.askAboutCoins()
    desk.clock.set(on(0) + .hours(12))
    #expect(try await desk.send(.accepted) == nil)
    #expect(try await desk.answer("2001")?.status == .expired)
}

@Test func aRequestThatCameTooLateIsNotAnswered() async throws {
    let desk = try await TestDesk()
    try await desk.consent("7042001")
    desk.clock.set(on(0) + .hours(13))
    try await desk.ask(coins, signed: on(0))
    #expect(try await desk.decision("2001")?.because == [.windowClosed])
    #expect(try await desk.depth(.answer) == 0)
    #expect(try await desk.depth(.windowCloses) == 0)
}

@Test func theSandboxHasFiveMinutes() async throws {
    let desk = try await TestDesk(in: .sandbox)
    let pack = coins.with { $0.environment = "Sandbox" }
    try await desk.consent("7042001")
    try await desk.ask(pack)
    #expect(try await desk.nextDue(.windowCloses) == on(0) + .minutes(5))
    #expect(try await desk.nextDue(.deadlineNear) == on(0) + .seconds(150))
    desk.clock.set(on(0) + .minutes(5))
    #expect(try await desk.send(.accepted) == nil)
}

@Test func theCloseOfTheWindowEndsWhatWasNotAccepted() async throws {
    let desk = try await TestDesk()
    try await desk.askAboutCoins()
    try await desk.send(.notTaken(notBefore: on(9)))
    desk.clock.set(on(0) + .hours(12))
    try await desk.keepRounds()
    #expect(try await desk.answer("2001")?.status == .expired)
    #expect(try await desk.depth(.answer) == 0)
    #expect(try await desk.depth(.windowCloses) == 0)
}

@Test func halfTheWindowGoneTellsTheOwner() async throws {
    var app = AppSettings.acme(PolicyOutcome(.dataOnly, after: .hours(9)))
    app.alerts = [AlertTarget(id: "slack", events: [.deadlineNear])]
    let desk = try await TestDesk(app)
    try await desk.askAboutCoins()
    desk.clock.set(on(0) + .hours(6))
    try await desk.keepRounds()
    #expect(try await desk.depth(.alert) == 1, "held")
    desk.clock.set(on(0) + .hours(9))
    try await desk.keepRounds()
    #expect(try await desk.send(.accepted) == delivered, "its time is up")
}

@Test func aDecisionOfApplesStopsTheAnswer() async throws {
    let desk = try await TestDesk()
    try await desk.askAboutCoins()
    try await desk.send(.notTaken(notBefore: nil))
    desk.clock.advance(.seconds(1))
    try await desk.notify("REFUND", nil, coins.refunded(at: desk.clock.now()))
    #expect(try await desk.answer("2001")?.status == .cancelled)
    #expect(try await desk.sendWhenDue(.accepted) == nil)
    #expect(try await desk.differences().isEmpty)
}

@Test func repeatsOfARequestMakeOneAnswer() async throws {
    let desk = try await TestDesk()
    try await desk.askAboutCoins()
    for hour in Int64(1)...3 {
        desk.clock.set(on(0) + .hours(hour))
        try await desk.ask(coins, "ask-\(hour)")
    }
    #expect(try await desk.send(.accepted) == delivered)
    #expect(try await desk.send(.accepted) == nil)
    desk.clock.set(on(0) + .hours(11))
    try await desk.ask(coins, "ask-11")
    #expect(try await desk.depth(.answer) == 0)
    desk.clock.set(on(0) + .hours(13))
    try await desk.ask(coins, "ask-13")
    #expect(try await desk.send(.accepted) == delivered, "the next round has an answer of its own")
    #expect(try await desk.answer("2001", round: 1)?.anchor == NotificationUUID("ask-13"))
    #expect(try await desk.differences().isEmpty)
}

@Test func aLateOlderRequestKeepsTheAnswerWithItsRequest() async throws {
    let desk = try await TestDesk()
    try await desk.consent("7042001")
    desk.clock.set(on(0) + .hours(11))
    try await desk.ask(coins, "b")
    try await desk.send(.accepted)
    desk.clock.set(on(0) + .hours(13))
    try await desk.ask(coins, "c")
    #expect(try await desk.file("2001")?.folded.rounds.count == 1)
    try await desk.ask(coins, "a", signed: on(0))
    let file = try #require(try await desk.file("2001"))
    #expect(file.folded.rounds.map(\.notificationUUIDs) == [["a", "b"], ["c"]].map { $0.map(NotificationUUID.init(_:)) })
    #expect(file.answer(of: file.folded.rounds[0])?.status == .accepted, "the answer stays with the request it was made for")
    #expect(file.attempts(of: file.folded.rounds[0]).count == 1)
    #expect(file.answer(of: file.folded.rounds[1])?.status == .scheduled, "what is now a round of its own is answered")
    #expect(try await desk.send(.accepted) == delivered)
    #expect(try await desk.differences().isEmpty)
}

@Test func aLateOlderRequestShortensTheWindow() async throws {
    let desk = try await TestDesk()
    try await desk.consent("7042001")
    desk.clock.set(on(0) + .hours(11))
    try await desk.ask(coins, "b")
    try await desk.send(.notTaken(notBefore: on(0) + .hours(12)))
    try await desk.ask(coins, "a", signed: on(0))
    #expect(try await desk.sendWhenDue(.accepted) == nil, "the older request's window has closed")
    #expect(try await desk.answer("2001")?.status == .expired)
}

@Test(
    arguments: [
        // When the limit gives a turn, and when the try is made for which the clock stands.
        (Span.minutes(0), Span.hours(1), Span?.some(.hours(1))), (.hours(1), .hours(11), .hours(11)),
        (.hours(1), .hours(20), .milliseconds(12 * 3_600_000 - 120_000)),  // the last try is kept free
        (.milliseconds(12 * 3_600_000 - 120_000), .hours(20), nil),  // and made, whatever the limit says
    ])
func aTryWaitsForItsTurnInsideTheWindow(_ now: Span, _ turn: Span, _ due: Span?) async throws {
    let desk = try await TestDesk()
    try await desk.askAboutCoins()
    desk.clock.set(on(0) + now)
    let row = try #require(try await desk.claim(.answer).first)
    let (app, ledger, instant) = (desk.app, desk.ledger, desk.clock.now())
    let isMade = try await desk.store.write { tx throws(StoreError) in
        try AnswerDesk(app: app, ledger: ledger, tx: tx, now: instant).awaitTurn(row, until: on(0) + turn)
    }
    #expect(isMade == (due == nil))
    if let due { #expect(try await desk.nextDue(.answer) == on(0) + due) }
    #expect(try await desk.answer("2001")?.isInDoubt == false, "nothing was put on record")
}
