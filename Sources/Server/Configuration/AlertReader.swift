import Domain
import HTTPClient
import Ingest

enum AlertKey: String, ConfigurationKey {
    case kind, url, token, chatId, smtp, from, to, showAmounts, environments, events
}

private enum AlertKind: String, CaseIterable {
    case slack, discord, telegram, ntfy, email, webhook

    /// The keys that say where to, beside those that every kind has.
    var addressKeys: [AlertKey] {
        switch self {
        case .slack, .discord, .ntfy, .webhook: [.url]
        case .telegram: [.token, .chatId, .url]
        case .email: [.smtp, .from, .to]
        }
    }
}

extension ConfigurationPlace {
    func alert(environments all: Set<Environment>, simulated: Bool) -> AlertConfiguration? {
        guard let alert = object(AlertKey.self) else { return nil }
        let showAmounts = alert[.showAmounts]?.bool() ?? false
        let environments = alert[.environments]?.channelEnvironments(of: all) ?? all
        let events = alert[.events]?.words(AlertEvent.self) ?? AlertEvent.usual
        let kinds = AlertKind.allCases.map(\.rawValue).joined(separator: ", ")
        guard let kind = alert.required(.kind, "one of \(kinds)")?.word(AlertKind.self) else { return nil }
        noteStrayKeys(of: kind, in: alert)
        guard let channel = channel(kind, alert, simulated: simulated) else { return nil }
        return AlertConfiguration(channel: channel, showAmounts: showAmounts, environments: environments, events: events)
    }

    private func noteStrayKeys(of kind: AlertKind, in alert: ConfigurationObject<AlertKey>) {
        let stray = Set(AlertKind.allCases.flatMap(\.addressKeys)).subtracting(kind.addressKeys)
        for key in AlertKey.allCases where stray.contains(key) {
            let expected = kind.addressKeys.map(\.rawValue).joined(separator: ", ")
            alert[key]?.mistake("\"\(key.rawValue)\" has no meaning for the kind \(kind.rawValue), which takes \(expected)")
        }
    }

    private func channel(_ kind: AlertKind, _ alert: ConfigurationObject<AlertKey>, simulated: Bool) -> AlertConfiguration.Channel? {
        switch kind {
        case .slack: alert.address().map { .slack(url: $0) }
        case .discord: alert.address().map { .discord(url: $0) }
        case .ntfy: alert.address().map { .ntfy(url: $0) }
        case .webhook: alert.address().map { .webhook(url: $0) }
        case .telegram: telegram(alert, simulated: simulated)
        case .email: email(alert)
        }
    }

    private func telegram(_ alert: ConfigurationObject<AlertKey>, simulated: Bool) -> AlertConfiguration.Channel? {
        let token = alert.required(.token, "the bot's token, best as \"${NAME}\"")?.filledText()
        let chat = alert.required(.chatId, "the chat to write to")?.filledText()
        let url = alert[.url].map { $0.baseURL() } ?? AlertConfiguration.telegramURL
        if !simulated { alert[.url]?.mistake("the API's address can be replaced only where the instance says simulated: true") }
        guard let token, let chat, let url else { return nil }
        return .telegram(token: token, chatID: chat, apiURL: url)
    }

    private func email(_ alert: ConfigurationObject<AlertKey>) -> AlertConfiguration.Channel? {
        let smtp = alert.required(.smtp, "\"smtp://user:password@host:587\"")?.url("smtp", "smtps")
        let from = alert.required(.from, "the sender's address")?.mailAddress()
        let to = alert.required(.to, "the receiver's address, or several in a list or between commas")?.mailAddresses()
        guard let smtp, let from, let to else { return nil }
        guard (try? MailServer(url: smtp)) != nil else {
            alert[.smtp]?.mistake(
                "smtp://user:password@host:587 is expected; what is special in URLs is percent-encoded in user and password")
            return nil
        }
        return .email(smtp: smtp, from: from, to: to)
    }

    private func mailAddresses() -> [String]? {
        guard case .array = node.value else {
            guard let text = text() else { return nil }
            return addresses(text.split(separator: ",", omittingEmptySubsequences: false).map { $0.trimmingPrefix(" ") }.map(String.init))
        }
        guard let places = list(), !places.isEmpty else { return refused("the list is empty: name at least one address") }
        return places.compactMap { $0.mailAddress() }
    }

    private func addresses(_ texts: [String]) -> [String]? {
        var found: [String] = []
        for text in texts {
            guard let address = mailAddress(text) else { return nil }
            found.append(address)
        }
        return found
    }

    private func mailAddress() -> String? { text().flatMap(mailAddress) }

    private func mailAddress(_ text: String) -> String? {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        let isPlain =
            parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
            && !text.contains { $0.isWhitespace || !$0.isASCII || "<>,\"".contains($0) }
            && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
        return isPlain ? text : refused("an address such as alerts@example.com is expected")
    }
}

extension ConfigurationObject<AlertKey> {
    fileprivate func address() -> String? { required(.url, "where the messages are posted to")?.url("https", "http") }
}
