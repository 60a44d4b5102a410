import Domain
import Store

/// Looks at a customer before and after a fact is folded, and tells followers what changed.
///
/// Nothing is read where nobody follows and no commitment is at stake.
struct CustomerWatch {
    let app: AppSettings
    let ledger: Ledger
    let tx: any WriteTransaction
    let now: Timestamp
    private let names: [Alias]
    private let before: CustomerState

    /// Begins to watch whoever has one of these names.
    init(_ names: [Alias], app: AppSettings, ledger: Ledger, tx: any WriteTransaction, now: Timestamp) throws(StoreError) {
        self.app = app
        self.ledger = ledger
        self.tx = tx
        self.now = now
        self.names = names
        before = try CustomerState(held: names, app: app, ledger: ledger, tx: tx)
    }

    /// Tells what changed since the watch began, and when to look again.
    func finish() throws(StoreError) {
        let after = try CustomerState(held: names, app: app, ledger: ledger, tx: tx)
        guard let customer = after.customers.first else { return }
        try confirmStatuses(after)
        guard app.events != nil else { return }
        let told = before.customers.isEmpty ? now : before.toldAt ?? now
        for change in after.access.changes(since: before.access, at: told, now: now) {
            try EventDesk(app: app, ledger: ledger, tx: tx, now: now).tell(change, after)
        }
        try tx.setTold(customer, at: now)
        try scheduleTurn(after, customer)
    }

    /// Where the newest period we know of a commitment was refunded, Apple may know a newer one: it is asked before anyone is told that
    /// the commitment ended.
    private func confirmStatuses(_ state: CustomerState) throws(StoreError) {
        for original in state.access.needsStatusConfirmation(at: now) {
            let newest = state.purchases.filter { $0.transaction.originalTransactionID == original }.map(\.newest.precedence.signedDate)
                .max()
            try tx.enqueue(
                OutboxRow(
                    kind: .confirmStatus, ledger: ledger, subject: original.rawValue, key: "\(newest?.milliseconds ?? 0)", dueAt: now,
                    createdAt: now))
        }
    }

    private func scheduleTurn(_ state: CustomerState, _ customer: CustomerID) throws(StoreError) {
        guard let due = state.access.nextTurn(after: now) else { return }
        try tx.enqueue(
            OutboxRow(
                kind: .turn, ledger: ledger, subject: "\(customer.rawValue)", key: "\(due.milliseconds)", dueAt: due, createdAt: now))
    }
}

/// Everything that one customer owns, in one ledger; several where facts have not joined them yet.
struct CustomerState {
    let customers: [CustomerID]
    let aliases: [Alias]
    let purchases: [Purchase]
    let access: CustomerAccess
    let toldAt: Timestamp?

    init(_ names: [Alias], app: AppSettings, ledger: Ledger, tx: any ReadTransaction) throws(StoreError) {
        var customers: [CustomerID] = []
        for name in names {
            if let customer = try tx.customer(name, in: ledger), !customers.contains(customer) { customers.append(customer) }
        }
        try self.init(customers, app: app, ledger: ledger, tx: tx)
    }

    /// Of whoever has one of these names: until the transaction ends nobody else tells anything of them, so that each event carries the
    /// state that follows on the one before.
    init(held names: [Alias], app: AppSettings, ledger: Ledger, tx: any WriteTransaction) throws(StoreError) {
        try self.init(tx.hold(names, in: ledger), app: app, ledger: ledger, tx: tx)
    }

    init(_ customers: [CustomerID], app: AppSettings, ledger: Ledger, tx: any ReadTransaction) throws(StoreError) {
        self.customers = customers
        var aliases: [Alias] = []
        var purchases: [Purchase] = []
        var chains: [Chain] = []
        var toldAt: Timestamp?
        for customer in customers {
            let own = try tx.aliases(of: customer)
            aliases += own
            for alias in own where alias.kind == .originalTransactionID {
                let original = TransactionID(alias.value)
                purchases += try tx.purchases(original: original, in: ledger)
                if let chain = try tx.chain(original, in: ledger) { chains.append(chain) }
            }
            if let told = try tx.toldAt(customer) { toldAt = toldAt.map { min($0, told) } ?? told }
        }
        self.aliases = aliases
        self.purchases = purchases
        self.toldAt = toldAt
        access = CustomerAccess(purchases: purchases, chains: chains) { app.products[$0]?.terms ?? ProductTerms() }
    }
}
