import Domain
import Foundation
import HTTPClient

/// How one place of the owner's is told.
package struct AlertChannel: Sendable {
    package enum Kind: Sendable {
        case slack(url: String)
        case discord(url: String)
        /// The URL holds the topic.
        case ntfy(url: String)
        case telegram(apiURL: String, token: String, chatID: String)
        case email(MailBox)
        case webhook(url: String)
    }
    /// One receiver of mail.
    package struct MailBox: Sendable {
        package var server: MailServer
        package var sender: String
        package var recipient: String
        /// Everyone who is told, for the mail's header: each gets a mail and tries of their own.
        package var everyone: [String]

        package init(server: MailServer, sender: String, recipient: String, everyone: [String]) {
            self.server = server
            self.sender = sender
            self.recipient = recipient
            self.everyone = everyone
        }
    }
    package var kind: Kind
    /// Amounts of money stay out unless the owner wants them in.
    package var showsAmounts: Bool
    /// Where the desk is seen from outside, without a slash at the end.
    package var publicURL: String
    /// Said in every message of a simulated instance.
    package var isSimulated: Bool

    package init(kind: Kind, showsAmounts: Bool, publicURL: String, isSimulated: Bool) {
        self.kind = kind
        self.showsAmounts = showsAmounts
        self.publicURL = publicURL
        self.isSimulated = isSimulated
    }
}

/// What leaves the machine for one alert.
enum AlertParcel: Sendable {
    case request(HTTPClientRequest)
    /// Its answer's body says whether it was done.
    case botCall(HTTPClientRequest)
    case mail(Mail)
}

extension AlertChannel {
    /// The message in the form that its service documents, within its limits.
    ///
    /// - Parameter identity: Names the alert for good: a mail that is sent twice carries it both times.
    func parcel(_ message: AlertMessage, identity: String, at now: Timestamp, allowsPrivateTargets: Bool) -> AlertParcel {
        switch kind {
        case .slack(let url): .request(post(url, SlackBody(message), allowsPrivateTargets))
        case .discord(let url): .request(post(url, DiscordBody(message), allowsPrivateTargets))
        case .telegram(let apiURL, let token, let chatID):
            .botCall(post("\(apiURL)/bot\(token)/sendMessage", TelegramBody(message, chatID: chatID), allowsPrivateTargets))
        case .webhook(let url): .request(post(url, WebhookAlertBody(message), allowsPrivateTargets))
        case .ntfy(let url):
            .request(
                HTTPClientRequest(
                    method: "POST", url: url, headers: ntfyHeaders(message),
                    body: Array(message.text.shortened(to: 4_096, in: .bytes).utf8),
                    allowsPrivateTargets: allowsPrivateTargets))
        case .email(let box):
            .mail(
                Mail(
                    server: box.server, sender: box.sender, recipient: box.recipient,
                    message: MailText(message, box: box, identity: identity, at: now).bytes, allowsPrivateTargets: allowsPrivateTargets))
        }
    }

    private func post(_ url: String, _ body: some Encodable, _ allowsPrivateTargets: Bool) -> HTTPClientRequest {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let json = try? encoder.encode(body) else { preconditionFailure("strings and integers always encode") }
        return HTTPClientRequest(
            method: "POST", url: url, headers: [(name: "Content-Type", value: "application/json")], body: Array(json),
            allowsPrivateTargets: allowsPrivateTargets)
    }

    /// - Source: ntfy, Publishing: headers that are not ASCII come as RFC 2047 writes them; priorities are 1 to 5.
    private func ntfyHeaders(_ message: AlertMessage) -> [(name: String, value: String)] {
        var headers = [
            (name: "Title", value: MailHeader.encode(message.title, separator: " ")),
            (name: "Content-Type", value: "text/plain; charset=utf-8"),
            (name: "Priority", value: message.isUrgent ? "4" : "3"),
            (name: "Tags", value: "\(message.isUrgent ? "warning" : "receipt"),\(message.event)"),
        ]
        if let url = message.url { headers.append((name: "Click", value: url)) }
        return headers
    }
}

/// - Source: Slack, Formatting text: `&`, `<` and `>` begin Slack's own marks. Text is best kept under 4,000 characters.
private struct SlackBody: Encodable {
    var text: String
    var mrkdwn = false

    init(_ message: AlertMessage) {
        text = message.text.shortened(to: 3_000, in: .utf16)
            .replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}

/// - Source: Discord, Execute Webhook: at most 2,000 characters; without `allowed_mentions` an `@everyone` in a name would ring everyone.
private struct DiscordBody: Encodable {
    struct Mentions: Encodable { var parse: [String] = [] }
    var content: String
    var allowed_mentions = Mentions()
    /// No preview of the link.
    var flags = 4

    init(_ message: AlertMessage) {
        let body = String(message.body.flatMap { "\\*~|`".contains($0) ? ["\\", $0] : [$0] })
        let tail = message.url.map { "\n\($0)" } ?? ""
        content = body.shortened(to: 2_000 - tail.utf16.count, in: .utf16) + tail
    }
}

/// - Source: Telegram Bot API, sendMessage: 1 to 4,096 characters; without `parse_mode` the text is taken as it is.
private struct TelegramBody: Encodable {
    struct Preview: Encodable { var is_disabled = true }
    var chat_id: String
    var text: String
    var link_preview_options = Preview()

    init(_ message: AlertMessage, chatID: String) {
        chat_id = chatID
        text = message.text.shortened(to: 4_096, in: .utf16)
    }
}

/// All members are always there.
private struct WebhookAlertBody: Encodable {
    private enum CodingKeys: String, CodingKey { case event, app, environment, transactionId, text, url }
    var message: AlertMessage

    init(_ message: AlertMessage) { self.message = message }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(message.event, forKey: .event)
        try container.encode(message.app, forKey: .app)
        try container.encode(message.environment, forKey: .environment)
        try container.encode(message.transactionID, forKey: .transactionId)
        try container.encode(message.text, forKey: .text)
        try container.encode(message.url, forKey: .url)
    }
}

extension String {
    enum Measure { case bytes, utf16 }

    /// The text, or its beginning and an ellipsis where it is longer than a service takes. Characters stay whole.
    func shortened(to limit: Int, in measure: Measure) -> String {
        guard (measure == .bytes ? utf8.count : utf16.count) > limit else { return self }
        var length = "…".utf8.count
        let kept = prefix { character in
            length += measure == .bytes ? character.utf8.count : character.utf16.count
            return length <= limit
        }
        return kept + "…"
    }
}
