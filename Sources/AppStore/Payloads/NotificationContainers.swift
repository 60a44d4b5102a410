import Domain

/// The end of a renewal-date extension for all subscribers.
///
/// - Source: summary.
package struct Summary: WireObject, Equatable, Sendable {
    package var requestIdentifier: String?
    package var rawEnvironment: String?
    package var appAppleId: Int64?
    package var bundleId: String?
    package var productId: String?
    package var storefrontCountryCodes: [String]?
    package var succeededCount: Int64?
    package var failedCount: Int64?

    private enum CodingKeys: String, CodingKey {
        case requestIdentifier, appAppleId, bundleId, productId, storefrontCountryCodes, succeededCount, failedCount
        case rawEnvironment = "environment"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        requestIdentifier = try container.text(.requestIdentifier)
        rawEnvironment = try container.text(.rawEnvironment)
        appAppleId = try container.int64(.appAppleId)
        bundleId = try container.text(.bundleId)
        productId = try container.text(.productId)
        storefrontCountryCodes = try container.nested(.storefrontCountryCodes)
        succeededCount = try container.int64(.succeededCount)
        failedCount = try container.int64(.failedCount)
    }
}

extension Summary {
    package var environment: Environment? { rawEnvironment.flatMap(Environment.init(rawValue:)) }
}

/// A token of the external purchase programs. It names no environment: its id does.
///
/// - Source: externalPurchaseToken.
package struct ExternalPurchaseToken: WireObject, Equatable, Sendable {
    package var externalPurchaseId: String?
    package var tokenCreationDate: Int64?
    package var tokenExpirationDate: Int64?
    package var tokenType: String?
    package var appAppleId: Int64?
    package var bundleId: String?

    private enum CodingKeys: String, CodingKey {
        case externalPurchaseId, tokenCreationDate, tokenExpirationDate, tokenType, appAppleId, bundleId
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        externalPurchaseId = try container.id(.externalPurchaseId)
        tokenCreationDate = try container.milliseconds(.tokenCreationDate)
        tokenExpirationDate = try container.milliseconds(.tokenExpirationDate)
        tokenType = try container.text(.tokenType)
        appAppleId = try container.int64(.appAppleId)
        bundleId = try container.text(.bundleId)
    }
}

extension ExternalPurchaseToken {
    /// `Sandbox` for ids that begin with `SANDBOX`, else `Production`.
    package var rawEnvironment: String {
        let environment: Environment = externalPurchaseId?.hasPrefix("SANDBOX") == true ? .sandbox : .production
        return environment.rawValue
    }
}

/// The app whose user's consent was rescinded.
///
/// - Source: appData.
package struct AppData: WireObject, Equatable, Sendable {
    package var appAppleId: Int64?
    package var bundleId: String?
    package var rawEnvironment: String?
    package var signedAppTransactionInfo: String?

    private enum CodingKeys: String, CodingKey {
        case appAppleId, bundleId, signedAppTransactionInfo
        case rawEnvironment = "environment"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        appAppleId = try container.int64(.appAppleId)
        bundleId = try container.text(.bundleId)
        rawEnvironment = try container.text(.rawEnvironment)
        signedAppTransactionInfo = try container.text(.signedAppTransactionInfo)
    }
}

extension AppData {
    package var environment: Environment? { rawEnvironment.flatMap(Environment.init(rawValue:)) }
}

/// Seats that Apple took back. Apple documents the seats alone; ids of the app are read if they are there.
///
/// - Source: unclaimInfo, Notifications 2.23.
package struct UnclaimInfo: WireObject, Equatable, Sendable {
    package var unclaimSeatIds: [String]?
    package var appAppleId: Int64?
    package var bundleId: String?
    package var rawEnvironment: String?

    private enum CodingKeys: String, CodingKey {
        case unclaimSeatIds, appAppleId, bundleId
        case rawEnvironment = "environment"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        unclaimSeatIds = try container.nested(.unclaimSeatIds)
        appAppleId = try container.int64(.appAppleId)
        bundleId = try container.text(.bundleId)
        rawEnvironment = try container.text(.rawEnvironment)
    }
}

extension UnclaimInfo {
    package var environment: Environment? { rawEnvironment.flatMap(Environment.init(rawValue:)) }
}
