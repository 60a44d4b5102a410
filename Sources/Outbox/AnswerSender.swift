import AppStore
import Domain
import Ingest
import Store

/// Sends answers to consumption requests: each try is made ready and recorded in the store, before and after.
package struct AnswerSender: OutboxHandler {
    let desk: OutboxDesk
    let apis: ServerAPIDirectory

    package init(_ desk: OutboxDesk, apis: ServerAPIDirectory) {
        self.desk = desk
        self.apis = apis
    }

    package func perform(_ row: OutboxRow) async throws(StoreError) {
        // An app that is configured no more cannot be answered for.
        guard let app = desk.apps[row.ledger.app], let api = apis[row.ledger] else { return try await desk.end(row, .dead) }
        guard try await isTurn(of: row, api, app) else { return }
        guard var order = try await write(app, row, { answers throws(StoreError) in try answers.prepare(row, appleNow: api.appleNow) })
        else { return }
        var outcome = await send(order, api)
        if outcome.kind == .unauthorized {
            let refused = AttemptRecord(outcome, of: order)
            // Consent and the window are read before each call, the one signed anew too.
            let first = order
            let again = try await write(app, row) { answers throws(StoreError) in
                try answers.recordRefusedToken(refused, of: first)
                return try answers.prepare(row, appleNow: api.appleNow)
            }
            guard let again else { return }
            order = again
            api.renewToken()
            outcome = await send(order, api)
        }
        let sent = order
        let attempt = AttemptRecord(outcome, of: sent)
        let result = AnswerResult(outcome)
        let draw = desk.jitter()
        desk.metrics.count("refund_desk_answer_attempts_total", "result=\"\(result.label)\"")
        try await write(app, row) { answers throws(StoreError) in
            try answers.record(attempt, result, of: sent, row: row, jitter: draw)
        }
    }

    /// Waits for the row's turn by Apple's limit, or puts it off until then: a row that waits holds up no other.
    private func isTurn(of row: OutboxRow, _ api: AppStoreServerAPI, _ app: AppSettings) async throws(StoreError) -> Bool {
        let turn = await api.turn(ofAnswer: row.id)
        let now = desk.time.now()
        guard turn > now + ServerAPIPace.patience else {
            if turn > now { try? await desk.time.sleep(until: turn) }
            return true
        }
        return try await write(app, row) { answers throws(StoreError) in try answers.awaitTurn(row, until: turn) }
    }

    /// A try never reaches beyond the window: what is not through by then is given up.
    private func send(_ order: AnswerOrder, _ api: AppStoreServerAPI) async -> SendOutcome {
        let left = min(max((order.deadline - max(desk.time.now(), api.appleNow)).milliseconds, 1), 15_000)
        return await api.sendConsumptionInformation(
            transactionID: order.transactionID, body: Array(order.body.utf8), timeout: .milliseconds(left))
    }

    private func write<Result: Sendable>(
        _ app: AppSettings, _ row: OutboxRow, _ body: @escaping @Sendable (AnswerDesk) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        let now = desk.time.now()
        return try await desk.store.write(touching: row.ledger.touching(row.subject)) { tx throws(StoreError) in
            try body(AnswerDesk(app: app, ledger: row.ledger, tx: tx, now: now))
        }
    }
}

/// The Server API of each ledger.
package struct ServerAPIDirectory: Sendable {
    private let byLedger: [Ledger: AppStoreServerAPI]
    package init(_ byLedger: [Ledger: AppStoreServerAPI]) { self.byLedger = byLedger }
    package subscript(_ ledger: Ledger) -> AppStoreServerAPI? { byLedger[ledger] }
    package var ledgers: [Ledger] { byLedger.keys.sorted() }
    package func forgetClocks() { for api in byLedger.values { api.forgetClock() } }
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
