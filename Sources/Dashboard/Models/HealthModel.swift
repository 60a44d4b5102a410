import Domain
import Ingest
import Store

/// How an app's way from and to Apple, and to the owner's own receivers, stands.
struct HealthModel: Sendable {
    struct LedgerHealth: Sendable {
        var ledger: Ledger
        var lastArrival: Timestamp?
        /// The pause that is usual; nil where too little came to tell.
        var rhythm: ArrivalRhythm?
        var contact: LedgerContact?
        var failure: LedgerContact.SendFailure?
        var quarantined: Int64

        /// Whether nothing came for much longer than usual.
        func isSilent(at now: Timestamp) -> Bool {
            guard let lastArrival, let rhythm else { return false }
            return now - lastArrival > rhythm.alarmAfter
        }
    }
    struct Lane: Sendable {
        var kind: OutboxRow.Kind
        /// The receiver's place in the configuration; nil for Apple and the desk's own clockwork.
        var receiver: String?
        var overdue: Int
    }
    static let mostOverdue = 1_000

    var ledgers: [LedgerHealth] = []
    var lanes: [Lane] = []
    var dead: Page<EventDelivery>
    var setAside: [LogEntry]

    init(_ app: AppSettings, dead page: PageRequest, at now: Timestamp, _ tx: any ReadTransaction) throws(StoreError) {
        dead = try tx.outboxEntries(OutboxQuery(app: app.id, state: .dead, page: page))
        setAside = try tx.logEntries(LogQuery(app: app.id, environment: nil, result: .quarantined, page: PageRequest(limit: 10))).items
        for environment in app.environments.sorted(by: { $0.rawValue < $1.rawValue }) {
            ledgers.append(try LedgerHealth(Ledger(app: app.id, environment: environment), now, tx))
        }
        for kind in [OutboxRow.Kind.answer, .decide] { lanes.append(try HealthModel.lane(OutboxRow.Lane(kind), kind, nil, now, tx)) }
        let receivers: [(OutboxRow.Kind, [String])] = [
            (.webhook, app.events?.targets.map(\.id) ?? []), (.forward, app.forwards), (.alert, app.alerts.map(\.id)),
        ]
        for (kind, names) in receivers {
            for name in names {
                lanes.append(try HealthModel.lane(OutboxRow.Lane(kind, app: app.id, receiver: name), kind, name, now, tx))
            }
        }
    }

    private static func lane(
        _ lane: OutboxRow.Lane, _ kind: OutboxRow.Kind, _ receiver: String?, _ now: Timestamp, _ tx: any ReadTransaction
    ) throws(StoreError) -> Lane {
        // What fell due a moment ago is under way.
        let overdue = try tx.overdueCount(in: lane, at: now - .seconds(5), limit: HealthModel.mostOverdue)
        return Lane(kind: kind, receiver: receiver, overdue: overdue)
    }
}

extension HealthModel.LedgerHealth {
    fileprivate init(_ ledger: Ledger, _ now: Timestamp, _ tx: any ReadTransaction) throws(StoreError) {
        self.ledger = ledger
        lastArrival = try tx.lastArrival(in: ledger)
        if let last = lastArrival {
            rhythm = ArrivalRhythm(try tx.arrivals(in: ledger, since: last - ArrivalRhythm.reach, apart: ArrivalRhythm.grain))
        }
        contact = try tx.contact(of: ledger)
        failure = try WatchDesk(ledger: ledger, tx: tx, now: now).failureSinceLastArrival()
        quarantined = try tx.quarantinedCount(in: ledger)
    }
}
