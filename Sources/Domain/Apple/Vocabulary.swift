// Apple's words. Each enum is what we know today; the raw text is kept beside it wherever it is stored.

/// - Source: JWSTransactionDecodedPayload, `type`.
package enum ProductType: String, Sendable, CaseIterable {
    case autoRenewableSubscription = "Auto-Renewable Subscription"
    case nonConsumable = "Non-Consumable"
    case consumable = "Consumable"
    case nonRenewingSubscription = "Non-Renewing Subscription"
}

/// - Source: transactionReason.
package enum TransactionReason: String, Sendable, CaseIterable {
    case purchase = "PURCHASE"
    case renewal = "RENEWAL"
}

/// - Source: inAppOwnershipType; `ASSIGNED` since API 1.22.
package enum InAppOwnershipType: String, Sendable, CaseIterable {
    case purchased = "PURCHASED"
    case familyShared = "FAMILY_SHARED"
    case assigned = "ASSIGNED"
}

/// - Source: revocationType; the spelling of `ASSIGNMENT_REVOKE` is unconfirmed.
package enum RevocationType: String, Sendable, CaseIterable {
    case refundFull = "REFUND_FULL"
    case refundProrated = "REFUND_PRORATED"
    case familyRevoke = "FAMILY_REVOKE"
    case assignmentRevoke = "ASSIGNMENT_REVOKE"
}

/// - Source: billingPlanType, API 1.21.
package enum BillingPlanType: String, Sendable, CaseIterable {
    case billedUpfront = "BILLED_UPFRONT"
    case monthly = "MONTHLY"
}

/// - Source: deliveryStatus of ConsumptionRequest (V2).
package enum DeliveryStatus: String, Sendable, CaseIterable, Codable {
    case delivered = "DELIVERED"
    case undeliveredQualityIssue = "UNDELIVERED_QUALITY_ISSUE"
    case undeliveredWrongItem = "UNDELIVERED_WRONG_ITEM"
    case undeliveredServerOutage = "UNDELIVERED_SERVER_OUTAGE"
    case undeliveredOther = "UNDELIVERED_OTHER"

    /// What an outage can say.
    package static let undelivered = allCases.filter { $0 != .delivered }
}

/// - Source: refundPreference of ConsumptionRequest (V2). No preference is said by leaving it out.
package enum RefundPreference: String, Sendable, CaseIterable, Codable {
    case decline = "DECLINE"
    case grantFull = "GRANT_FULL"
    case grantProrated = "GRANT_PRORATED"
}

/// - Source: consumptionRequestReason.
package enum ConsumptionRequestReason: String, Sendable, CaseIterable {
    case unintendedPurchase = "UNINTENDED_PURCHASE"
    case fulfillmentIssue = "FULFILLMENT_ISSUE"
    case unsatisfiedWithPurchase = "UNSATISFIED_WITH_PURCHASE"
    case legal = "LEGAL"
    case other = "OTHER"
}

/// - Source: notificationType, Notifications 2.23.
package enum NotificationType: String, Sendable, CaseIterable {
    case consumptionRequest = "CONSUMPTION_REQUEST"
    case refund = "REFUND"
    case refundDeclined = "REFUND_DECLINED"
    case refundReversed = "REFUND_REVERSED"
    case revoke = "REVOKE"
    case rescindConsent = "RESCIND_CONSENT"
    case unclaimSeats = "UNCLAIM_SEATS"
    case subscribed = "SUBSCRIBED"
    case didRenew = "DID_RENEW"
    case didChangeRenewalPref = "DID_CHANGE_RENEWAL_PREF"
    case didChangeRenewalStatus = "DID_CHANGE_RENEWAL_STATUS"
    case didFailToRenew = "DID_FAIL_TO_RENEW"
    case gracePeriodExpired = "GRACE_PERIOD_EXPIRED"
    case expired = "EXPIRED"
    case offerRedeemed = "OFFER_REDEEMED"
    case priceIncrease = "PRICE_INCREASE"
    case renewalExtended = "RENEWAL_EXTENDED"
    case renewalExtension = "RENEWAL_EXTENSION"
    case oneTimeCharge = "ONE_TIME_CHARGE"
    case test = "TEST"
    case externalPurchaseToken = "EXTERNAL_PURCHASE_TOKEN"
    case metadataUpdate = "METADATA_UPDATE"
    case migration = "MIGRATION"
    case priceChange = "PRICE_CHANGE"
}

/// - Source: subtype, Notifications 2.23.
package enum NotificationSubtype: String, Sendable, CaseIterable {
    case initialBuy = "INITIAL_BUY"
    case resubscribe = "RESUBSCRIBE"
    case downgrade = "DOWNGRADE"
    case upgrade = "UPGRADE"
    case autoRenewEnabled = "AUTO_RENEW_ENABLED"
    case autoRenewDisabled = "AUTO_RENEW_DISABLED"
    case voluntary = "VOLUNTARY"
    case billingRetry = "BILLING_RETRY"
    case priceIncrease = "PRICE_INCREASE"
    case gracePeriod = "GRACE_PERIOD"
    case pending = "PENDING"
    case accepted = "ACCEPTED"
    case billingRecovery = "BILLING_RECOVERY"
    case productNotForSale = "PRODUCT_NOT_FOR_SALE"
    case summary = "SUMMARY"
    case failure = "FAILURE"
    case unreported = "UNREPORTED"
    case created = "CREATED"
    case activeTokenReminder = "ACTIVE_TOKEN_REMINDER"
    case seats = "SEATS"
    case increaseQuantity = "INCREASE_QUANTITY"
    case decreaseQuantity = "DECREASE_QUANTITY"
}
