import Domain

/// All under which a person is known in one ledger.
package struct KnownPerson: Hashable, Sendable {
    package var ledger: Ledger
    /// nil where only the owner's backend ever named this person.
    package var customer: CustomerID?
    /// Names under which the backend may have said something.
    package var refs: Set<String>
    package var originals: Set<TransactionID>
    /// Of purchases and of cases.
    package var transactions: Set<TransactionID>

    package init(
        ledger: Ledger, customer: CustomerID?, refs: Set<String>, originals: Set<TransactionID>, transactions: Set<TransactionID>
    ) {
        self.ledger = ledger
        self.customer = customer
        self.refs = refs
        self.originals = originals
        self.transactions = transactions
    }
}

package protocol ForgettingWriting {
    /// Puts another body, identity, transaction and reason in the place of an entry's; its link in the audit trail loses the salt.
    func rewrite(_ entry: LogEntry) throws(StoreError)
    /// Removes all folded rows of a person, the names, and whatever waits or waited in the outbox and mentions one of the ids. The
    /// bytes are overwritten, not only unlinked.
    ///
    /// - Parameter identities: Of the person's log entries, for what was forwarded of them.
    func removeFolded(_ person: KnownPerson, identities: Set<String>) throws(StoreError)
}
