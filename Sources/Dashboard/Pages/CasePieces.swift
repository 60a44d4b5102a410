import Domain
import Ingest
import Store

/// What the queue, the lists and the case's own page say of a case in the same way.
extension PageFrame {
    func product(_ file: CaseFile) -> Node {
        guard let product = file.purchase?.transaction.productID else { return .text(texts[.unknownProduct]) }
        return el("bdi", [], .text(product.rawValue))
    }

    /// In words, with Apple's own beside them where that is one we do not know.
    func reason(_ raw: String?) -> Node {
        guard let raw else { return .text(texts[.reasonNotGiven]) }
        guard let reason = ConsumptionRequestReason(rawValue: raw) else { return code(raw) }
        return el("span", [.title(raw)], .text(texts[reason.phrase]))
    }

    /// `Month 5 of 12`, and whether it is the running one; nil for what has no periods.
    func period(of file: CaseFile) -> String? {
        guard let transaction = file.purchase?.transaction, transaction.isAutoRenewable else { return nil }
        let isCurrent = file.isCurrentPeriod(at: now) ?? false
        let standing = texts[isCurrent ? .periodCurrent : .periodPast]
        guard let number = transaction.commitment?.billingPeriodNumber, let total = transaction.commitment?.totalBillingPeriods else {
            return standing
        }
        return texts(.periodOf, ["n": "\(number)", "total": "\(total)"]) + " · " + standing
    }

    /// What was sent, is to be sent, or why nothing is.
    func verdict(of round: Round, _ file: CaseFile) -> Node {
        let decision = file.decision(of: round)?.decision
        let answer = file.answer(of: round)
        guard let decision else { return el("p", [], .text(texts[.undecided])) }
        switch decision.kind {
        case .hold:
            return el(
                "p", [], badge(texts[.held], "warn"), .text(" "),
                decision.holdUntil.map { .group([.text(texts[.heldUntil]), .text(" "), countdown($0, class: "inline")]) })
        case .abstain:
            return el(
                "p", [], badge(texts[.nothingSent], decision.isMendable ? "warn" : "quiet"), .text(" "), because(decision.because),
                answer.flatMap {
                    $0.status == .cancelled ? .group([.text(" · "), .text(texts[AnswerRecord.Status.cancelled.phrase])]) : nil
                })
        case .answer:
            return el(
                "p", [], answer.map { badge(texts[$0.status.phrase], $0.status.badgeClass) }, .text(" "),
                el("strong", [], .text(texts[decision.preference.phrase])), ruleName(decision),
                decision.because.isEmpty ? nil : .group([.text(" · "), because(decision.because)]))
        }
    }

    func because(_ codes: [Because]) -> Node {
        .group(
            codes.enumerated().map { index, code in
                .group([.text(index == 0 ? "" : "; "), el("span", [.title(code.rawValue)], .text(texts[code.phrase]))])
            })
    }

    private func ruleName(_ decision: Decision) -> Node? {
        decision.rule.map { rule in
            let isOwners = ![Policy.defaultName, "override", Decision.byPerson].contains(rule)
            return .group([.text(" · "), .text(isOwners ? "\(texts[.rule]) " : ""), el("bdi", [], .text(named(rule: rule)))])
        }
    }

    /// Rules have the owner's own names; those that are none of the owner's are put into words.
    func named(rule: String) -> String {
        switch rule {
        case Policy.defaultName: texts[.ruleDefault]
        case "override": texts[.ruleOverride]
        case Decision.byPerson: texts[.rulePerson]
        default: texts.quoted(rule)
        }
    }

    /// The buttons of a case that a person may decide; nil where there is nothing to choose.
    func choices(_ outlook: CaseOutlook, _ id: TransactionID, back: Link) -> Node? {
        guard visit.session?.mayAct == true else { return nil }
        let all = outlook.choices.map { PersonChoice($0) } + (outlook.mayAbstain ? [.abstain] : [])
        guard !all.isEmpty else { return nil }
        return form(
            link("cases", id.rawValue, "decision"), class: "choices", back: back,
            el("span", [.class("sr")], .text(texts[.decide])),
            .group(
                all.map { choice in
                    el(
                        "button",
                        [
                            .class("button choice \(choice.rawValue.lowercased())"), .name("choice"), .value(choice.rawValue),
                            .title(choice.rawValue),
                        ],
                        .text(texts[choice.phrase]))
                }))
    }

    func state(_ state: RefundCase.State) -> Node { badge(texts[state.phrase], state.badgeClass) }
}
