import Domain
import Store

/// Applies one signed fact inside its transaction, and does at once what follows from it.
struct IntakeClerk {
    let app: AppSettings
    let ledger: Ledger
    let tx: any WriteTransaction
    let now: Timestamp

    func apply(_ fact: SignedFact) throws(StoreError) {
        let fold = LedgerFold(ledger: ledger, tx: tx)
        let change: LedgerFold.Change
        switch fact {
        case .notification(let notification):
            change = try fold.apply(notification)
            if !notification.isKnown { try noticeUnknown(notification) }
        case .transaction(let copy):
            change = try fold.apply(copy)
        }
        guard change.touchesCase, let id = change.transactionID else { return }
        try CaseDesk(app: app, ledger: ledger, tx: tx, now: now).attend(id)
    }

    func noticeQuarantine(_ reason: QuarantineReason, _ entry: LogEntry) throws(StoreError) {
        let notice = AlertNotice(event: .quarantined, detail: "\(entry.rawNotificationType ?? "a transaction"): \(reason.rawValue)")
        try AlertDesk(app: app, ledger: ledger, tx: tx, now: now).tell(notice, once: "\(reason.rawValue)/\(now.milliseconds / 3_600_000)")
    }

    /// Once per unknown word: the message is kept and forwarded, and changes no access.
    private func noticeUnknown(_ notification: NotificationFact) throws(StoreError) {
        let word = [notification.rawType, notification.rawSubtype].compactMap(\.self).joined(separator: "/")
        let notice = AlertNotice(event: .unknown, detail: "This version does not know the notification \(word).")
        try AlertDesk(app: app, ledger: ledger, tx: tx, now: now).tell(notice, once: word)
    }
}
