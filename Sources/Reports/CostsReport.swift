import Domain
import Store

/// What refunds that stand cost, as far as the desk can tell.
package struct CostsReport: Hashable, Sendable {
    /// One group in one currency.
    package struct Line: Hashable, Sendable {
        package var group: String
        package var currency: String
        package var refunds: Int64 = 0
        package var refunded: Int64 = 0
        /// What of it was refunded in a subscription's first year, or of anything else; the rest later.
        package var refundedInFirstYear: Int64 = 0
        /// At the owner's share of the list price, rounded once.
        package var proceeds: Int64 = 0
        package var unitCosts: Int64 = 0
        package var withoutUnitCosts: Int64 = 0
        package var endedCommitments: Int64 = 0
        package var paymentsLost: Int64 = 0
        package var paymentsLostAmount: Int64 = 0
    }
    package var scope: ReportScope
    package var by: ReportGrouping
    package var share: ProceedsShare
    package var lines: [Line]

    package init(_ request: ReportRequest, _ tx: any ReadTransaction) throws(StoreError) {
        scope = request.scope
        by = request.by
        share = ProceedsShare(isSmallBusiness: request.isSmallBusiness)
        let rows = try tx.reportSums(
            ReportSumQuery(
                ledger: request.ledger, series: .cost, dimension: CostsReport.dimension(request.by), span: request.span,
                byValue: request.by.caseDimension != nil, days: request.by.days))
        var lines: [[String]: Line] = [:]
        for row in rows {
            let group = request.by.group(value: row.value, day: row.day)
            lines[[group, row.currency], default: Line(group: group, currency: row.currency)].add(row)
        }
        let (share, by) = (self.share, request.by)
        self.lines = lines.values.map { $0.estimated(share) }.sorted {
            $0.group == $1.group ? $0.currency < $1.currency : by.isBefore($0.group, $1.group)
        }
    }
}

extension CostsReport {
    private static func dimension(_ by: ReportGrouping) -> String {
        switch by {
        case .product: ReportDimension.product
        case .reason: ReportDimension.reason
        default: ReportDimension.storefront
        }
    }
}

/// What the developer gets of the price before taxes, in hundredths.
///
/// - Source: Schedule 2 of the developer agreement; Apple's page on auto-renewable subscriptions. Regional terms differ.
package struct ProceedsShare: Hashable, Sendable {
    package var firstYear: Int64
    package var afterFirstYear: Int64 = 85

    package init(isSmallBusiness: Bool) { firstYear = isSmallBusiness ? 85 : 70 }
}

extension CostsReport.Line {
    fileprivate mutating func add(_ row: ReportSumRow) {
        switch CostOutcome(rawValue: row.outcome) {
        case .firstYear:
            addRefunds(row.sums)
            refundedInFirstYear += row.sums.amount
        case .afterFirstYear: addRefunds(row.sums)
        case .unitCosts:
            unitCosts += row.sums.amount
            withoutUnitCosts += row.sums.units
        case .commitment:
            endedCommitments += row.sums.count
            paymentsLost += row.sums.units
            paymentsLostAmount += row.sums.amount
        case nil: break
        }
    }

    private mutating func addRefunds(_ sums: ReportSums) {
        refunds += sums.count
        refunded += sums.amount
    }

    /// Of the sums, however many rows of counters they were read from: rounded by row, months would not be what their days are.
    fileprivate func estimated(_ share: ProceedsShare) -> Self {
        var line = self
        line.proceeds = part(share.firstYear, of: refundedInFirstYear) + part(share.afterFirstYear, of: refunded - refundedInFirstYear)
        return line
    }

    private func part(_ hundredths: Int64, of amount: Int64) -> Int64 {
        Money(amount: amount, currency: currency).share(thousandthsOfPercent: Int32(hundredths * 1_000)).amount
    }
}

extension CostsReport {
    package var document: ReportDocument {
        let columns: [ReportTable.Column] = [
            .init(by.rawValue, by.heading), .init("refunds", "refunds"), .money("refunded", "refunded"),
            .money("proceedsLost", "proceeds lost (estimate)"), .money("unitCosts", "unit costs"),
            .init("withoutUnitCosts", "without record"), .init("endedCommitments", "commitments ended"),
            .init("paymentsLost", "payments lost"), .money("paymentsLostAmount", "worth"),
        ]
        let rows = lines.map { line in
            let money = { (amount: Int64) in
                line.currency.isEmpty ? ReportTable.Cell.none : .money(Money(amount: amount, currency: line.currency))
            }
            return [
                .text(line.group), .count(line.refunds), money(line.refunded), money(line.proceeds), money(line.unitCosts),
                .count(line.withoutUnitCosts), .count(line.endedCommitments), .count(line.paymentsLost), money(line.paymentsLostAmount),
            ]
        }
        return ReportDocument(
            name: "costs", scope: scope, notes: notes,
            tables: [ReportTable("costs", "Refunds that stand, on the day they were made", columns: columns, rows: rows)])
    }

    private var notes: [String] {
        [
            "Proceeds lost are an estimate: \(share.firstYear) % of the list price refunded, \(share.afterFirstYear) % where the "
                + "subscription had begun more than 365 days before. Taxes that Apple takes out first, regional terms and offers are not in "
                + "it: the figures that count are in Apple's financial reports.",
            "Unit costs are those the configuration stated for what was used of the refunded period, as known when the case was decided. "
                + "Where no policy decided the case, or nothing was stated or reported, there is no record.",
            "A commitment ends where the refunded month is the newest one known: its remaining payments, at the list price of the month, "
                + "will not come. They are not part of what was refunded.",
        ]
    }
}
