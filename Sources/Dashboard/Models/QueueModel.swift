import Domain
import Ingest
import Store

/// One open case as the queue shows it.
struct QueueItem: Sendable {
    var file: CaseFile
    var round: Round
    /// What may be chosen; nil where nobody needs to choose.
    var outlook: CaseOutlook?

    var decision: Decision? { file.decision(of: round)?.decision }
    var isHeld: Bool { decision?.kind == .hold }
}

/// Open rounds: those that wait for a person apart, then all by their deadline.
struct QueueModel: Sendable {
    static let mostHeld = 30
    static let pageSize = 30

    var held: [QueueItem] = []
    var hasMoreHeld = false
    var open: Page<QueueItem>

    init(_ app: AppSettings, _ ledger: Ledger, page: PageRequest, at now: Timestamp, _ tx: any ReadTransaction) throws(StoreError) {
        if page.cursor == nil {
            let subjects = try tx.pendingSubjects(in: OutboxRow.Lane(.decide), of: ledger, limit: QueueModel.mostHeld + 1)
            hasMoreHeld = subjects.count > QueueModel.mostHeld
            for id in subjects.prefix(QueueModel.mostHeld) {
                guard var item = try QueueItem(TransactionID(id), ledger, now, tx), item.isHeld else { continue }
                item.outlook = try CaseOutlook(of: item.file, app: app, at: now, tx)
                held.append(item)
            }
            held.sort { ($0.round.deadline, $0.file.transactionID) < ($1.round.deadline, $1.file.transactionID) }
        }
        let rows = try tx.casesInWindow(at: now, in: ledger, page: page)
        var items: [QueueItem] = []
        for row in rows.items { if let item = try QueueItem(row.transactionID, ledger, now, tx), !item.isHeld { items.append(item) } }
        open = Page(items: items, nextCursor: rows.nextCursor)
    }
}

extension QueueItem {
    /// - Returns: nil where no round is open any more.
    fileprivate init?(_ id: TransactionID, _ ledger: Ledger, _ now: Timestamp, _ tx: any ReadTransaction) throws(StoreError) {
        guard let file = try CaseFile(id, in: ledger, tx), let round = file.folded.rounds.last, round.isOpen(at: now) else { return nil }
        self.init(file: file, round: round)
    }
}
