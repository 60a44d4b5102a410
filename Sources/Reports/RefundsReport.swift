import Domain
import Store

/// How often refunds were asked for, and what came of it, beside the sales.
package struct RefundsReport: Hashable, Sendable {
    /// One group, by one of the two dates of its cases.
    package struct Group: Hashable, Sendable {
        package var name: String
        package var sums: CaseSums
        /// Paid purchases of the group in the same days; of all groups where sales are not told apart so.
        package var sales: Int64
        /// By currency: cases and sales of that currency.
        package var amounts: [String: Amounts]
    }
    package struct Amounts: Hashable, Sendable {
        package var price: Int64 = 0
        package var refunded: Int64 = 0
        package var reversed: Int64 = 0
        package var sold: Int64 = 0
    }
    package var request: Scope
    package var byRequestDate: [Group]
    package var byPurchaseDate: [Group]

    package struct Scope: Hashable, Sendable {
        package var report: ReportScope
        package var by: ReportGrouping
    }

    package init(_ request: ReportRequest, _ tx: any ReadTransaction) throws(StoreError) {
        self.request = Scope(report: request.scope, by: request.by)
        let sales = try SaleFigures(request, tx)
        byRequestDate = try RefundsReport.groups(.requested, request, sales, tx)
        byPurchaseDate = try RefundsReport.groups(.purchased, request, sales, tx)
    }

    private static func groups(
        _ basis: CaseBasis, _ request: ReportRequest, _ sales: SaleFigures, _ tx: any ReadTransaction
    ) throws(StoreError) -> [Group] {
        let dimension = request.by.caseDimension
        let rows = try tx.caseSums(
            CaseSumQuery(
                ledger: request.ledger, basis: basis, dimension: dimension ?? .storefront, span: request.span, byValue: dimension != nil,
                days: request.by.days))
        var groups: [String: Group] = [:]
        for row in rows {
            let name = request.by.group(value: row.value, day: row.day)
            var group = groups[name] ?? Group(name: name, sums: CaseSums(), sales: 0, amounts: [:])
            group.sums += row.sums
            group.amounts[row.currency, default: Amounts()].add(row.sums)
            groups[name] = group
        }
        sales.join(into: &groups)
        return groups.values.sorted { request.by.isBefore($0.name, $1.name) }
    }
}

extension RefundsReport.Amounts {
    fileprivate mutating func add(_ sums: CaseSums) {
        price += sums.price
        refunded += sums.refundedAmount
        reversed += sums.reversedAmount
    }
}

/// Paid purchases of a span, by the groups of a report.
private struct SaleFigures {
    private var groups: SaleGroups
    private let isByGroup: Bool

    init(_ request: ReportRequest, _ tx: any ReadTransaction) throws(StoreError) {
        isByGroup = request.by.saleDimension != nil
        groups = try SaleGroups(request.by.saleDimension ?? ReportDimension.storefront, request, tx)
        guard request.by == .offer || request.by == .commitmentMonth else { return }
        groups.addRest(of: try SaleGroups(ReportDimension.storefront, request, tx))
    }

    /// Gives groups their sales; a group that only has sales is one as well.
    func join(into found: inout [String: RefundsReport.Group]) {
        guard isByGroup else {
            for name in found.keys { found[name]?.sales = groups.total }
            return
        }
        for (name, count) in groups.counts where count != 0 {
            found[name, default: RefundsReport.Group(name: name, sums: CaseSums(), sales: 0, amounts: [:])].sales = count
        }
        for (name, sold) in groups.amounts where found[name] != nil {
            for (currency, amount) in sold { found[name]?.amounts[currency, default: RefundsReport.Amounts()].sold = amount }
        }
    }
}

private struct SaleGroups {
    private(set) var counts: [String: Int64] = [:]
    private(set) var amounts: [String: [String: Int64]] = [:]
    private(set) var total: Int64 = 0

    init(_ dimension: String, _ request: ReportRequest, _ tx: any ReadTransaction) throws(StoreError) {
        let rows = try tx.reportSums(
            ReportSumQuery(
                ledger: request.ledger, series: .sale, dimension: dimension, span: request.span,
                byValue: request.by.caseDimension != nil, days: request.by.days))
        for row in rows where row.outcome == SaleOutcome.paid.rawValue {
            let name = request.by.group(value: row.value, day: row.day)
            counts[name, default: 0] += row.sums.count
            amounts[name, default: [:]][row.currency, default: 0] += row.sums.amount
            total += row.sums.count
        }
    }

    /// What has no offer, or no commitment, is what is left of all sales.
    mutating func addRest(of all: SaleGroups) {
        counts[ReportWord.none] = all.total - total
        var rest: [String: Int64] = [:]
        for sold in all.amounts.values { rest.merge(sold, uniquingKeysWith: +) }
        for sold in amounts.values { rest.merge(sold.mapValues { -$0 }, uniquingKeysWith: +) }
        amounts[ReportWord.none] = rest.filter { $0.value != 0 }
    }
}
