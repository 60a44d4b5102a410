import Domain
import Foundation

enum WebhookKey: String, ConfigurationKey { case url, secret, events, environments }

enum ForwardKey: String, ConfigurationKey { case url }

/// The types of event that can be subscribed to. Receivers treat the set as open; the desk knows all it sends.
private enum WebhookEventType: String, CaseIterable {
    case refundRequested = "refund.requested"
    case refundAnswered = "refund.answered"
    case refundUnanswered = "refund.unanswered"
    case refundGranted = "refund.granted"
    case refundDeclined = "refund.declined"
    case refundReversed = "refund.reversed"
    case accessGranted = "access.granted"
    case accessRevoked = "access.revoked"
    case accessChanged = "access.changed"
    case commitmentStarted = "commitment.started"
    case commitmentEnding = "commitment.ending"
    case commitmentEnded = "commitment.ended"
    case seatsChanged = "seats.changed"
    case notificationReceived = "notification.received"
}

extension ConfigurationPlace {
    func webhook(environments all: Set<Environment>) -> WebhookConfiguration? {
        guard let webhook = object(WebhookKey.self) else { return nil }
        let url = webhook.required(.url, "where events are posted to")?.url("https", "http")
        let secret = webhook.required(.secret, "whsec_ and a key in base64, which the receiver knows too")?.signingKey()
        let events = webhook[.events]?.eventTypes() ?? ["*"]
        let environments = webhook[.environments]?.channelEnvironments(of: all) ?? all
        guard let url, let secret else { return nil }
        return WebhookConfiguration(url: url, secret: secret, events: events, environments: environments)
    }

    func forward() -> ForwardConfiguration? {
        guard let forward = object(ForwardKey.self) else { return nil }
        guard let place = forward.required(.url, "where Apple's notifications go on to"), let url = place.url("https", "http") else {
            return nil
        }
        let configuration = ForwardConfiguration(url: url)
        if configuration.isRevenueCat { place.warn(ForwardConfiguration.revenueCatWarning) }
        return configuration
    }

    /// Those of the app's environments that a channel hears of.
    func channelEnvironments(of all: Set<Environment>) -> Set<Environment>? {
        guard let chosen = words(Environment.self) else { return nil }
        for environment in chosen.subtracting(all).map(\.rawValue).sorted() {
            warn("nothing of \(environment) will come: it is not among the app's environments")
        }
        return chosen
    }

    /// - Source: Standard Webhooks 1.0: a symmetric secret holds 24 to 64 bytes.
    private func signingKey() -> [UInt8]? {
        guard let text = text() else { return nil }
        let prefix = "whsec_"
        guard text.hasPrefix(prefix), let key = Data(base64Encoded: String(text.dropFirst(prefix.count))), (24...64).contains(key.count)
        else {
            return refused("whsec_ and 24 to 64 random bytes in base64 are expected: `openssl rand -base64 32` makes such a key")
        }
        return Array(key)
    }

    private func eventTypes() -> [String]? {
        guard let places = list() else { return nil }
        guard !places.isEmpty else { return refused("the list is empty: write [\"*\"] for all events") }
        return places.compactMap { $0.eventType() }
    }

    private func eventType() -> String? {
        guard let text = text() else { return nil }
        let known = WebhookEventType.allCases.map(\.rawValue)
        let pattern = PolicyPattern(text: text)
        if known.contains(where: { pattern.matches(.text($0)) }) { return text }
        return refused("no event is called \"\(text.prefix(40))\": \(NearestWord.advice(for: text, among: known))")
    }
}
