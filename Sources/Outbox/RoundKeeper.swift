import Domain
import Ingest
import Store

/// Performs what falls due by the clock alone: the end of a hold, half of a window, its close, a turn of a customer's access.
package struct RoundKeeper: OutboxHandler {
    let desk: OutboxDesk

    package init(_ desk: OutboxDesk) { self.desk = desk }

    package func perform(_ row: OutboxRow) async throws(StoreError) {
        let now = desk.time.now()
        let app = desk.apps[row.ledger.app]
        try await desk.store.write(touching: row.ledger.touching(row.subject)) { tx throws(StoreError) in
            guard let app else { return try tx.finish(row.id, state: .dead, at: now) }
            let answers = AnswerDesk(app: app, ledger: row.ledger, tx: tx, now: now)
            switch row.kind {
            case .decide: try answers.endHold(row)
            case .deadlineNear: try answers.noticeDeadline(row)
            case .turn: try TurnDesk.perform(row, app: app, tx: tx, now: now)
            default: try answers.closeWindow(row)
            }
        }
    }
}
