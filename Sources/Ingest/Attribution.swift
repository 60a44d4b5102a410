import AppStore
import Domain

/// Where a verified message belongs: the ledger that takes it, or why none does.
package enum Attribution: Sendable, Hashable {
    case ledger(Ledger)
    case quarantine(QuarantineReason, environment: Environment?)
}

extension AppDirectory {
    /// Attributes by what is in the message, never by the URL it was posted to. The app is judged before the environment.
    func attribute(_ notification: VerifiedNotification) -> Attribution {
        guard let identity = notification.claimedIdentity, let bundleID = identity.bundleId else {
            return .quarantine(.unattributed, environment: notification.claimedIdentity?.environment)
        }
        let attribution = attribute(bundleID: bundleID, appAppleID: identity.appAppleId, environment: identity.environment)
        guard case .ledger(let ledger) = attribution else { return attribution }
        if case .innerMismatch = notification.integrity { return .quarantine(.innerMismatch, environment: ledger.environment) }
        return notification.isFutureDated ? .quarantine(.futureDate, environment: ledger.environment) : attribution
    }

    /// A transaction by itself carries no `appAppleId`.
    func attribute(_ transaction: Verified<JWSTransactionDecodedPayload>, now: Timestamp) -> Attribution {
        let environment = transaction.payload.rawEnvironment.flatMap(Environment.init(rawValue:))
        guard let bundleID = transaction.payload.bundleId else { return .quarantine(.unattributed, environment: environment) }
        let attribution = attribute(bundleID: bundleID, appAppleID: self[bundleID: bundleID]?.appAppleID, environment: environment)
        guard case .ledger = attribution else { return attribution }
        if transaction.payload.transaction == nil { return .quarantine(.innerMismatch, environment: environment) }
        return transaction.jws.isFutureDated(now: now.milliseconds) ? .quarantine(.futureDate, environment: environment) : attribution
    }

    /// - Parameter environment: nil where the message names one that is neither Production nor Sandbox.
    /// - Source: appAppleId is always there in Production and often absent in the sandbox.
    private func attribute(bundleID: String, appAppleID: Int64?, environment: Environment?) -> Attribution {
        guard let app = self[bundleID: bundleID] else { return .quarantine(.wrongApp, environment: environment) }
        if environment == .production, appAppleID != app.appAppleID { return .quarantine(.wrongApp, environment: environment) }
        guard let environment, app.environments.contains(environment) else {
            return .quarantine(.wrongEnvironment, environment: environment)
        }
        return .ledger(Ledger(app: app.id, environment: environment))
    }
}
