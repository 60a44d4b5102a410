import Domain
import Ingest

extension AlertMessage {
    /// Puts a notice into words by what is known when it is sent.
    ///
    /// - Parameter file: The case it is about, where it is about one.
    init(_ notice: AlertNotice, app: AppSettings, ledger: Ledger, file: CaseFile?, channel: AlertChannel) {
        event = notice.event.rawValue
        self.app = app.id.rawValue
        environment = ledger.environment.rawValue
        transactionID = notice.transactionID?.rawValue
        title = AlertMessage.title(notice.event)
        url = notice.transactionID.map { "\(channel.publicURL)/apps/\(app.id)/cases/\($0)" }
        var lines = ["\(title): \(app.name), \(environment)"]
        if let file { lines += AlertMessage.describe(file, notice, showsAmounts: channel.showsAmounts) }
        if let detail = notice.detail { lines.append(detail) }
        if let url { lines.append(url) }
        text = lines.joined(separator: "\n")
    }

    private static func title(_ event: AlertEvent) -> String {
        switch event {
        case .request: "Refund requested"
        case .secondAsk: "Refund requested again"
        case .deadlineNear: "Half the time to answer is gone"
        case .answerFailed: "Apple refused the answer"
        case .answerExpired: "The time to answer ran out"
        case .decision: "Answered"
        case .spike: "Unusually many refund requests"
        case .silence: "No notifications for unusually long"
        case .keyRejected: "Apple rejected the API key"
        case .unknown: "A notification this version does not know"
        case .quarantined: "A signed message was set aside"
        case .disk: "The disk is nearly full"
        }
    }

    private static func describe(_ file: CaseFile, _ notice: AlertNotice, showsAmounts: Bool) -> [String] {
        var lines: [String] = []
        if let transaction = file.purchase?.transaction {
            var what = "\(transaction.productID), transaction \(transaction.transactionID)"
            if showsAmounts, let money = transaction.money { what += ", \(amount(money))" }
            lines.append(what)
        }
        guard let round = notice.anchor.flatMap(file.round(of:)) else { return lines }
        lines.append("Reason: \(round.rawReason ?? "not given"); round \(round.number)")
        if let decision = file.decision(of: round)?.decision { lines.append(describe(decision)) }
        if notice.event == .answerFailed || notice.event == .answerExpired, let error = file.attempts(of: round).last?.error {
            lines.append(error)
        }
        return lines
    }

    private static func describe(_ decision: Decision) -> String {
        switch decision.kind {
        case .answer: "Answer: \(decision.preference?.rawValue ?? "data only") (\(decision.rule ?? "default"))"
        case .hold: "Held for a person to decide"
        case .abstain: "No answer: \(decision.because.map(\.rawValue).joined(separator: ", "))"
        }
    }

    /// Milliunits as a decimal number with the currency's code.
    private static func amount(_ money: Money) -> String {
        let magnitude = money.amount.magnitude
        let fraction = String(1_000 + magnitude % 1_000).dropFirst()
        let digits = fraction.hasSuffix("0") ? fraction.dropLast() : fraction
        return "\(money.amount < 0 ? "-" : "")\(magnitude / 1_000).\(digits) \(money.currency)"
    }
}
