import Domain
import Foundation
import Ingest

/// One alert in words.
struct AlertMessage: Sendable, Hashable {
    var event: String
    var app: String
    var environment: String
    var transactionID: String?
    /// One line.
    var title: String
    /// What happened, what it is about, until when, what to do. Begins with the title.
    var body: String
    /// Where to look.
    var url: String?
    /// Whether somebody has to act.
    var isUrgent: Bool

    var text: String { url.map { "\(body)\n\($0)" } ?? body }
}

extension AlertMessage {
    /// Puts a notice into words by what is known when it is sent.
    ///
    /// - Parameter file: The case it is about, where it is about one.
    init(_ notice: AlertNotice, app: AppSettings, ledger: Ledger, file: CaseFile?, channel: AlertChannel, at now: Timestamp) {
        event = notice.event.rawValue
        self.app = app.id.rawValue
        environment = ledger.environment.rawValue
        transactionID = notice.transactionID?.rawValue
        isUrgent = notice.event.isUrgent
        title = "\(channel.isSimulated ? "[simulated] " : "")\(notice.event.title): \(app.name), \(ledger.environment.rawValue)"
        url = notice.transactionID.map { "\(channel.publicURL)/apps/\(app.id)/cases/\($0)" }
        var lines = [title]
        if let file {
            let text = CaseAlertText(file: file, notice: notice, showsAmounts: channel.showsAmounts, now: now)
            lines += text.subject + text.situation
        }
        if let detail = notice.detail { lines.append(detail) }
        lines += AlertAdvice(notice: notice, app: app, file: file).lines
        body = lines.joined(separator: "\n")
    }
}

extension AlertEvent {
    var title: String {
        switch self {
        case .request: "Refund requested"
        case .secondAsk: "Refund requested again"
        case .deadlineNear: "Half the time to answer is gone"
        case .answerFailed: "Apple refused the answer"
        case .answerExpired: "The time to answer ran out"
        case .decision: "Answered"
        case .spike: "Unusually many refund requests"
        case .silence: "Notifications do not arrive as usual"
        case .keyRejected: "Apple rejected the API key"
        case .unknown: "A notification this version does not know"
        case .quarantined: "A signed message was set aside"
        case .disk: "The disk is nearly full"
        }
    }

    fileprivate var isUrgent: Bool {
        switch self {
        case .deadlineNear, .answerFailed, .answerExpired, .spike, .silence, .keyRejected, .disk: true
        case .request, .secondAsk, .decision, .unknown, .quarantined: false
        }
    }
}

/// An instant as people read it.
func clockText(_ instant: Timestamp) -> String {
    let text = Date(timeIntervalSince1970: Double(instant.milliseconds) / 1_000).formatted(.iso8601)
    return text.prefix(16).replacing("T", with: " ") + " UTC"
}
