// Sources: App Store Server API, Error codes; Send Consumption Information (V2 and V1); Apple's server libraries for the numbers.
// 4000004, 4000209, 4000225, 4000227 and 4040022 are not in Apple's libraries.

extension ServerAPIErrorCode {
    private static let report = "The desk built a request that Apple does not take: report it with this code"
    private static let wait = "Nothing to do: the desk tries again"
    private static let unused = "The desk does not send this field: report it with this code"

    package static let all: [ServerAPIErrorCode] = consumption + consumptionV1 + badRequests + refusals + notFound + server

    /// Send Consumption Information.
    static let consumption: [ServerAPIErrorCode] = [
        .init(4_000_006, "InvalidTransactionIdError", "the transaction id is malformed", "Check where the id came from"),
        .init(
            4_000_035, "InvalidCustomerConsentedError", "customerConsented is missing or not true",
            "Answer only with the customer's consent"),
        .init(
            4_000_036, "InvalidDeliveryStatusError", "deliveryStatus is not one of Apple's values",
            "Correct the product's delivery or the recorded one"),
        .init(
            4_000_041, "InvalidSampleContentProvidedError", "sampleContentProvided is missing or no boolean",
            "Set sampleContentProvided for the product"),
        .init(
            4_000_044, "InvalidRefundPreferenceError", "refundPreference is not allowed with the rest of the answer",
            "GRANT_PRORATED needs an auto-renewable subscription, or a share strictly between 0 and 100 %"),
        .init(
            4_000_048, "AppTransactionIdNotSupportedError", "an appTransactionId was given where a transactionId belongs",
            "Use the transactionId of the purchase"),
        .init(
            4_000_185, "FamilyTransactionNotSupportedError", "the transaction is a family member's",
            "Nothing to do: only the purchaser's transaction can be answered"),
        .init(
            4_000_209, "ConsumptionPercentageAutoRenewableSubscriptionError",
            "consumptionPercentage was sent for an auto-renewable subscription",
            report),
        .init(
            4_000_227, "InvalidAssignedTransactionNotSupportedError", "the transaction is a seat that an organization assigned",
            "Nothing to do: only the purchaser's transaction can be answered"),
    ]

    /// Errors of Send Consumption Information whose numbers Apple does not publish: an unknown 400 there may be one of them.
    static let consumptionWithoutNumber: [ServerAPIErrorCode] = [
        .init(nil, "ConsumptionPercentageOutOfRangeError", "consumptionPercentage is outside 0...100000", report),
        .init(
            nil, "UndeliveredConsumptionPercentageNonZeroError", "consumptionPercentage is above 0 though deliveryStatus is not DELIVERED",
            report),
        .init(
            nil, "AdvancedCommerceTransactionNotSupportedError", "the purchase was made through the Advanced Commerce API",
            "Such purchases take the V1 endpoint, which the desk does not speak"),
    ]

    /// Send Consumption Information V1, in addition.
    private static let consumptionV1: [ServerAPIErrorCode] = [
        .init(4_000_032, "InvalidAccountTenureError", "accountTenure is invalid", unused),
        .init(4_000_033, "InvalidAppAccountTokenError", "appAccountToken is invalid", unused),
        .init(4_000_034, "InvalidConsumptionStatusError", "consumptionStatus is invalid", unused),
        .init(4_000_037, "InvalidLifetimeDollarsPurchasedError", "lifetimeDollarsPurchased is invalid", unused),
        .init(4_000_038, "InvalidLifetimeDollarsRefundedError", "lifetimeDollarsRefunded is invalid", unused),
        .init(4_000_039, "InvalidPlatformError", "platform is invalid", unused),
        .init(4_000_040, "InvalidPlayTimeError", "playTime is invalid", unused),
        .init(4_000_042, "InvalidUserStatusError", "userStatus is invalid", unused),
        .init(4_000_043, "InvalidTransactionNotConsumableError", "the purchase is not a consumable; Apple no longer sends this", report),
        .init(
            4_000_047, "InvalidTransactionTypeNotSupportedError", "the V1 endpoint takes neither this product type nor its answer",
            "Answer by the V2 endpoint"),
    ]

    private static let badRequests: [ServerAPIErrorCode] = [
        .init(4_000_000, "GeneralBadRequestError", "the request is malformed", report),
        .init(4_000_002, "InvalidAppIdentifierError", "the app identifier is invalid", "Check appAppleId and bundleId"),
        .init(4_000_004, nil, "the limit of a list is invalid", report),
        .init(4_000_005, "InvalidRequestRevisionError", "the revision is not one that Apple gave", "Start the history again without it"),
        .init(4_000_008, "InvalidOriginalTransactionIdError", "the original transaction id is malformed", "Check where the id came from"),
        .init(4_000_009, "InvalidExtendByDaysError", "the number of days to extend by is invalid", "Use 1 to 90 days"),
        .init(4_000_010, "InvalidExtendReasonCodeError", "the reason of the extension is invalid", "Use 0 to 3"),
        .init(4_000_011, "InvalidRequestIdentifierError", "the request identifier of the extension is invalid", "Use a UUID"),
        .init(
            4_000_012, "StartDateTooFarInPastError", "the history was asked for from too long ago",
            "Start at most 180 days ago (Sandbox: 30)"),
        .init(4_000_013, "StartDateAfterEndDateError", "the start is not before the end", "Swap or correct the two dates"),
        .init(4_000_014, "InvalidPaginationTokenError", "the pagination token is not one that Apple gave for this request", "Start again"),
        .init(4_000_015, "InvalidStartDateError", "the start date is invalid", "Give milliseconds since the epoch"),
        .init(4_000_016, "InvalidEndDateError", "the end date is invalid", "Give milliseconds since the epoch"),
        .init(
            4_000_017, "PaginationTokenExpiredError", "the pagination token has expired, or the request changed between pages",
            "Start again"),
        .init(4_000_018, "InvalidNotificationTypeError", "the notification type and subtype are no pair of Apple's", "Correct the filter"),
        .init(
            4_000_019, "MultipleFiltersSuppliedError", "more than one filter was given", "Filter by transaction or by notification type"),
        .init(4_000_020, "InvalidTestNotificationTokenError", "the test notification token is invalid", "Request another test"),
        .init(4_000_021, "InvalidSortError", "the sort order is invalid", "Use ASCENDING or DESCENDING"),
        .init(4_000_022, "InvalidProductTypeError", "the product type is invalid", "Correct the filter"),
        .init(4_000_023, "InvalidProductIdError", "the product id is invalid", "Correct the filter"),
        .init(4_000_024, "InvalidSubscriptionGroupIdentifierError", "the subscription group is invalid", "Correct the filter"),
        .init(4_000_025, "InvalidExcludeRevokedError", "excludeRevoked is invalid; Apple no longer takes it", "Use revoked instead"),
        .init(4_000_026, "InvalidInAppOwnershipTypeError", "the ownership type is invalid", "Correct the filter"),
        .init(4_000_027, "InvalidEmptyStorefrontCountryCodeListError", "the list of storefronts is empty", "Name one or leave it out"),
        .init(4_000_028, "InvalidStorefrontCountryCodeError", "a storefront's code is invalid", "Use ISO 3166-1 alpha-3 codes"),
        .init(4_000_030, "InvalidRevokedError", "revoked is neither true nor false", "Correct the filter"),
        .init(4_000_031, "InvalidStatusError", "a subscription status is invalid", "Use 1 to 5"),
        .init(4_000_183, "InvalidAppAccountTokenUUIDError", "the appAccountToken is no UUID", "Use a UUID"),
        .init(
            4_000_187, "TransactionIdIsNotOriginalTransactionIdError", "the id is not an original transaction id",
            "Use the originalTransactionId"),
        .init(4_000_225, "InvalidGroupIdError", "the group id is malformed", "Check where the id came from"),
    ]

    private static let refusals: [ServerAPIErrorCode] = [
        .init(
            4_030_004, "SubscriptionExtensionIneligibleError", "the subscription's state allows no extension",
            "Extend active subscriptions only"),
        .init(4_030_005, "SubscriptionMaxExtensionError", "the subscription has had its two extensions of the year", "Wait"),
        .init(
            4_030_007, "FamilySharedSubscriptionExtensionIneligibleError", "the subscription is a family member's",
            "Extend the purchaser's subscription"),
    ]

    private static let notFound: [ServerAPIErrorCode] = [
        .init(4_040_001, "AccountNotFoundError", "the customer's account was not found", "Nothing to do: the account may be deleted"),
        .init(4_040_002, "AccountNotFoundRetryableError", "the customer's account was not found just now", wait, isRetryable: true),
        .init(4_040_003, "AppNotFoundError", "the app was not found", "Check bundleId, and that the key is of the same team"),
        .init(4_040_004, "AppNotFoundRetryableError", "the app was not found just now", wait, isRetryable: true),
        .init(
            4_040_005, "OriginalTransactionIdNotFoundError", "the original transaction was not found",
            "Check that bundleId and environment are the transaction's"),
        .init(
            4_040_006, "OriginalTransactionIdNotFoundRetryableError", "the original transaction was not found just now", wait,
            isRetryable: true),
        .init(
            4_040_007, "ServerNotificationUrlNotFoundError", "no notification URL is set for this environment",
            "Set it in App Store Connect, App Information, App Store Server Notifications"),
        .init(
            4_040_008, "TestNotificationNotFoundError", "the test notification is not ready yet or has expired",
            "Ask again after some seconds, or request another test"),
        .init(4_040_009, "StatusRequestNotFoundError", "no mass extension has that request identifier", "Check the identifier"),
        .init(
            4_040_010, "TransactionIdNotFoundError", "the transaction was not found",
            "Check that bundleId and environment are the transaction's; a very new one may take minutes"),
        .init(4_040_019, "AppTransactionDoesNotExistError", "the customer has no app transaction", "Nothing to do"),
        .init(4_040_022, "GroupNotFoundError", "the group was not found", "Check that it is of this app and environment"),
    ]

    private static let server: [ServerAPIErrorCode] = [
        .init(4_290_000, "RateLimitExceededError", "more requests than Apple allows this app", "Nothing to do: the desk waits"),
        .init(5_000_000, "GeneralInternalError", "a fault at Apple", wait),
        .init(5_000_001, "GeneralInternalRetryableError", "a passing fault at Apple", wait, isRetryable: true),
    ]
}
