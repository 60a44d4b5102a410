import Domain
import Store

/// One thing to tell the owner; what it says in words is written when it is sent.
package struct AlertNotice: Sendable, Codable, Hashable {
    package var event: AlertEvent
    package var transactionID: TransactionID?
    package var anchor: NotificationUUID?
    /// More words, never a payload or a secret.
    package var detail: String?

    package init(event: AlertEvent, transactionID: TransactionID? = nil, anchor: NotificationUUID? = nil, detail: String? = nil) {
        self.event = event
        self.transactionID = transactionID
        self.anchor = anchor
        self.detail = detail
    }
}

/// Schedules alerts: one per notice and place, so that repeats of a request stay silent.
struct AlertDesk {
    let app: AppSettings
    let ledger: Ledger
    let tx: any WriteTransaction
    let now: Timestamp

    /// - Parameter once: What makes two notices the same; by default the event, the case and the round.
    func tell(_ notice: AlertNotice, once: String? = nil) throws(StoreError) {
        let targets = app.alerts.filter { $0.events.contains(notice.event) && $0.environments.contains(ledger.environment) }
        guard !targets.isEmpty else { return }
        let payload = try FactCodec.encode(notice)
        let subject = notice.transactionID?.rawValue ?? app.id.rawValue
        for target in targets {
            let key = [notice.event.rawValue, once ?? notice.anchor?.rawValue ?? "", target.id].joined(separator: "/")
            try tx.enqueue(
                OutboxRow(
                    kind: .alert, ledger: ledger, subject: subject, key: key, dueAt: now, payload: payload, createdAt: now))
        }
    }
}
