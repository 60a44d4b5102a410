import Domain
import Ingest
import Store

extension PageFrame {
    /// One round: what was decided and why, the bytes that were sent, and every try.
    func round(_ round: Round, _ file: CaseFile) -> Node {
        let decision = file.decision(of: round)?.decision
        let id = "round-\(round.number)"
        return el(
            "section", [.class("card"), Attribute("aria-labelledby", id)],
            el("h2", [.id(id)], .text(texts(.roundNumber, ["n": "\(round.number)"]))),
            facts(
                fact(.requested, instant(round.requestedAt)), fact(.deadline, instant(round.deadline)),
                fact(.reason, reason(round.rawReason)),
                fact(.outcome, outcome(round)), fact(.decisionTitle, verdict(of: round, file)),
                fact(.periodThen, decision?.isCurrentPeriod.map { .text(texts[$0 ? .periodCurrent : .periodPast]) })),
            decision.flatMap { warnings($0) }, decision.flatMap { trace($0) }, answer(round, file))
    }

    private func outcome(_ round: Round) -> Node {
        guard let outcome = round.outcome else {
            return .text(texts[now < round.deadline ? .outcomeOpen : .outcomeUnknown])
        }
        return .group([
            badge(texts[outcome.kind == .refunded ? .stateRefunded : .stateDeclined], outcome.kind == .refunded ? "bad" : "good"),
            .text(" "), instant(outcome.at),
        ])
    }

    private func warnings(_ decision: Decision) -> Node? {
        guard !decision.warnings.isEmpty else { return nil }
        return el(
            "ul", [.class("notice warn")],
            .group(decision.warnings.map { el("li", [], el("strong", [], .text($0.guideline)), .text(" "), .text(texts[$0.phrase])) }))
    }

    /// The rules that were tried, in order, with the condition each failed on.
    private func trace(_ decision: Decision) -> Node? {
        guard !decision.trace.isEmpty else { return nil }
        return el(
            "div", [.class("trace")], el("h3", [], .text(texts[.traceTitle])),
            el(
                "ol", [],
                .group(
                    decision.trace.map { step in
                        el(
                            "li", [step.matched ? .class("matched") : nil], el("strong", [], el("bdi", [], .text(step.rule))), .text(" "),
                            step.matched
                                ? badge(texts[.traceMatched], "good")
                                : step.failedOn.map { .group([.text(texts[.traceFailedOn]), .text(" "), code($0)]) })
                    })))
    }

    private func answer(_ round: Round, _ file: CaseFile) -> Node? {
        let attempts = file.attempts(of: round)
        let answer = file.answer(of: round)
        guard answer?.body != nil || !attempts.isEmpty else { return nil }
        let rows = attempts.map { attempt in
            [
                instant(attempt.at), .text(attempt.httpStatus.map { "\($0)" } ?? "–"), .text(attempt.errorCode.map { "\($0)" } ?? "–"),
                attempt.error.map { el("span", [.lang("en")], .text($0)) } ?? .text(attempt.httpStatus == 202 ? texts[.attemptTaken] : "–"),
            ]
        }
        return el(
            "div", [.class("sent")],
            answer?.body.map { body in
                .group([
                    el("h3", [], .text(texts[.bodySent])), el("pre", [Attribute("tabindex", "0"), .label(texts[.bodySent])], .text(body)),
                    answer?.percentageSource.map {
                        el("p", [.class("muted small")], .text(texts[$0 == .usage ? .fromUsage : .fromTime]))
                    } ?? .nothing,
                ])
            }, rows.isEmpty ? nil : table(.attemptsTable, columns: [.when, .httpStatus, .appleCode, .result], rows: rows))
    }
}

extension PageFrame {
    /// Both sides in order of time: the customer and Apple on one, the desk on the other.
    func timeline(_ timeline: CaseTimeline) -> Node {
        section(
            .timeline, id: "timeline", class: "card timeline",
            el(
                "ol", [],
                .group(
                    timeline.items.map { item in
                        el(
                            "li", [.class(item.side.rawValue)], el("span", [.class("who")], .text(texts[item.side.phrase])),
                            el("div", [.class("event")], words(item.happening)), instant(item.at))
                    })))
    }

    private func words(_ happening: CaseTimeline.Happening) -> Node {
        switch happening {
        case .bought: .text(texts[.eventBought])
        case .requested(let raw): .group([.text(texts[.eventRequested]), .text(" · "), reason(raw)])
        case .refunded(let revocation):
            .text([texts[.eventRefunded], revocation?.percentage.map { texts.percentage($0) }].compactMap(\.self).joined(separator: " · "))
        case .seatsRefunded(let seats): .text("\(texts[.eventRefunded]) · \(texts(.seats, Int(seats)))")
        case .declined: .text(texts[.eventDeclined])
        case .reversed: .text(texts[.eventReversed])
        case .consented(let fact):
            .group([.text(texts[fact.consented ? .eventConsented : .eventNotConsented]), .text(" · "), el("bdi", [], .text(fact.source))])
        case .delivery(let status): .group([.text(texts[.eventDelivery]), .text(" · "), .text(texts[status.phrase])])
        case .decided(let decision): decided(decision)
        case .attempted(let attempt):
            .text(
                attempt.httpStatus == 202
                    ? texts[.eventAnswered] : texts(.eventTried, ["status": attempt.httpStatus.map { "\($0)" } ?? "–"]))
        case .windowClosed: .text(texts[.windowClosed])
        }
    }

    private func decided(_ decision: Decision) -> Node {
        switch decision.kind {
        case .answer: .group([.text(texts[.eventDecided]), .text(" · "), .text(texts[decision.preference.phrase])])
        case .hold: .group([.text(texts[.held]), .text(" · "), .text(decision.rule.map { named(rule: $0) } ?? "")])
        case .abstain: .group([.text(texts[.nothingSent]), .text(" · "), because(decision.because)])
        }
    }
}

extension CaseTimeline.Side {
    fileprivate var phrase: Phrase {
        switch self {
        case .customer: .customer
        case .apple: .apple
        case .desk: .desk
        }
    }
}
