import AppStore
import Domain
import Ingest
import Store

/// Asks Apple for the status of a chain whose truth may be stale, and takes the answer in.
package struct StatusAsker: OutboxHandler {
    let desk: OutboxDesk
    let intake: Intake
    let apis: ServerAPIDirectory
    let report: @Sendable (String) -> Void

    /// - Parameter report: Told why Apple gave no answer.
    package init(_ desk: OutboxDesk, intake: Intake, apis: ServerAPIDirectory, report: @escaping @Sendable (String) -> Void) {
        self.desk = desk
        self.intake = intake
        self.apis = apis
        self.report = report
    }

    package func perform(_ row: OutboxRow) async throws(StoreError) {
        guard let api = apis[row.ledger] else { return try await desk.end(row, .dead) }
        switch await ask(api, row) {
        case .done: try await desk.end(row, .done)
        case .later(let why, let notBefore):
            report(why)
            try await desk.putOff(row, notBefore: notBefore)
        case .never(let why):
            report(why)
            try await desk.end(row, .dead)
        }
    }

    private enum Outcome {
        case done
        case later(String, notBefore: Timestamp?)
        case never(String)
    }

    private func ask(_ api: AppStoreServerAPI, _ row: OutboxRow) async -> Outcome {
        let original = TransactionID(row.subject)
        let asked = desk.time.now()
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
}
