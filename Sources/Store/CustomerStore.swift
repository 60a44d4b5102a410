import Domain

/// One name of a customer. Strongest kind first.
package struct Alias: Hashable, Sendable, Comparable {
    package enum Kind: Int, Sendable, CaseIterable {
        case appTransactionID = 1
        case appAccountToken = 2
        case originalTransactionID = 3
        case userID = 4
    }
    package var kind: Kind
    package var value: String

    package init(_ kind: Kind, _ value: String) {
        self.kind = kind
        self.value = value
    }
    package static func < (a: Alias, b: Alias) -> Bool { (a.kind.rawValue, a.value) < (b.kind.rawValue, b.value) }
}

/// A customer of one ledger: the set of aliases that signed transactions and links joined. The number is the database's own and
/// means nothing outside it.
package struct CustomerID: Hashable, Sendable, Comparable {
    package var rawValue: Int64
    package init(_ rawValue: Int64) { self.rawValue = rawValue }
    package static func < (a: CustomerID, b: CustomerID) -> Bool { a.rawValue < b.rawValue }
}

package protocol CustomerReading {
    /// The customer that carries exactly this alias.
    func customer(_ alias: Alias, in ledger: Ledger) throws(StoreError) -> CustomerID?
    /// All aliases, strongest kind first, then by value.
    func aliases(of customer: CustomerID) throws(StoreError) -> [Alias]
    /// Customers with the given aliases each, oldest first.
    func customers(in ledger: Ledger, page: PageRequest) throws(StoreError) -> Page<CustomerID>
    /// The user id linked newest to a chain.
    func userLink(_ original: TransactionID, in ledger: Ledger) throws(StoreError) -> UserLinkFact?
}

package protocol CustomerWriting {
    /// Keeps everyone else from deciding about, telling of or joining the customers that carry these names, until the transaction ends.
    /// What is read of them afterwards is up to date.
    ///
    /// - Returns: The customers, in the order of the names, each once.
    @discardableResult
    func hold(_ names: [Alias], in ledger: Ledger) throws(StoreError) -> [CustomerID]
    /// Makes all these aliases names of one customer, joining customers that were apart.
    func join(_ aliases: [Alias], in ledger: Ledger) throws(StoreError) -> CustomerID
    /// Makes several customers of one: the first group of names stays the customer, each other becomes one of its own, whose events go on
    /// from the same number. Names in no group are gone.
    func divide(_ customer: CustomerID, into groups: [[Alias]], in ledger: Ledger) throws(StoreError)
    func put(_ link: UserLinkFact, in ledger: Ledger) throws(StoreError)
}
