import Domain

/// What a transaction has to count before it ends.
///
/// Everything that a batch of bodies changed is counted in one go, as the transaction's last step and in the order of the keys: a counter
/// that many purchases share is written once, and is locked no longer than the commit takes.
package struct PendingReports: Sendable {
    private var cases: Set<LedgerCase> = []
    /// In the order in which they came, so that those of a body that is undone can be taken out.
    private var sales: [(ledger: Ledger, before: Transaction?, after: Transaction?)] = []

    package init() {}

    package var isEmpty: Bool { cases.isEmpty && sales.isEmpty }
    /// Marks where a body begins.
    package var mark: Int { sales.count }

    package mutating func note(_ change: ReportChange) {
        switch change {
        case .touched(let one): cases.insert(one)
        case .purchase(let ledger, let before, let after): sales.append((ledger, before, after))
        }
    }

    /// Forgets the purchases of a body that was undone. Its cases may stay: they are read anew, and found as they were.
    package mutating func undo(to mark: Int) { sales.removeLast(sales.count - mark) }

    /// Counts it all.
    package func write(to tx: any WriteTransaction) throws(StoreError) {
        var changes: [Ledger: ReportContribution] = [:]
        for sale in sales {
            let environment = sale.ledger.environment
            if let after = sale.after { changes[sale.ledger, default: .init()].add(after.saleContribution(in: environment)) }
            if let before = sale.before { changes[sale.ledger, default: .init()].subtract(before.saleContribution(in: environment)) }
        }
        let touched = cases.sorted()
        try tx.holdForCounting(touched)
        var chains: [LedgerCase: [Purchase]] = [:]
        for one in touched { try CaseCounting(one, tx).count(into: &changes[one.ledger, default: .init()], &chains) }
        for (ledger, change) in changes.sorted(by: { $0.key < $1.key }) { try tx.add(change.inAllTiers.changes, in: ledger) }
    }
}

/// Brings the facts of one case up to date.
private struct CaseCounting {
    let ledger: Ledger
    let id: TransactionID
    let tx: any WriteTransaction

    init(_ one: LedgerCase, _ tx: any WriteTransaction) {
        ledger = one.ledger
        id = one.id
        self.tx = tx
    }

    /// - Parameter chains: Those that were read already, by their first transaction.
    func count(into change: inout ReportContribution, _ chains: inout [LedgerCase: [Purchase]]) throws(StoreError) {
        let before = try tx.caseFacts(id, in: ledger)
        let after = try facts(&chains)
        guard before != after else { return }
        try tx.put(after, of: id, in: ledger)
        if let after { change.add(after.contribution) }
        if let before { change.subtract(before.contribution) }
    }

    private func facts(_ chains: inout [LedgerCase: [Purchase]]) throws(StoreError) -> CaseFacts? {
        let purchase = try tx.purchase(id, in: ledger)
        let events = try tx.caseEvents(id, in: ledger)
        guard let folded = RefundCase(folding: events, purchase: purchase, window: ledger.environment.answerWindow) else { return nil }
        let firstWord = events.map(\.signedDate).min() ?? purchase?.revocation?.date ?? Timestamp(milliseconds: 0)
        var basis = CaseFactsBasis(
            environment: ledger.environment, folded: folded, purchase: purchase, firstWordAt: firstWord, handling: try handling(folded))
        if CaseFactsBasis.needsChain(folded, purchase), let original = purchase?.transaction.originalTransactionID {
            let name = LedgerCase(ledger, original)
            if chains[name] == nil { chains[name] = try tx.purchases(original: original, in: ledger) }
            basis.chain = chains[name] ?? []
        }
        if folded.refund != nil { basis.unitCost = try tx.newestBasis(id, in: ledger)?.facts.usageCost }
        return CaseFacts(basis)
    }

    private func handling(_ folded: RefundCase) throws(StoreError) -> [RoundHandling] {
        guard !folded.rounds.isEmpty else { return [] }
        let decisions = try tx.decisions(id, in: ledger)
        let accepted = try tx.answers(id, in: ledger).filter { $0.status == .accepted }
        return folded.rounds.map { round in
            RoundHandling(
                decision: decisions.last { round.contains($0.anchor) }?.decision,
                acceptedBody: accepted.first { round.contains($0.anchor) }.map { $0.body ?? "" })
        }
    }
}

extension WriteTransaction {
    /// Notes a case for counting.
    package func noteCase(_ id: TransactionID, in ledger: Ledger) { note(.touched(LedgerCase(ledger, id))) }

    /// Notes for counting what follows from another state of a purchase: its sale, and the cases of its chain that depend on it.
    package func notePurchase(before: Transaction?, after: Transaction, in ledger: Ledger) throws(StoreError) {
        guard before.map(ReportedPurchase.init) != ReportedPurchase(after) else { return }
        note(.purchase(ledger, before: before, after: after))
        // A purchase that was not there before has no case yet.
        if before != nil { noteCase(after.transactionID, in: ledger) }
        // Cases of other periods depend on trials, and on what comes later in a commitment.
        for copy in [before, after].compactMap(\.self) where copy.isFreeTrial || copy.isMonthlyCommitment {
            for id in try caseIDs(original: copy.originalTransactionID, in: ledger) { noteCase(id, in: ledger) }
        }
    }
}
