import AppStore
import Domain
import Store

extension Retention {
    /// Whether an event that is reported now is older than usage is kept.
    package func isPast(_ fact: UsageFact, at now: Timestamp) -> Bool { usage.map { fact.at < now - $0 } ?? false }

    /// Before when usage is removed: whole days, UTC, and an hour late, so that no event that another process still takes falls into them.
    func usageEnd(at now: Timestamp) -> Timestamp? {
        usage.map { UsageResolution.day.start(of: now - $0 - .hours(1)) }
    }
}

/// Takes out of one ledger what is kept no longer, a batch at a time, each inside one transaction.
///
/// What is folded stays what it is: `replay` finds no difference after any batch, and after any that a killed process left undone. Entries of
/// the audit trail are never touched.
package struct RetentionDesk {
    let app: AppSettings
    let ledger: Ledger
    let tx: any WriteTransaction
    let now: Timestamp

    package init(app: AppSettings, ledger: Ledger, tx: any WriteTransaction, now: Timestamp) {
        self.app = app
        self.ledger = ledger
        self.tx = tx
        self.now = now
    }

    /// How many entries a batch looks at: a few milliseconds of the one writer that SQLite has.
    package static let batch = 100

    /// What a batch did, and where the next one begins.
    package struct Progress: Sendable, Hashable {
        package var count = 0
        package var isAtEnd: Bool
        package var place: UsagePlace?
    }

    /// Leaves of bodies that are old what is folded of them.
    package func reduceBodies() throws(StoreError) -> Progress {
        guard let span = app.retention.bodies else { return Progress(isAtEnd: true) }
        let entries = try tx.wholeEntries(in: ledger, before: now - span, limit: RetentionDesk.batch)
        for entry in entries { try tx.reduce(entry.sequence, receivedAt: entry.receivedAt, to: reduced(entry), at: now) }
        return Progress(count: entries.count, isAtEnd: entries.count < RetentionDesk.batch)
    }

    /// The bytes as they stand in the log; those of before where nothing can be left out for sure.
    private func reduced(_ entry: LogEntry) throws(StoreError) -> [UInt8] {
        let body: [UInt8]
        // What is damaged `replay` tells of; here it must not stand in the way of the rest.
        do { body = try StoredBody.decode(entry, tx) } catch { return entry.body }
        let reduced =
            switch entry.kind {
            case .notification: PayloadReduction.notification(body)
            case .transaction: PayloadReduction.transaction(body)
            default: PayloadReduction.status(body)
            }
        guard let reduced else { return entry.body }
        return try StoredBody.encode(PackedBody.pack(reduced), tx)
    }

    /// Removes usage that is old, but what open requests need; a later round looks at that again.
    ///
    /// - Parameter place: Where the batch before ended; nil begins anew.
    package func removeUsage(behind place: UsagePlace?) throws(StoreError) -> Progress {
        guard let end = app.retention.usageEnd(at: now) else { return Progress(isAtEnd: true) }
        if place == nil, try placeOldEntries() { return Progress(isAtEnd: false) }
        let found = try tx.usageEntries(in: ledger, .behind(place, before: end), limit: RetentionDesk.batch)
        let entries = try wholePlaces(found)
        let open = OpenRounds(ledger: ledger, tx: tx, now: now)
        var needs: [UsageFact.Subject: Bool] = [:]
        var removed: [(sequence: Int64, fact: UsageFact)] = []
        for entry in entries {
            let fact = try FactCodec.decode(UsageFact.self, entry)
            if needs[fact.subject] == nil { needs[fact.subject] = try open.need(fact.subject) }
            if needs[fact.subject] == false { removed.append((entry.sequence, fact)) }
        }
        try tx.removeUsage(removed, in: ledger)
        for (subject, last) in newest(removed.map(\.fact)) {
            try tx.noteUsageRemoved(of: subject, before: last + .milliseconds(1), in: ledger)
        }
        return Progress(count: removed.count, isAtEnd: found.count < RetentionDesk.batch, place: entries.last?.place ?? place)
    }

    /// Takes no place in part: the last one is read to its end.
    private func wholePlaces(_ entries: [LogEntry]) throws(StoreError) -> [LogEntry] {
        guard entries.count == RetentionDesk.batch, let last = entries.last?.place else { return entries }
        let whole = Array(entries.prefix { $0.place != last })
        return try whole + tx.usageEntries(in: ledger, .at(last), limit: .max)
    }

    /// - Returns: Whether there were any.
    private func placeOldEntries() throws(StoreError) -> Bool {
        let entries = try tx.usageEntries(in: ledger, .unplaced, limit: RetentionDesk.batch)
        for entry in entries {
            try tx.setPlace(UsagePlace(try FactCodec.decode(UsageFact.self, entry)), ofEntry: entry.sequence)
        }
        return !entries.isEmpty
    }

    private func newest(_ facts: [UsageFact]) -> [UsageFact.Subject: Timestamp] {
        Dictionary(facts.map { ($0.subject, $0.at) }, uniquingKeysWith: max)
    }
}

/// Whose requests may still be answered.
struct OpenRounds {
    let ledger: Ledger
    let tx: any ReadTransaction
    let now: Timestamp

    /// Whether an answer that may still be given says something about a subject's usage: about this purchase, or any other of its customer's.
    func need(_ subject: UsageFact.Subject) throws(StoreError) -> Bool {
        let customer: CustomerID?
        switch subject {
        case .customer(let ref): customer = try resolve(ref, in: ledger, tx)
        case .transaction(let id):
            if try isOpen(tx.caseRow(id, in: ledger)) { return true }
            let original = try tx.purchase(id, in: ledger)?.transaction.originalTransactionID
            customer = try original.flatMap { id throws(StoreError) in
                try tx.customer(Alias(.originalTransactionID, id.rawValue), in: ledger)
            }
        }
        guard let customer else { return false }
        var page = PageRequest(limit: 200)
        repeat {
            let cases = try tx.cases(CaseQuery(ledger: ledger, state: .open, customer: customer, page: page))
            if cases.items.contains(where: isOpen) { return true }
            page.cursor = cases.nextCursor
        } while page.cursor != nil
        return false
    }

    private func isOpen(_ row: CaseRow?) -> Bool { row?.deadline.map { $0 > now } ?? false }
}
