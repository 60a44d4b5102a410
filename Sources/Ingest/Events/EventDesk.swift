import Domain
import Store

/// Puts events into the outbox: one row per receiver that wants them, with the body as it will be sent.
struct EventDesk {
    let app: AppSettings
    let ledger: Ledger
    let tx: any WriteTransaction
    let now: Timestamp

    func tell(_ change: AccessChange, _ state: CustomerState) throws(StoreError) {
        var subject = EventSubject()
        subject.transactionID = change.transactionID
        subject.originalTransactionID = change.originalTransactionID
        subject.productID = change.productID
        subject.isCurrentPeriod = state.isNewest(change.transactionID, of: change.originalTransactionID)
        let access = state.access.access(group: change.subscriptionGroupIdentifier, product: change.productID, at: now)
        subject.access = access
        subject.commitment = change.commitment
        subject.seats = change.seats
        // What another chain of the same group still grants is not revoked.
        let kind = change.kind == .revoked && access.active ? AccessChange.Kind.changed : change.kind
        try tell(kind.rawValue, subject, state)
    }

    /// Tells of a held case, with the access to what the disputed purchase belongs to.
    func tell(_ type: String, _ file: CaseFile) throws(StoreError) {
        guard wanted(type) else { return }
        let state = try CustomerState(file.customer.map { [$0] } ?? [], app: app, ledger: ledger, tx: tx)
        var subject = EventSubject()
        subject.transactionID = file.transactionID
        subject.file = file
        subject.isCurrentPeriod = file.isCurrentPeriod(at: now)
        if let transaction = file.purchase?.transaction {
            subject.originalTransactionID = transaction.originalTransactionID
            subject.productID = transaction.productID
            subject.access = state.access.access(group: transaction.subscriptionGroupIdentifier, product: transaction.productID, at: now)
        }
        try tell(type, subject, state)
    }

    /// Tells that a notification was taken in, of whatever type.
    func tell(_ notification: NotificationFact) throws(StoreError) {
        let type = "notification.received"
        guard wanted(type) else { return }
        let transaction = notification.transaction?.value
        let names = transaction.map { [Alias(.originalTransactionID, $0.originalTransactionID.rawValue)] } ?? []
        let state = try CustomerState(held: names, app: app, ledger: ledger, tx: tx)
        var subject = EventSubject()
        subject.transactionID = transaction?.transactionID
        subject.originalTransactionID = transaction?.originalTransactionID
        subject.productID = transaction?.productID
        subject.notification = notification
        subject.isCurrentPeriod = transaction.flatMap { state.isNewest($0.transactionID, of: $0.originalTransactionID) }
        subject.access = transaction.map {
            state.access.access(group: $0.subscriptionGroupIdentifier, product: $0.productID, at: now)
        }
        try tell(type, subject, state)
    }

    private func wanted(_ type: String) -> Bool { app.events?.targets.contains { $0.wants(type, ledger.environment) } ?? false }

    private func tell(_ type: String, _ subject: EventSubject, _ state: CustomerState) throws(StoreError) {
        guard let events = app.events, wanted(type) else { return }
        let userID = try subject.originalTransactionID.flatMap { id throws(StoreError) in try tx.userLink(id, in: ledger)?.userID }
        let event = DeskEvent(
            type: type, id: events.makeID(),
            sequence: try state.customers.first.map { customer throws(StoreError) in try tx.nextSequence(of: customer) } ?? 0,
            at: now, ledger: ledger, subject: subject, aliases: state.aliases,
            userID: userID ?? state.aliases.last { $0.kind == .userID }.map { UserID($0.value) },
            customer: state.customers.isEmpty ? nil : state.access)
        let body = events.render(event)
        for target in events.targets where target.wants(type, ledger.environment) {
            try tx.enqueue(
                OutboxRow(kind: .webhook, ledger: ledger, subject: event.id, key: target.id, dueAt: now, payload: body, createdAt: now))
        }
    }
}

extension CustomerState {
    /// Whether a transaction is the newest of its chain.
    func isNewest(_ id: TransactionID, of original: TransactionID) -> Bool? {
        purchases.map(\.transaction).filter { $0.originalTransactionID == original }
            .max { ($0.purchaseDate, $0.transactionID) < ($1.purchaseDate, $1.transactionID) }
            .map { $0.transactionID == id }
    }
}
