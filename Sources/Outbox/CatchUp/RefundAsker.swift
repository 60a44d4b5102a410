import AppStore
import Domain
import Ingest
import Store

/// Asks Apple for a customer's refunds, from where the last asking ended, and takes them in as if they had been notified.
package struct RefundAsker: OutboxHandler {
    let desk: OutboxDesk
    let intake: Intake
    let apis: ServerAPIDirectory
    let report: @Sendable (String) -> Void

    /// How many pages one try reads: what is left is read by the next, from the revision that is kept.
    private static let pagesATry = 20

    /// - Parameter report: Told why Apple gave no answer, and of what could not be taken in.
    package init(_ desk: OutboxDesk, intake: Intake, apis: ServerAPIDirectory, report: @escaping @Sendable (String) -> Void) {
        self.desk = desk
        self.intake = intake
        self.apis = apis
        self.report = report
    }

    package func perform(_ row: OutboxRow) async throws(StoreError) {
        guard let api = apis[row.ledger] else { return try await desk.end(row, .dead) }
        for _ in 0..<Self.pagesATry {
            switch try await takePage(row, api) {
            case .more: continue
            case .done: return try await desk.end(row, .done)
            case .later(let why, let notBefore):
                report("refund history: \(why)")
                return try await desk.putOff(row, notBefore: notBefore)
            case .never(let why):
                report("refund history: \(why)")
                return try await desk.end(row, .dead)
            }
        }
        try await desk.putOff(row)
    }

    private enum Outcome {
        case done, more
        case later(String, notBefore: Timestamp?)
        case never(String)
    }

    private func takePage(_ row: OutboxRow, _ api: AppStoreServerAPI) async throws(StoreError) -> Outcome {
        let (id, ledger, now) = (row.subject, row.ledger, desk.time.now())
        let revision = try await desk.store.read { tx throws(StoreError) in try tx.refundRevision(id, in: ledger) }
        let page: RefundHistoryResponse
        do throws(AppStoreServerAPIError) {
            page = try await api.getRefundHistory(anyTransactionID: id, revision: revision)
        } catch {
            guard error.code == 4_000_005, revision != nil else { return Self.outcome(of: error) }
            // A revision that Apple does not know any more: all refunds are read anew, and known ones change nothing.
            try await desk.store.write { tx throws(StoreError) in try tx.setRefundRevision(nil, of: id, in: ledger, at: now) }
            return .more
        }
        for signed in page.signedTransactions ?? [] {
            if let fault = await take(signed, ledger.app) { return .later("\(fault)", notBefore: nil) }
        }
        if let last = page.revision, last != revision {
            try await desk.store.write { tx throws(StoreError) in try tx.setRefundRevision(last, of: id, in: ledger, at: now) }
        }
        return page.hasMore == true && page.revision != nil && page.revision != revision ? .more : .done
    }

    /// - Returns: The fault, where the same transaction may be taken later; one that can never be is told and left.
    private func take(_ signed: String, _ app: AppID) async -> StoreError? {
        do throws(IntakeFault) {
            _ = try await intake.receiveTransaction(signed, postedTo: app, source: .history)
        } catch {
            if case .store(let fault) = error { return fault }
            report("refund history: a transaction was refused: \(error)")
        }
        return nil
    }

    private static func outcome(of error: AppStoreServerAPIError) -> Outcome {
        // A refused key may be mended, and Apple's API may lag behind its own notification.
        let mayPass = error.isRetryable || error.status == nil || error.status == 404 || error.status == 401
        return mayPass ? .later(error.explanation, notBefore: error.retryAfter) : .never(error.explanation)
    }
}
