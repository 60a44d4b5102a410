import API
import Crypto
import Domain
import Foundation
import Ingest
import Outbox

extension AppSettings {
    /// What intake and deciding need of an app's configuration.
    init(_ app: AppConfiguration) {
        self.init(
            id: app.id, name: app.name, bundleID: app.bundleID, appAppleID: app.appAppleID, environments: app.environments,
            consentMode: app.consent.mode, minimumTextVersion: app.consent.minimumTextVersion, products: app.products, policy: app.policy,
            alerts: AlertTarget.targets(app), events: EventSettings(app),
            forwards: app.forward.indices.map(String.init), checksRevocation: app.onlineChecks, retention: app.retention)
    }
}

extension EventSettings {
    /// nil where the app has no webhooks.
    init?(_ app: AppConfiguration) {
        guard !app.webhooks.isEmpty else { return nil }
        let targets = app.webhooks.enumerated().map { index, webhook in
            WebhookTarget(
                id: WebhookTarget.name(index), url: WebhookTarget.shown(webhook.url), events: webhook.events,
                environments: webhook.environments)
        }
        self.init(targets: targets, render: eventBody, makeID: { "evt_" + Base64URL.encode(randomBytes(18)) })
    }
}

extension WebhookTarget {
    static func name(_ index: Int) -> String { "\(index)" }

    /// The URL as deliveries show it to every token: without a login and without what stands behind the path, which may be secrets.
    static func shown(_ url: String) -> String {
        guard var parts = URLComponents(string: url) else { return "?" }
        (parts.user, parts.password, parts.query, parts.fragment) = (nil, nil, nil, nil)
        return parts.string ?? "?"
    }

    /// The configured receivers of every app, by the names they have in the outbox.
    static func receivers(_ configuration: Configuration) -> [AppID: [String: WebhookReceiver]] {
        var receivers: [AppID: [String: WebhookReceiver]] = [:]
        for app in configuration.apps {
            for (index, webhook) in app.webhooks.enumerated() {
                receivers[app.id, default: [:]][name(index)] = WebhookReceiver(url: webhook.url, secret: webhook.secret)
            }
        }
        return receivers
    }
}

extension AlertTarget {
    /// One per receiver of each configured channel: one that fails repeats nothing for the others.
    static func targets(_ app: AppConfiguration) -> [AlertTarget] {
        app.alerts.enumerated().flatMap { index, alert in
            (0..<alert.channel.receiverCount).map {
                AlertTarget(id: name(index, receiver: $0), events: alert.events, environments: alert.environments)
            }
        }
    }

    /// By the place in the list, and among several receivers of one channel.
    static func name(_ index: Int, receiver: Int) -> String { receiver == 0 ? "\(index)" : "\(index).\(receiver)" }
}
