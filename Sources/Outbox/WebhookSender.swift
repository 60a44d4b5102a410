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
    let store: any Store
    /// By app and target.
    let receivers: [AppID: [String: WebhookReceiver]]
    let client: HTTPClient
    let allowsPrivateTargets: Bool
    let time: any Time
    let metrics: Metrics
    let jitter: @Sendable () -> Double

    package init(
        store: any Store, receivers: [AppID: [String: WebhookReceiver]], client: HTTPClient, allowsPrivateTargets: Bool, time: any Time,
        metrics: Metrics, jitter: @escaping @Sendable () -> Double
    ) {
        self.store = store
        self.receivers = receivers
        self.client = client
        self.allowsPrivateTargets = allowsPrivateTargets
        self.time = time
        self.metrics = metrics
        self.jitter = jitter
    }

    package func perform(_ row: OutboxRow) async throws(StoreError) {
        guard let receiver = receivers[row.ledger.app]?[row.key] else {
            return try await record(
                row, DeliveryAttempt(outboxID: row.id, at: time.now(), error: "this receiver is configured no more"), next: nil)
        }
        var attempt = DeliveryAttempt(outboxID: row.id, at: time.now())
        do throws(HTTPClientError) {
            let response = try await client.send(request(row, receiver))
            attempt.httpStatus = Int32(response.status)
            if !(200..<300).contains(response.status) { attempt.error = "the receiver answered \(response.status)" }
        } catch { attempt.error = error.message }
        metrics.count("refund_desk_webhook_attempts_total", "result=\"\(attempt.error == nil ? "delivered" : "failed")\"")
        let next =
            attempt.error == nil
            ? nil : DeliverySchedule.next(afterAttempts: Int(row.attempt), since: row.createdAt, at: time.now(), jitter: jitter())
        try await record(row, attempt, next: next)
    }

    private func record(_ row: OutboxRow, _ attempt: DeliveryAttempt, next: Timestamp?) async throws(StoreError) {
        let now = time.now()
        try await store.write { tx throws(StoreError) in
            try tx.put(attempt)
            if let next {
                try tx.reschedule(row.id, at: next)
            } else {
                try tx.finish(row.id, state: attempt.error == nil ? .done : .dead, at: now)
            }
        }
    }

    /// - Source: Standard Webhooks 1.0: HMAC-SHA256 over `id.timestamp.body`, base64.
    private func request(_ row: OutboxRow, _ receiver: WebhookReceiver) -> HTTPClientRequest {
        let seconds = "\(time.now().milliseconds / 1_000)"
        let signed = Array("\(row.subject).\(seconds).".utf8) + row.payload
        let signature = "v1," + Base64.encode(HMACSHA256.authenticate(signed, key: receiver.secret))
        return HTTPClientRequest(
            method: "POST", url: receiver.url,
            headers: [
                (name: "Content-Type", value: "application/json"), (name: "webhook-id", value: row.subject),
                (name: "webhook-timestamp", value: seconds), (name: "webhook-signature", value: signature),
            ], body: row.payload, timeout: .seconds(15), allowsPrivateTargets: allowsPrivateTargets)
    }
}

/// Performs what the clock alone changes.
package struct TurnKeeper: OutboxHandler {
    let store: any Store
    let apps: AppDirectory
    let time: any Time

    package init(store: any Store, apps: AppDirectory, time: any Time) {
        self.store = store
        self.apps = apps
        self.time = time
    }

    package func perform(_ row: OutboxRow) async throws(StoreError) {
        let now = time.now()
        let app = apps[row.ledger.app]
        try await store.write { tx throws(StoreError) in
            guard let app else { return try tx.finish(row.id, state: .dead, at: now) }
            try TurnDesk.perform(row, app: app, tx: tx, now: now)
        }
    }
}
