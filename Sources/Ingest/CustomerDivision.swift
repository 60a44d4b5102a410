import Domain
import Store

/// Takes a customer apart where a link that held it together is gone: names stay together that a signed transaction or a link that
/// still stands ties to one another.
struct CustomerDivision {
    let ledger: Ledger
    let tx: any WriteTransaction

    /// - Parameter original: A chain of the customer's.
    func divide(_ original: TransactionID) throws(StoreError) {
        try tx.hold([Alias(.originalTransactionID, original.rawValue)], in: ledger)
        guard let customer = try tx.customer(Alias(.originalTransactionID, original.rawValue), in: ledger) else { return }
        let names = try tx.aliases(of: customer)
        var ties = try tx.purchases(of: customer).map { LedgerFold.aliases(of: $0.transaction) }
        for name in names where name.kind == .originalTransactionID {
            if let link = try tx.userLink(TransactionID(name.value), in: ledger) { ties.append([name, link.alias]) }
        }
        let groups = CustomerDivision.groups(of: names, tiedBy: ties)
        guard groups.count > 1, try !losesRefusal(groups) else { return }
        try tx.divide(customer, into: groups, in: ledger)
    }

    /// Whether a no stands under a name that would be left without a purchase, since an older copy of a transaction carried it: nobody knows
    /// any more which purchase it spoke for, so all stay together.
    private func losesRefusal(_ groups: [[Alias]]) throws(StoreError) -> Bool {
        let lone = groups.filter { group in group.allSatisfy { $0.kind == .appTransactionID || $0.kind == .appAccountToken } }
        return try tx.consents(refs: refs(of: lone.flatMap { $0 }), in: ledger).contains { !$0.fact.consented }
    }

    /// The sets of names that hang together, each and all of them in order.
    static func groups(of names: [Alias], tiedBy ties: [[Alias]]) -> [[Alias]] {
        var group = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($0.element, $0.offset) })
        for tie in ties {
            let tied = Set(tie.compactMap { group[$0] })
            guard let first = tied.min(), tied.count > 1 else { continue }
            for (name, number) in group where tied.contains(number) { group[name] = first }
        }
        return Dictionary(grouping: names) { group[$0] ?? 0 }.values.map { $0.sorted() }.sorted { $0[0] < $1[0] }  // none is empty
    }
}

extension UserLinkFact {
    /// As a name of the customer's.
    var alias: Alias { Alias(.userID, normalizedRef(userID.rawValue)) }
}
