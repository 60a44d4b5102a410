import Domain

// Calls about purchases. `anyTransactionID` is a transactionId, originalTransactionId or appTransactionId of the customer.
// All signed texts are JWS yet to be verified.

/// Which transactions a history holds. Must stay the same from page to page.
package struct TransactionHistoryFilter: Sendable, Hashable {
    package enum Sort: String, Sendable { case ascending = "ASCENDING", descending = "DESCENDING" }

    package var startDate: Timestamp?
    package var endDate: Timestamp?
    package var productIDs: [ProductID] = []
    /// Apple's words for this call: `AUTO_RENEWABLE`, `NON_RENEWABLE`, `CONSUMABLE`, `NON_CONSUMABLE`.
    package var productTypes: [String] = []
    package var ownershipType: InAppOwnershipType?
    package var subscriptionGroupIdentifiers: [String] = []
    /// `true` for revoked ones only, `false` for none of them.
    package var isRevoked: Bool?
    /// By modification date.
    package var sort: Sort?

    package init() {}

    var query: [(name: String, value: String)] {
        var items: [(name: String, value: String)] = []
        func add(_ name: String, _ value: String?) { if let value { items.append((name, value)) } }
        add("startDate", startDate.map { String($0.milliseconds) })
        add("endDate", endDate.map { String($0.milliseconds) })
        for id in productIDs { add("productId", id.rawValue) }
        for type in productTypes { add("productType", type) }
        add("inAppOwnershipType", ownershipType?.rawValue)
        for group in subscriptionGroupIdentifiers { add("subscriptionGroupIdentifier", group) }
        add("revoked", isRevoked.map { String($0) })
        add("sort", sort?.rawValue)
        return items
    }
}

extension AppStoreServerAPI {
    package func getTransactionInfo(_ transactionID: TransactionID) async throws(AppStoreServerAPIError) -> TransactionInfoResponse {
        try await result(ServerAPICall(path: "/inApps/v1/transactions/\(PercentEncoding.encode(transactionID.rawValue))"))
    }

    /// All transactions of the customer, 20 a page.
    ///
    /// - Parameter revision: That of the page before; `nil` begins.
    package func getTransactionHistory(
        anyTransactionID: String, filter: TransactionHistoryFilter = TransactionHistoryFilter(), revision: String? = nil
    ) async throws(AppStoreServerAPIError) -> HistoryResponse {
        let revision = revision.map { [(name: "revision", value: $0)] } ?? []
        return try await result(
            ServerAPICall(path: "/inApps/v2/history/\(PercentEncoding.encode(anyTransactionID))", query: revision + filter.query))
    }

    /// The customer's refunds that Apple approved, 20 a page, by ascending `revocationDate`.
    ///
    /// - Parameter revision: That of the page before, or of the last page of an earlier run: then only what is new comes.
    package func getRefundHistory(
        anyTransactionID: String, revision: String? = nil
    ) async throws(AppStoreServerAPIError) -> RefundHistoryResponse {
        let revision = revision.map { [(name: "revision", value: $0)] } ?? []
        return try await result(
            ServerAPICall(path: "/inApps/v2/refund/lookup/\(PercentEncoding.encode(anyTransactionID))", query: revision, family: .refunds))
    }

    /// - Parameter statuses: Which subscriptions to ask for; none asks for all.
    package func getAllSubscriptionStatuses(
        anyTransactionID: String, statuses: [SubscriptionStatus] = []
    ) async throws(AppStoreServerAPIError) -> StatusResponse {
        let query = statuses.map { (name: "status", value: String($0.rawValue)) }
        return try await result(ServerAPICall(path: "/inApps/v1/subscriptions/\(PercentEncoding.encode(anyTransactionID))", query: query))
    }

    /// Production only.
    package func lookUpOrderID(_ orderID: String) async throws(AppStoreServerAPIError) -> OrderLookupResponse {
        try await result(ServerAPICall(path: "/inApps/v1/lookup/\(PercentEncoding.encode(orderID))", family: .refunds))
    }

    package func getAppTransactionInfo(anyTransactionID: String) async throws(AppStoreServerAPIError) -> AppTransactionInfoResponse {
        try await result(ServerAPICall(path: "/inApps/v1/transactions/appTransactions/\(PercentEncoding.encode(anyTransactionID))"))
    }
}
