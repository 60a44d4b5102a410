import Domain

/// What a notification says, once its signature holds. One of the five objects is there.
///
/// - Source: responseBodyV2DecodedPayload, Notifications 2.23.
package struct ResponseBodyV2DecodedPayload: WireObject, Equatable, Sendable {
    package var rawNotificationType: String?
    package var rawSubtype: String?
    package var notificationUUID: String?
    package var version: String?
    package var signedDate: Int64?
    package var data: NotificationData?
    package var summary: Summary?
    package var externalPurchaseToken: ExternalPurchaseToken?
    package var appData: AppData?
    package var unclaimInfo: UnclaimInfo?

    private enum CodingKeys: String, CodingKey {
        case notificationUUID, version, signedDate, data, summary, externalPurchaseToken, appData, unclaimInfo
        case rawNotificationType = "notificationType"
        case rawSubtype = "subtype"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        rawNotificationType = try container.text(.rawNotificationType)
        rawSubtype = try container.text(.rawSubtype)
        notificationUUID = try container.id(.notificationUUID)
        version = try container.text(.version)
        signedDate = try container.milliseconds(.signedDate)
        data = try container.nested(.data)
        summary = try container.nested(.summary)
        externalPurchaseToken = try container.nested(.externalPurchaseToken)
        appData = try container.nested(.appData)
        unclaimInfo = try container.nested(.unclaimInfo)
    }
}

extension ResponseBodyV2DecodedPayload {
    package var notificationType: NotificationType? { rawNotificationType.flatMap(NotificationType.init(rawValue:)) }
    package var subtype: NotificationSubtype? { rawSubtype.flatMap(NotificationSubtype.init(rawValue:)) }
}
