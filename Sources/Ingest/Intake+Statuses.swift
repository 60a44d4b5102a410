import AppStore
import Crypto
import Domain
import Foundation
import Store

extension Intake {
    /// Takes in what Apple said when it was asked for the status of a chain's subscriptions, and that it was asked.
    ///
    /// - Parameters:
    ///   - askedAt: When the question was sent: whatever Apple signed before that is in its answer.
    /// - Throws: `rejected` where one row does not verify; then nothing is applied.
    package func receiveStatuses(
        _ rows: [SignedStatus], of original: TransactionID, in ledger: Ledger, askedAt: Timestamp
    ) async throws(IntakeFault) {
        guard let app = apps[ledger.app], let verifier = verifiers[ledger.app] else { throw .unknownApp }
        let now = time.now()
        var messages: [StatusMessage] = []
        for row in rows { if let message = try verified(row, verifier, app, ledger, now) { messages.append(message) } }
        let taken = messages
        do {
            let names = [original.rawValue] + taken.flatMap { SignedFact.status($0.copy, $0.renewal).touched }
            try await store.write(touching: ledger.touching(names)) { tx throws(StoreError) in
                let names = [Alias(.originalTransactionID, original.rawValue)]
                let watch = try CustomerWatch(names, app: app, ledger: ledger, tx: tx, now: now)
                for message in taken { try message.take(app, ledger, tx, now) }
                let fact = StatusConfirmation(originalTransactionID: original, at: askedAt)
                _ = try DeskLog(ledger: ledger, tx: tx, now: now).append(.statusConfirmation, fact, about: original)
                try LedgerFold(ledger: ledger, tx: tx).apply(fact)
                try watch.finish()
            }
        } catch { throw .store(error) }
    }

    /// - Returns: nil for a row of another app or environment, which is none of ours.
    private func verified(
        _ row: SignedStatus, _ verifier: SignedPayloadVerifier, _ app: AppSettings, _ ledger: Ledger, _ now: Timestamp
    ) throws(IntakeFault) -> StatusMessage? {
        do throws(VerificationError) {
            let transaction = try verifier.verifyTransaction(SignedPayload(row.signedTransactionInfo), now: now.milliseconds)
            guard transaction.payload.bundleId == app.bundleID, transaction.payload.rawEnvironment == ledger.environment.rawValue,
                let copy = transaction.snapshot(notificationUUID: "")
            else { return nil }
            let renewal = try row.signedRenewalInfo.map { text throws(VerificationError) in
                try verifier.verifyRenewalInfo(SignedPayload(text), now: now.milliseconds)
            }
            return StatusMessage(row: row, copy: copy, renewal: renewal?.snapshot(notificationUUID: ""))
        } catch { throw .rejected(error) }
    }
}

private struct StatusMessage: Sendable {
    var row: SignedStatus
    var copy: Snapshot<Transaction>
    var renewal: Snapshot<RenewalInfo>?

    func take(_ app: AppSettings, _ ledger: Ledger, _ tx: any WriteTransaction, _ now: Timestamp) throws(StoreError) {
        let body = try FactCodec.encode(row)
        var entry = LogEntry(
            kind: .status, ledger: ledger, source: .history, receivedAt: now, body: try StoredBody.encode(PackedBody.pack(body), tx))
        entry.identity = "status:" + hexadecimal(SHA256Digest.hash(body))
        entry.transactionID = copy.value.transactionID
        entry.signedDate = copy.precedence.signedDate
        guard try tx.append(entry) != nil else { return }
        try IntakeClerk(app: app, ledger: ledger, tx: tx, now: now).apply(.status(copy, renewal))
    }
}
