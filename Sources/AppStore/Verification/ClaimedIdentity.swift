import Domain

/// Which app and environment a notification says it is for. Whether that is one of ours is decided elsewhere.
package struct ClaimedIdentity: Equatable, Sendable {
    package var bundleId: String?
    /// Often absent in the sandbox.
    package var appAppleId: Int64?
    /// `Production`, `Sandbox`, or whatever else was sent.
    package var rawEnvironment: String?

    package init(bundleId: String?, appAppleId: Int64?, rawEnvironment: String?) {
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        self.rawEnvironment = rawEnvironment
    }

    package var environment: Environment? { rawEnvironment.flatMap(Environment.init(rawValue:)) }
}

extension ResponseBodyV2DecodedPayload {
    /// Taken from the one object that the notification carries; nil where that is of an unknown kind or names no app.
    package var claimedIdentity: ClaimedIdentity? {
        if let data { return ClaimedIdentity(bundleId: data.bundleId, appAppleId: data.appAppleId, rawEnvironment: data.rawEnvironment) }
        if let summary {
            return ClaimedIdentity(bundleId: summary.bundleId, appAppleId: summary.appAppleId, rawEnvironment: summary.rawEnvironment)
        }
        if let token = externalPurchaseToken {
            return ClaimedIdentity(bundleId: token.bundleId, appAppleId: token.appAppleId, rawEnvironment: token.rawEnvironment)
        }
        if let appData {
            return ClaimedIdentity(bundleId: appData.bundleId, appAppleId: appData.appAppleId, rawEnvironment: appData.rawEnvironment)
        }
        guard let unclaimInfo, unclaimInfo.bundleId != nil else { return nil }
        return ClaimedIdentity(
            bundleId: unclaimInfo.bundleId, appAppleId: unclaimInfo.appAppleId, rawEnvironment: unclaimInfo.rawEnvironment)
    }
}
