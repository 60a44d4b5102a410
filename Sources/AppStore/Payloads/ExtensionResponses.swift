/// How the extension of one subscription went.
///
/// - Source: Extend a Subscription Renewal Date.
package struct ExtendRenewalDateResponse: WireObject, Equatable, Sendable {
    package var originalTransactionId: String?
    package var webOrderLineItemId: String?
    package var success: Bool?
    package var effectiveDate: Int64?

    private enum CodingKeys: String, CodingKey {
        case originalTransactionId, webOrderLineItemId, success, effectiveDate
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        originalTransactionId = try container.id(.originalTransactionId)
        webOrderLineItemId = try container.id(.webOrderLineItemId)
        success = try container.bool(.success)
        effectiveDate = try container.milliseconds(.effectiveDate)
    }
}

/// The id to ask with how the extension goes.
///
/// - Source: Extend Subscription Renewal Dates for All Active Subscribers.
package struct MassExtendRenewalDateResponse: WireObject, Equatable, Sendable {
    package var requestIdentifier: String?

    private enum CodingKeys: String, CodingKey {
        case requestIdentifier
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        requestIdentifier = try container.text(.requestIdentifier)
    }
}

/// How far an extension for all subscribers has come.
///
/// - Source: Get Status of Subscription Renewal Date Extensions.
package struct MassExtendRenewalDateStatusResponse: WireObject, Equatable, Sendable {
    package var requestIdentifier: String?
    package var complete: Bool?
    package var completeDate: Int64?
    package var succeededCount: Int64?
    package var failedCount: Int64?

    private enum CodingKeys: String, CodingKey {
        case requestIdentifier, complete, completeDate, succeededCount, failedCount
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        requestIdentifier = try container.text(.requestIdentifier)
        complete = try container.bool(.complete)
        completeDate = try container.milliseconds(.completeDate)
        succeededCount = try container.int64(.succeededCount)
        failedCount = try container.int64(.failedCount)
    }
}
