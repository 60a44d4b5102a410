import AppStore
import Domain
import Ingest
import Store

/// Sends answers to consumption requests: each try is made ready and recorded in the store, before and after.
package struct AnswerSender: OutboxHandler {
    let store: any Store
    let apps: AppDirectory
    let apis: ServerAPIDirectory
    let time: any Time
    let metrics: Metrics
    /// A random draw from -1...1.
    let jitter: @Sendable () -> Double

    package init(
        store: any Store, apps: AppDirectory, apis: ServerAPIDirectory, time: any Time, metrics: Metrics,
        jitter: @escaping @Sendable () -> Double
    ) {
        self.store = store
        self.apps = apps
        self.apis = apis
        self.time = time
        self.metrics = metrics
        self.jitter = jitter
    }

    package func perform(_ row: OutboxRow) async throws(StoreError) {
        guard let app = apps[row.ledger.app], let api = apis[row.ledger] else { return try await giveUp(row) }
        guard let order = try await prepare(row, app) else { return }
        var outcome = await api.sendConsumptionInformation(transactionID: order.transactionID, body: Array(order.body.utf8))
        if outcome.kind == .unauthorized {
            let refused = AttemptRecord(outcome, of: order)
            try await write(app, row) { desk throws(StoreError) in try desk.log(refused) }
            api.renewToken()
            outcome = await api.sendConsumptionInformation(transactionID: order.transactionID, body: Array(order.body.utf8))
        }
        let attempt = AttemptRecord(outcome, of: order)
        let result = AnswerResult(outcome)
        let draw = jitter()
        metrics.count("refund_desk_answer_attempts_total", "result=\"\(result.label)\"")
        try await write(app, row) { desk throws(StoreError) in
            try desk.record(attempt, result, of: order, row: row, jitter: draw)
        }
    }

    private func prepare(_ row: OutboxRow, _ app: AppSettings) async throws(StoreError) -> AnswerOrder? {
        let now = time.now()
        return try await store.write { tx throws(StoreError) in
            try AnswerDesk(app: app, ledger: row.ledger, tx: tx, now: now).prepare(row)
        }
    }

    private func write(
        _ app: AppSettings, _ row: OutboxRow, _ body: @escaping @Sendable (AnswerDesk) throws(StoreError) -> Void
    ) async throws(StoreError) {
        let now = time.now()
        try await store.write { tx throws(StoreError) in
            try body(AnswerDesk(app: app, ledger: row.ledger, tx: tx, now: now))
        }
    }

    /// The app is configured no more: nobody can answer for it.
    private func giveUp(_ row: OutboxRow) async throws(StoreError) {
        let now = time.now()
        try await store.write { tx throws(StoreError) in try tx.finish(row.id, state: .dead, at: now) }
    }
}

/// Performs what falls due in the life of a round: the end of a hold, half of the window, its close.
package struct RoundKeeper: OutboxHandler {
    let store: any Store
    let apps: AppDirectory
    let time: any Time

    package init(store: any Store, apps: AppDirectory, time: any Time) {
        self.store = store
        self.apps = apps
        self.time = time
    }

    package func perform(_ row: OutboxRow) async throws(StoreError) {
        let now = time.now()
        let app = apps[row.ledger.app]
        try await store.write { tx throws(StoreError) in
            guard let app else { return try tx.finish(row.id, state: .dead, at: now) }
            let desk = AnswerDesk(app: app, ledger: row.ledger, tx: tx, now: now)
            switch row.kind {
            case .decide: try desk.endHold(row)
            case .deadlineNear: try desk.noticeDeadline(row)
            default: try desk.closeWindow(row)
            }
        }
    }
}

/// The Server API of each ledger.
package struct ServerAPIDirectory: Sendable {
    private let byLedger: [Ledger: AppStoreServerAPI]
    package init(_ byLedger: [Ledger: AppStoreServerAPI]) { self.byLedger = byLedger }
    package subscript(_ ledger: Ledger) -> AppStoreServerAPI? { byLedger[ledger] }
}

extension AttemptRecord {
    init(_ outcome: SendOutcome, of order: AnswerOrder) {
        self.init(
            transactionID: order.transactionID, anchor: order.anchor, at: outcome.at, httpStatus: outcome.httpStatus.map(Int32.init),
            errorCode: outcome.errorCode, error: outcome.explanation)
    }
}

extension AnswerResult {
    /// A fault at Apple leaves it open whether the body was taken; a full house and a refused token do not.
    init(_ outcome: SendOutcome) {
        self =
            switch outcome.kind {
            case .accepted: .accepted
            case .refused: .refused
            case .notFound: .notFound
            case .unauthorized: .unauthorized
            case .rateLimited, .notSent: .notTaken(notBefore: outcome.retryAfter)
            case .serverFault, .inDoubt: .inDoubt(notBefore: outcome.retryAfter)
            }
    }

    var label: String {
        switch self {
        case .accepted: "accepted"
        case .refused: "refused"
        case .notFound: "not-found"
        case .notTaken: "not-taken"
        case .inDoubt: "in-doubt"
        case .unauthorized: "unauthorized"
        }
    }
}
