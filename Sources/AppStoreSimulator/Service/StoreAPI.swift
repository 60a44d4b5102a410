import Domain
import HTTPServer

/// The App Store Server API over one environment: each call is a function of that environment and the instant.
package struct StoreAPI: Sendable {
    let signer: SimulatorSigner
    let tokens: TokenCheck

    package init(signer: SimulatorSigner, tokens: TokenCheck) {
        self.signer = signer
        self.tokens = tokens
    }

    package func respond(to request: HTTPRequest, in environment: inout StoreEnvironment, at now: Timestamp) -> HTTPResponse {
        guard let bundleID = tokens.bundleID(authorization: request.header("Authorization"), at: now) else { return .unauthenticated }
        let call = StoreCall(request: request, bundleID: bundleID, now: now)
        do throws(APIError) { return try route(call, &environment) } catch { return HTTPResponse(error) }
    }

    private func route(_ call: StoreCall, _ environment: inout StoreEnvironment) throws(APIError) -> HTTPResponse {
        let segments = call.request.pathSegments
        guard segments.first == "inApps", segments.count >= 3 else { return HTTPResponse(status: 404) }
        switch (call.request.method, Array(segments.dropFirst())) {
        case ("PUT", let path) where path.count == 4 && path.starts(with: ["v2", "transactions", "consumption"]):
            return try sendConsumption(path[3], call, &environment)
        case ("PUT", let path) where path.count == 4 && path.starts(with: ["v1", "transactions", "consumption"]):
            return try sendConsumptionV1(path[3], call, environment)
        case ("GET", let path) where path.count == 4 && path.starts(with: ["v2", "refund", "lookup"]):
            return try refundHistory(path[3], call, environment)
        case ("GET", let path) where path.count == 4 && path.starts(with: ["v1", "transactions", "appTransactions"]):
            return try appTransaction(path[3], call, environment)
        case ("GET", let path) where path.count == 3 && path.starts(with: ["v1", "transactions"]):
            return try transactionInfo(path[2], call, environment)
        case ("GET", let path) where path.count == 3 && path.starts(with: ["v2", "history"]):
            return try transactionHistory(path[2], call, environment)
        case ("GET", let path) where path.count == 3 && path.starts(with: ["v1", "subscriptions"]):
            return try subscriptionStatuses(path[2], call, environment)
        case ("GET", let path) where path.count == 3 && path.starts(with: ["v1", "lookup"]):
            return lookUpOrder(path[2], call, environment)
        case ("POST", ["v1", "notifications", "history"]):
            return try notificationHistory(call, environment)
        case ("POST", ["v1", "notifications", "test"]):
            return try requestTest(call, &environment)
        case ("GET", let path) where path.count == 4 && path.starts(with: ["v1", "notifications", "test"]):
            return try testStatus(path[3], call, environment)
        default:
            return HTTPResponse(status: 404)
        }
    }
}

/// A call whose token was accepted.
struct StoreCall {
    var request: HTTPRequest
    /// The app that the token speaks for.
    var bundleID: String
    var now: Timestamp
}

extension StoreCall {
    /// The transaction that an id names, in this app.
    func transaction(_ id: String, in environment: StoreEnvironment) throws(APIError) -> TransactionPayload {
        guard Self.isTransactionID(id) else { throw .invalidTransactionID }
        if environment.world.customers[id] != nil { throw .appTransactionIDNotSupported }
        guard let transaction = environment.world.purchases[id]?.transaction, transaction.bundleId == bundleID else {
            throw .transactionNotFound
        }
        return transaction
    }

    /// The customer that any of their ids leads to.
    func customer(_ anyID: String, in environment: StoreEnvironment) throws(APIError) -> StoreCustomer {
        guard Self.isTransactionID(anyID) else { throw .invalidTransactionID }
        guard let customer = environment.customer(anyID, of: bundleID) else { throw .transactionNotFound }
        return customer
    }

    private static func isTransactionID(_ text: String) -> Bool {
        (1...20).contains(text.utf8.count) && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}

extension HTTPResponse {
    /// Apple's answer to a wrong token: plain text, not JSON.
    static let unauthenticated = HTTPResponse(
        status: 401, headers: [("Content-Type", "text/plain")], body: Array("Unauthenticated\n".utf8))
}

// Send Consumption Information.
extension StoreAPI {
    private func sendConsumption(
        _ id: String, _ call: StoreCall, _ environment: inout StoreEnvironment
    ) throws(APIError) -> HTTPResponse {
        let transaction = try call.transaction(id, in: environment)
        let receipt = try ConsumptionRules.receipt(call.request.body, for: transaction, at: call.now)
        environment.accept(receipt)
        return HTTPResponse(status: 202)
    }

    private func sendConsumptionV1(_ id: String, _ call: StoreCall, _ environment: StoreEnvironment) throws(APIError) -> HTTPResponse {
        let transaction = try call.transaction(id, in: environment)
        try ConsumptionRulesV1.check(call.request.body, for: transaction)
        return HTTPResponse(status: 202)
    }
}
