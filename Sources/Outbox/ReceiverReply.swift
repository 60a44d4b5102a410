import AppStore
import Domain
import Foundation
import HTTPClient

/// What a receiver of the owner's made of a message.
struct ReceiverReply: Sendable, Hashable {
    /// HTTP's status or the mail server's code; nil where none came.
    var status: Int?
    /// What went wrong; nil where it took the message. Holds no secret.
    var error: String?
    /// Whether no repeat can succeed.
    var isFinal = false
    /// When the receiver asked to be tried again.
    var notBefore: Timestamp?
}

extension ReceiverReply {
    /// How long a receiver may put the desk off at one go.
    private static let longestWait = Span.days(1)

    init(_ error: HTTPClientError) { self.init(error: error.message) }

    /// Any 2yz is success. Where there are too many messages, services say how long to wait: in the header, Discord and Telegram in the
    /// body as well.
    ///
    /// - Source: RFC 9110, 10.2.3; Discord, Rate Limits; Telegram Bot API, ResponseParameters.
    ///
    /// - Parameter readsVerdict: Whether a body `{"ok": false}` is a refusal whatever the status, as Telegram's is.
    init(_ response: HTTPClientResponse, at now: Timestamp, readsVerdict: Bool = false) {
        let body = try? JSONDecoder().decode(ServiceAnswer.self, from: Data(response.body))
        status = response.status
        if (200..<300).contains(response.status), !readsVerdict || body?.ok != false { return }
        error = "the receiver answered \(response.status)"
        let asked = response.header("Retry-After").flatMap { RetryAfter.instant($0, at: now) }
        let said = (body?.parameters?.retry_after ?? body?.retry_after).flatMap(Span.init(seconds:)).map { now + $0 }
        notBefore = [asked, said].compactMap(\.self).max().map { min($0, now + ReceiverReply.longestWait) }
    }

    /// - Source: RFC 5321, 4.2.1: 4yz may pass, 5yz will not.
    init(mailReply reply: Int, words: String) {
        status = reply
        guard reply >= 300 else { return }
        error = "the mail server answered \(reply)\(words.isEmpty ? "" : ": \(words.prefix(200))")"
        isFinal = reply >= 500
    }
}

/// What services answer in JSON, as far as it matters here.
private struct ServiceAnswer: Decodable {
    struct Parameters: Decodable { var retry_after: Double? }
    var ok: Bool?
    var retry_after: Double?
    var parameters: Parameters?
}

extension Span {
    /// nil for what is no length of time.
    fileprivate init?(seconds: Double) {
        guard seconds.isFinite, (0...1e9).contains(seconds) else { return nil }
        self.init(milliseconds: Int64((seconds * 1_000).rounded(.up)))
    }
}
