/// A page of notifications sent before. Ask for the next while `hasMore`.
///
/// - Source: Get Notification History.
package struct NotificationHistoryResponse: WireObject, Equatable, Sendable {
    package var notificationHistory: [NotificationHistoryResponseItem]?
    package var hasMore: Bool?
    package var paginationToken: String?

    private enum CodingKeys: String, CodingKey {
        case notificationHistory, hasMore, paginationToken
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        notificationHistory = try container.nested(.notificationHistory)
        hasMore = try container.bool(.hasMore)
        paginationToken = try container.text(.paginationToken)
    }
}

/// One notification as first sent, and how sending it went.
package struct NotificationHistoryResponseItem: WireObject, Equatable, Sendable {
    package var signedPayload: String?
    package var sendAttempts: [SendAttemptItem]?

    private enum CodingKeys: String, CodingKey {
        case signedPayload, sendAttempts
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        signedPayload = try container.text(.signedPayload)
        sendAttempts = try container.nested(.sendAttempts)
    }
}

/// One attempt of Apple to deliver a notification.
package struct SendAttemptItem: WireObject, Equatable, Sendable {
    package var attemptDate: Int64?
    package var rawSendAttemptResult: String?

    private enum CodingKeys: String, CodingKey {
        case attemptDate
        case rawSendAttemptResult = "sendAttemptResult"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        attemptDate = try container.milliseconds(.attemptDate)
        rawSendAttemptResult = try container.text(.rawSendAttemptResult)
    }
}

extension SendAttemptItem {
    package var sendAttemptResult: SendAttemptResult? { rawSendAttemptResult.flatMap(SendAttemptResult.init(rawValue:)) }
}

/// The token to ask with how the test went.
///
/// - Source: Request a Test Notification.
package struct SendTestNotificationResponse: WireObject, Equatable, Sendable {
    package var testNotificationToken: String?

    private enum CodingKeys: String, CodingKey {
        case testNotificationToken
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        testNotificationToken = try container.text(.testNotificationToken)
    }
}

/// The test notification as sent, and how sending it went.
///
/// - Source: Get Test Notification Status.
package struct CheckTestNotificationResponse: WireObject, Equatable, Sendable {
    package var signedPayload: String?
    package var sendAttempts: [SendAttemptItem]?

    private enum CodingKeys: String, CodingKey {
        case signedPayload, sendAttempts
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        signedPayload = try container.text(.signedPayload)
        sendAttempts = try container.nested(.sendAttempts)
    }
}
