import Domain
import Ingest

extension AppSettings {
    /// What intake and deciding need of an app's configuration.
    init(_ app: AppConfiguration) {
        self.init(
            id: app.id, name: app.name, bundleID: app.bundleID, appAppleID: app.appAppleID, environments: app.environments,
            consentMode: app.consent.mode, minimumTextVersion: app.consent.minimumTextVersion, products: app.products, policy: app.policy,
            alerts: AlertTarget.targets(app))
    }
}

extension AlertTarget {
    /// One per configured channel, named by its place in the list.
    static func targets(_ app: AppConfiguration) -> [AlertTarget] {
        app.alerts.enumerated().map { index, alert in
            AlertTarget(id: name(index), events: alert.events, environments: alert.environments)
        }
    }
    static func name(_ index: Int) -> String { "\(index)" }
}
