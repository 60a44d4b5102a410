import Domain
import Store

/// Merges facts into the folded state of one ledger: live and when rebuilding, the same code.
///
/// Every step is a merge whose result does not depend on the order of signed facts nor on repeats, and costs the same however much is
/// stored already.
struct LedgerFold {
    let ledger: Ledger
    let tx: any WriteTransaction

    /// What a signed fact changed, for those who act on it.
    struct Change {
        var transactionID: TransactionID?
        /// Whether the transaction's case may be another one now.
        var touchesCase = false
    }

    /// Folds a notification. One of unknown type or subtype changes nothing, but that a question is always heard.
    func apply(_ fact: NotificationFact) throws(StoreError) -> Change {
        var change = Change(transactionID: fact.transaction?.value.transactionID)
        guard fact.isKnown || fact.type == .consumptionRequest else { return change }
        if let copy = fact.transaction {
            let reversal = fact.type == .refundReversed ? fact.signedDate : nil
            change.touchesCase = try merge(copy, reversal: reversal)
            if let event = fact.caseEvent {
                try tx.put(event, of: copy.value.transactionID, in: ledger)
                change.touchesCase = true
            }
            if change.touchesCase { try refreshCase(copy.value.transactionID) }
        }
        if let renewal = fact.renewal { try merge(renewal) }
        return change
    }

    /// Folds a transaction that came by itself: from the app, or from a history.
    func apply(_ copy: Snapshot<Transaction>) throws(StoreError) -> Change {
        var change = Change(transactionID: copy.value.transactionID)
        change.touchesCase = try merge(copy, reversal: nil)
        if change.touchesCase { try refreshCase(copy.value.transactionID) }
        return change
    }

    /// - Returns: Whether a revocation was or is involved, so that the case has to be looked at.
    private func merge(_ copy: Snapshot<Transaction>, reversal: Timestamp?) throws(StoreError) -> Bool {
        let known = try tx.purchase(copy.value.transactionID, in: ledger)
        // Whatever copy carries them, and whenever it comes: two names in one signed transaction are one customer.
        if known.map({ namesChanged($0.transaction, copy.value) }) ?? true {
            _ = try tx.join(LedgerFold.aliases(of: copy.value), in: ledger)
        }
        var merged = known ?? Purchase(newest: copy)
        var isNewer = known == nil
        if known != nil { isNewer = merged.newest.merge(copy) }
        if let reversal { merged.lastReversal = merged.lastReversal.map { max($0, reversal) } ?? reversal }
        guard isNewer || merged != known else { return false }
        try tx.put(merged, in: ledger)
        try tx.notePurchase(before: known?.transaction, after: merged.transaction, in: ledger)
        return known?.transaction.revocationDate != nil || merged.transaction.revocationDate != nil || reversal != nil
    }

    func merge(_ renewal: Snapshot<RenewalInfo>) throws(StoreError) {
        let original = renewal.value.originalTransactionID
        var chain = try tx.chain(original, in: ledger) ?? Chain(originalTransactionID: original)
        if chain.renewal?.merge(renewal) == false { return }
        if chain.renewal == nil { chain.renewal = renewal }
        try tx.put(chain, in: ledger)
    }

    /// Writes the listed face of a case anew from its events.
    func refreshCase(_ id: TransactionID) throws(StoreError) {
        tx.noteCase(id, in: ledger)
        let purchase = try tx.purchase(id, in: ledger)
        let events = try tx.caseEvents(id, in: ledger)
        guard let folded = RefundCase(folding: events, purchase: purchase, window: ledger.environment.answerWindow) else { return }
        let last = folded.rounds.last
        let opened = events.map(\.signedDate).min() ?? purchase?.revocation?.date ?? Timestamp(milliseconds: 0)
        try tx.put(
            CaseRow(
                transactionID: id, originalTransactionID: purchase?.transaction.originalTransactionID ?? id,
                productID: purchase?.transaction.productID, state: folded.state, rawReason: last?.rawReason, openedAt: opened,
                deadline: last.flatMap { $0.outcome == nil ? $0.deadline : nil }),
            in: ledger)
    }

    private func namesChanged(_ known: Transaction, _ copy: Transaction) -> Bool {
        known.appTransactionID != copy.appTransactionID || known.appAccountToken != copy.appAccountToken
            || known.originalTransactionID != copy.originalTransactionID
            || known.previousOriginalTransactionID != copy.previousOriginalTransactionID
    }

    static func aliases(of transaction: Transaction) -> [Alias] {
        var names = [Alias(.originalTransactionID, transaction.originalTransactionID.rawValue)]
        if let id = transaction.appTransactionID, !id.rawValue.isEmpty { names.append(Alias(.appTransactionID, id.rawValue)) }
        if let token = transaction.appAccountToken { names.append(Alias(.appAccountToken, token.rawValue)) }
        if let previous = transaction.previousOriginalTransactionID { names.append(Alias(.originalTransactionID, previous.rawValue)) }
        return names
    }
}

extension LedgerFold {
    func apply(_ fact: ConsentFact, sequence: Int64) throws(StoreError) { try tx.put(fact, sequence: sequence, in: ledger) }

    /// The id is kept as it was said; as a name one that is a UUID counts in lower case, as names in requests do. A link to another user
    /// takes the place of the one before: who was one person by that alone is so no longer.
    func apply(_ fact: UserLinkFact) throws(StoreError) {
        let before = try tx.userLink(fact.originalTransactionID, in: ledger)
        try tx.put(fact, in: ledger)
        guard let now = try tx.userLink(fact.originalTransactionID, in: ledger) else { return }
        if let before, before.alias != now.alias { try CustomerDivision(ledger: ledger, tx: tx).divide(fact.originalTransactionID) }
        _ = try tx.join([Alias(.originalTransactionID, fact.originalTransactionID.rawValue), now.alias], in: ledger)
    }

    /// A chain's status was asked and answered at that instant; the newest instant stays.
    func apply(_ fact: StatusConfirmation) throws(StoreError) {
        var chain = try tx.chain(fact.originalTransactionID, in: ledger) ?? Chain(originalTransactionID: fact.originalTransactionID)
        guard chain.statusConfirmedAt.map({ $0 < fact.at }) ?? true else { return }
        chain.statusConfirmedAt = fact.at
        try tx.put(chain, in: ledger)
    }
}

/// Apple was asked for the status of a chain and answered.
package struct StatusConfirmation: Hashable, Sendable, Codable {
    package var originalTransactionID: TransactionID
    package var at: Timestamp

    package init(originalTransactionID: TransactionID, at: Timestamp) {
        self.originalTransactionID = originalTransactionID
        self.at = at
    }
}
