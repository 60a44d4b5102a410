import Domain
import Ingest
import Store

/// What is asked after an outage, beyond the notifications: the refunds of customers with a case, and the status of subscriptions whose
/// truth may be stale. It is scheduled piece by piece in the outbox, and where it stands is kept with the reading.
enum FollowUp: Sendable, Hashable {
    case refunds
    /// From a page of customers on.
    case statuses(cursor: String?)

    init?(_ text: String?) {
        guard let text else { return nil }
        let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
        switch parts.first {
        case "refunds": self = .refunds
        case "statuses": self = .statuses(cursor: parts.count > 1 ? parts[1] : nil)
        default: return nil
        }
    }

    var text: String {
        switch self {
        case .refunds: "refunds"
        case .statuses(let cursor): cursor.map { "statuses \($0)" } ?? "statuses"
        }
    }

    /// Apple decides within days; a case that is open for longer is not waited for.
    private static let openCases = Span.days(60)
    /// Cases opened so long before the outage may have been decided in it, or reversed.
    private static let recentCases = Span.days(7)
    private static let caseLimit = 1_000
    private static let customersAPage = 200

    /// Schedules one piece.
    ///
    /// - Returns: The next one; nil at the end.
    func perform(_ read: HistoryRead, app: AppSettings, store: any Store, at now: Timestamp) async throws(StoreError) -> FollowUp? {
        switch self {
        case .refunds:
            try await store.write { tx throws(StoreError) in try FollowUp.askRefunds(after: read, tx, at: now) }
            return .statuses(cursor: nil)
        case .statuses(let cursor):
            let page = PageRequest(limit: Self.customersAPage, cursor: cursor)
            let stale = try await store.read { tx throws(StoreError) in
                try staleChains(of: app, in: read.ledger, page: page, at: now, tx)
            }
            if !stale.items.isEmpty {
                try await store.write { tx throws(StoreError) in
                    for original in stale.items { try tx.enqueue(FollowUp.row(.confirmStatus, original.rawValue, read, at: now)) }
                }
            }
            return stale.nextCursor.map { .statuses(cursor: $0) }
        }
    }

    private static func askRefunds(after read: HistoryRead, _ tx: any WriteTransaction, at now: Timestamp) throws(StoreError) {
        let began = read.outageBegan ?? read.from
        var page = PageRequest(limit: 100)
        var count = 0
        repeat {
            let cases = try tx.cases(CaseQuery(ledger: read.ledger, page: page))
            for row in cases.items {
                guard row.openedAt >= began - openCases, count < caseLimit else { return }
                guard row.state == .open || row.openedAt >= began - recentCases else { continue }
                try askRefunds(about: row.transactionID, read, tx, at: now)
                count += 1
            }
            page.cursor = cases.nextCursor
        } while page.cursor != nil
    }

    /// Has Apple asked once for the refunds of whoever made a purchase, for one reading.
    static func askRefunds(
        about id: TransactionID, _ read: HistoryRead, _ tx: any WriteTransaction, at now: Timestamp
    ) throws(StoreError) {
        guard let purchase = try tx.purchase(id, in: read.ledger) else { return }
        let original = Alias(.originalTransactionID, purchase.transaction.originalTransactionID.rawValue)
        let names = try tx.customer(original, in: read.ledger).map { customer throws(StoreError) in try tx.aliases(of: customer) } ?? []
        // Strongest first: one name for all purchases of the customer.
        let name = names.first { $0.kind == .appTransactionID } ?? original
        try tx.enqueue(row(.refundHistory, name.value, read, at: now))
    }

    private static func row(_ kind: OutboxRow.Kind, _ subject: String, _ read: HistoryRead, at now: Timestamp) -> OutboxRow {
        OutboxRow(kind: kind, ledger: read.ledger, subject: subject, key: "history-\(read.to.milliseconds)", dueAt: now, createdAt: now)
    }
}
