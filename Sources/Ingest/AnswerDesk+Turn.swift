import Domain
import Store

extension AnswerDesk {
    /// Puts off a try whose turn has not come: Apple's limit leaves no room before an instant.
    ///
    /// - Returns: Whether to make the try all the same, since no other fits before the deadline.
    package func awaitTurn(_ row: OutboxRow, until turn: Timestamp) throws(StoreError) -> Bool {
        let anchor = NotificationUUID(String(decoding: row.payload, as: UTF8.self))
        guard let file = try CaseFile.held(TransactionID(row.subject), in: ledger, tx), let round = file.round(of: anchor) else {
            return true
        }
        let last = AnswerSchedule(environment: ledger.environment, deadline: round.deadline).lastTry
        guard turn <= last || now < last else { return true }
        try tx.reschedule(row.id, at: min(turn, last))
        return false
    }
}
