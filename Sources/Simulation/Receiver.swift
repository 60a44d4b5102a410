import Domain
import Foundation
import HTTPClient
import Synchronization

/// A receiver of the owner's, and the follower behind it, who keeps an access table as docs/webhooks.md says.
final class Receiver: Sendable {
    let name: String
    let events: [String]
    var url: String { "https://receiver-\(name).test/hooks" }

    /// One row of the table.
    struct Row: Hashable, Sendable, Codable {
        var originalTransactionId: String
        var transactionId: String
        var active: Bool
        var until: Int64?

        /// What it says when it is read later.
        func isActive(at now: Timestamp) -> Bool { active && until.map { now.milliseconds < $0 } ?? true }
    }
    struct Event: Sendable, Decodable {
        struct Customer: Sendable, Decodable { var appTransactionId: String? }
        struct Payload: Sendable, Decodable {
            var environment: String
            var customer: Customer
            var entitlements: [Row]
        }
        var id: String
        var type: String
        var sequence: Int64
        var data: Payload

        init?(_ body: [UInt8]) {
            guard let event = try? JSONDecoder().decode(Event.self, from: Data(body)) else { return nil }
            self = event
        }
    }
    private struct Page {
        var sequence: Int64
        var rows: [Row]
    }
    private struct State {
        var bodies: [String: [UInt8]] = [:]
        var table: [String: Page] = [:]
    }
    private let state = Mutex(State())
    private let chronicle: Chronicle

    init(_ name: String, events: [String], _ chronicle: Chronicle) {
        self.name = name
        self.events = events
        self.chronicle = chronicle
    }

    /// A message has arrived.
    func take(_ request: HTTPClientRequest) {
        let body = request.body ?? []
        let id = request.headers.first { $0.name == "webhook-id" }?.value ?? ""
        guard let event = Event(body) else { return chronicle.breach(.webhooksRepeatTheSame, "a body that is no event") }
        if event.id != id { chronicle.breach(.webhooksRepeatTheSame, "\(id) carries the event \(event.id)") }
        let known = state.withLock { state in
            defer { state.bodies[id] = body }
            return state.bodies[id]
        }
        if let known, known != body { chronicle.breach(.webhooksRepeatTheSame, "\(id) came with another body") }
        follow(event)
    }

    /// Keeps the list of the event with the highest sequence.
    private func follow(_ event: Event) {
        guard let customer = event.data.customer.appTransactionId else { return }
        let key = "\(event.data.environment)/\(customer)"
        state.withLock { state in
            if let kept = state.table[key], kept.sequence >= event.sequence { return }
            state.table[key] = Page(sequence: event.sequence, rows: event.data.entitlements)
        }
    }

    func hasHeard(_ id: String) -> Bool { state.withLock { $0.bodies[id] != nil } }

    /// What the follower believes of a customer; nil of one he never heard of.
    func rows(of customer: String, _ environment: Environment) -> [Row]? {
        state.withLock { $0.table["\(environment.rawValue)/\(customer)"]?.rows }
    }
}
