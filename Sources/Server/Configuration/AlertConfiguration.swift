import Domain
import Ingest

/// Who is told, of what, and how.
package struct AlertConfiguration: Hashable, Sendable {
    package enum Channel: Hashable, Sendable {
        case slack(url: String)
        case discord(url: String)
        case webhook(url: String)
        /// The URL holds the topic.
        case ntfy(url: String)
        case telegram(token: String, chatID: String, apiURL: String)
        /// `smtp` is a URL and may hold a password.
        case email(smtp: String, from: String, to: [String])
    }

    package var channel: Channel
    /// Amounts of money stay out of messages unless the owner wants them in.
    package var showAmounts: Bool
    package var environments: Set<Environment>
    package var events: Set<AlertEvent>

    package static let telegramURL = "https://api.telegram.org"
}

extension AlertConfiguration.Channel {
    /// How many are told over it, each with tries of their own.
    var receiverCount: Int { if case .email(_, _, let to) = self { to.count } else { 1 } }
}
