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
        let found = try await desk.store.read { tx throws(StoreError) -> (body: [UInt8], isReduced: Bool)? in
            guard let entry = try tx.logEntry(identity: row.subject) else { return nil }
            return (try StoredBody.decode(entry, tx), entry.reducedAt != nil)
        }
        // Only one that was given up can be so old, and is tried anew by hand.
        guard found?.isReduced != true else {
            let reply = ReceiverReply(error: "Apple's body is kept no more: it is older than `retention.bodies`", isFinal: true)
            return try await desk.settle(row, reply, begunAt: began)
        }
        guard let url = urls[row.ledger.app]?[row.key], let body = found?.body else {
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
