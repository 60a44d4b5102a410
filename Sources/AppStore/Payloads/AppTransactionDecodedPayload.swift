import Domain

/// The signed purchase or download of the app itself.
///
/// - Source: AppTransaction of StoreKit; Get App Transaction Info.
package struct AppTransactionDecodedPayload: WireObject, Equatable, Sendable {
    /// Apple's name here for the environment.
    package var rawReceiptType: String?
    package var appAppleId: Int64?
    package var bundleId: String?
    package var applicationVersion: String?
    package var versionExternalIdentifier: Int64?
    package var receiptCreationDate: Int64?
    package var originalPurchaseDate: Int64?
    package var originalApplicationVersion: String?
    package var deviceVerification: String?
    package var deviceVerificationNonce: String?
    package var preorderDate: Int64?
    package var appTransactionId: String?
    package var originalPlatform: String?

    private enum CodingKeys: String, CodingKey {
        case appAppleId, bundleId, applicationVersion, versionExternalIdentifier, receiptCreationDate, originalPurchaseDate
        case originalApplicationVersion, deviceVerification, deviceVerificationNonce, preorderDate, appTransactionId, originalPlatform
        case rawReceiptType = "receiptType"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        rawReceiptType = try container.text(.rawReceiptType)
        appAppleId = try container.int64(.appAppleId)
        bundleId = try container.text(.bundleId)
        applicationVersion = try container.text(.applicationVersion)
        versionExternalIdentifier = try container.int64(.versionExternalIdentifier)
        receiptCreationDate = try container.milliseconds(.receiptCreationDate)
        originalPurchaseDate = try container.milliseconds(.originalPurchaseDate)
        originalApplicationVersion = try container.text(.originalApplicationVersion)
        deviceVerification = try container.text(.deviceVerification)
        deviceVerificationNonce = try container.text(.deviceVerificationNonce)
        preorderDate = try container.milliseconds(.preorderDate)
        appTransactionId = try container.id(.appTransactionId)
        originalPlatform = try container.text(.originalPlatform)
    }
}

extension AppTransactionDecodedPayload {
    package var receiptType: Environment? { rawReceiptType.flatMap(Environment.init(rawValue:)) }
}
