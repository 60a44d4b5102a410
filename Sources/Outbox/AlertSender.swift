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
        let began = desk.time.now()
        guard let app = desk.apps[row.ledger.app],
            let channel = row.key.split(separator: "/").last.flatMap({ channels[app.id]?[String($0)] }),
            let notice = try? JSONDecoder().decode(AlertNotice.self, from: Data(row.payload))
        else { return try await desk.settle(row, ReceiverReply(error: "this place is configured no more", isFinal: true), begunAt: began) }
        let file = try await desk.store.read { tx throws(StoreError) in
            try notice.transactionID.flatMap { id throws(StoreError) in try CaseFile(id, in: row.ledger, tx) }
        }
        let message = AlertMessage(notice, app: app, ledger: row.ledger, file: file, channel: channel, at: began)
        let parcel = channel.parcel(
            message, identity: "alert-\(row.id)-\(row.createdAt.milliseconds).\(app.id)", at: began,
            allowsPrivateTargets: desk.allowsPrivateTargets)
        let reply = await desk.send(parcel)
        desk.metrics.count("refund_desk_alerts_total", "result=\"\(reply.error == nil ? "delivered" : "failed")\"")
        try await desk.settle(row, reply, begunAt: began)
    }
}

extension OutboxDesk {
    func send(_ parcel: AlertParcel) async -> ReceiverReply {
        switch parcel {
        case .request(let request): return await post(request)
        case .botCall(let request): return await post(request, readsVerdict: true)
        case .mail(let mail):
            do throws(HTTPClientError) {
                let (reply, words) = try await client.send(mail)
                return ReceiverReply(mailReply: reply, words: words)
            } catch { return ReceiverReply(error) }
        }
    }
}
