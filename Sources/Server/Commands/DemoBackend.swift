import AppStoreSimulator
import Foundation
import HTTPClient

/// What the sample apps' own backends say to the desk, through its API.
struct DemoBackend: Sendable {
    let visit: DemoVisit
    let client: HTTPClient

    func tell(consents customers: [DemoHistory.Customer]) async throws {
        for customer in customers where customer.hasConsented {
            guard let app = app(customer.bundleID) else { continue }
            try await send(
                "PUT", "/v1/apps/\(app)/customers/\(customer.appTransactionID)/consent",
                Consent(consented: true, source: "in-app dialog", textVersion: "2026-10"))
        }
    }

    func tell(usages: [DemoHistory.Usage]) async throws {
        for (bundleID, some) in Dictionary(grouping: usages, by: \.bundleID).sorted(by: { $0.key < $1.key }) {
            guard let app = app(bundleID) else { continue }
            let events = some.enumerated().map { index, usage in
                UsageEvent(
                    id: "demo-\(index)", transactionId: usage.transactionID, meter: "coins", quantity: usage.quantity,
                    at: usage.at.milliseconds)
            }
            for start in stride(from: 0, to: events.count, by: 500) {
                try await send("POST", "/v1/apps/\(app)/usage", UsageBatch(events: Array(events[start..<min(start + 500, events.count)])))
            }
        }
    }

    private func app(_ bundleID: String) -> String? { DemoFolder.apps.first { $0.bundleID == bundleID }?.id }

    private func send(_ method: String, _ path: String, _ body: some Encodable) async throws {
        let headers = [
            (name: "Authorization", value: "Bearer \(visit.token.text)"), (name: "Content-Type", value: "application/json"),
        ]
        let request = HTTPClientRequest(
            method: method, url: visit.url + path, headers: headers, body: Array(try JSONEncoder().encode(body)), allowsPrivateTargets: true
        )
        let response = try await client.send(request)
        guard (200..<300).contains(response.status) else {
            throw CommandFault("\(method) \(path) was answered \(response.status): \(String(decoding: response.body, as: UTF8.self))")
        }
    }

    private struct Consent: Encodable {
        var consented: Bool
        var source: String
        var textVersion: String
    }
    private struct UsageEvent: Encodable {
        var id: String
        var transactionId: String
        var meter: String
        var quantity: Int
        var at: Int64
    }
    private struct UsageBatch: Encodable { var events: [UsageEvent] }
}
