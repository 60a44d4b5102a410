import AppStore
import Domain
import Foundation
import Gzip
import Reports
import Store
import StoreConformance
import Testing

@testable import AppStoreSimulator
@testable import Ingest

/// One refund as the store made it.
private struct MadeRefund {
    var id: String
    var product: String
    var at: Timestamp
    var territory: (short: String, long: String, currency: String)
    /// Milliunits.
    var price: Int64
    var percentage: Int32 = 100_000
    var type = ProductType.consumable

    var amount: Int64 { price * Int64(percentage) / 100_000 }

    /// Told by the zone's own tables.
    var day: String { MadeRefund.day.string(from: Date(timeIntervalSince1970: Double(at.milliseconds) / 1_000)) }

    private static let day: DateFormatter = {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "America/Los_Angeles")
        formatter.dateFormat = "MM/dd/yyyy"
        return formatter
    }()
}

private let territories = [("US", "USA", "USD"), ("DE", "DEU", "EUR"), ("JP", "JPN", "JPY"), ("GB", "GBR", "GBP")]

/// Refunds every 47 minutes, from two days before each clock change to two days after.
private func refunds() throws -> [MadeRefund] {
    var random = SplitMix64(seed: 5)
    var made: [MadeRefund] = []
    for change in ["2026-03-08T10:00Z", "2026-11-01T09:00Z"] {
        let middle = try #require(Timestamp(utc: change))
        for step in Int64(-60)...60 {
            let territory = random.pick(territories)
            made.append(
                MadeRefund(
                    id: "\(5_000_000 + made.count)", product: "coins\(random.pick([100, 500]))", at: middle + .minutes(step * 47),
                    territory: territory, price: Int64.random(in: 1...2_000, using: &random) * 10,
                    percentage: random.chance(20) ? 50_000 : 100_000))
        }
    }
    return made
}

/// Writes files as App Store Connect does: aggregated, tab-separated, one a day.
private struct FileWriter {
    private static let header = [
        "Provider", "Provider Country", "SKU", "Developer", "Title", "Version", "Product Type Identifier", "Units", "Developer Proceeds",
        "Begin Date", "End Date", "Customer Currency", "Country Code", "Currency of Proceeds", "Apple Identifier", "Customer Price",
        "Promo Code", "Parent Identifier", "Subscription", "Period", "Category", "CMB", "Device", "Supported Platforms",
        "Proceeds Reason", "Preserved Pricing", "Client", "Order Type",
    ]
    var columns = FileWriter.header
    var rows: [[String: String]] = []

    mutating func add(_ refund: MadeRefund, day: String? = nil, price: Int64? = nil) {
        let isShare = refund.percentage < 100_000
        row(
            day ?? refund.day, "com.acme." + refund.product, "IA1", units: isShare ? "0" : "-1.00", price: -(price ?? refund.amount),
            refund.territory.short, refund.territory.currency, cmb: "", parent: "acme-sku")
    }

    /// Rows that are no refunds of the app's.
    mutating func addTraps(_ day: String) {
        row(day, "acme-sku", "1F", units: "12", price: 0, "US", "USD", cmb: "", parent: "", appleID: "900100200")
        row(day, "com.acme.coins100", "IA1", units: "25.00", price: 9_990, "US", "USD", cmb: "", parent: "acme-sku")
        row(day, "com.acme.coins100", "IA1", units: "-1", price: -9_990, "US", "USD", cmb: "CMB-C", parent: "acme-sku")
        row(day, "com.acme.coins100", "IA3", units: "-3", price: 0, "US", "USD", cmb: "", parent: "acme-sku")
        row(day, "com.other.gems", "IA1", units: "-7", price: -4_990, "DE", "EUR", cmb: "", parent: "other-sku")
        row(day, "acme-sku", "1", units: "-1", price: -1_990, "US", "USD", cmb: "", parent: "")
    }

    private mutating func row(
        _ day: String, _ sku: String, _ type: String, units: String, price: Int64, _ country: String, _ currency: String, cmb: String,
        parent: String, appleID: String = "77"
    ) {
        rows.append([
            "Provider": "APPLE", "SKU": sku, "Product Type Identifier": type, "Units": units, "Developer Proceeds": "6.99",
            "Begin Date": day, "End Date": day, "Customer Currency": currency, "Country Code": country,
            "Customer Price": DecimalText.money(price), "Parent Identifier": parent, "Apple Identifier": appleID, "CMB": cmb,
        ])
    }

    func text(of day: String) -> String {
        let own = rows.filter { $0["Begin Date"] == day }
        return ([columns] + own.map { row in columns.map { row[$0] ?? "" } }).map { $0.joined(separator: "\t") }.joined(separator: "\n")
            + "\n"
    }
}

extension TestDesk {
    fileprivate func receive(_ refund: MadeRefund) async throws {
        clock.set(max(clock.now(), refund.at + .hours(1)))
        let bought = TransactionPayload.make(refund.id, refund.product, refund.type, at: refund.at - .days(3)).with {
            ($0.storefront, $0.currency, $0.price) = (refund.territory.long, refund.territory.currency, refund.price)
        }
        try await notify("REFUND", nil, bought.refunded(at: refund.at, percentage: refund.percentage), signed: refund.at)
    }

    fileprivate func take(_ text: String, _ name: String, packed: Bool = false, sku: String? = nil) async throws -> SalesDesk.Result {
        let bytes = Array(text.utf8)
        let file = try SalesFile(
            packed ? Gzip.packed(bytes) : bytes, name: name, of: SalesApp(appleID: app.appAppleID, sku: sku))
        let (id, now) = (app.id, clock.now())
        return try await store.write { tx throws(StoreError) in try SalesDesk(id, tx, at: now).take(file) }
    }

    fileprivate func check(_ kind: SalesFileKind, _ from: String, _ to: String) async throws -> SalesCheck {
        let days = try [from, to].map { ReportDay(try #require(Timestamp(utc: $0 + "T00:00Z"))).utc }
        let ledger = ledger
        return try await store.read { tx throws(StoreError) in
            try SalesCheck(kind, ledger, ReportSpan(from: days[0], to: days[1], zone: .pacific), tx)
        }
    }
}

private func name(_ day: String) -> String {
    let parts = day.split(separator: "/")
    return "S_D_80000001_\(parts[2])\(parts[0])\(parts[1]).txt"
}

@Test(arguments: engines) func mismatchesAreFoundExactlyAcrossClockChanges(_ engine: Engine) async throws {
    try await engine.use { store in
        let desk = try await TestDesk(on: store)
        let made = try refunds()
        var writer = FileWriter()
        var expected: [String] = []
        // Each mismatch has a product of its own, so that nothing else can hide it.
        for (index, refund) in made.enumerated() {
            var refund = refund
            if [3, 50, 61, 130, 180, 200].contains(index) { refund.product = "odd\(index)" }
            switch index {
            case 3, 130:  // missed
                refund.percentage = index == 3 ? 100_000 : 50_000
                writer.add(refund)
                expected.append("\(refund.day) \(refund.product) not received")
            case 50, 180:  // never reported
                refund.percentage = 100_000
                try await desk.receive(refund)
                expected.append("\(refund.day) \(refund.product) not reported")
            case 61:  // another amount
                refund.percentage = 100_000
                try await desk.receive(refund)
                writer.add(refund, price: refund.price + 1_000)
                expected.append("\(refund.day) \(refund.product) amount differs")
            case 200:  // counted a day later
                refund.percentage = 100_000
                try await desk.receive(refund)
                var later = refund
                later.at = refund.at + .days(1)
                writer.add(refund, day: later.day)
                for day in [refund.day, later.day] { expected.append("\(day) \(refund.product) on the next or the former day") }
            default:
                try await desk.receive(refund)
                writer.add(refund)
            }
        }
        let days = Set(made.map(\.day)).sorted()
        #expect(days.contains("03/08/2026") && days.contains("11/01/2026"))
        for (index, day) in days.enumerated() {
            writer.addTraps(day)
            if index % 2 == 1 { writer.columns.reverse() }
            #expect(try await desk.take(writer.text(of: day), name(day), packed: index % 3 == 0) != .known)
        }
        let check = try await desk.check(.summary, "2026-01-01", "2027-01-01")
        let found = check.lines.map { line in
            let date = CivilDate(daysSinceEpoch: line.key.day).text.split(separator: "-")
            return "\(date[1])/\(date[2])/\(date[0]) \(line.key.product.dropFirst(9)) \(line.finding?.rawValue ?? "")"
        }
        #expect(found.sorted() == expected.sorted())
        #expect(check.agreeing > 60 && check.importedDays == days.count && !check.isClean)
        #expect(check.document.tables.map(\.name) == SalesCheck.tables)
    }
}

@Test func theSameContentCountsOnceAndACorrectionTakesItsPlace() async throws {
    let desk = try await TestDesk()
    let refund = try #require(try refunds().first { $0.percentage == 100_000 })
    var writer = FileWriter()
    writer.add(refund)
    let text = writer.text(of: refund.day)
    #expect(try await desk.take(text, name(refund.day)) == .imported(days: 1, refunds: 1))
    #expect(try await desk.take(text, name(refund.day), packed: true) == .known, "packed or not, it is the same content")
    #expect(try await desk.check(.summary, "2026-01-01", "2027-01-01").lines.map(\.reportedUnits) == [100])
    writer.add(refund)
    #expect(try await desk.take(writer.text(of: refund.day), name(refund.day)) == .replaced(days: 1))
    #expect(try await desk.check(.summary, "2026-01-01", "2027-01-01").lines.map(\.reportedUnits) == [200])
    #expect(try await desk.take(writer.text(of: refund.day), "S_D_80000002_20260306.txt") == .imported(days: 1, refunds: 1))
    #expect(try await desk.check(.summary, "2026-01-01", "2027-01-01").lines.map(\.reportedUnits) == [400], "two sellers")
}

@Test func aDayWithoutAFileIsNamed() async throws {
    let desk = try await TestDesk()
    let refund = try #require(try refunds().first)
    try await desk.receive(refund)
    #expect(try await desk.check(.summary, "2026-01-01", "2027-01-01").lines.map(\.finding) == [.noFile])
}

@Test func filesOfSubscriptionsAreReadByTheirNumbers() async throws {
    let desk = try await TestDesk()
    var refund = try #require(try refunds().first { $0.percentage == 100_000 })
    // What is no subscription is not expected in these files.
    try await desk.receive(refund)
    (refund.id, refund.product, refund.type) = ("5999999", "pro", .autoRenewableSubscription)
    try await desk.receive(refund)
    let day = CivilDate(daysSinceEpoch: ReportDay(refund.at).pacific).text
    let (country, currency, price) = (refund.territory.short, refund.territory.currency, DecimalText.money(-refund.price))
    let event =
        "Event Date\tEvent\tApp Apple ID\tSubscription Apple ID\tCountry\tQuantity\n"
        + "\(day)\tRefund\t900100200\t77\t\(country)\t1\n\(day)\tRenew\t900100200\t77\tUS\t5\n\(day)\tRefund\t1\t78\tUS\t9\n"
    let subscriber =
        "Subscriber ID\tRefund\tCustomer Price\tCustomer Currency\tCountry\tEvent Date\tApp Apple ID\tSubscription Apple ID\tUnits\n"
        + "1\tYes\t\(price)\t\(currency)\t\(country)\t\(day)\t900100200\t77\t1\n2\t\t9.99\tUSD\tUS\t\(day)\t900100200\t77\t1\n"
    #expect(try await desk.take(event, "Subscription_Event_80000001_20260306.txt") == .imported(days: 1, refunds: 1))
    #expect(try await desk.take(subscriber, "Subscriber_80000001_20260306.txt") == .imported(days: 1, refunds: 1))
    let unnamed = try await desk.check(.event, "2026-01-01", "2027-01-01")
    #expect(unnamed.lines.map(\.key.product) == ["apple:77", "com.acme.pro"], "no file named it yet")
    #expect(unnamed.namelessProducts == 1 && unnamed.document.notes.contains { $0.contains("import a Summary Sales file") })
    let header =
        "SKU\tApple Identifier\tProduct Type Identifier\tParent Identifier\tUnits\tCustomer Price\tCustomer Currency\tCountry Code\t"
    _ = try await desk.take(
        header + "Begin Date\tEnd Date\ncom.acme.pro\t77\tIAY\tacme\t1\t9.99\tUSD\tUS\t1/5/2026\t01/05/2026\n", "summary.txt")
    for kind in [SalesFileKind.event, .subscriber] {
        let check = try await desk.check(kind, "2026-01-01", "2027-01-01")
        #expect(check.lines == [] && check.agreeing == 1 && check.isClean, "\(kind)")
    }
    (refund.id, refund.product) = ("5999998", "never.reported")
    try await desk.receive(refund)
    for kind in [SalesFileKind.event, .subscriber] {
        let lines = try await desk.check(kind, "2026-01-01", "2027-01-01").lines
        #expect(lines.map(\.key.product) == ["com.acme.never.reported"] && lines.map(\.finding) == [.notReported], "\(kind)")
    }
}

/// A refund about midnight may stand in the file of the day before those that are asked for, or of the day after.
@Test func theDaysBesideTheSpanAreReadToo() async throws {
    let desk = try await TestDesk()
    var refund = try #require(try refunds().first { $0.percentage == 100_000 })
    try await desk.receive(refund)
    let day = refund.day
    refund.at = refund.at - .days(1)
    var writer = FileWriter()
    writer.add(refund)
    for day in [refund.day, day] { _ = try await desk.take(writer.text(of: day), name(day)) }
    let own = CivilDate(daysSinceEpoch: ReportDay(refund.at).pacific + 1)
    let check = try await desk.check(.summary, own.text, CivilDate(daysSinceEpoch: own.daysSinceEpoch + 1).text)
    #expect(check.lines.map(\.finding) == [.nextDay] && check.isClean && check.importedDays == 1)
}

@Test(arguments: [
    ("", "header"), ("no tabs here\n", "header"), ("A\tB\n1\t2\n", "none of the files"),
    ("Event\tQuantity\tCountry\tEvent Date\nRefund\t1\tUS\t2026-13-01\n", "line 2: Event Date is no day"),
    ("Event\tQuantity\tCountry\tEvent Date\nRefund\tmany\tUS\t2026-01-01\n", "line 2: Quantity is no number"),
    ("Event\tQuantity\tCountry\tEvent Date\nRefund\t1\tUS\t2026-01-01\tmore\n", "line 2 has 5 fields"),
    ("Event\tEvent Date\tQuantity\tCountry\nRefund\t2026-01-01\t1\n", "line 2 ends before Country: the file is not whole"),
    (
        "Event\tQuantity\tCountry\tEvent Date\n" + String(repeating: "Refund\t9000000000000\tUS\t2026-01-01\n", count: 2),
        "line 3: units or amounts are beyond any sum"
    ),
    ("Event\tQuantity\tCountry\tEvent Date\nRefund\t99999999999999999999\tUS\t2026-01-01\n", "line 2: Quantity is no number"),
])
func aBadFileIsRefusedWhole(_ text: String, _ words: String) {
    let error = #expect(throws: SalesFileError.self) {
        try SalesFile(Array(text.utf8), name: "x.txt", of: SalesApp(appleID: nil, sku: nil))
    }
    #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
}

@Test func aFileOfSeveralAppsNeedsToKnowWhich() throws {
    let header =
        "SKU\tApple Identifier\tProduct Type Identifier\tParent Identifier\tUnits\tCustomer Price\tCustomer Currency\tCountry Code\t"
    let rows = ["one", "two"].map { "p\t7\tIA1\t\($0)\t-1\t-2.50\tUSD\tUS\t01/05/2026\t01/05/2026\n" }
    let text = Array((header + "Begin Date\tEnd Date\n" + rows.joined()).utf8)
    let error = #expect(throws: SalesFileError.self) { try SalesFile(text, name: "x.txt", of: SalesApp(appleID: nil, sku: nil)) }
    #expect(error?.description.contains("one, two") == true && error?.description.contains("--sku") == true)
    let file = try SalesFile(text, name: "x.txt", of: SalesApp(appleID: nil, sku: "two"))
    #expect(file.days.values.map { $0.map(\.amount) } == [[2_500]])
    let week = Array((header + "Begin Date\tEnd Date\n" + rows[0].replacing("01/05/2026\n", with: "01/11/2026\n")).utf8)
    #expect(throws: SalesFileError.self) { try SalesFile(week, name: "S_W_1_20260111.txt", of: SalesApp(appleID: nil, sku: nil)) }
}
