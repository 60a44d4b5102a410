import Domain

/// What a developer told about a purchase, after Apple's rules let it pass.
package struct ConsumptionReceipt: Hashable, Sendable {
    package var transactionID: String
    package var receivedAt: Timestamp
    package var deliveryStatus: DeliveryStatus
    package var sampleContentProvided: Bool
    package var consumptionPercentage: Int32?
    package var refundPreference: RefundPreference?
}

/// The rules of Send Consumption Information, V2.
///
/// - Source: ConsumptionRequest, consumptionPercentage, refundPreference.
enum ConsumptionRules {
    static func receipt(
        _ body: [UInt8], for transaction: TransactionPayload, at now: Timestamp
    ) throws(APIError) -> ConsumptionReceipt {
        try check(transaction)
        guard let fields = JSONValue(body)?.object, fields.keys.allSatisfy(knownFields.contains) else { throw .malformed }
        guard fields["customerConsented"] == true else { throw .invalidCustomerConsented }
        guard let delivery = fields["deliveryStatus"]?.string.flatMap(DeliveryStatus.init) else { throw .invalidDeliveryStatus }
        guard let sample = fields["sampleContentProvided"]?.bool else { throw .invalidSampleContentProvided }
        let percentage = try percentage(fields["consumptionPercentage"], of: transaction, delivery)
        let preference = try preference(fields["refundPreference"], of: transaction, percentage)
        return ConsumptionReceipt(
            transactionID: transaction.transactionId, receivedAt: now, deliveryStatus: delivery, sampleContentProvided: sample,
            consumptionPercentage: percentage, refundPreference: preference)
    }

    private static let knownFields: Set = [
        "customerConsented", "deliveryStatus", "sampleContentProvided", "consumptionPercentage", "refundPreference",
    ]

    private static func check(_ transaction: TransactionPayload) throws(APIError) {
        switch transaction.inAppOwnershipType {
        case InAppOwnershipType.familyShared.rawValue: throw .familyNotSupported
        case InAppOwnershipType.assigned.rawValue: throw .assignedNotSupported
        default: break
        }
        if transaction.advancedCommerceInfo != nil { throw .advancedCommerceNotSupported }
    }

    private static func percentage(
        _ value: JSONValue?, of transaction: TransactionPayload, _ delivery: DeliveryStatus
    ) throws(APIError) -> Int32? {
        guard let value else { return nil }
        if transaction.isAutoRenewable { throw .percentageOfAutoRenewable }
        guard let number = value.integer, (0...100_000).contains(number) else { throw .percentageOutOfRange }
        if delivery != .delivered, number != 0 { throw .percentageOfUndelivered }
        return Int32(number)
    }

    private static func preference(
        _ value: JSONValue?, of transaction: TransactionPayload, _ percentage: Int32?
    ) throws(APIError) -> RefundPreference? {
        guard let value else { return nil }
        guard let preference = value.string.flatMap(RefundPreference.init) else { throw .invalidRefundPreference }
        if preference == .grantProrated, !transaction.isAutoRenewable {
            guard let percentage, 0 < percentage, percentage < 100_000 else { throw .invalidRefundPreference }
        }
        return preference
    }
}

/// The rules of Send Consumption Information, V1: for Advanced Commerce alone, where Apple still wants it.
///
/// - Source: ConsumptionRequestV1.
enum ConsumptionRulesV1 {
    static func check(_ body: [UInt8], for transaction: TransactionPayload) throws(APIError) {
        guard transaction.advancedCommerceInfo != nil, types.contains(transaction.type) else { throw .transactionTypeNotSupported }
        guard let fields = JSONValue(body)?.object else { throw .malformed }
        guard fields.keys.allSatisfy({ name in ranges.contains { $0.name == name } || others.contains(name) }) else { throw .malformed }
        guard fields["customerConsented"] == true else { throw .invalidCustomerConsented }
        guard fields["sampleContentProvided"]?.bool != nil else { throw .invalidSampleContentProvided }
        guard let token = fields["appAccountToken"]?.string, token.isEmpty || AppAccountToken.looksLikeUUID(token) else {
            throw APIError(4_000_033, "Invalid request: the app account token field is invalid.")
        }
        for (name, range, code) in ranges {
            if name == "refundPreference", fields[name] == nil { continue }
            guard let number = fields[name]?.integer, range.contains(number) else {
                throw APIError(code, "Invalid request: the \(name) field is invalid.")
            }
        }
    }

    private static let types = ["Consumable", "Auto-Renewable Subscription"]
    private static let others: Set = ["customerConsented", "sampleContentProvided", "appAccountToken"]
    private static let ranges: [(name: String, range: ClosedRange<Int64>, code: Int64)] = [
        ("accountTenure", 0...7, 4_000_032), ("consumptionStatus", 0...3, 4_000_034), ("deliveryStatus", 0...5, 4_000_036),
        ("lifetimeDollarsPurchased", 0...7, 4_000_037), ("lifetimeDollarsRefunded", 0...7, 4_000_038), ("platform", 0...2, 4_000_039),
        ("playTime", 0...7, 4_000_040), ("userStatus", 0...4, 4_000_042), ("refundPreference", 0...3, 4_000_044),
    ]
}
