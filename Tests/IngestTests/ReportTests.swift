import AppStore
import Domain
import Foundation
import Reports
import Store
import StoreConformance
import Testing

@testable import AppStoreSimulator
@testable import Ingest

/// Half a year of an app: sales, renewals after trials, commitments, requests of all kinds and what came of them.
private struct ReportStory {
    let desk: TestDesk
    private var random: SplitMix64
    private var next = 1_000

    init(_ desk: TestDesk, seed: UInt64) {
        self.desk = desk
        random = SplitMix64(seed: seed)
    }

    static func app() -> AppSettings {
        var app = AppSettings.acme
        app.products.byID[ProductID("com.acme.coins100")]?.costs = ["coins": .init(unit: 2, currency: "USD")]
        let isPack = PolicyCondition(.named(.productType), .anyOf([PolicyPattern(text: "Consumable")]))
        app.policy = Policy(
            rules: [
                PolicyRule(
                    name: "packs", conditions: [isPack], outcome: PolicyOutcome(.send(preference: .decline, holdoutPercent: 30)))
            ], default: .dataOnly)
        return app
    }

    mutating func run() async throws {
        for week in 0..<26 {
            for _ in 0..<6 { try await coins(in: week) }
            try await subscriber(in: week)
        }
        for month in 1...7 { try await commitment(Int32(month)) }
        try await desk.notify("REFUND", nil, TransactionPayload.committed(7, "4007").refunded(at: desk.clock.now(), percentage: 40_000))
        try await desk.notify("REFUND", nil, TransactionPayload.committed(2, "4002").refunded(at: desk.clock.now()))
    }

    private mutating func id() -> String {
        next += 1
        return "\(next)"
    }

    /// A pack is bought, and often asked about.
    private mutating func coins(in week: Int) async throws {
        let id = id()
        let bought = on(Int64(week * 7)) + .minutes(Int64.random(in: 0...10_000, using: &random))
        desk.clock.set(max(desk.clock.now(), bought))
        let store = random.pick([("USA", "USD", Int64(990)), ("DEU", "EUR", 1_090), ("JPN", "JPY", 160_000)])
        let pack = TransactionPayload.coins(id, at: bought).with { ($0.storefront, $0.currency, $0.price) = store }
        try await desk.notify("ONE_TIME_CHARGE", nil, pack)
        guard random.chance(70) else { return }
        if random.chance(80) { try await desk.consent("704" + id) }
        if random.chance(60) { _ = try await desk.use(30_000_000, "use-" + id, of: .transaction(TransactionID(id))) }
        try await ask(pack, again: random.chance(25))
    }

    private mutating func ask(_ pack: TransactionPayload, again: Bool) async throws {
        desk.clock.advance(.minutes(Int64.random(in: 1...3_000, using: &random)))
        let reason = random.pick(ConsumptionRequestReason.allCases).rawValue
        try await desk.notify("CONSUMPTION_REQUEST", nil, pack, reason: reason)
        let sent = try await desk.send(random.chance(90) ? .accepted : .refused)
        desk.clock.advance(.minutes(Int64.random(in: 2...700, using: &random)))
        switch Int.random(in: 0..<(sent == nil ? 6 : 9), using: &random) {
        case 0...2: try await desk.notify("REFUND", nil, pack.refunded(at: desk.clock.now()))
        case 3: try await desk.notify("REFUND", nil, pack.refunded(at: desk.clock.now(), percentage: 55_500))
        case 4:
            try await desk.notify("REFUND", nil, pack.refunded(at: desk.clock.now()))
            desk.clock.advance(.hours(30))
            try await desk.notify("REFUND_REVERSED", nil, pack)
        case 5: break
        default: try await desk.decline(pack)
        }
        if again { try await ask(pack, again: false) }
    }

    /// A free trial, its conversion, a renewal; some call the conversion unintended.
    private mutating func subscriber(in week: Int) async throws {
        let original = id()
        let start = on(Int64(week * 7))
        let trial = TransactionPayload.month(original, of: original, at: start).with {
            ($0.price, $0.offerType, $0.offerDiscountType) = (0, 1, "FREE_TRIAL")
            $0.expiresDate = (start + .days(7)).milliseconds
        }
        try await desk.notify("SUBSCRIBED", "INITIAL_BUY", trial, trial.renewal())
        let paid = TransactionPayload.month(id(), of: original, at: start + .days(7)).with { $0.price = 9_990 }
        desk.clock.set(max(desk.clock.now(), start + .days(7)))
        try await desk.notify("DID_RENEW", nil, paid, paid.renewal())
        guard random.chance(60) else { return }
        desk.clock.advance(.hours(5))
        try await desk.notify(
            "CONSUMPTION_REQUEST", nil, paid, reason: "UNINTENDED_PURCHASE", signed: start + .days(7) + .hours(random.chance(70) ? 20 : 90))
        desk.clock.advance(.hours(1))
        if random.chance(50) { try await desk.notify("REFUND", nil, paid.refunded(at: desk.clock.now())) }
    }

    private mutating func commitment(_ month: Int32) async throws {
        let payload = TransactionPayload.committed(month, "400\(month)").with { ($0.price, $0.currency) = (5_990, "EUR") }
        desk.clock.set(max(desk.clock.now(), on(Int64(month) * 30)))
        try await desk.notify(month == 1 ? "SUBSCRIBED" : "DID_RENEW", nil, payload, payload.renewal())
    }
}

private let span = ReportSpan(from: ReportDay(on(0)).utc, to: ReportDay(on(400)).utc, zone: .utc)

extension TestDesk {
    /// All reports, in all forms, as one text a report.
    fileprivate func reports() async throws -> [String: String] {
        var texts: [String: String] = [:]
        for kind in ReportKind.allCases {
            for by in kind.groupings.isEmpty ? [.product] : kind.groupings {
                let zone: ReportZone = by == .day ? .pacific : .utc
                let request = ReportRequest(
                    ledger: ledger, span: ReportSpan(from: span.from, to: span.to, zone: zone), by: by, granted: 1, requested: 2)
                let document = try await store.read { tx throws(StoreError) in try kind.document(request, tx) }
                #expect(document.tables.map(\.name) == kind.tables)
                let csv = document.tables.map { CSVRendering.text(document, table: $0) }.joined(separator: "\n\n")
                let name = kind.groupings.isEmpty ? kind.rawValue : "\(kind.rawValue)-\(by.rawValue)"
                texts[name] = [TextRendering.text(document), csv, JSONRendering.text(document)].joined(separator: "\n\n") + "\n"
            }
        }
        return texts
    }
}

/// The folder of the stored texts; to be written anew with `REFUND_DESK_GOLDEN=write`, and then read.
private enum Golden {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appending(path: "Golden/reports")
    static let isWritten = ProcessInfo.processInfo.environment["REFUND_DESK_GOLDEN"] == "write"

    static func check(_ text: String, _ name: String, _ engine: Engine) throws {
        let file = folder.appending(path: name + ".txt")
        if isWritten { try Data(text.utf8).write(to: file) }
        let stored = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        #expect(text == stored, "\(name) on \(engine.testDescription)")
    }
}

@Test(arguments: engines) func reportsAreTheStoredTexts(_ engine: Engine) async throws {
    try await engine.use { store in
        let desk = try await TestDesk(ReportStory.app(), on: store)
        var story = ReportStory(desk, seed: 11)
        try await story.run()
        for (name, text) in try await desk.reports() { try Golden.check(text, name, engine) }
        #expect(try await desk.differences() == [])
    }
}

/// Counters of what Apple and the owner said, whatever order it came in.
extension TestDesk {
    fileprivate func counters() async throws -> [String] {
        let ledger = ledger
        return try await store.read { tx throws(StoreError) in
            var lines: [String] = []
            for basis in CaseBasis.allCases {
                for dimension in CaseDimension.allCases where dimension != .rule {
                    let query = CaseSumQuery(ledger: ledger, basis: basis, dimension: dimension, span: span, days: .apart)
                    lines += try tx.caseSums(query).map { "\(basis) \(dimension) \($0)" }
                }
            }
            for series in [ReportSumKey.Series.sale, .refund, .cost, .start] {
                for dimension in ["product", "storefront", "offer", "commitment", "reason", "territory"] {
                    let query = ReportSumQuery(ledger: ledger, series: series, dimension: dimension, span: span, days: .apart)
                    lines += try tx.reportSums(query).filter { !$0.outcome.hasPrefix("unit-costs") }.map { "\(series) \(dimension) \($0)" }
                }
            }
            return lines
        }
    }
}

@Test(arguments: UInt64(21)...24)
func theOrderOfArrivalDoesNotMatterToReports(_ seed: UInt64) async throws {
    let source = try await TestDesk()
    var story = RandomStory(seed: seed, source)
    try await story.run(steps: 60)
    let messages = story.delivered + story.underWay
    var results: [[String]] = []
    for _ in 0..<2 {
        let desk = try await TestDesk()
        desk.clock.set(on(400))
        for message in (messages + messages).shuffled(using: &story.random) { try await desk.post(message) }
        results.append(try await desk.counters())
        #expect(try await desk.differences() == [])
    }
    #expect(results[0] == results[1], "seed \(seed)")
    #expect(results[0].count > 40, "seed \(seed)")
}

@Test func aFalsifiedCounterIsNoticedAndMended() async throws {
    let desk = try await TestDesk()
    try await desk.askAboutCoins()
    #expect(try await desk.differences() == [])
    for sql in [
        "UPDATE case_sums SET requests = requests + 1 WHERE dimension = 'product' AND basis = 'requested' AND tier = 'day'",
        "UPDATE report_sums SET amount = amount - 1 WHERE series = 'sale' AND dimension = 'storefront' AND tier = 'month'",
        "INSERT INTO report_sums SELECT ledger_id, series, 'made up', tier, utc_day, pacific_day, value, outcome, currency, 9, 1, 1, 1 FROM report_sums LIMIT 1",
        "DELETE FROM case_sums WHERE basis = 'purchased' AND dimension = 'offer' AND tier = 'month'", "UPDATE case_facts SET facts = '{}'",
    ] as [StaticString] {
        try desk.edit(sql)
        #expect(try await desk.differences().count == 1, "\(sql)")
        _ = try await desk.store.replay(repair: true, fold: foldLogEntry)
        #expect(try await desk.differences() == [], "\(sql)")
    }
}

/// A database of the time before there were counters is counted when it is opened.
@Test(arguments: engines) func whatWasThereBeforeIsCounted(_ engine: Engine) async throws {
    let empty = try await engine.make()
    var before: [String: String] = [:]
    try await empty.use { store in
        let desk = try await TestDesk(ReportStory.app(), on: store)
        var story = ReportStory(desk, seed: 12)
        try await story.run()
        before = try await desk.reports()
    }
    try empty.edit("DROP TABLE case_facts; DROP TABLE case_sums; DROP TABLE report_sums; DELETE FROM migrations WHERE number = 12")
    try await empty.use { store in
        let desk = try await TestDesk(ReportStory.app(), on: store)
        #expect(try await desk.reports() == before)
        #expect(try await desk.differences() == [])
    }
}

@Test func whoIsForgottenStaysInTheCounters() async throws {
    let desk = try await TestDesk()
    try await desk.askAboutCoins()
    #expect(try await desk.send(.accepted) != nil)
    try await desk.notify("REFUND", nil, coins.refunded(at: desk.clock.now()))
    let before = try await desk.counters()
    let report = try await Forgetting("7042001", in: desk.ledger).run(on: desk.store, at: desk.clock.now())
    #expect(report != nil)
    #expect(try await desk.counters() == before && !before.isEmpty)
    #expect(try await desk.differences() == [])
}

/// A body that is undone takes its sales with it, also where others share its transaction.
@Test(arguments: engines) func whatIsUndoneIsNotCounted(_ engine: Engine) async throws {
    try await engine.use { store in
        let ledger = demo
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    let transaction = Transaction.full("\(number)", original: "\(number)")
                    do {
                        try await store.write { tx throws(StoreError) in
                            try tx.put(Purchase(transaction), in: ledger)
                            try tx.notePurchase(before: nil, after: transaction, in: ledger)
                            if number.isMultiple(of: 2) { throw StoreError(code: .unavailable, operation: "test", detail: "undone") }
                        }
                    } catch let error as StoreError where error.operation == "test" {}
                }
            }
            try await group.waitForAll()
        }
        let day = ReportDay(at(0)).utc
        let rows = try await store.read { tx throws(StoreError) in
            try tx.reportSums(
                ReportSumQuery(
                    ledger: ledger, series: .sale, dimension: "product", span: ReportSpan(from: day, to: day + 1, zone: .utc)))
        }
        #expect(rows.map(\.sums) == [ReportSums(count: 20, units: 60, amount: 20 * 10_990)])
    }
}

/// What was sent, a decline, asking again and the refund after all: each is counted where it belongs.
@Test func aDeclineThatIsRefundedLaterIsToldSo() async throws {
    let desk = try await TestDesk(.acme(PolicyOutcome(.prefer(.decline))))
    try await desk.askAboutCoins()
    #expect(try await desk.send(.accepted) != nil)
    desk.clock.advance(.hours(2))
    try await desk.decline(coins)
    desk.clock.advance(.hours(20))
    try await desk.ask(coins, "again")
    desk.clock.advance(.hours(1))
    try await desk.notify("REFUND", nil, coins.refunded(at: desk.clock.now()))
    let ledger = desk.ledger
    let report = try await desk.store.read { tx throws(StoreError) in try OutcomesReport(ReportRequest(ledger: ledger, span: span), tx) }
    #expect(report.cases.requests == 1 && report.cases.askedAgain == 1 && report.cases.declinedThenRefunded == 1)
    #expect(report.bySent.map(\.name) == ["DECLINE", "nothing"])
    #expect(report.bySent.map(\.declined) == [1, 0] && report.bySent.map(\.refunded) == [0, 1])
    #expect(report.all.times.quantile(percent: 50) == TimeHistogram.middle(ofBucket: TimeHistogram.bucket(of: 3_600)))
    #expect(report.holdouts == [])
    let refunds = try await desk.store.read { tx throws(StoreError) in try RefundsReport(ReportRequest(ledger: ledger, span: span), tx) }
    #expect(refunds.byRequestDate.map(\.sums.rounds) == [2] && refunds.byRequestDate.map(\.sums.grantedFull) == [1])
    #expect(try await desk.differences() == [])
}

@Test("field reports 109 and 150: a share is what went back, and amounts are estimates from list prices, per currency")
func amountsAreSharesOfListPrices() async throws {
    let desk = try await TestDesk()
    for (id, currency) in [("2001", "USD"), ("2002", "EUR")] {
        let pack = TransactionPayload.coins(id).with { ($0.price, $0.currency) = (10_990, currency) }
        try await desk.notify("ONE_TIME_CHARGE", nil, pack)
        try await desk.notify("REFUND", nil, pack.refunded(at: desk.clock.now(), percentage: 50_000))
    }
    let ledger = desk.ledger
    let report = try await desk.store.read { tx throws(StoreError) in try RefundsReport(ReportRequest(ledger: ledger, span: span), tx) }
    let amounts = try #require(report.byRequestDate.first).amounts
    #expect(amounts.mapValues(\.refunded) == ["USD": 5_495, "EUR": 5_495] && amounts.mapValues(\.sold) == ["USD": 10_990, "EUR": 10_990])
    #expect(report.byRequestDate.map(\.sums.grantedProrated) == [2])
    let text = TextRendering.text(report.document)
    #expect(text.contains("5.495 USD") && text.contains("5.495 EUR"))
    #expect(text.contains("Amounts are estimates from list prices") && text.contains("they are not proceeds"))
    #expect(report.document.tables.allSatisfy { !$0.columns.contains { $0.name.lowercased().contains("proceeds") } })
}
