import Domain
import Foundation

/// Which notifications to ask for again. Its bytes are made once: Apple wants the very same body for each page.
package struct NotificationHistoryRequest: Sendable, Hashable {
    /// Apple takes one filter at most.
    package enum Filter: Sendable, Hashable {
        case transactionID(TransactionID)
        case notificationType(String, subtype: String? = nil)
    }
    package let body: [UInt8]

    /// - Parameters:
    ///   - startDate: At most 180 days ago; in the sandbox 30.
    ///   - endDate: After the start. Fixed here: a moving end spoils the pagination token.
    ///   - onlyFailures: Only what was never delivered with success.
    package init(from startDate: Timestamp, to endDate: Timestamp, filter: Filter? = nil, onlyFailures: Bool = false) {
        var fields = Fields(startDate: startDate.milliseconds, endDate: endDate.milliseconds, onlyFailures: onlyFailures ? true : nil)
        switch filter {
        case .transactionID(let id): fields.transactionId = id.rawValue
        case .notificationType(let type, let subtype): (fields.notificationType, fields.notificationSubtype) = (type, subtype)
        case nil: break
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let json = try? encoder.encode(fields) else { preconditionFailure("strings and integers always encode") }
        body = Array(json)
    }

    /// A key that is not set is left out: Apple refuses null and empty text.
    private struct Fields: Encodable {
        var startDate, endDate: Int64
        var notificationType, notificationSubtype, transactionId: String?
        var onlyFailures: Bool?
    }
}

extension AppStoreServerAPI {
    /// - Parameters:
    ///   - request: The same value for every page.
    ///   - paginationToken: That of the page before; `nil` begins.
    package func getNotificationHistory(
        _ request: NotificationHistoryRequest, paginationToken: String? = nil
    ) async throws(AppStoreServerAPIError) -> NotificationHistoryResponse {
        let query = paginationToken.map { [(name: "paginationToken", value: $0)] } ?? []
        return try await result(
            ServerAPICall(
                method: "POST", path: "/inApps/v1/notifications/history", query: query, body: request.body, family: .notificationHistory))
    }

    /// Has Apple send a `TEST` notification to the URL in App Store Connect.
    package func requestTestNotification() async throws(AppStoreServerAPIError) -> SendTestNotificationResponse {
        try await result(ServerAPICall(method: "POST", path: "/inApps/v1/notifications/test", family: .tests))
    }

    /// - Throws: Code 4040008 while the status is not ready, which takes some seconds.
    package func getTestNotificationStatus(_ token: String) async throws(AppStoreServerAPIError) -> CheckTestNotificationResponse {
        try await result(ServerAPICall(path: "/inApps/v1/notifications/test/\(PercentEncoding.encode(token))", family: .tests))
    }
}
