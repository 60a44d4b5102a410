import Domain
import Store

/// Which requests clearer words before the purchase might have spared, and whether requests grow.
package struct PreventionReport: Hashable, Sendable {
    package struct Line: Hashable, Sendable {
        package var name: String
        package var requests: Int64 = 0
        package var conversions: Int64 = 0
        package var renewals: Int64 = 0

        package var share: Share { Share(conversions + renewals, of: requests) }
    }
    /// How often refunds were asked for, per sale.
    package struct Rate: Hashable, Sendable {
        package var requests: Int64
        package var sales: Int64

        package var share: Share { Share(min(requests, sales), of: sales) }
    }
    package enum Advice: String, Sendable, CaseIterable {
        case beforeTrial = "before the trial: price, date of the first charge, how to cancel; a reminder before it ends"
        case beforeRenewal = "before each renewal: a reminder with price and date; how to cancel, within the app"
    }
    /// How requests per sale compare with the owner's own baseline.
    package enum Change: Sendable { case risen, fallen, same, unknown }
    /// How long before the span the baseline begins.
    package static let baselineDays: Int64 = 90
    /// The baseline's row.
    package static let baselineName = "the \(baselineDays) before"

    package var scope: ReportScope
    package var products: [Line]
    package var offers: [Line]
    package var now: Rate
    package var baseline: Rate

    package init(_ request: ReportRequest, _ tx: any ReadTransaction) throws(StoreError) {
        scope = request.scope
        products = try PreventionReport.lines(ReportDimension.product, request, tx)
        offers = try PreventionReport.lines(ReportDimension.offer, request, tx)
        var before = request.span
        before.to = request.span.from
        before.from = before.to - PreventionReport.baselineDays
        now = try PreventionReport.rate(request.span, request.ledger, tx)
        baseline = try PreventionReport.rate(before, request.ledger, tx)
    }

    private static func lines(
        _ dimension: String, _ request: ReportRequest, _ tx: any ReadTransaction
    ) throws(StoreError) -> [Line] {
        let rows = try tx.reportSums(ReportSumQuery(ledger: request.ledger, series: .start, dimension: dimension, span: request.span))
        var lines: [String: Line] = [:]
        for row in rows { lines[row.value, default: Line(name: row.value)].add(row.sums.count, PeriodStart(rawValue: row.outcome)) }
        return lines.values.sorted { ($0.conversions + $0.renewals, $1.name) > ($1.conversions + $1.renewals, $0.name) }
    }

    private static func rate(_ span: ReportSpan, _ ledger: Ledger, _ tx: any ReadTransaction) throws(StoreError) -> Rate {
        let cases = try tx.caseSums(CaseSumQuery(ledger: ledger, basis: .requested, dimension: .storefront, span: span, byValue: false))
        let sales = try tx.reportSums(
            ReportSumQuery(ledger: ledger, series: .sale, dimension: ReportDimension.storefront, span: span, byValue: false))
        return Rate(
            requests: cases.reduce(0) { $0 + $1.sums.requests },
            sales: sales.reduce(0) { $0 + ($1.outcome == SaleOutcome.paid.rawValue ? $1.sums.count : 0) })
    }
}

extension PreventionReport.Line {
    fileprivate mutating func add(_ count: Int64, _ start: PeriodStart?) {
        requests += count
        if start == .conversion { conversions += count }
        if start == .renewal { renewals += count }
    }

    /// What to do about it; nil where few requests are of this kind.
    package var advice: PreventionReport.Advice? {
        guard conversions + renewals >= 3, let value = share.value, value >= 0.1 else { return nil }
        return conversions >= renewals ? .beforeTrial : .beforeRenewal
    }
}

extension PreventionReport {
    package var document: ReportDocument {
        ReportDocument(
            name: "prevention", scope: scope, notes: [sentence] + notes,
            tables: [
                table("products", "Requests by product", .init("product", "product"), products),
                table("offers", "Requests by offer", .init("offer", "offer"), offers), rates,
            ])
    }

    private func table(_ name: String, _ title: String, _ key: ReportTable.Column, _ lines: [Line]) -> ReportTable {
        let columns: [ReportTable.Column] = [
            key, .init("requests", "requests"), .init("afterTrial", "unintended, 48 h after a trial"),
            .init("afterRenewal", "unintended, 48 h after a renewal"), .init("share", "share"), .init("low", "95 % from"),
            .init("high", "to"), .init("advice", "advice"),
        ]
        let rows = lines.map { line -> [ReportTable.Cell] in
            [
                .text(line.name), .count(line.requests), .count(line.conversions), .count(line.renewals), .share(line.share.value),
                .share(line.share.interval?.lowerBound), .share(line.share.interval?.upperBound),
                line.advice.map { .text($0.rawValue) } ?? .none,
            ]
        }
        return ReportTable(name, title, columns: columns, rows: rows)
    }

    private var rates: ReportTable {
        let row = { (name: String, rate: Rate) -> [ReportTable.Cell] in
            [.text(name), .count(rate.requests), .count(rate.sales), .rate(rate.requests, per: rate.sales)]
        }
        return ReportTable(
            "rates", "Requests per sale",
            columns: [.init("days", "days"), .init("requests", "requests"), .init("sales", "sales"), .init("rate", "requests/sale")],
            rows: [row("these", now), row(PreventionReport.baselineName, baseline)])
    }

    /// Whether requests are more frequent than they used to be.
    package var sentence: String {
        switch change {
        case .unknown:
            "There are no sales in these days, or none in the \(PreventionReport.baselineDays) before, to compare the rate of requests with."
        case .same: "The rate of requests cannot be told from that of the \(PreventionReport.baselineDays) days before."
        case .risen:
            "Requests per sale have risen above your own baseline by more than chance: guideline 5.6.4 names excessive refund requests as a "
                + "sign of a quality problem. Look for what changed."
        case .fallen: "Requests per sale have fallen below your own baseline by more than chance."
        }
    }

    package var change: Change {
        let difference = ShareDifference(now.share, baseline.share)
        guard let value = difference.value, let isDistinct = difference.isDistinct else { return .unknown }
        return isDistinct ? (value > 0 ? .risen : .fallen) : .same
    }

    private var notes: [String] {
        [
            "Counted are requests with reason UNINTENDED_PURCHASE within 48 hours of the first payment after a free trial, or of another "
                + "renewal. The offer is that of the trial.",
            "Apple gives no number for \"excessive\" (guideline 5.6.4): the baseline is your own rate. Renewals count as sales.",
        ]
    }
}
