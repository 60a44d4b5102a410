// Apple's words and numbers that only Apple's payloads use; those that the desk reasons about are in Domain.

/// - Source: status, in `data` and in subscription statuses.
package enum SubscriptionStatus: Int32, Sendable, CaseIterable {
    case active = 1
    case expired = 2
    case billingRetry = 3
    case billingGracePeriod = 4
    case revoked = 5
}

/// - Source: offerType.
package enum OfferType: Int32, Sendable, CaseIterable {
    case introductory = 1
    case promotional = 2
    case offerCode = 3
    case winBack = 4
}

/// - Source: offerDiscountType; `ONE_TIME` since API 1.18.
package enum OfferDiscountType: String, Sendable, CaseIterable {
    case freeTrial = "FREE_TRIAL"
    case payAsYouGo = "PAY_AS_YOU_GO"
    case payUpFront = "PAY_UP_FRONT"
    case oneTime = "ONE_TIME"
}

/// - Source: revocationReason. No reason and `other` are different things.
package enum RevocationReason: Int32, Sendable, CaseIterable {
    case other = 0
    case issueWithinTheApp = 1
}

/// - Source: autoRenewStatus.
package enum AutoRenewStatus: Int32, Sendable, CaseIterable {
    case off = 0
    case on = 1
}

/// - Source: expirationIntent.
package enum ExpirationIntent: Int32, Sendable, CaseIterable {
    case cancelled = 1
    case billingError = 2
    case noConsentToPriceIncrease = 3
    case productUnavailable = 4
    case other = 5
}

/// - Source: priceIncreaseStatus.
package enum PriceIncreaseStatus: Int32, Sendable, CaseIterable {
    case unanswered = 0
    case consentedOrNotNeeded = 1
}

/// - Source: multiSeatInfo, API 1.23.
package enum InvitationManagement: String, Sendable, CaseIterable {
    case apple = "APPLE"
    case developer = "DEVELOPER"
}

/// - Source: sendAttemptResult.
package enum SendAttemptResult: String, Sendable, CaseIterable {
    case success = "SUCCESS"
    case timedOut = "TIMED_OUT"
    case tlsIssue = "TLS_ISSUE"
    case circularRedirect = "CIRCULAR_REDIRECT"
    case noResponse = "NO_RESPONSE"
    case socketIssue = "SOCKET_ISSUE"
    case unsupportedCharset = "UNSUPPORTED_CHARSET"
    case invalidResponse = "INVALID_RESPONSE"
    case prematureClose = "PREMATURE_CLOSE"
    case unsuccessfulHTTPResponseCode = "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
    case other = "OTHER"
}
