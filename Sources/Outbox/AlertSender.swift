import Domain
import Foundation
import HTTPClient
import Ingest
import Store

/// Tells the owner's places what happened, each on its own.
package struct AlertSender: OutboxHandler {
    let store: any Store
    let apps: AppDirectory
    /// By app and target.
    let channels: [AppID: [String: AlertChannel]]
    let client: HTTPClient
    let allowsPrivateTargets: Bool
    let time: any Domain.Time
    let metrics: Metrics
    let jitter: @Sendable () -> Double

    package init(
        store: any Store, apps: AppDirectory, channels: [AppID: [String: AlertChannel]], client: HTTPClient, allowsPrivateTargets: Bool,
        time: any Domain.Time, metrics: Metrics, jitter: @escaping @Sendable () -> Double
    ) {
        self.store = store
        self.apps = apps
        self.channels = channels
        self.client = client
        self.allowsPrivateTargets = allowsPrivateTargets
        self.time = time
        self.metrics = metrics
        self.jitter = jitter
    }

    package func perform(_ row: OutboxRow) async throws(StoreError) {
        guard let app = apps[row.ledger.app], let channel = row.key.split(separator: "/").last.flatMap({ channels[app.id]?[String($0)] }),
            let notice = try? JSONDecoder().decode(AlertNotice.self, from: Data(row.payload))
        else { return try await end(row, .dead) }
        let file = try await store.read { tx throws(StoreError) in
            try notice.transactionID.flatMap { id throws(StoreError) in try CaseFile(id, in: row.ledger, tx) }
        }
        let message = AlertMessage(notice, app: app, ledger: row.ledger, file: file, channel: channel)
        let isDelivered = await send(channel.request(message, allowsPrivateTargets: allowsPrivateTargets))
        metrics.count("refund_desk_alerts_total", "result=\"\(isDelivered ? "delivered" : "failed")\"")
        if isDelivered { return try await end(row, .done) }
        let now = time.now()
        guard
            let next = DeliverySchedule.next(afterAttempts: Int(row.attempt), since: row.createdAt, at: now, jitter: jitter())
        else { return try await end(row, .dead) }
        try await store.write { tx throws(StoreError) in try tx.reschedule(row.id, at: next) }
    }

    private func send(_ request: HTTPClientRequest) async -> Bool {
        guard let response = try? await client.send(request) else { return false }
        return (200..<300).contains(response.status)
    }

    private func end(_ row: OutboxRow, _ state: OutboxRow.State) async throws(StoreError) {
        let now = time.now()
        try await store.write { tx throws(StoreError) in try tx.finish(row.id, state: state, at: now) }
    }
}
