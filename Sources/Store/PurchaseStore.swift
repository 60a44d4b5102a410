import Domain

package protocol PurchaseReading {
    func purchase(_ id: TransactionID, in ledger: Ledger) throws(StoreError) -> Purchase?
    /// All transactions of one chain, oldest purchase first.
    func purchases(original: TransactionID, in ledger: Ledger) throws(StoreError) -> [Purchase]
    /// All transactions of all chains of one customer, oldest purchase first, in one query however many chains there are.
    func purchases(of customer: CustomerID) throws(StoreError) -> [Purchase]
    func chain(_ original: TransactionID, in ledger: Ledger) throws(StoreError) -> Chain?
}

package protocol PurchaseWriting {
    func put(_ purchase: Purchase, in ledger: Ledger) throws(StoreError)
    func put(_ chain: Chain, in ledger: Ledger) throws(StoreError)
}
