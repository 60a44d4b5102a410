import Domain

// Calls about purchases. `anyTransactionID` is a transactionId, originalTransactionId or appTransactionId of the customer.
// All signed texts are JWS yet to be verified.

/// A page of signed transactions.
package struct TransactionPage: Sendable, Hashable, Decodable {
    package var signedTransactions: [String]
    /// Where the next call goes on, now or weeks later.
    package var revision: String?
    package var hasMore: Bool

    private enum CodingKeys: CodingKey { case signedTransactions, revision, hasMore }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        signedTransactions = try container.decodeIfPresent([String].self, forKey: .signedTransactions) ?? []
        revision = try container.decodeIfPresent(String.self, forKey: .revision)
        hasMore = try container.decodeIfPresent(Bool.self, forKey: .hasMore) ?? false
    }
}

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

/// The newest transaction and renewal info of each subscription of a customer.
package struct SubscriptionStatuses: Sendable, Hashable, Decodable {
    package struct Group: Sendable, Hashable, Decodable {
        package var subscriptionGroupIdentifier: String?
        package var lastTransactions: [Item]?
    }
    package struct Item: Sendable, Hashable, Decodable {
        /// 1 active, 2 expired, 3 billing retry, 4 grace period, 5 revoked.
        package var status: Int32?
        package var originalTransactionId: String?
        package var signedTransactionInfo: String?
        package var signedRenewalInfo: String?
    }
    package var environment: String?
    package var bundleId: String?
    package var appAppleId: Int64?
    package var data: [Group]?
}

/// What a customer's order id, from the receipt by e-mail, stands for.
package struct OrderLookup: Sendable, Hashable, Decodable {
    /// 0 valid, 1 invalid.
    package var status: Int32
    package var signedTransactions: [String]?
}

extension AppStoreServerAPI {
    /// - Returns: `signedTransactionInfo`.
    package func getTransactionInfo(_ transactionID: TransactionID) async throws(AppStoreServerAPIError) -> String {
        struct Answer: Decodable { var signedTransactionInfo: String }
        let call = ServerAPICall(path: "/inApps/v1/transactions/\(PercentEncoding.encode(transactionID.rawValue))")
        return try await (result(call) as Answer).signedTransactionInfo
    }

    /// All transactions of the customer, 20 a page.
    ///
    /// - Parameter revision: That of the page before; `nil` begins.
    package func getTransactionHistory(
        anyTransactionID: String, filter: TransactionHistoryFilter = TransactionHistoryFilter(), revision: String? = nil
    ) async throws(AppStoreServerAPIError) -> TransactionPage {
        let revision = revision.map { [(name: "revision", value: $0)] } ?? []
        return try await result(
            ServerAPICall(path: "/inApps/v2/history/\(PercentEncoding.encode(anyTransactionID))", query: revision + filter.query))
    }

    /// The customer's refunds that Apple approved, 20 a page, by ascending `revocationDate`.
    ///
    /// - Parameter revision: That of the page before, or of the last page of an earlier run: then only what is new comes.
    package func getRefundHistory(anyTransactionID: String, revision: String? = nil) async throws(AppStoreServerAPIError) -> TransactionPage
    {
        let revision = revision.map { [(name: "revision", value: $0)] } ?? []
        return try await result(
            ServerAPICall(path: "/inApps/v2/refund/lookup/\(PercentEncoding.encode(anyTransactionID))", query: revision))
    }

    /// - Parameter statuses: 1 to 5; none asks for all.
    package func getAllSubscriptionStatuses(
        anyTransactionID: String, statuses: [Int32] = []
    ) async throws(AppStoreServerAPIError) -> SubscriptionStatuses {
        let query = statuses.map { (name: "status", value: String($0)) }
        return try await result(ServerAPICall(path: "/inApps/v1/subscriptions/\(PercentEncoding.encode(anyTransactionID))", query: query))
    }

    /// Production only.
    package func lookUpOrderID(_ orderID: String) async throws(AppStoreServerAPIError) -> OrderLookup {
        try await result(ServerAPICall(path: "/inApps/v1/lookup/\(PercentEncoding.encode(orderID))"))
    }

    /// - Returns: `signedAppTransactionInfo`.
    package func getAppTransactionInfo(anyTransactionID: String) async throws(AppStoreServerAPIError) -> String {
        struct Answer: Decodable { var signedAppTransactionInfo: String }
        let call = ServerAPICall(path: "/inApps/v1/transactions/appTransactions/\(PercentEncoding.encode(anyTransactionID))")
        return try await (result(call) as Answer).signedAppTransactionInfo
    }
}
