import Domain
import Store

/// Applies one signed fact inside its transaction, and does at once what follows from it.
struct IntakeClerk {
    let app: AppSettings
    let ledger: Ledger
    let tx: any WriteTransaction
    let now: Timestamp

    func apply(_ fact: SignedFact) throws(StoreError) {
        let watch = try watch(fact)
        let id = fact.transaction?.transactionID
        let before = try id.flatMap { id throws(StoreError) in try knownCase(id) }
        let change = try fold(fact)
        if let id, change.touchesCase {
            try CaseDesk(app: app, ledger: ledger, tx: tx, now: now).attend(id, since: before)
        }
        try watch?.finish()
    }

    private func fold(_ fact: SignedFact) throws(StoreError) -> LedgerFold.Change {
        let fold = LedgerFold(ledger: ledger, tx: tx)
        switch fact {
        case .notification(let notification):
            let change = try fold.apply(notification)
            if !notification.isKnown { try noticeUnknown(notification.rawType, notification.rawSubtype) }
            try EventDesk(app: app, ledger: ledger, tx: tx, now: now).tell(notification)
            return change
        case .transaction(let copy): return try fold.apply(copy)
        case .status(let copy, let renewal):
            if let renewal { try fold.merge(renewal) }
            return try fold.apply(copy)
        }
    }

    /// The case as followers know it; not read where nobody follows.
    private func knownCase(_ id: TransactionID) throws(StoreError) -> RefundCase? {
        guard app.events != nil else { return nil }
        return RefundCase(
            folding: try tx.caseEvents(id, in: ledger), purchase: try tx.purchase(id, in: ledger), window: ledger.environment.answerWindow)
    }

    /// Watches the customer where somebody follows, or where a commitment may end.
    private func watch(_ fact: SignedFact) throws(StoreError) -> CustomerWatch? {
        var names = fact.transaction.map(LedgerFold.aliases(of:)) ?? []
        if names.isEmpty, let renewal = fact.renewal { names = [Alias(.originalTransactionID, renewal.originalTransactionID.rawValue)] }
        let isCommitmentAtStake = fact.transaction?.isMonthlyCommitment ?? false
        guard app.events != nil || isCommitmentAtStake, !names.isEmpty else { return nil }
        if let transaction = fact.transaction, isCommitmentAtStake { try noticeImplausible(transaction) }
        return try CustomerWatch(names, app: app, ledger: ledger, tx: tx, now: now)
    }

    func noticeQuarantine(_ reason: QuarantineReason, _ entry: LogEntry) throws(StoreError) {
        let notice = AlertNotice(event: .quarantined, detail: "\(entry.rawNotificationType ?? "a transaction"): \(reason.rawValue)")
        try alerts.tell(notice, once: "\(reason.rawValue)-\(now.milliseconds / 3_600_000)")
    }

    /// Once per unknown word: the message is kept and forwarded, and changes no access.
    private func noticeUnknown(_ rawType: String, _ rawSubtype: String?) throws(StoreError) {
        let word = [rawType, rawSubtype].compactMap(\.self).joined(separator: " with subtype ")
        try alerts.tell(AlertNotice(event: .unknown, detail: "This version does not know the notification \(word)."), once: word)
    }

    /// Numbers outside period 1...12 of 12 are kept as they came and change no access; the owner hears of it once per chain.
    private func noticeImplausible(_ transaction: Transaction) throws(StoreError) {
        guard transaction.commitment?.isPlausible != true else { return }
        let notice = AlertNotice(
            event: .unknown,
            detail: "A transaction of chain \(transaction.originalTransactionID) carries commitment numbers outside 1 to 12 of 12.")
        try alerts.tell(notice, once: "commitment-\(transaction.originalTransactionID)")
    }

    private var alerts: AlertDesk { AlertDesk(app: app, ledger: ledger, tx: tx, now: now) }
}
