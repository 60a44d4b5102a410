import Domain
import HTTPClient
import Ingest
import Store

/// Passes Apple's bodies on, byte for byte, each place with retries of its own.
package struct Forwarder: OutboxHandler {
    let store: any Store
    /// By app and place.
    let urls: [AppID: [String: String]]
    let client: HTTPClient
    let allowsPrivateTargets: Bool
    let time: any Time
    let metrics: Metrics
    let jitter: @Sendable () -> Double

    package init(
        store: any Store, urls: [AppID: [String: String]], client: HTTPClient, allowsPrivateTargets: Bool, time: any Time, metrics: Metrics,
        jitter: @escaping @Sendable () -> Double
    ) {
        self.store = store
        self.urls = urls
        self.client = client
        self.allowsPrivateTargets = allowsPrivateTargets
        self.time = time
        self.metrics = metrics
        self.jitter = jitter
    }

    package func perform(_ row: OutboxRow) async throws(StoreError) {
        let body = try await store.read { tx throws(StoreError) in
            try tx.logEntry(identity: row.subject).map { entry throws(StoreError) in try StoredBody.decode(entry, tx) }
        }
        guard let url = urls[row.ledger.app]?[row.key], let body else { return try await end(row, .dead) }
        let isDelivered = await send(body, to: url)
        metrics.count("refund_desk_forwards_total", "result=\"\(isDelivered ? "delivered" : "failed")\"")
        if isDelivered { return try await end(row, .done) }
        let now = time.now()
        guard let next = DeliverySchedule.next(afterAttempts: Int(row.attempt), since: row.createdAt, at: now, jitter: jitter()) else {
            return try await end(row, .dead)
        }
        try await store.write { tx throws(StoreError) in try tx.reschedule(row.id, at: next) }
    }

    private func send(_ body: [UInt8], to url: String) async -> Bool {
        let request = HTTPClientRequest(
            method: "POST", url: url, headers: [(name: "Content-Type", value: "application/json")], body: body,
            allowsPrivateTargets: allowsPrivateTargets)
        guard let response = try? await client.send(request) else { return false }
        return (200..<300).contains(response.status)
    }

    private func end(_ row: OutboxRow, _ state: OutboxRow.State) async throws(StoreError) {
        let now = time.now()
        try await store.write { tx throws(StoreError) in try tx.finish(row.id, state: state, at: now) }
    }
}
