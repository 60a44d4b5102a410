import Domain
import Ingest

/// What an alert says of its case.
struct CaseAlertText {
    let file: CaseFile
    let notice: AlertNotice
    let showsAmounts: Bool
    let now: Timestamp

    private var round: Round? { notice.anchor.flatMap(file.round(of:)) }

    /// What was bought, and what the customer says.
    var subject: [String] {
        var lines: [String] = []
        if let transaction = file.purchase?.transaction {
            var what = "\(transaction.productID) (\(transaction.rawType)), transaction \(transaction.transactionID)"
            if showsAmounts, let money = transaction.money { what += ", \(CaseAlertText.amount(money))" }
            lines.append(what)
        }
        guard let round else { return lines }
        let ask = round.number == 1 ? "First ask" : "Ask \(round.number), after \(round.number - 1) before"
        lines.append("\(ask); reason: \(round.rawReason ?? "not given")")
        return lines
    }

    /// How it stands, and until when.
    var situation: [String] {
        guard let round else { return [] }
        let decision = file.decision(of: round)?.decision
        var lines = decision.map { [describe($0)] } ?? []
        switch notice.event {
        case .answerFailed, .answerExpired, .deadlineNear:
            if let attempt = file.attempts(of: round).last {
                lines.append("Last try \(clockText(attempt.at)): \(attempt.error ?? "no error")")
            }
        default: break
        }
        lines.append(window(round))
        return lines
    }

    private func window(_ round: Round) -> String {
        if let outcome = round.outcome { return "Apple decided: \(outcome.kind.rawValue), \(clockText(outcome.at))" }
        return now < round.deadline
            ? "Apple takes an answer until \(clockText(round.deadline))" : "The window closed \(clockText(round.deadline))"
    }

    private func describe(_ decision: Decision) -> String {
        let rule = decision.rule.map { " (rule: \($0))" } ?? ""
        let reasons = decision.because.map(\.rawValue).joined(separator: ", ")
        return switch decision.kind {
        case .answer: "The desk's answer: \(decision.preference?.rawValue ?? "data only, no preference")\(rule)"
        case .hold: "Held for a person to decide\(decision.holdUntil.map { " until \(clockText($0))" } ?? "")\(rule)"
        case .abstain: "No answer is sent: \(reasons.isEmpty ? "as decided" : reasons)\(rule)"
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

/// What the owner can do about it.
struct AlertAdvice {
    let notice: AlertNotice
    let app: AppSettings
    let file: CaseFile?

    var lines: [String] {
        switch notice.event {
        case .request, .secondAsk, .deadlineNear: openCase.map { ["To do: \($0)"] } ?? []
        case .answerFailed: ["To do: mend what Apple names; while the window is open, \(byHand) sends a new answer."]
        case .answerExpired:
            ["Nothing more can be sent: Apple decides without it. If Apple was not reachable, `refund-desk doctor` finds why."]
        case .decision: ["Nothing to do: Apple took the answer and decides."]
        case .spike:
            [
                "To do: look for a cause on your side, such as an outage, a misleading offer or a wave of fraud. "
                    + "App Review Guideline 5.6.4 counts excessive refund requests as a sign of lost customer trust."
            ]
        case .silence:
            [
                "To do: `refund-desk doctor --app \(app.id)` sends a test notification; check the URLs in App Store Connect, DNS and the certificate."
            ]
        case .keyRejected:
            [
                "To do: `refund-desk doctor --app \(app.id)` tells key from clock. The desk goes on trying while windows are open, so a mended key "
                    + "still answers."
            ]
        case .unknown: ["It is kept and forwarded, and changes no access. To do: look for a newer version of Refund Desk."]
        case .quarantined:
            [
                "It is kept, and not applied. To do: GET /v1/apps/\(app.id)/notifications?result=quarantined&environment=all lists such messages."
            ]
        case .disk:
            ["To do: free space or enlarge the disk. Once it is full, nothing is acknowledged, and Apple sends again only for days."]
        }
    }

    private var byHand: String { "POST /v1/apps/\(app.id)/cases/\(notice.transactionID?.rawValue ?? "…")/answer" }

    private var openCase: String? {
        guard let file, let round = notice.anchor.flatMap(file.round(of:)), round.outcome == nil else { return nil }
        guard let decision = file.decision(of: round)?.decision else { return nil }
        switch decision.kind {
        case .hold: return "decide with \(byHand) or …/abstain; without you, the rule's `otherwise` is done."
        case .abstain where decision.isMendable:
            return "record what is missing (\(decision.because.map(\.rawValue).joined(separator: ", "))): the answer then goes at once."
        case .answer where notice.event == .deadlineNear:
            return "see the last try; `refund-desk doctor --app \(app.id)` finds what is in the way."
        case .answer, .abstain: return "nothing, unless you want another answer."
        }
    }
}
