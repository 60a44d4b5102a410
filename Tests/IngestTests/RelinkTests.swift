import Domain
import Store
import Testing

@testable import AppStoreSimulator
@testable import Ingest

extension TestDesk {
    fileprivate func link(_ original: String, _ user: String) async throws {
        let fact = UserLinkFact(originalTransactionID: TransactionID(original), userID: UserID(user), at: clock.now())
        try await owner { desk throws(StoreError) in try desk.record(fact) }
    }

    fileprivate func names(_ ref: String) async throws -> Set<String> {
        let ledger = ledger
        return try await store.read { tx throws(StoreError) in
            guard let customer = try resolve(ref, in: ledger, tx) else { return [] }
            return Set(try tx.aliases(of: customer).map(\.value))
        }
    }
}

/// A purchase that was linked to the wrong user is linked to the right one: nobody's consent speaks for the other.
@Test func anotherLinkTakesThePlaceOfTheOneBefore() async throws {
    let desk = try await TestDesk()
    for id in ["2001", "2002"] { try await desk.notify("ONE_TIME_CHARGE", nil, .coins(id)) }
    try await desk.link("2001", "alice")
    try await desk.link("2002", "alice")
    try await desk.consent("alice")
    #expect(try await desk.names("alice") == ["7042001", "2001", "7042002", "2002", "alice"])
    try await desk.ask(.coins("2002"), "ask-2")
    #expect(try await desk.decision("2002")?.kind == .answer)

    try await desk.link("2002", "bob")
    #expect(try await desk.names("alice") == ["7042001", "2001", "alice"])
    #expect(try await desk.names("2002") == ["7042002", "2002", "bob"])
    #expect(try await desk.decision("2002")?.because == [.noConsent], "bob has agreed to nothing")
    #expect(try await desk.send(.accepted) == nil)

    try await desk.consent("bob", false)
    try await desk.ask(.coins("2001"), "ask-1")
    #expect(try await desk.send(.accepted) != nil, "alice has")
    #expect(try await desk.differences().isEmpty)
}

@Test func whatAppleTiesALinkDoesNotPartAgain() async throws {
    let desk = try await TestDesk()
    for id in ["2001", "2002"] {
        try await desk.notify("ONE_TIME_CHARGE", nil, TransactionPayload.coins(id).with { $0.appTransactionId = "7049" })
    }
    for user in ["alice", "bob", "alice"] { try await desk.link("2002", user) }
    #expect(try await desk.names("2001") == ["7049", "2001", "2002", "alice"])
    #expect(try await desk.names("bob") == ["bob"])
    #expect(try await desk.differences().isEmpty)
}

/// A no under a token that only an older copy carried is not parted from the purchase it may speak for.
@Test func aNoUnderAFormerTokenIsNotLost() async throws {
    let desk = try await TestDesk()
    let (old, new) = ("0b0b0b0b-4cdb-47cc-936d-99d65f608138", "7e3fb20b-4cdb-47cc-936d-99d65f608138")
    for token in [old, new] {
        try await desk.notify("ONE_TIME_CHARGE", nil, TransactionPayload.coins().with { $0.appAccountToken = token })
        desk.clock.advance(.seconds(1))
    }
    try await desk.consent(new)
    desk.clock.advance(.seconds(1))
    try await desk.consent(old, false)
    for user in ["alice", "bob"] { try await desk.link("2001", user) }
    try await desk.ask(coins)
    #expect(try await desk.decision("2001")?.because == [.consentWithdrawn])
    #expect(try await desk.differences().isEmpty)
}

@Test func namesHangTogetherByTies() {
    let names = [Alias(.originalTransactionID, "1"), Alias(.originalTransactionID, "2"), Alias(.userID, "a"), Alias(.userID, "b")].sorted()
    func groups(_ ties: [[Int]]) -> [[String]] {
        CustomerDivision.groups(of: names, tiedBy: ties.map { $0.map { names[$0] } }).map { $0.map(\.value) }
    }
    #expect(groups([]) == [["1"], ["2"], ["a"], ["b"]])
    #expect(groups([[0, 2], [1, 3]]) == [["1", "a"], ["2", "b"]])
    #expect(groups([[0, 2], [2, 1], [1, 3]]) == [["1", "2", "a", "b"]])
    #expect(groups([[1, 3], [0, 2], [3, 2]]) == [["1", "2", "a", "b"]])
}
