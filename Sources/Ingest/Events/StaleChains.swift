import Domain
import Store

/// Subscriptions whose truth may be stale, by a page of customers: a commitment whose end is not confirmed, a period that ran out
/// although the customer renews, a billing retry of which nothing more was heard.
package func staleChains(
    of app: AppSettings, in ledger: Ledger, page: PageRequest, at now: Timestamp, _ tx: any ReadTransaction
) throws(StoreError) -> Page<TransactionID> {
    let customers = try tx.customers(in: ledger, page: page)
    var stale: [TransactionID] = []
    for customer in customers.items {
        let access = try CustomerState([customer], app: app, ledger: ledger, tx: tx).access
        var found = Set(access.needsStatusConfirmation(at: now))
        for row in access.entitlements(at: now) where row.subscriptionGroupIdentifier != nil {
            if row.state == .billingRetry || (row.state == .expired && row.willRenew) { found.insert(row.originalTransactionID) }
        }
        stale += found.sorted()
    }
    return Page(items: stale, nextCursor: customers.nextCursor)
}
