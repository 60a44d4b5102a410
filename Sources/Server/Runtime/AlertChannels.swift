import Domain
import HTTPClient
import Ingest
import Outbox

/// The configured channels of every app, by the names that alert targets have in the outbox.
struct AlertChannels {
    let byTarget: [AppID: [String: AlertChannel]]

    /// - Throws: ``DeskFault`` where a mail server cannot be used.
    init(_ configuration: Configuration) throws(DeskFault) {
        var byTarget: [AppID: [String: AlertChannel]] = [:]
        for app in configuration.apps {
            for (index, alert) in app.alerts.enumerated() {
                let kinds = try AlertChannels.kinds(alert.channel, of: app.id, index)
                for (receiver, kind) in kinds.enumerated() {
                    byTarget[app.id, default: [:]][AlertTarget.name(index, receiver: receiver)] = AlertChannel(
                        kind: kind, showsAmounts: alert.showAmounts, publicURL: configuration.publicURL,
                        isSimulated: configuration.simulated)
                }
            }
        }
        self.byTarget = byTarget
    }

    /// One for each receiver; only mail has several.
    private static func kinds(
        _ channel: AlertConfiguration.Channel, of app: AppID, _ index: Int
    ) throws(DeskFault) -> [AlertChannel.Kind] {
        switch channel {
        case .slack(let url): return [.slack(url: url)]
        case .discord(let url): return [.discord(url: url)]
        case .webhook(let url): return [.webhook(url: url)]
        case .ntfy(let url): return [.ntfy(url: url)]
        case .telegram(let token, let chatID, let apiURL): return [.telegram(apiURL: apiURL, token: token, chatID: chatID)]
        case .email(let smtp, let from, let to):
            do {
                let server = try MailServer(url: smtp)
                return to.map { .email(AlertChannel.MailBox(server: server, sender: from, recipient: $0, everyone: to)) }
            } catch { throw DeskFault("apps[\(app)].alerts[\(index)].smtp: \(error.message)") }
        }
    }
}
