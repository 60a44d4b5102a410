import Crypto
import Domain
import HTTPServer

// Notification history and test notifications.
extension StoreAPI {
    func notificationHistory(_ call: StoreCall, _ environment: StoreEnvironment) throws(APIError) -> HTTPResponse {
        let filter = try HistoryFilter(call, environment)
        let start = try HistoryToken.start(call)
        let found = environment.sent.filter(filter.admits)
        let page = found.dropFirst(start).prefix(20)
        let items = page.map { item -> JSONValue in
            [
                "signedPayload": .string(item.notification.signedPayload(signer)),
                "sendAttempts": .array(item.attempts.suffix(6).map(\.json)),
            ]
        }
        let end = start + page.count
        var answer: [String: JSONValue] = ["notificationHistory": .array(items), "hasMore": .bool(end < found.count)]
        if end < found.count { answer["paginationToken"] = .string(HistoryToken.make(next: end, call)) }
        return .json(.object(answer))
    }

    /// Makes a test notification; whoever holds the environment sends what is new in it.
    func requestTest(_ call: StoreCall, _ environment: inout StoreEnvironment) throws(APIError) -> HTTPResponse {
        guard let app = environment.world.app(call.bundleID), environment.notificationURLs[app.bundleID] != nil else {
            throw .noNotificationURL
        }
        let notification = environment.world.testNotification(for: app, at: call.now)
        let token = "\(notification.notificationUUID)_\(call.now.milliseconds)"
        environment.tests[token] = notification.notificationUUID
        environment.add(notification)
        return .json(["testNotificationToken": .string(token)])
    }

    /// Kept for six months; not there before the first attempt.
    func testStatus(_ token: String, _ call: StoreCall, _ environment: StoreEnvironment) throws(APIError) -> HTTPResponse {
        let parts = token.split(separator: "_")
        guard parts.count == 2, AppAccountToken.looksLikeUUID(String(parts[0])), let made = Int64(parts[1]) else { throw .invalidTestToken }
        guard let sent = environment.tests[token].flatMap({ environment[$0] }), sent.notification.bundleID == call.bundleID,
            !sent.attempts.isEmpty, call.now.milliseconds - made < 180 * 86_400_000
        else { throw .testNotFound }
        return .json([
            "signedPayload": .string(sent.notification.signedPayload(signer)),
            "sendAttempts": .array(sent.attempts.prefix(6).map(\.json)),
        ])
    }
}

/// The body of Get Notification History.
private struct HistoryFilter {
    private let dates: ClosedRange<Int64>
    private let bundleID: String
    private let type: String?
    private let subtype: String?
    private let appTransactionID: String?
    private let onlyFailures: Bool

    init(_ call: StoreCall, _ environment: StoreEnvironment) throws(APIError) {
        guard let fields = JSONValue(call.request.body)?.object, fields.keys.allSatisfy(Self.knownFields.contains) else { throw .malformed }
        bundleID = call.bundleID
        dates = try Self.dates(fields, at: call.now, in: environment.world.environment)
        type = try Self.text(fields["notificationType"], else: .invalidNotificationType)
        subtype = try Self.text(fields["notificationSubtype"], else: .invalidNotificationType)
        let transactionID = try Self.text(fields["transactionId"], else: .invalidTransactionID)
        if type != nil, transactionID != nil { throw .multipleFilters }
        guard NotificationVocabulary.allows(type, subtype) else { throw .invalidNotificationType }
        appTransactionID = try transactionID.map { id throws(APIError) in try call.customer(id, in: environment).appTransactionID }
        guard let flag = (fields["onlyFailures"] ?? false).bool else { throw .generalBadRequest }
        onlyFailures = flag
    }

    func admits(_ sent: SentNotification) -> Bool {
        let notification = sent.notification
        guard notification.bundleID == bundleID, dates.contains(notification.signedDate) else { return false }
        if let type, notification.notificationType != type { return false }
        if let subtype, notification.subtype != subtype { return false }
        if let appTransactionID, notification.transaction?.appTransactionId != appTransactionID { return false }
        return !onlyFailures || !sent.wasDelivered
    }

    private static let knownFields: Set = [
        "startDate", "endDate", "notificationType", "notificationSubtype", "transactionId", "onlyFailures",
    ]

    /// A member that is there but null or empty is refused.
    private static func text(_ value: JSONValue?, else error: APIError) throws(APIError) -> String? {
        guard let value else { return nil }
        guard let text = value.string, !text.isEmpty else { throw error }
        return text
    }

    private static func dates(
        _ fields: [String: JSONValue], at now: Timestamp, in environment: Environment
    ) throws(APIError) -> ClosedRange<Int64> {
        guard let start = fields["startDate"]?.integer, start >= 0 else { throw .invalidStartDate }
        guard let end = fields["endDate"]?.integer, end >= 0 else { throw .invalidEndDate }
        let days: Int64 = environment == .production ? 180 : 30
        if start < (now - .days(days)).milliseconds { throw .startDateTooFarInPast }
        if start > end { throw .startDateAfterEndDate }
        return start...max(start, min(end, now.milliseconds))
    }
}

/// Where the next page of a notification history begins, for the identical body only.
private enum HistoryToken {
    private static let life: Span = .hours(24)

    /// Standard base64, and made so that it holds `+` and `/`: a caller has to percent-encode it.
    static func make(next: Int, _ call: StoreCall) -> String {
        "+/" + Base64.encode(Array("\(next)_\(call.now.milliseconds)_\(bodyHash(call))".utf8))
    }

    static func start(_ call: StoreCall) throws(APIError) -> Int {
        guard let token = call.request.query("paginationToken") else { return 0 }
        guard token.hasPrefix("+/"), let text = Base64.decode(Array(token.utf8.dropFirst(2))) else { throw .invalidPaginationToken }
        let parts = String(decoding: text, as: UTF8.self).split(separator: "_")
        guard parts.count == 3, let next = Int(parts[0]), next >= 0, let made = Int64(parts[1]) else { throw .invalidPaginationToken }
        // Another body than the first page's spoils the token, as reported from the field.
        guard call.now - Timestamp(milliseconds: made) <= life, parts[2] == bodyHash(call) else { throw .paginationTokenExpired }
        return next
    }

    private static func bodyHash(_ call: StoreCall) -> String {
        Base64URL.encode(Array(SHA256Digest.hash(Array(call.bundleID.utf8) + call.request.body).prefix(12)))
            .replacing("_", with: "~")
    }
}

/// Which subtypes belong to which type.
///
/// - Source: notificationType and subtype, Notifications 2.23.
enum NotificationVocabulary {
    static func allows(_ type: String?, _ subtype: String?) -> Bool {
        guard let type else { return subtype == nil }
        guard let type = NotificationType(rawValue: type) else { return false }
        guard let subtype else { return true }
        guard let subtype = NotificationSubtype(rawValue: subtype) else { return false }
        return subtypes[type]?.contains(subtype) ?? false
    }

    private static let subtypes: [NotificationType: Set<NotificationSubtype>] = [
        .refund: [.seats], .subscribed: [.initialBuy, .resubscribe], .didRenew: [.billingRecovery],
        .didChangeRenewalPref: [.upgrade, .downgrade, .increaseQuantity, .decreaseQuantity],
        .didChangeRenewalStatus: [.autoRenewEnabled, .autoRenewDisabled], .didFailToRenew: [.gracePeriod],
        .expired: [.voluntary, .billingRetry, .priceIncrease, .productNotForSale], .offerRedeemed: [.upgrade, .downgrade],
        .priceIncrease: [.pending, .accepted], .renewalExtension: [.summary, .failure],
        .externalPurchaseToken: [.unreported, .created, .activeTokenReminder],
    ]
}
