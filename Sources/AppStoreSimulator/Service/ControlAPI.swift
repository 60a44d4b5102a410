import Domain
import Foundation
import HTTPServer

/// What a test or a demo tells a running simulator, under `/control`. JSON in and out; no token.
///
/// | call | does |
/// |---|---|
/// | `POST /control/purchases` `{bundleId, productId, appTransactionId?, quantity?, isCommitment?, hasFreeTrial?}` | somebody buys |
/// | `POST /control/refund-requests` `{transactionId, reason, text?}` | the customer asks |
/// | `POST /control/repeat-requests`, `/control/renewals`, `/control/reversals` `{transactionId}` | what Apple does |
/// | `POST /control/transactions` `{transactions, renewals}` | takes over payloads that were signed elsewhere |
/// | `GET /control/answers/{transactionId}` | what was answered |
/// | `POST /control/faults`, `DELETE /control/faults` | see ``Fault`` |
/// | `PUT /control/delivery-faults` | see ``DeliveryFaults`` |
/// | `PUT /control/notification-url` `{bundleId, url}` | where notifications go |
struct ControlAPI {
    let host: EnvironmentHost

    func respond(to request: HTTPRequest) -> HTTPResponse {
        do throws(SimulatorError) {
            return try route(request)
        } catch {
            return .json(["error": .string(error.description)], status: 422)
        }
    }

    private func route(_ request: HTTPRequest) throws(SimulatorError) -> HTTPResponse {
        let path = Array(request.pathSegments.dropFirst())
        switch (request.method, path.first, path.count) {
        case ("POST", "purchases", 1): return try buy(decode(request))
        case ("POST", "refund-requests", 1): return try ask(decode(request))
        case ("POST", "repeat-requests", 1):
            try host.repeatRequest(of: try transactionID(request))
        case ("POST", "renewals", 1):
            let id = try transactionID(request)
            let renewed = try host.happen { world, now throws(SimulatorError) in
                try world.renew(try world.purchase(id).transaction.originalTransactionId, at: now)
            }
            return .json(["transactionId": .string(renewed)], status: 201)
        case ("POST", "reversals", 1):
            let id = try transactionID(request)
            try host.happen { world, now throws(SimulatorError) in try world.reverseRefund(of: id, at: now) }
        case ("POST", "transactions", 1):
            let parcel: Parcel = try decode(request)
            try host.happen { world, now throws(SimulatorError) in world.adopt(parcel.transactions, parcel.renewals ?? [], at: now) }
        case ("GET", "answers", 2): return answers(about: path[1])
        case ("POST", "faults", 1): host.add(try decode(request))
        case ("DELETE", "faults", 1): host.clearFaults()
        case ("PUT", "delivery-faults", 1): host.set(try decode(request))
        case ("PUT", "notification-url", 1):
            let target: Target = try decode(request)
            host.setNotificationURL(target.url, for: target.bundleId)
        default: return HTTPResponse(status: 404)
        }
        return HTTPResponse(status: 204)
    }

    private func buy(_ order: Order) throws(SimulatorError) -> HTTPResponse {
        let bought = try host.happen { world, now throws(SimulatorError) in
            let customer = order.appTransactionId.flatMap { world.customers[$0] } ?? world.newCustomer(of: order.bundleId, at: now)
            let options = PurchaseOptions(
                quantity: order.quantity ?? 1, isCommitment: order.isCommitment ?? false, hasFreeTrial: order.hasFreeTrial ?? false)
            return (try world.buy(order.productId, by: customer, options, at: now), customer)
        }
        return .json(
            [
                "transactionId": .string(bought.0), "appTransactionId": .string(bought.1.appTransactionID),
                "appAccountToken": bought.1.appAccountToken.map { .string($0) } ?? .null,
            ], status: 201)
    }

    private func ask(_ wish: Wish) throws(SimulatorError) -> HTTPResponse {
        guard let reason = ConsumptionRequestReason(rawValue: wish.reason ?? "OTHER") else {
            throw SimulatorError("reason is one of \(ConsumptionRequestReason.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        try host.requestRefund(of: wish.transactionId, reason, text: wish.text)
        return HTTPResponse(status: 204)
    }

    private func answers(about transactionID: String) -> HTTPResponse {
        let items = host.receipts(for: transactionID).map { receipt -> JSONValue in
            [
                "receivedAt": .integer(receipt.receivedAt.milliseconds), "deliveryStatus": .string(receipt.deliveryStatus.rawValue),
                "sampleContentProvided": .bool(receipt.sampleContentProvided),
                "consumptionPercentage": receipt.consumptionPercentage.map { .integer(Int64($0)) } ?? .null,
                "refundPreference": receipt.refundPreference.map { .string($0.rawValue) } ?? .null,
            ]
        }
        return .json(["answers": .array(items)])
    }

    private func transactionID(_ request: HTTPRequest) throws(SimulatorError) -> String {
        let wish: Wish = try decode(request)
        return wish.transactionId
    }

    private func decode<Value: Decodable>(_ request: HTTPRequest) throws(SimulatorError) -> Value {
        do { return try JSONDecoder().decode(Value.self, from: Data(request.body)) } catch {
            throw SimulatorError("The body is not the JSON that \(request.method) \(request.path) takes.")
        }
    }
}

private struct Order: Decodable {
    var bundleId: String
    var productId: String
    var appTransactionId: String?
    var quantity: Int32?
    var isCommitment: Bool?
    var hasFreeTrial: Bool?
}

private struct Wish: Decodable {
    var transactionId: String
    var reason: String?
    var text: String?
}

private struct Target: Decodable {
    var bundleId: String
    var url: String?
}

/// Payloads signed elsewhere, such as by a scenario, that this store shall know.
struct Parcel: Codable {
    var transactions: [TransactionPayload]
    var renewals: [RenewalPayload]?
}
