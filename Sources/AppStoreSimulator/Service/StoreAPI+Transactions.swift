import Crypto
import Domain
import HTTPServer

// Transactions, subscriptions and refunds. Copies are signed anew, with the instant of the call as their `signedDate`.
extension StoreAPI {
    func transactionInfo(_ id: String, _ call: StoreCall, _ environment: StoreEnvironment) throws(APIError) -> HTTPResponse {
        let transaction = try call.transaction(id, in: environment)
        return .json(["signedTransactionInfo": .string(signed(transaction, at: call.now))])
    }

    func appTransaction(_ anyID: String, _ call: StoreCall, _ environment: StoreEnvironment) throws(APIError) -> HTTPResponse {
        let customer: StoreCustomer
        do throws(APIError) { customer = try call.customer(anyID, in: environment) } catch {
            throw error == .transactionNotFound ? .appTransactionNotFound : error
        }
        var payload: [String: JSONValue] = [
            "receiptType": .string(environment.world.environment.rawValue), "bundleId": .string(call.bundleID),
            "applicationVersion": "1", "originalApplicationVersion": "1", "originalPlatform": "iOS",
            "appTransactionId": .string(customer.appTransactionID), "receiptCreationDate": .integer(call.now.milliseconds),
            "originalPurchaseDate": .integer(customer.firstSeen.milliseconds),
            "deviceVerification": .string(Base64.encode(SHA256Digest.hash(Array(customer.appTransactionID.utf8)))),
            "deviceVerificationNonce": "48ccfa42-7431-4f22-9908-7e88983e105a",
        ]
        if environment.world.environment == .production, let app = environment.world.app(call.bundleID) {
            payload["appAppleId"] = .integer(app.appAppleID)
        }
        return .json(["signedAppTransactionInfo": .string(signer.sign(JSONValue.object(payload)))])
    }

    func refundHistory(_ anyID: String, _ call: StoreCall, _ environment: StoreEnvironment) throws(APIError) -> HTTPResponse {
        let customer = try call.customer(anyID, in: environment)
        let refunds = environment.purchases(of: customer).filter { $0.transaction.revocationType?.hasPrefix("REFUND") == true }
        let page = try RevisionPage(refunds, after: call.request.query("revision")) { $0.transaction.revocationDate ?? 0 }
        return .json(.object(members(of: page, at: call.now)))
    }

    func transactionHistory(_ anyID: String, _ call: StoreCall, _ environment: StoreEnvironment) throws(APIError) -> HTTPResponse {
        let customer = try call.customer(anyID, in: environment)
        let filter = try TransactionFilter(call.request)
        let purchases = environment.purchases(of: customer).filter(filter.admits)
        let page = try RevisionPage(purchases, after: call.request.query("revision"), isDescending: filter.isDescending) { $0.modifiedAt }
        var answer = members(of: page, at: call.now)
        answer["bundleId"] = .string(call.bundleID)
        answer["environment"] = .string(environment.world.environment.rawValue)
        if environment.world.environment == .production {
            answer["appAppleId"] = environment.world.app(call.bundleID).map { .integer($0.appAppleID) }
        }
        return .json(.object(answer))
    }

    private func members(of page: RevisionPage, at now: Timestamp) -> [String: JSONValue] {
        [
            "signedTransactions": .array(page.purchases.map { .string(signed($0.transaction, at: now)) }),
            "revision": .string(page.revision), "hasMore": .bool(page.hasMore),
        ]
    }

    func subscriptionStatuses(_ anyID: String, _ call: StoreCall, _ environment: StoreEnvironment) throws(APIError) -> HTTPResponse {
        let customer = try call.customer(anyID, in: environment)
        var wanted: Set<Int32> = []
        for text in call.request.query.filter({ $0.name == "status" }).map(\.value) {
            guard let status = Int32(text), (1...5).contains(status) else { throw .invalidStatus }
            wanted.insert(status)
        }
        var groups: [String: [JSONValue]] = [:]
        for chain in environment.world.chains.values.sorted(by: { $0.renewal.originalTransactionId < $1.renewal.originalTransactionId }) {
            guard let newest = environment.world.purchases[chain.newestTransactionID]?.transaction,
                newest.appTransactionId == customer.appTransactionID, newest.bundleId == call.bundleID
            else { continue }
            let status = environment.world.status(of: chain, at: call.now)
            guard wanted.isEmpty || wanted.contains(status) else { continue }
            groups[newest.subscriptionGroupIdentifier ?? "", default: []].append(lastTransaction(newest, chain, status, at: call.now))
        }
        let data = groups.sorted { $0.key < $1.key }.map { group, items -> JSONValue in
            ["subscriptionGroupIdentifier": .string(group), "lastTransactions": .array(items)]
        }
        var answer: [String: JSONValue] = [
            "data": .array(data), "bundleId": .string(call.bundleID),
            "environment": .string(environment.world.environment.rawValue),
        ]
        if environment.world.environment == .production {
            answer["appAppleId"] = environment.world.app(call.bundleID).map { .integer($0.appAppleID) }
        }
        return .json(.object(answer))
    }

    private func lastTransaction(
        _ newest: TransactionPayload, _ chain: SubscriptionChain, _ status: Int32, at now: Timestamp
    ) -> JSONValue {
        var renewal = chain.renewal
        renewal.signedDate = now.milliseconds
        return [
            "status": .integer(Int64(status)), "originalTransactionId": .string(newest.originalTransactionId),
            "signedTransactionInfo": .string(signed(newest, at: now)), "signedRenewalInfo": .string(signer.sign(renewal)),
        ]
    }

    /// Status 0 with the order's transactions, or 1. Only production keeps orders.
    func lookUpOrder(_ orderID: String, _ call: StoreCall, _ environment: StoreEnvironment) -> HTTPResponse {
        guard environment.world.environment == .production else { return HTTPResponse(status: 404) }
        let found = environment.world.purchases.values.filter { $0.orderID == orderID && $0.transaction.bundleId == call.bundleID }
        guard !found.isEmpty else { return .json(["status": 1, "signedTransactions": []]) }
        return .json(["status": 0, "signedTransactions": .array(found.map { .string(signed($0.transaction, at: call.now)) })])
    }

    private func signed(_ transaction: TransactionPayload, at now: Timestamp) -> String {
        var copy = transaction
        copy.signedDate = now.milliseconds
        return signer.sign(copy)
    }
}
