import Domain
import Foundation
import HTTPServer
import Ingest
import Store

extension DeskAPI {
    static let webhookRoutes: [Route] = [
        .get(
            "/v1/apps/{app}/webhooks/deliveries",
            Operation(
                id: "listWebhookDeliveries", summary: "Events on their way to receivers, newest first, with every try.",
                query: [.anyEnvironment, .limit, .cursor], answer: .json(Schema.reference("WebhookDelivery").page)),
            DeskAPI.listWebhookDeliveries),
        .post(
            "/v1/apps/{app}/webhooks/deliveries/{id}/redeliver",
            Operation(
                id: "redeliverWebhook", summary: "Delivers an event once more, under the same id and with the same body.",
                answer: .json(.reference("WebhookDelivery"))),
            DeskAPI.redeliverWebhook),
    ]

    private func listWebhookDeliveries(_ call: Call) async throws(Problem) -> HTTPResponse {
        let app = try call.app()
        let environment = try call.environmentOrAll()
        let request = try call.page()
        let page = try await read { tx throws(StoreError) in
            try tx.eventDeliveries(of: app.id, environment: environment, page: request)
        }
        return HTTPResponse(JSON(page) { JSON($0, of: app) })
    }

    private func redeliverWebhook(_ call: Call) async throws(Problem) -> HTTPResponse {
        let app = try call.app()
        let now = call.now
        let unknown = Problem(.notFound, "There is no such delivery; GET /v1/apps/\(app.id)/webhooks/deliveries lists them.")
        guard let id = Int64(try call.name("id")) else { throw unknown }
        let delivery = try await write { tx throws(StoreError) -> EventDelivery? in
            guard let known = try tx.eventDelivery(id: id), known.row.ledger.app == app.id else { return nil }
            try tx.reschedule(id, at: now)
            try AdministratorDesk(ledger: known.row.ledger, tx: tx, now: now, actor: call.actor)
                .note(Act("webhook redelivered", known.row.subject))
            return try tx.eventDelivery(id: id)
        }
        guard let delivery else { throw unknown }
        return HTTPResponse(JSON(delivery, of: app))
    }
}

extension JSON {
    fileprivate init(_ delivery: EventDelivery, of app: AppSettings) {
        struct Body: Decodable { var type: String }
        let row = delivery.row
        let type = try? JSONDecoder().decode(Body.self, from: Data(row.payload)).type
        self = [
            "id": JSON("\(row.id)"),
            "eventId": JSON(row.subject),
            "url": JSON(app.events?.targets.first { $0.id == row.key }?.url),
            "type": JSON(type),
            "state": JSON(row.state.deliveryState),
            "attempts": .array(
                delivery.attempts.map { ["at": JSON($0.at), "httpStatus": JSON($0.httpStatus), "error": JSON($0.error)] }),
        ]
    }
}

extension OutboxRow.State {
    fileprivate var deliveryState: String {
        switch self {
        case .pending: "pending"
        case .done: "delivered"
        case .dead: "failed"
        }
    }
}
