import Domain
import Foundation
import Reports
import Server
import Store

/// How long the reports of a year take, made from the counters of so many cases.
///
/// The counters are filled as that many cases would fill them, with every product sold in every currency on every day: more rows than an app
/// of that size has.
struct ReportsBench {
    let cases: Int64
    /// Measured as well where there is one.
    let postgres: String?

    private static let days: Int64 = 365
    private static let ledger = Ledger(app: AppID("bench"), environment: .production)
    private static let firstDay: Int64 = 20_454  // 2026-01-01

    func run(_ report: Report) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "refund-desk-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "reports.db").path(percentEncoded: false)
        try await measure(try await DeskCore.openStore(.sqlite(path: file)), "SQLite", report)
        if let postgres { try await measure(try await DeskCore.openStore(.postgres(url: postgres)), "PostgreSQL", report) }
    }

    private func measure(_ store: any Store, _ engine: String, _ report: Report) async throws {
        for day in 0..<ReportsBench.days {
            for pacific in [day - 1, day] {
                let (first, weight) = (ReportsBench.firstDay, max(cases / ReportsBench.days / 2, 1))
                let filled = Filling(day: ReportDay(utc: first + day, pacific: first + pacific), cases: weight).contribution
                try await store.write { tx throws(StoreError) in try tx.add(filled.inAllTiers, in: ReportsBench.ledger) }
            }
        }
        for kind in ReportKind.allCases where kind != .customers {
            for by in kind.groupings.isEmpty ? [.product] : kind.groupings { try await time(kind, by, store, engine, report) }
        }
        await store.close()
    }

    private func time(_ kind: ReportKind, _ by: ReportGrouping, _ store: any Store, _ engine: String, _ report: Report) async throws {
        let span = ReportSpan(from: ReportsBench.firstDay, to: ReportsBench.firstDay + ReportsBench.days, zone: .pacific)
        let request = ReportRequest(ledger: ReportsBench.ledger, span: span, by: by)
        let begin = Date()
        let document = try await store.read { tx throws(StoreError) in try kind.document(request, tx) }
        let seconds = Date().timeIntervalSince(begin)
        guard document.tables.contains(where: { !$0.rows.isEmpty }) else { throw BenchFault("the report is empty") }
        let name = kind.groupings.isEmpty ? kind.rawValue : "\(kind.rawValue) by \(by.rawValue)"
        report.add("report \(name), a year of \(cases) cases, \(engine)", seconds * 1e3, "ms")
    }
}

/// The counters of one day.
private struct Filling {
    let day: ReportDay
    let cases: Int64

    private static let products = (0..<20).map { "com.example.product\($0)" }
    private static let currencies = (0..<40).map { "C\($0 / 10)\($0 % 10)" }
    private static let values: [(CaseDimension, [String])] = [
        (.product, products), (.reason, (0..<6).map { "REASON_\($0)" }), (.offer, (0..<6).map { "offer \($0)" }),
        (.age, (0..<10).map { "\($0)" }), (.commitment, (0..<13).map { "\($0)" }), (.rule, (0..<5).map { "rule \($0)" }),
    ]

    var contribution: ReportContribution {
        var all = ReportContribution()
        for basis in CaseBasis.allCases {
            for (dimension, values) in Filling.values { addCases(basis, dimension, values, Filling.currencies, to: &all) }
            for store in 0..<60 { addCases(basis, .storefront, ["S\(store)"], [Filling.currencies[store % 40]], to: &all) }
        }
        for product in Filling.products { for currency in Filling.currencies { addMoney(product, currency, to: &all) } }
        for store in 0..<60 {
            let currency = Filling.currencies[store % 40]
            add(.sale, "storefront", "S\(store)", SaleOutcome.paid.rawValue, currency, of: 60, to: &all)
            for outcome in [CostOutcome.firstYear, .unitCosts, .commitment] {
                add(.cost, "storefront", "S\(store)", outcome.rawValue, currency, of: 60, to: &all)
            }
        }
        addRounds(to: &all)
        return all
    }

    private func addCases(
        _ basis: CaseBasis, _ dimension: CaseDimension, _ values: [String], _ currencies: [String], to all: inout ReportContribution
    ) {
        var sums = CaseSums()
        let share = max(cases / Int64(values.count * currencies.count), 1)
        (sums.requests, sums.rounds, sums.grantedFull, sums.declined) = (share, share, share / 2, share - share / 2)
        (sums.price, sums.refundedAmount) = (share * 9_990, share / 2 * 9_990)
        for value in values {
            for currency in currencies { all.cases[CaseSumKey(basis, dimension, day, value: value, currency: currency)] = sums }
        }
    }

    private func addMoney(_ product: String, _ currency: String, to all: inout ReportContribution) {
        for outcome in SaleOutcome.allCases { add(.sale, "product", product, outcome.rawValue, currency, of: 800, to: &all) }
        for outcome in [CostOutcome.firstYear, .unitCosts] { add(.cost, "product", product, outcome.rawValue, currency, of: 800, to: &all) }
        if product.hasSuffix("1") { add(.cost, "product", product, CostOutcome.commitment.rawValue, currency, of: 800, to: &all) }
        if product.hasSuffix("0") { add(.cost, "reason", product, CostOutcome.firstYear.rawValue, currency, of: 80, to: &all) }
    }

    private func addRounds(to all: inout ReportContribution) {
        for sent in ["DECLINE", "GRANT_FULL", "GRANT_PRORATED", "data-only", "nothing"] {
            for outcome in ["refunded", "declined", "undecided"] {
                for dimension in ["sent", "rule"] { add(.round, dimension, sent, outcome, "", of: 15, to: &all) }
                for arm in RoundFacts.Arm.allCases { add(.arm, arm.rawValue, sent, outcome, "", of: 15, to: &all) }
            }
            for bucket in 60..<200 { add(.time, "sent", sent, "\(bucket)", "", of: 700, to: &all) }
        }
        for start in PeriodStart.allCases {
            for product in Filling.products { add(.start, "product", product, start.rawValue, "", of: 60, to: &all) }
            for offer in 0..<6 { add(.start, "offer", "offer \(offer)", start.rawValue, "", of: 18, to: &all) }
        }
    }

    private func add(
        _ series: ReportSumKey.Series, _ dimension: String, _ value: String, _ outcome: String, _ currency: String, of parts: Int64,
        to all: inout ReportContribution
    ) {
        let share = max(cases / parts, 1)
        let key = ReportSumKey(series, dimension, day, value: value, outcome: outcome, currency: currency)
        all.sums[key] = ReportSums(count: share, units: share, amount: share * 9_990)
    }
}
