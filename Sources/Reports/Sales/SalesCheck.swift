import Domain
import Store

/// Compares what Apple reports as refunded with the refunds that the desk received: by day of Pacific Time, product, territory and currency.
package struct SalesCheck: Hashable, Sendable {
    package enum Finding: String, Hashable, Sendable, CaseIterable {
        /// Apple reports more than was received: a notification was missed.
        case notReceived = "not received"
        /// More was received than Apple reports.
        case notReported = "not reported"
        /// As many refunds, of other amounts.
        case amountDiffers = "amount differs"
        /// The same refunds, which Apple counts on the day before or after.
        case nextDay = "on the next or the former day"
        /// Refunds were received for a day whose file was not imported.
        case noFile = "no file of that day"
    }
    package struct Key: Hashable, Comparable, Sendable {
        package var day: Int64
        package var product: String
        package var territory: String
        package var currency: String

        package static func < (a: Key, b: Key) -> Bool {
            (a.day, a.product, a.territory, a.currency) < (b.day, b.product, b.territory, b.currency)
        }
    }
    package struct Line: Hashable, Sendable {
        package var key: Key
        /// Hundredths.
        package var reportedUnits: Int64 = 0
        package var reportedAmount: Int64 = 0
        package var full: Int64 = 0
        package var prorated: Int64 = 0
        package var receivedAmount: Int64 = 0
        package var finding: Finding?

        fileprivate init(_ key: Key) { self.key = key }
    }
    package var scope: ReportScope
    package var kind: SalesFileKind
    /// Only what does not agree.
    package var lines: [Line]
    /// How many keys agree.
    package var agreeing: Int
    package var importedDays: Int

    /// Products of the files whose ids no Summary Sales file told yet, so that nothing received can be found for them.
    package var namelessProducts: Int { Set(lines.map(\.key.product).filter { $0.hasPrefix(SalesCheck.nameless) }).count }
    /// How a product is called of which only Apple's number is known.
    static let nameless = "apple:"

    /// What speaks of something missed, on either side.
    package var isClean: Bool { !lines.contains { $0.finding != .nextDay } }

    /// - Parameter span: Of Pacific Time.
    package init(_ kind: SalesFileKind, _ ledger: Ledger, _ span: ReportSpan, _ tx: any ReadTransaction) throws(StoreError) {
        self.kind = kind
        scope = ReportScope(ledger: ledger, span: span)
        // The days before and after are read as well: a refund of the first or last day may stand there.
        let wide = ReportSpan(from: span.from - 1, to: span.to + 1, zone: span.zone)
        let comparison = Comparison(kind: kind, ledger: ledger, span: wide)
        let days = Set(try tx.salesDays(ledger.app, kind, from: wide.from, to: wide.to))
        importedDays = days.count { span.hasDay($0) }
        var lines = try comparison.lines(tx)
        for key in lines.keys { lines[key]?.judge(hasFile: days.contains(key.day), hasAmounts: kind != .event) }
        comparison.pairNeighbours(&lines)
        let own = lines.values.filter { span.hasDay($0.key.day) }
        agreeing = own.count { $0.finding == nil }
        self.lines = own.filter { $0.finding != nil }.sorted { $0.key < $1.key }
    }
}

extension SalesCheck.Line {
    /// Units that Apple has to report: it may or may not count a share of one, and then has 0 units with an amount.
    private var expectedUnits: ClosedRange<Int64> { full * 100...(full + prorated) * 100 }

    fileprivate mutating func judge(hasFile: Bool, hasAmounts: Bool) {
        guard hasFile else {
            finding = .noFile
            return
        }
        if reportedUnits > expectedUnits.upperBound { finding = .notReceived }
        if reportedUnits < expectedUnits.lowerBound { finding = .notReported }
        guard finding == nil, hasAmounts else { return }
        // Amounts in the files have two places.
        let tolerance = max(full + prorated, 1) * 10
        guard abs(reportedAmount - receivedAmount) > tolerance else { return }
        let isOnlyReported = full + prorated == 0
        let isOnlyReceived = reportedUnits == 0 && reportedAmount == 0
        finding = isOnlyReported ? .notReceived : isOnlyReceived ? .notReported : .amountDiffers
    }

    /// Whether it holds exactly the refunds that the other side has on another day.
    fileprivate func mirrors(_ other: Self) -> Bool {
        let missing = (full + prorated) * 100 - reportedUnits
        let surplus = other.reportedUnits - (other.full + other.prorated) * 100
        let amounts = receivedAmount - reportedAmount - (other.reportedAmount - other.receivedAmount)
        return missing > 0 && missing == surplus && abs(amounts) <= max(missing / 100, 1) * 10
    }
}

private struct Comparison {
    let kind: SalesFileKind
    let ledger: Ledger
    let span: ReportSpan

    typealias Lines = [SalesCheck.Key: SalesCheck.Line]

    func lines(_ tx: any ReadTransaction) throws(StoreError) -> Lines {
        var lines: Lines = [:]
        try addReported(to: &lines, tx)
        try addReceived(to: &lines, tx)
        return lines
    }

    private func addReported(to lines: inout Lines, _ tx: any ReadTransaction) throws(StoreError) {
        let products = try tx.salesProducts(ledger.app)
        for (day, refund) in try tx.reportedRefunds(ledger.app, kind, from: span.from, to: span.to) {
            let isNameless = refund.product.hasPrefix(SalesCheck.nameless)
            let product = isNameless ? products[String(refund.product.dropFirst(SalesCheck.nameless.count))] : nil
            let key = SalesCheck.Key(
                day: day, product: product ?? refund.product, territory: refund.territory, currency: refund.currency)
            lines[key, default: SalesCheck.Line(key)].reportedUnits += refund.units
            lines[key, default: SalesCheck.Line(key)].reportedAmount += refund.amount
        }
    }

    private func addReceived(to lines: inout Lines, _ tx: any ReadTransaction) throws(StoreError) {
        let rows = try tx.reportSums(
            ReportSumQuery(ledger: ledger, series: .refund, dimension: ReportDimension.territory, span: span, days: .apart))
        for row in rows {
            let parts = row.value.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            // Files of subscriptions know nothing else.
            guard let day = row.day, parts.count >= 2, kind == .summary || parts.last == ReportDimension.subscription else { continue }
            let key = SalesCheck.Key(
                day: day, product: parts[0], territory: parts[1], currency: kind == .event ? "" : row.currency)
            lines[key, default: SalesCheck.Line(key)].add(row)
        }
    }

    /// Apple may count a refund made about midnight on the day before or after the one in its `revocationDate`.
    func pairNeighbours(_ lines: inout Lines) {
        for key in lines.keys.sorted() {
            guard let line = lines[key], line.finding == .notReported else { continue }
            for day in [key.day - 1, key.day + 1] {
                var other = key
                other.day = day
                guard let surplus = lines[other], surplus.finding == .notReceived, line.mirrors(surplus) else { continue }
                lines[key]?.finding = .nextDay
                lines[other]?.finding = .nextDay
                break
            }
        }
    }
}

extension SalesCheck.Line {
    fileprivate mutating func add(_ row: ReportSumRow) {
        if row.outcome == CaseFacts.Outcome.prorated.rawValue { prorated += row.sums.units } else { full += row.sums.units }
        receivedAmount += row.sums.amount
    }
}

extension SalesCheck {
    package static let tables = ["differences", "days"]

    package var document: ReportDocument {
        let columns: [ReportTable.Column] = [
            .init("day", "day"), .init("product", "product"), .init("territory", "territory"), .init("currency", "currency"),
            .init("reportedUnits", "units, Apple"), .init("receivedUnits", "units, desk"), .money("reported", "Apple"),
            .money("received", "desk"), .init("finding", "finding"),
        ]
        let rows = lines.map { line -> [ReportTable.Cell] in
            let key = line.key
            let money = { (amount: Int64) in
                key.currency.isEmpty ? ReportTable.Cell.none : .money(Money(amount: amount, currency: key.currency))
            }
            return [
                .text(CivilDate(daysSinceEpoch: key.day).text), .text(key.product), .text(key.territory), .text(key.currency),
                .text(DecimalText.money(line.reportedUnits * 10)), .count(line.full + line.prorated), money(line.reportedAmount),
                money(line.receivedAmount), .text(line.finding?.rawValue ?? ""),
            ]
        }
        let days = ReportTable(
            "days", "Days of Pacific Time",
            columns: [.init("days", "days"), .init("imported", "with a file"), .init("agreeing", "rows that agree")],
            rows: [[.count(scope.span.to - scope.span.from), .count(Int64(importedDays)), .count(Int64(agreeing))]])
        return ReportDocument(
            name: "sales check", scope: scope, notes: notes,
            tables: [
                ReportTable("differences", "Where \(kind.rawValue) files and received refunds differ", columns: columns, rows: rows), days,
            ])
    }

    private var notes: [String] {
        let nameless = namelessProducts
        let unknown =
            "\(nameless) products of these files have no product id in them: import a Summary Sales file in which they are sold, so that "
            + "their refunds can be compared."
        return [
            "not received: Apple reports a refund that the desk never heard of; run `backfill`, which reads Apple's history. not reported: "
                + "the desk heard of a refund that the file has not, for instance one that was reversed at once.",
            "Files have no transaction ids: days, products, territories and currencies are compared. The desk's day is that of "
                + "`revocationDate` in Pacific Time. Two refunds that cancel out are not seen.",
            "Apple's files are estimates until the month's financial report. A day without sales has no file.",
        ] + (nameless > 0 ? [unknown] : [])
    }
}

extension ReportSpan {
    fileprivate func hasDay(_ day: Int64) -> Bool { (from..<to).contains(day) }
}
