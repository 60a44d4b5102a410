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
        case webhook(url: String)
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

    /// The request that tells it, in the form each service documents.
    func request(_ message: AlertMessage, allowsPrivateTargets: Bool) -> HTTPClientRequest {
        let text = (isSimulated ? "[simulated] " : "") + message.text
        switch kind {
        case .slack(let url): return post(url, ["text": text], allowsPrivateTargets)
        case .discord(let url): return post(url, ["content": String(text.prefix(2_000))], allowsPrivateTargets)
        case .telegram(let apiURL, let token, let chatID):
            return post("\(apiURL)/bot\(token)/sendMessage", ["chat_id": chatID, "text": String(text.prefix(4_096))], allowsPrivateTargets)
        case .ntfy(let url):
            return HTTPClientRequest(
                method: "POST", url: url,
                headers: [(name: "Title", value: message.title), (name: "Content-Type", value: "text/plain; charset=utf-8")],
                body: Array(text.utf8), allowsPrivateTargets: allowsPrivateTargets)
        case .webhook(let url):
            return post(
                url,
                [
                    "event": message.event, "app": message.app, "environment": message.environment,
                    "transactionId": message.transactionID, "text": text, "url": message.url,
                ], allowsPrivateTargets)
        }
    }

    private func post(_ url: String, _ fields: [String: String?], _ allowsPrivateTargets: Bool) -> HTTPClientRequest {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Encoding a dictionary of strings cannot fail.
        let body = (try? encoder.encode(fields)).map(Array.init) ?? []
        return HTTPClientRequest(
            method: "POST", url: url, headers: [(name: "Content-Type", value: "application/json")], body: body,
            allowsPrivateTargets: allowsPrivateTargets)
    }
}

/// One alert in words.
struct AlertMessage: Sendable, Hashable {
    var event: String
    var app: String
    var environment: String
    var transactionID: String?
    /// ASCII, one line.
    var title: String
    var text: String
    var url: String?
}
