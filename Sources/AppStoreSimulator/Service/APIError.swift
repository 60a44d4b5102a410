import HTTPServer

/// An error of the App Store Server API: a number whose first three digits are the HTTP status.
///
/// - Source: App Store Server API, error codes. Those marked "invented" have no published number; they stand in for Apple's.
struct APIError: Error, Hashable {
    /// nil for a malformed request: 400 without a body.
    var code: Int64?
    var message: String

    init(_ code: Int64, _ message: String) {
        self.code = code
        self.message = message
    }

    private init() {
        code = nil
        message = ""
    }

    static let malformed = APIError()

    static let generalBadRequest = APIError(4_000_000, "Bad request.")
    static let invalidTransactionID = APIError(4_000_006, "Invalid transaction id.")
    static let invalidRevision = APIError(4_000_005, "Invalid request revision.")
    static let startDateTooFarInPast = APIError(4_000_012, "Invalid start date: too far in the past.")
    static let startDateAfterEndDate = APIError(4_000_013, "Invalid request: the start date is after the end date.")
    static let invalidPaginationToken = APIError(4_000_014, "Invalid pagination token.")
    static let invalidStartDate = APIError(4_000_015, "Invalid start date.")
    static let invalidEndDate = APIError(4_000_016, "Invalid end date.")
    static let paginationTokenExpired = APIError(4_000_017, "Invalid request: the pagination token has expired.")
    static let invalidNotificationType = APIError(4_000_018, "Invalid notification type or subtype.")
    static let multipleFilters = APIError(4_000_019, "Invalid request: supply either a transaction id or a notification type, not both.")
    static let invalidTestToken = APIError(4_000_020, "Invalid test notification token.")
    static let invalidSort = APIError(4_000_021, "Invalid sort.")
    static let invalidProductType = APIError(4_000_022, "Invalid product type.")
    static let invalidProductID = APIError(4_000_023, "Invalid product id.")
    static let invalidGroup = APIError(4_000_024, "Invalid subscription group identifier.")
    static let invalidOwnershipType = APIError(4_000_026, "Invalid in-app ownership type.")
    static let invalidRevoked = APIError(4_000_030, "Invalid revoked value.")
    static let invalidStatus = APIError(4_000_031, "Invalid status.")
    static let invalidCustomerConsented = APIError(4_000_035, "Invalid request: the customer consented field is invalid.")
    static let invalidDeliveryStatus = APIError(4_000_036, "Invalid request: the delivery status field is invalid.")
    static let invalidSampleContentProvided = APIError(4_000_041, "Invalid request: the sample content provided field is invalid.")
    static let invalidRefundPreference = APIError(4_000_044, "Invalid request: the refund preference field is invalid.")
    static let transactionTypeNotSupported = APIError(4_000_047, "Invalid request: the transaction type isn't supported by this endpoint.")
    static let appTransactionIDNotSupported = APIError(4_000_048, "Invalid request: app transaction ids aren't supported by this endpoint.")
    static let familyNotSupported = APIError(
        4_000_185, "Invalid request. Family Sharing transactions aren't supported by this endpoint.")
    static let percentageOfAutoRenewable = APIError(
        4_000_209, "Invalid request: the consumption percentage isn't supported for auto-renewable subscriptions.")
    /// Invented.
    static let percentageOutOfRange = APIError(4_000_210, "Invalid request: the consumption percentage is out of range.")
    /// Invented.
    static let percentageOfUndelivered = APIError(
        4_000_211, "Invalid request: the consumption percentage of an undelivered purchase must be zero.")
    /// Invented.
    static let advancedCommerceNotSupported = APIError(
        4_000_212, "Invalid request: Advanced Commerce transactions aren't supported by this endpoint.")
    static let assignedNotSupported = APIError(4_000_227, "Invalid request: assigned transactions aren't supported by this endpoint.")
    static let noNotificationURL = APIError(4_040_007, "No App Store Server Notification URL found for provided app.")
    static let testNotFound = APIError(4_040_008, "Either the test notification token is expired or the result isn't available yet.")
    static let transactionNotFound = APIError(4_040_010, "Transaction id not found.")
    static let appTransactionNotFound = APIError(4_040_019, "No app transaction exists for the customer.")
    static let rateLimitExceeded = APIError(4_290_000, "Rate limit exceeded.")
    static let internalError = APIError(5_000_001, "An unknown error occurred. Please try again.")
}

extension HTTPResponse {
    /// As the App Store Server API writes errors.
    init(_ error: APIError, headers: [(name: String, value: String)] = []) {
        guard let code = error.code else {
            self.init(status: 400, headers: headers)
            return
        }
        self = .json(["errorCode": .integer(code), "errorMessage": .string(error.message)], status: Int(code / 10_000))
        self.headers += headers
    }

    static func json(_ value: JSONValue, status: Int = 200) -> HTTPResponse {
        HTTPResponse(status: status, headers: [("Content-Type", "application/json")], body: encodeJSON(value))
    }
}
