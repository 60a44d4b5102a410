import Domain
import Ingest
import Store

/// From how many refunds or requests on, within how many days, a customer counts as a repeat refunder.
package struct RepeatRefundBounds: Hashable, Sendable {
    package var granted: Int
    package var requested: Int
    package var days: Int

    package init(granted: Int = 2, requested: Int = 3, days: Int = 365) {
        self.granted = granted
        self.requested = requested
        self.days = days
    }
}

/// Looks through customers for those who come back for refunds.
struct RepeatRefunderSearch: Sendable {
    let ledger: Ledger
    let bounds: RepeatRefundBounds
    let now: Timestamp

    /// How many customers one request looks at, so that no read takes long.
    private static let reach = 2_000

    /// - Returns: A page that may hold fewer customers than asked for, or none, with a cursor to go on from.
    func page(_ request: PageRequest, _ tx: any ReadTransaction) throws(StoreError) -> Page<CustomerID> {
        var found: [CustomerID] = []
        var rest = request
        var seen = 0
        repeat {
            rest.limit = request.limit - found.count
            let customers = try tx.customers(in: ledger, page: rest)
            for customer in customers.items where try isRepeatRefunder(customer, tx) { found.append(customer) }
            seen += customers.items.count
            rest.cursor = customers.nextCursor
        } while rest.cursor != nil && found.count < request.limit && seen < RepeatRefunderSearch.reach
        return Page(items: found, nextCursor: rest.cursor)
    }

    private func isRepeatRefunder(_ customer: CustomerID, _ tx: any ReadTransaction) throws(StoreError) -> Bool {
        let originals = try tx.aliases(of: customer).filter { $0.kind == .originalTransactionID }.map { TransactionID($0.value) }
        guard !originals.isEmpty else { return false }
        let since = now - .days(Int64(bounds.days))
        var (granted, requested) = (0, 0)
        for row in try tx.cases(CaseQuery(ledger: ledger, originals: originals, page: PageRequest(limit: 1_000))).items {
            let purchase = try tx.purchase(row.transactionID, in: ledger)
            let events = try tx.caseEvents(row.transactionID, in: ledger)
            guard let folded = RefundCase(folding: events, purchase: purchase, window: ledger.environment.answerWindow) else { continue }
            requested += folded.rounds.count { $0.requestedAt >= since }
            if let refund = folded.refund, refund.reversedAt == nil, refund.toldAt >= since { granted += 1 }
        }
        return granted >= bounds.granted || requested >= bounds.requested
    }
}
