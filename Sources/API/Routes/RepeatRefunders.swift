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

    /// Where the window begins.
    func since(_ now: Timestamp) -> Timestamp { now - .days(Int64(days)) }
}

/// Finds those who come back for refunds, among the customers of the cases in the window.
struct RepeatRefunderSearch: Sendable {
    let ledger: Ledger
    let bounds: RepeatRefundBounds
    let now: Timestamp

    private var since: Timestamp { bounds.since(now) }

    /// How many customers one request looks at, so that no read takes long.
    private static let reach = 2_000

    /// - Returns: A page that may hold fewer customers than asked for, or none, with a cursor to go on from.
    func page(_ request: PageRequest, _ tx: any ReadTransaction) throws(StoreError) -> Page<CustomerID> {
        var found: [CustomerID] = []
        var rest = request
        var seen = 0
        repeat {
            rest.limit = request.limit - found.count
            let customers = try tx.refundCandidates(
                granted: bounds.granted, requested: bounds.requested, since: since, in: ledger, page: rest)
            for customer in customers.items where try isRepeatRefunder(customer, tx) { found.append(customer) }
            seen += customers.items.count
            rest.cursor = customers.nextCursor
        } while rest.cursor != nil && found.count < request.limit && seen < RepeatRefunderSearch.reach
        return Page(items: found, nextCursor: rest.cursor)
    }

    /// The messages of requests were counted; what counts is how often the customer asked.
    private func isRepeatRefunder(_ customer: CustomerID, _ tx: any ReadTransaction) throws(StoreError) -> Bool {
        let history = try RefundHistory(of: customer, in: ledger, tx)
        return history.refunds(since: since) >= bounds.granted || history.requests(since: since) >= bounds.requested
    }
}
