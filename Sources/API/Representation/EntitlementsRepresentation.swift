import Domain

extension JSON {
    /// What a customer may use at an instant, as clients see it.
    package init(_ access: CustomerAccess, at instant: Timestamp) {
        self = [
            "asOf": JSON(instant),
            "entitlements": .array(access.entitlements(at: instant).map(JSON.init)),
            "balances": .array(access.balances(at: instant).map(JSON.init)),
        ]
    }

    package init(_ row: Entitlement) {
        self = [
            "productId": JSON(row.productID),
            "subscriptionGroupIdentifier": JSON(row.subscriptionGroupIdentifier),
            "originalTransactionId": JSON(row.originalTransactionID),
            "transactionId": JSON(row.transactionID),
            "active": .bool(row.access.active),
            "until": JSON(row.access.until),
            "state": JSON(row.state),
            "ownership": .string(row.rawOwnershipType),
            "willRenew": .bool(row.willRenew),
            "pendingProductId": JSON(row.pendingProductID),
            "commitment": row.commitment.map(JSON.init) ?? .null,
        ]
    }

    package init(_ progress: CommitmentProgress) {
        self = [
            "state": JSON(progress.state),
            "billingPeriodNumber": JSON(progress.billingPeriodNumber),
            "totalBillingPeriods": JSON(progress.totalBillingPeriods),
            "expiresDate": JSON(progress.expiresDate),
            "endsAfterTerm": .bool(progress.endsAfterTerm),
        ]
    }

    package init(_ balance: Balance) {
        self = [
            "productId": JSON(balance.productID),
            "purchased": .integer(balance.purchased),
            "refunded": .integer(balance.refunded),
            "net": .integer(balance.net),
        ]
    }
}
