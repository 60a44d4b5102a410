import Crypto
import Domain
import HTTPClient
import Ingest
import Store

/// A receiver of webhooks.
package struct WebhookReceiver: Sendable {
    package var url: String
    /// The signing key itself, as decoded from `whsec_…`.
    package var secret: [UInt8]

    package init(url: String, secret: [UInt8]) {
        self.url = url
        self.secret = secret
    }
}

/// Delivers events as Standard Webhooks 1.0: the same id and body at every try, signed afresh.
package struct WebhookSender: OutboxHandler {
    let desk: OutboxDesk
    /// By app and target.
    let receivers: [AppID: [String: WebhookReceiver]]

    package init(_ desk: OutboxDesk, receivers: [AppID: [String: WebhookReceiver]]) {
        self.desk = desk
        self.receivers = receivers
    }

    package func perform(_ row: OutboxRow) async throws(StoreError) {
        let began = desk.time.now()
        guard let receiver = receivers[row.ledger.app]?[row.key] else {
            return try await desk.settle(row, ReceiverReply(error: "this receiver is configured no more", isFinal: true), begunAt: began)
        }
        let reply = await desk.post(request(row, receiver))
        desk.metrics.count("refund_desk_webhook_attempts_total", "result=\"\(reply.error == nil ? "delivered" : "failed")\"")
        try await desk.settle(row, reply, begunAt: began)
    }

    /// - Source: Standard Webhooks 1.0: HMAC-SHA256 over `id.timestamp.body`, base64.
    private func request(_ row: OutboxRow, _ receiver: WebhookReceiver) -> HTTPClientRequest {
        let seconds = "\(desk.time.now().milliseconds / 1_000)"
        let signed = Array("\(row.subject).\(seconds).".utf8) + row.payload
        let signature = "v1," + Base64.encode(HMACSHA256.authenticate(signed, key: receiver.secret))
        return HTTPClientRequest(
            method: "POST", url: receiver.url,
            headers: [
                (name: "Content-Type", value: "application/json"), (name: "webhook-id", value: row.subject),
                (name: "webhook-timestamp", value: seconds), (name: "webhook-signature", value: signature),
            ], body: row.payload, timeout: .seconds(15), allowsPrivateTargets: desk.allowsPrivateTargets)
    }
}
