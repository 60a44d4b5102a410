import Domain
import Testing

@Test(arguments: [
    (Int64(6_990), Int32(100_000), Int64(6_990)), (6_990, 50_000, 3_495), (6_990, 33_333, 2_329), (1, 99_999, 0), (0, 50_000, 0),
    (6_990, 0, 0), (6_990, -5, 0), (6_990, .max, 6_990), (.max, 100_000, .max), (.max, 50_000, .max / 2),
])
func shareOfMoney(_ amount: Int64, _ share: Int32, _ expected: Int64) {
    let money = Money(amount: amount, currency: "JPY")
    #expect(money.share(thousandthsOfPercent: share) == Money(amount: expected, currency: "JPY"))
}

@Test func aShareIsRoundedDownExactly() {
    var random = Seeded(3)
    for _ in 0..<10_000 {
        let amount = Int64.random(in: 0...10_000_000, using: &random)
        let share = Int32.random(in: 0...100_000, using: &random)
        let part = Money(amount: amount, currency: "USD").share(thousandthsOfPercent: share).amount
        #expect(part == amount * Int64(share) / 100_000)
    }
}

@Test func instantsSaturate() {
    let (first, last) = (Timestamp(milliseconds: .min), Timestamp(milliseconds: .max))
    #expect(last + .hours(12) == last)
    #expect(first - .hours(12) == first)
    #expect(first + Span(milliseconds: .min) == first)
    #expect((last - first).milliseconds == .max)
    #expect((first - last).milliseconds == -.max)
    #expect(last - Span(milliseconds: .min) == last)
    #expect(Timestamp(milliseconds: 5) + .milliseconds(-7) == Timestamp(milliseconds: -2))
}

@Test func spansSaturateAndCanBeNegated() {
    #expect(Span(milliseconds: .min).milliseconds == -.max)
    #expect(Span.days(.max).milliseconds == .max)
    #expect(Span.days(.min).milliseconds == -.max)
    #expect((-3 * Span(milliseconds: .min)).milliseconds == .max)
    #expect(Span.hours(12) == Span.minutes(720) && Span.minutes(1) == Span.seconds(60))
}

private let copies: [Precedence] = [Int64(1), 2].flatMap { date in
    ["", "a", "b"].flatMap { uuid in
        [[], [0], [0, 1], [1]].map { Precedence(signedDate: Timestamp(milliseconds: date), notificationUUID: uuid, payloadSHA256: $0) }
    }
}

@Test func precedenceIsATotalOrder() {
    for (i, a) in copies.enumerated() {
        for (j, b) in copies.enumerated() {
            #expect((a < b) == (i < j), "\(a) and \(b): date, then UUID, then hash")
            #expect((a == b) == (i == j))
        }
    }
    var random = Seeded(11)
    for _ in 0..<20 { #expect(copies.shuffled(using: &random).sorted() == copies) }
}

@Test func mergingKeepsTheNewestInAnyOrder() {
    var random = Seeded(5)
    for _ in 0..<200 {
        let arriving = copies.shuffled(using: &random)
        var kept = Snapshot(arriving[0], arriving[0])
        for copy in arriving.dropFirst() {
            let isNewer = kept.precedence < copy
            let isChanged = kept.merge(Snapshot(copy, copy))
            let isChangedAgain = kept.merge(Snapshot(copy, copy))
            #expect(isChanged == isNewer && !isChangedAgain, "a repeat changes nothing")
        }
        #expect(kept.precedence == copies.last)
    }
}

@Test(arguments: [
    ("7e3fb20b-4cdb-47cc-936d-99d65f608138", true), ("7E3FB20B-4CDB-47CC-936D-99D65F608138", true),
    ("00000000-0000-0000-0000-000000000000", true), ("7e3fb20b4cdb47cc936d99d65f608138", false),
    ("7e3fb20b-4cdb-47cc-936d-99d65f60813", false), ("7e3fb20b-4cdb-47cc-936d-99d65f60813g", false),
    ("7e3fb20b-4cdb-47cc-936d_99d65f608138", false), ("{7e3fb20b-4cdb-47cc-936d-99d65f6081}", false), ("", false),
    ("704000000000000001", false),
    ("é7e3fb20b-4cdb-47cc-936d-99d65f6081", false),
])
func shapeOfAccountTokens(_ text: String, _ isUUID: Bool) {
    #expect(AppAccountToken.looksLikeUUID(text) == isUUID)
}

@Test func accountTokensAreLowerCaseAndEmptyIsAbsent() {
    #expect(AppAccountToken("7E3FB20B-4CDB-47CC-936D-99D65F608138").rawValue == "7e3fb20b-4cdb-47cc-936d-99d65f608138")
    #expect(AppAccountToken(wire: nil) == nil)
    #expect(AppAccountToken(wire: "") == nil)
    #expect(AppAccountToken(wire: "ABC") == AppAccountToken("abc"))
}

@Test func ledgersAreOrderedAndApart() {
    let acme = Ledger(app: AppID("acme"), environment: .production)
    let sandbox = Ledger(app: AppID("acme"), environment: .sandbox)
    #expect(acme < sandbox && acme != sandbox && sandbox < Ledger(app: AppID("birdsong"), environment: .production))
}
