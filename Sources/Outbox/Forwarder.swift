import Domain
import HTTPClient
import Ingest
import Store

/// Passes Apple's bodies on, byte for byte, each place with retries of its own.
package struct Forwarder: OutboxHandler {
    let desk: OutboxDesk
    /// By app and place.
    let urls: [AppID: [String: String]]

    package init(_ desk: OutboxDesk, urls: [AppID: [String: String]]) {
        self.desk = desk
        self.urls = urls
    }

    package func perform(_ row: OutboxRow) async throws(StoreError) {
        let began = desk.time.now()
        let body = try await desk.store.read { tx throws(StoreError) in
            try tx.logEntry(identity: row.subject).map { entry throws(StoreError) in try StoredBody.decode(entry, tx) }
        }
        guard let url = urls[row.ledger.app]?[row.key], let body else {
            return try await desk.settle(row, ReceiverReply(error: "this place is configured no more", isFinal: true), begunAt: began)
        }
        let request = HTTPClientRequest(
            method: "POST", url: url, headers: [(name: "Content-Type", value: "application/json")], body: body,
            allowsPrivateTargets: desk.allowsPrivateTargets)
        let reply = await desk.post(request)
        desk.metrics.count("refund_desk_forwards_total", "result=\"\(reply.error == nil ? "delivered" : "failed")\"")
        try await desk.settle(row, reply, begunAt: began)
    }
}
