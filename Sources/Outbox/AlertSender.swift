import Domain
import Foundation
import HTTPClient
import Ingest
import Store

/// Tells the owner's places what happened, each on its own.
package struct AlertSender: OutboxHandler {
    let desk: OutboxDesk
    /// By app and target.
    let channels: [AppID: [String: AlertChannel]]

    package init(_ desk: OutboxDesk, channels: [AppID: [String: AlertChannel]]) {
        self.desk = desk
        self.channels = channels
    }

    package func perform(_ row: OutboxRow) async throws(StoreError) {
        guard let app = desk.apps[row.ledger.app],
            let channel = row.key.split(separator: "/").last.flatMap({ channels[app.id]?[String($0)] }),
            let notice = try? JSONDecoder().decode(AlertNotice.self, from: Data(row.payload))
        else { return try await desk.end(row, .dead) }
        let file = try await desk.store.read { tx throws(StoreError) in
            try notice.transactionID.flatMap { id throws(StoreError) in try CaseFile(id, in: row.ledger, tx) }
        }
        let message = AlertMessage(notice, app: app, ledger: row.ledger, file: file, channel: channel)
        let (_, error) = await desk.post(channel.request(message, allowsPrivateTargets: desk.allowsPrivateTargets))
        desk.metrics.count("refund_desk_alerts_total", "result=\"\(error == nil ? "delivered" : "failed")\"")
        if error == nil { try await desk.end(row, .done) } else { try await desk.putOff(row) }
    }
}
