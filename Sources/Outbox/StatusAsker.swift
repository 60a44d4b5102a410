import AppStore
import Domain
import Ingest
import Store

/// Asks Apple for the status of a chain whose truth may be stale, and takes the answer in.
package struct StatusAsker: OutboxHandler {
    let store: any Store
    let intake: Intake
    let apis: ServerAPIDirectory
    let time: any Time
    let jitter: @Sendable () -> Double
    let report: @Sendable (String) -> Void

    package init(
        store: any Store, intake: Intake, apis: ServerAPIDirectory, time: any Time, jitter: @escaping @Sendable () -> Double,
        report: @escaping @Sendable (String) -> Void
    ) {
        self.store = store
        self.intake = intake
        self.apis = apis
        self.time = time
        self.jitter = jitter
        self.report = report
    }

    package func perform(_ row: OutboxRow) async throws(StoreError) {
        guard let api = apis[row.ledger] else { return try await end(row, .dead) }
        let original = TransactionID(row.subject)
        let asked = time.now()
        do throws(AppStoreServerAPIError) {
            let statuses = try await api.getAllSubscriptionStatuses(anyTransactionID: original.rawValue)
            let rows = statuses.signedRows
            do throws(IntakeFault) {
                try await intake.receiveStatuses(rows, of: original, in: row.ledger, askedAt: asked)
                try await end(row, .done)
            } catch { try await tryAgain(row, "subscription statuses: \(error)", notBefore: nil) }
        } catch {
            guard error.isRetryable || error.status == nil || error.status == 404 || error.status == 401 else {
                report("subscription statuses: \(error.explanation)")
                return try await end(row, .dead)
            }
            try await tryAgain(row, "subscription statuses: \(error.explanation)", notBefore: error.retryAfter)
        }
    }

    private func tryAgain(_ row: OutboxRow, _ why: String, notBefore: Timestamp?) async throws(StoreError) {
        report(why)
        let now = time.now()
        guard let next = DeliverySchedule.next(afterAttempts: Int(row.attempt), since: row.createdAt, at: now, jitter: jitter()) else {
            return try await end(row, .dead)
        }
        let due = max(next, notBefore ?? next)
        try await store.write { tx throws(StoreError) in try tx.reschedule(row.id, at: due) }
    }

    private func end(_ row: OutboxRow, _ state: OutboxRow.State) async throws(StoreError) {
        let now = time.now()
        try await store.write { tx throws(StoreError) in try tx.finish(row.id, state: state, at: now) }
    }
}
