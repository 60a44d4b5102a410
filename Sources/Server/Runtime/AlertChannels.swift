import Domain
import Ingest
import Outbox

/// The configured channels of every app, by the names that alert targets have in the outbox.
struct AlertChannels {
    let byTarget: [AppID: [String: AlertChannel]]

    init(_ configuration: Configuration) {
        var byTarget: [AppID: [String: AlertChannel]] = [:]
        for app in configuration.apps {
            for (index, alert) in app.alerts.enumerated() {
                guard let kind = AlertChannels.kind(alert.channel) else { continue }
                byTarget[app.id, default: [:]][AlertTarget.name(index)] = AlertChannel(
                    kind: kind, showsAmounts: alert.showAmounts, publicURL: configuration.publicURL, isSimulated: configuration.simulated)
            }
        }
        self.byTarget = byTarget
    }

    private static func kind(_ channel: AlertConfiguration.Channel) -> AlertChannel.Kind? {
        switch channel {
        case .slack(let url): .slack(url: url)
        case .discord(let url): .discord(url: url)
        case .webhook(let url): .webhook(url: url)
        case .ntfy(let url): .ntfy(url: url)
        case .telegram(let token, let chatID, let apiURL): .telegram(apiURL: apiURL, token: token, chatID: chatID)
        case .email: nil
        }
    }
}
