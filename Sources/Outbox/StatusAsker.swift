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
        switch await ask(api, row) {
        case .done: try await end(row, .done)
        case .later(let why, let notBefore): try await tryAgain(row, why, notBefore: notBefore)
        case .never(let why):
            report(why)
            try await end(row, .dead)
        }
    }

    private enum Outcome {
        case done
        case later(String, notBefore: Timestamp?)
        case never(String)
    }

    private func ask(_ api: AppStoreServerAPI, _ row: OutboxRow) async -> Outcome {
        let original = TransactionID(row.subject)
        let asked = time.now()
        let rows: [SignedStatus]
        do throws(AppStoreServerAPIError) {
            rows = try await api.getAllSubscriptionStatuses(anyTransactionID: original.rawValue).signedRows
        } catch {
            let why = "subscription statuses: \(error.explanation)"
            // A refused key may be mended, and Apple's API may lag behind its own notification.
            let mayPass = error.isRetryable || error.status == nil || error.status == 404 || error.status == 401
            return mayPass ? .later(why, notBefore: error.retryAfter) : .never(why)
        }
        do throws(IntakeFault) {
            try await intake.receiveStatuses(rows, of: original, in: row.ledger, askedAt: asked)
            return .done
        } catch { return .later("subscription statuses: \(error)", notBefore: nil) }
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

extension SubscriptionStatuses {
    /// The signed infos of every chain in the answer.
    package var signedRows: [SignedStatus] {
        (data ?? []).flatMap { $0.lastTransactions ?? [] }.compactMap { item in
            item.signedTransactionInfo.map { SignedStatus(signedTransactionInfo: $0, signedRenewalInfo: item.signedRenewalInfo) }
        }
    }
}
