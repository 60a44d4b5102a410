import Domain

/// Counts what a database held before it had counters.
package enum ReportFill {
    private static let page = 500

    /// There as long as that is still to be done.
    package static let dueTable = "report_fill_due"

    package static func run(_ tx: any WriteTransaction) throws(StoreError) {
        for ledger in try tx.allLedgers() {
            try countPurchases(of: ledger, tx)
            try countCases(of: ledger, tx)
        }
    }

    private static func countPurchases(of ledger: Ledger, _ tx: any WriteTransaction) throws(StoreError) {
        var last = TransactionID("")
        while true {
            let purchases = try tx.purchases(after: last, limit: page, in: ledger)
            guard let newest = purchases.last else { return }
            var pending = PendingReports()
            for purchase in purchases { pending.note(.purchase(ledger, before: nil, after: purchase.transaction)) }
            try pending.write(to: tx)
            last = newest.transaction.transactionID
        }
    }

    private static func countCases(of ledger: Ledger, _ tx: any WriteTransaction) throws(StoreError) {
        var last = TransactionID("")
        while true {
            let ids = try tx.caseIDs(after: last, limit: page, in: ledger)
            guard let newest = ids.last else { return }
            var pending = PendingReports()
            for id in ids { pending.note(.touched(LedgerCase(ledger, id))) }
            try pending.write(to: tx)
            last = newest
        }
    }
}
