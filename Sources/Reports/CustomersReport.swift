import Domain
import Store

/// Who came back for refunds, and for how much.
package struct CustomersReport: Hashable, Sendable {
    package struct Line: Hashable, Sendable {
        /// The strongest name the customer has.
        package var name: String
        package var requested: Int64
        package var granted: Int64
        /// What stands refunded, per currency.
        package var refunded: [Money]
        package var newest: Timestamp
    }
    package static let mostLines = 1_000

    package var scope: ReportScope
    package var granted: Int
    package var requested: Int
    /// Those with the most refunds first.
    package var lines: [Line]
    /// Whether there are more than are listed.
    package var isCut: Bool

    package init(_ request: ReportRequest, _ tx: any ReadTransaction) throws(StoreError) {
        scope = request.scope
        granted = request.granted
        requested = request.requested
        let search = CustomerSearch(request: request, tx: tx)
        var found = try search.lines()
        found.sort { ($0.granted, $0.requested, $1.name) > ($1.granted, $1.requested, $0.name) }
        isCut = found.count > CustomersReport.mostLines
        lines = Array(found.prefix(CustomersReport.mostLines))
    }
}

private struct CustomerSearch {
    let request: ReportRequest
    let tx: any ReadTransaction

    func lines() throws(StoreError) -> [CustomersReport.Line] {
        var lines: [CustomersReport.Line] = []
        var page = PageRequest(limit: 1_000)
        repeat {
            let candidates = try tx.refundCandidates(
                granted: request.granted, requested: request.requested, since: request.span.start, in: request.ledger, page: page)
            for customer in candidates.items { if let line = try line(customer) { lines.append(line) } }
            page.cursor = candidates.nextCursor
        } while page.cursor != nil
        return lines
    }

    private func line(_ customer: CustomerID) throws(StoreError) -> CustomersReport.Line? {
        var (requested, granted) = (Int64(0), Int64(0))
        var refunded: [String: Int64] = [:]
        var newest = Timestamp(milliseconds: .min)
        for facts in try facts(of: customer) {
            if facts.isAsked, request.span.contains(facts.openedAt) {
                requested += 1
                newest = max(newest, facts.openedAt)
            }
            guard let refund = facts.refund, facts.isRefunded, request.span.contains(refund.date) else { continue }
            granted += 1
            newest = max(newest, refund.date)
            if !facts.currency.isEmpty { refunded[facts.currency, default: 0] += refund.amount }
        }
        guard granted >= request.granted || requested >= request.requested else { return nil }
        let money = refunded.sorted { $0.key < $1.key }.map { Money(amount: $0.value, currency: $0.key) }
        return CustomersReport.Line(
            name: try name(of: customer), requested: requested, granted: granted, refunded: money, newest: newest)
    }

    private func facts(of customer: CustomerID) throws(StoreError) -> [CaseFacts] {
        var facts: [CaseFacts] = []
        var page = PageRequest(limit: 500)
        repeat {
            let cases = try tx.cases(CaseQuery(ledger: request.ledger, customer: customer, page: page))
            for row in cases.items { if let one = try tx.caseFacts(row.transactionID, in: request.ledger) { facts.append(one) } }
            page.cursor = cases.nextCursor
        } while page.cursor != nil
        return facts
    }

    /// The owner's own id where there is one; it says most to the owner.
    private func name(of customer: CustomerID) throws(StoreError) -> String {
        let aliases = try tx.aliases(of: customer).sorted()
        let order: [Alias.Kind] = [.userID, .appAccountToken, .appTransactionID, .originalTransactionID]
        for kind in order { if let alias = aliases.first(where: { $0.kind == kind }) { return alias.value } }
        return ReportWord.unknown
    }
}

extension CaseFacts {
    /// Whether a refund of it stands, and nothing was decided since.
    fileprivate var isRefunded: Bool { [.full, .prorated, .seats].contains(outcome) && refund?.isReversed == false }
}

extension ReportSpan {
    /// The first instant.
    package var start: Timestamp { instant(from) }

    /// Whether an instant lies in these days.
    package func contains(_ instant: Timestamp) -> Bool { instant >= start && instant < self.instant(to) }

    private func instant(_ day: Int64) -> Timestamp {
        zone == .utc ? CivilDate(daysSinceEpoch: day).midnight : PacificTime.midnight(ofDay: day)
    }
}

extension CustomersReport {
    package var document: ReportDocument {
        let columns: [ReportTable.Column] = [
            .init("customer", "customer"), .init("requests", "requests"), .init("refunds", "refunds"),
            .money("refunded", "stands refunded"), .init("newest", "newest (UTC)"),
        ]
        let rows = lines.flatMap { line -> [[ReportTable.Cell]] in
            let amounts: [ReportTable.Cell] = line.refunded.isEmpty ? [.none] : line.refunded.map { .money($0) }
            return amounts.map { amount in
                [.text(line.name), .count(line.requested), .count(line.granted), amount, .text(CivilDate(line.newest).text)]
            }
        }
        var notes = [
            "Customers with at least \(granted) refunds that stand, or \(requested) cases asked about, in these days. One with refunds in "
                + "several currencies has a line for each: amounts are list prices and never added over currencies.",
            "Coming back is no proof of abuse: look at the reasons before a rule declines.",
        ]
        if isCut { notes.append("Only the first \(CustomersReport.mostLines) are listed: take fewer days or greater numbers.") }
        return ReportDocument(
            name: "customers", scope: scope, notes: notes,
            tables: [ReportTable("customers", "Who came back for refunds", columns: columns, rows: rows)])
    }
}
