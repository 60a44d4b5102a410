import Domain
import Store
import Testing

/// Days of both zones over four months, a contribution to each, of two values in turn.
private let days = (Int64(20_480)..<20_600).flatMap { [ReportDay(utc: $0, pacific: $0 - 1), ReportDay(utc: $0, pacific: $0)] }

private func contribution() -> ReportContribution {
    var all = ReportContribution()
    for (index, day) in days.enumerated() {
        let value = index % 3 == 0 ? "a" : "b"
        var sums = CaseSums()
        for (place, member) in CaseSums.members.enumerated() { sums[keyPath: member] = Int64(index + 1) * Int64(place + 1) }
        all.cases[CaseSumKey(.requested, .product, day, value: value, currency: "USD")] = sums
        all.sums[ReportSumKey(.sale, "product", day, value: value, outcome: "paid", currency: "USD")] = ReportSums(
            count: Int64(index + 1), units: 2, amount: Int64(index))
    }
    return all
}

@Suite struct ConformanceReports {
    private static let spans: [(Int64, Int64)] = [(20_480, 20_600), (20_513, 20_544), (20_490, 20_570), (20_500, 20_501), (20_544, 20_575)]

    /// Whole months are read as such; what comes out is what the days add up to, in either zone.
    @Test(arguments: engines) func monthsAndDaysAddUp(_ engine: Engine) async throws {
        try await engine.use { store in
            try await store.write { tx throws(StoreError) in try tx.add(contribution().inAllTiers, in: demo) }
            for zone in ReportZone.allCases {
                for (from, to) in Self.spans {
                    let span = ReportSpan(from: from, to: to, zone: zone)
                    for days in [DayDetail.together, .byMonth, .apart] { try await Self.checkCases(store, span, days) }
                    try await Self.checkSales(store, span)
                }
            }
        }
    }

    private static func contains(_ span: ReportSpan, _ day: ReportDay) -> Bool {
        (span.from..<span.to).contains(span.zone == .utc ? day.utc : day.pacific)
    }

    private static func checkCases(_ store: any Store, _ span: ReportSpan, _ days: DayDetail) async throws {
        let query = CaseSumQuery(ledger: demo, basis: .requested, dimension: .product, span: span, days: days)
        let rows = try await store.read { tx throws(StoreError) in try tx.caseSums(query) }
        func name(_ value: String, _ day: Int64?) -> String {
            let shown = days == .together ? nil : days == .byMonth ? day.map(ReportDay.firstOfMonth) : day
            return "\(value) \(shown ?? -1)"
        }
        var (wanted, found) = ([String: CaseSums](), [String: CaseSums]())
        for (key, sums) in contribution().cases where contains(span, key.day) {
            wanted[name(key.value, span.zone == .utc ? key.day.utc : key.day.pacific), default: CaseSums()] += sums
        }
        for row in rows { found[name(row.value, row.day), default: CaseSums()] += row.sums }
        #expect(found == wanted, "\(span), days \(days)")
        #expect(rows.allSatisfy { ($0.day == nil) == (days == .together) })
    }

    private static func checkSales(_ store: any Store, _ span: ReportSpan) async throws {
        let query = ReportSumQuery(ledger: demo, series: .sale, dimension: "product", span: span, byValue: false)
        let rows = try await store.read { tx throws(StoreError) in try tx.reportSums(query) }
        var wanted = ReportSums()
        for (key, sums) in contribution().sums where contains(span, key.day) { wanted += sums }
        #expect(rows.map(\.sums) == [wanted], "\(span)")
    }

    @Test(arguments: engines) func whatIsTakenOutAgainIsGone(_ engine: Engine) async throws {
        try await engine.use { store in
            var less = ReportContribution()
            less.subtract(contribution())
            for change in [contribution(), less] {
                try await store.write { tx throws(StoreError) in try tx.add(change.inAllTiers, in: demo) }
            }
            try await store.read { tx throws(StoreError) in
                let span = ReportSpan(from: 0, to: 30_000, zone: .utc)
                #expect(try tx.caseSums(CaseSumQuery(ledger: demo, basis: .requested, dimension: .product, span: span)) == [])
                #expect(try tx.reportSums(ReportSumQuery(ledger: demo, series: .sale, dimension: "product", span: span)) == [])
            }
            #expect(try await store.replay(repair: false) { _, _ in }.differences == [], "rows of nothing are as good as none")
        }
    }

    /// More cases than PostgreSQL has room for locks, as when a database is counted for the first time.
    @Test(arguments: engines) func manyCasesAreCountedInOneTransaction(_ engine: Engine) async throws {
        try await engine.use { store in
            let cases = (0..<30_000).map { LedgerCase(demo, TransactionID("\($0)")) }
            let purchases = try await store.write { tx throws(StoreError) in
                try tx.holdForCounting(cases)
                return try tx.purchases(after: TransactionID(""), limit: 1, in: demo)
            }
            #expect(purchases == [])
        }
    }

    @Test(arguments: engines) func filesAndTheirDaysComeBack(_ engine: Engine) async throws {
        let day = SalesDay(app: demo.app, kind: .summary, vendor: "80000001", day: 20_500)
        let refund = ReportedRefund(product: "p", territory: "USA", currency: "USD", units: 150, amount: 9_990)
        try await engine.use { store in
            try await store.write { tx throws(StoreError) in
                for (vendor, content) in [("80000001", "old"), ("80000002", "x"), ("80000001", "new")] {
                    var own = day
                    own.vendor = vendor
                    try tx.put(SalesImport(day: own, sha256: content, importedAt: at(0), refunds: [refund]))
                }
                try tx.put(salesProduct: "p", appleID: "77", of: demo.app)
            }
            try await store.read { tx throws(StoreError) in
                #expect(try tx.salesContent(day) == "new")
                #expect(try tx.salesDays(demo.app, .summary, from: 20_500, to: 20_501) == [20_500])
                #expect(try tx.salesDays(demo.app, .event, from: 0, to: 30_000) == [])
                #expect(try tx.salesDays(other.app, .summary, from: 0, to: 30_000) == [])
                let found = try tx.reportedRefunds(demo.app, .summary, from: 20_500, to: 20_501)
                var both = refund
                (both.units, both.amount) = (300, 19_980)
                #expect(found.map(\.day) == [20_500] && found.map(\.refund) == [both], "two sellers add up, a correction does not")
                #expect(try tx.salesProducts(demo.app) == ["77": "p"])
            }
        }
    }
}
