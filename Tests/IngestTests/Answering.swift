import Domain
import Store

@testable import Ingest

/// One try at an answer, as the sender makes it.
struct Try: Sendable {
    var row: OutboxRow
    var order: AnswerOrder
}

extension TestDesk {
    /// Claims due work of a kind.
    func claim(_ kind: OutboxRow.Kind) async throws -> [OutboxRow] {
        let now = clock.now()
        return try await store.write { tx throws(StoreError) in
            try tx.claim(in: [OutboxRow.Lane(kind)], limit: 50, at: now, leaseUntil: now + .minutes(1))
        }
    }

    private func answering<Result: Sendable>(_ body: @escaping @Sendable (AnswerDesk) throws(StoreError) -> Result) async throws -> Result {
        let (app, ledger, now) = (app, ledger, clock.now())
        return try await store.write { tx throws(StoreError) in try body(AnswerDesk(app: app, ledger: ledger, tx: tx, now: now)) }
    }

    /// Begins the one try that is due: the bytes are on record from then on.
    /// - Returns: nil where nothing is due or nothing may be sent.
    func begin() async throws -> Try? {
        guard let row = try await claim(.answer).first else { return nil }
        return try await answering { desk throws(StoreError) in try desk.prepare(row) }.map { Try(row: row, order: $0) }
    }

    /// Puts on record what became of a try.
    func end(_ attempt: Try, _ result: AnswerResult, errorCode: Int64? = nil) async throws {
        let record = AttemptRecord(
            transactionID: attempt.order.transactionID, anchor: attempt.order.anchor, at: clock.now(), httpStatus: result.httpStatus,
            errorCode: errorCode)
        try await answering { desk throws(StoreError) in
            try desk.record(record, result, of: attempt.order, row: attempt.row, jitter: 0)
        }
    }

    /// Makes the try that is due.
    /// - Returns: The body sent, nil where none was.
    @discardableResult
    func send(_ result: AnswerResult, errorCode: Int64? = nil) async throws -> String? {
        guard let attempt = try await begin() else { return nil }
        try await end(attempt, result, errorCode: errorCode)
        return attempt.order.body
    }

    /// Sets the clock to when the next try is due, and makes it.
    @discardableResult
    func sendWhenDue(_ result: AnswerResult, errorCode: Int64? = nil) async throws -> String? {
        guard let due = try await nextDue(.answer) else { return nil }
        clock.set(max(due, clock.now()))
        return try await send(result, errorCode: errorCode)
    }

    /// Performs what is due in the life of rounds: ends of holds, half windows, closes.
    func keepRounds() async throws {
        for row in try await claim(.decide) { try await answering { desk throws(StoreError) in try desk.endHold(row) } }
        for row in try await claim(.deadlineNear) { try await answering { desk throws(StoreError) in try desk.noticeDeadline(row) } }
        for row in try await claim(.windowCloses) { try await answering { desk throws(StoreError) in try desk.closeWindow(row) } }
    }

    /// A pack of coins whose buyer agreed, asked about now.
    func askAboutCoins() async throws {
        try await notify("ONE_TIME_CHARGE", nil, coins)
        try await consent("7042001")
        try await ask(coins)
    }
}

extension AnswerResult {
    fileprivate var httpStatus: Int32? {
        switch self {
        case .accepted: 202
        case .refused: 400
        case .notFound: 404
        case .notTaken: 429
        case .inDoubt: nil
        case .unauthorized: 401
        }
    }
}

let delivered = #"{"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":true}"#
