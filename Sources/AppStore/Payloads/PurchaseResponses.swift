import Domain

/// The newest transactions of a customer, by subscription group.
///
/// - Source: Get All Subscription Statuses.
package struct StatusResponse: WireObject, Equatable, Sendable {
    package var rawEnvironment: String?
    package var bundleId: String?
    package var appAppleId: Int64?
    package var data: [SubscriptionGroupIdentifierItem]?

    private enum CodingKeys: String, CodingKey {
        case bundleId, appAppleId, data
        case rawEnvironment = "environment"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        rawEnvironment = try container.text(.rawEnvironment)
        bundleId = try container.text(.bundleId)
        appAppleId = try container.int64(.appAppleId)
        data = try container.nested(.data)
    }
}

extension StatusResponse {
    package var environment: Environment? { rawEnvironment.flatMap(Environment.init(rawValue:)) }
}

/// The newest transactions of one subscription group.
package struct SubscriptionGroupIdentifierItem: WireObject, Equatable, Sendable {
    package var subscriptionGroupIdentifier: String?
    package var lastTransactions: [LastTransactionsItem]?

    private enum CodingKeys: String, CodingKey {
        case subscriptionGroupIdentifier, lastTransactions
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        subscriptionGroupIdentifier = try container.id(.subscriptionGroupIdentifier)
        lastTransactions = try container.nested(.lastTransactions)
    }
}

/// The newest transaction of one subscription and its state.
package struct LastTransactionsItem: WireObject, Equatable, Sendable {
    package var rawStatus: Int32?
    package var originalTransactionId: String?
    package var signedTransactionInfo: String?
    package var signedRenewalInfo: String?

    private enum CodingKeys: String, CodingKey {
        case originalTransactionId, signedTransactionInfo, signedRenewalInfo
        case rawStatus = "status"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        rawStatus = try container.int32(.rawStatus)
        originalTransactionId = try container.id(.originalTransactionId)
        signedTransactionInfo = try container.text(.signedTransactionInfo)
        signedRenewalInfo = try container.text(.signedRenewalInfo)
    }
}

extension LastTransactionsItem {
    package var status: SubscriptionStatus? { rawStatus.flatMap(SubscriptionStatus.init(rawValue:)) }
}

/// A page of transactions, oldest change first.
///
/// - Source: Get Transaction History.
package struct HistoryResponse: WireObject, Equatable, Sendable {
    package var revision: String?
    package var hasMore: Bool?
    package var bundleId: String?
    package var appAppleId: Int64?
    package var rawEnvironment: String?
    package var signedTransactions: [String]?

    private enum CodingKeys: String, CodingKey {
        case revision, hasMore, bundleId, appAppleId, signedTransactions
        case rawEnvironment = "environment"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        revision = try container.text(.revision)
        hasMore = try container.bool(.hasMore)
        bundleId = try container.text(.bundleId)
        appAppleId = try container.int64(.appAppleId)
        rawEnvironment = try container.text(.rawEnvironment)
        signedTransactions = try container.nested(.signedTransactions)
    }
}

extension HistoryResponse {
    package var environment: Environment? { rawEnvironment.flatMap(Environment.init(rawValue:)) }
}

/// A page of refunded transactions, by rising `revocationDate`.
///
/// - Source: Get Refund History.
package struct RefundHistoryResponse: WireObject, Equatable, Sendable {
    package var signedTransactions: [String]?
    package var revision: String?
    package var hasMore: Bool?

    private enum CodingKeys: String, CodingKey {
        case signedTransactions, revision, hasMore
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        signedTransactions = try container.nested(.signedTransactions)
        revision = try container.text(.revision)
        hasMore = try container.bool(.hasMore)
    }
}

/// One transaction.
///
/// - Source: Get Transaction Info.
package struct TransactionInfoResponse: WireObject, Equatable, Sendable {
    package var signedTransactionInfo: String?

    private enum CodingKeys: String, CodingKey {
        case signedTransactionInfo
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        signedTransactionInfo = try container.text(.signedTransactionInfo)
    }
}

/// The purchase or download of the app itself.
///
/// - Source: Get App Transaction Info.
package struct AppTransactionInfoResponse: WireObject, Equatable, Sendable {
    package var signedAppTransactionInfo: String?

    private enum CodingKeys: String, CodingKey {
        case signedAppTransactionInfo
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        signedAppTransactionInfo = try container.text(.signedAppTransactionInfo)
    }
}

/// The purchases of one order id.
///
/// - Source: Look Up Order ID. `status` is 0 for a valid order id, 1 for another.
package struct OrderLookupResponse: WireObject, Equatable, Sendable {
    package var status: Int32?
    package var signedTransactions: [String]?

    private enum CodingKeys: String, CodingKey {
        case status, signedTransactions
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        status = try container.int32(.status)
        signedTransactions = try container.nested(.signedTransactions)
    }
}
