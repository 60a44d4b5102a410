import Domain
import Ingest

extension PageFrame {
    func policy(_ policy: Policy, _ model: PolicyModel) -> Node {
        page(
            texts[.policy], current: .policy, heading(texts[.policy], .policyIntro), rules(policy, model.current), draftSection(model),
            model.draft.flatMap { remarks($0) }, model.trial.map { trial($0) })
    }

    private func rules(_ policy: Policy, _ report: PolicyTrialReport) -> Node {
        let counts = Dictionary(report.rules.map { ($0.name, $0) }) { first, _ in first }
        let all = max(report.customers.count, 1)
        let rules = policy.rules.map { (name: $0.name, conditions: $0.conditions.map(\.text), outcome: $0.outcome) }
        let rest = (name: Policy.defaultName, conditions: [String](), outcome: policy.default)
        return section(
            .rulesTitle, id: "rules", el("p", [.class("muted small")], basis(report)),
            el(
                "ol", [.class("rules")],
                .group(
                    (rules + [rest]).map { rule in
                        let count = counts[rule.name]
                        let share = (count?.customers.count ?? 0) * 100_000 / all
                        return el(
                            "li", [],
                            el(
                                "div", [.class("rule")], el("strong", [], el("bdi", [], .text(named(rule: rule.name)))),
                                el(
                                    "p", [],
                                    rule.conditions.isEmpty
                                        ? .text(texts[rule.name == Policy.defaultName ? .whenNoRule : .whenAlways])
                                        : .group(rule.conditions.map { .group([code($0), .text(" ")]) })),
                                el("p", [], .text("→ "), .text(texts.outcome(rule.outcome)))),
                            el(
                                "div", [.class("share")],
                                el(
                                    "meter",
                                    [
                                        Attribute("min", "0"), Attribute("max", "100000"), .value("\(share)"),
                                        .label(texts[.shareOfCustomers]),
                                    ]),
                                el(
                                    "p", [.class("small")], .text(texts.percentage(Int32(share / 100 * 100))), .text(" · "),
                                    .text(texts(.customersCount, count?.customers.count ?? 0)), .text(" · "),
                                    .text(texts(.requestsCount, count?.requests ?? 0)))))
                    })), warnings(report))
    }

    /// On how many requests the figures rest.
    private func basis(_ report: PolicyTrialReport) -> Node {
        .group([
            .text(texts(.requestsCount, report.requests)),
            report.since.map { .group([.text(" · "), .text(texts[.since]), .text(" "), instant($0)]) } ?? .nothing,
            report.isCut ? .group([.text(" · "), .text(texts[.sampleCut])]) : .nothing,
        ])
    }

    /// The remarks of `policy test`; they name Apple's guideline and are Apple's language.
    private func warnings(_ report: PolicyTrialReport) -> Node? {
        report.warnings.isEmpty
            ? nil : el("ul", [.class("notice warn"), .lang("en")], .group(report.warnings.map { el("li", [], .text($0)) }))
    }

    private func draftSection(_ model: PolicyModel) -> Node {
        section(
            .draftTitle, id: "draft", el("p", [.class("muted")], .text(texts[.draftIntro])),
            form(
                link(.policy), class: "stack", el("label", [Attribute("for", "draft-text")], .text(texts[.draftLabel])),
                el(
                    "textarea",
                    [
                        .id("draft-text"), .name("draft"), Attribute("rows", "12"), Attribute("spellcheck", "false"),
                        Attribute("maxlength", "100000"),
                    ],
                    // The parser drops a line break that comes first.
                    .text("\n" + (model.draftText.isEmpty ? PageFrame.example : model.draftText))),
                el("button", [.class("button primary")], .text(texts[.tryDraft]))))
    }

    /// A policy to begin with, in the configuration's own language.
    static let example = """
        {
          rules: [
            { name: "used up", when: { productType: "Consumable", consumedPercentage: { atLeast: 80 } }, then: { prefer: "DECLINE" } },
            { name: "look at it", when: { price: { atLeast: 50 }, currency: "USD" }, then: { hold: "2h", otherwise: { answer: "data-only" } } },
          ],
          default: { answer: "data-only" },
        }
        """

    private func remarks(_ draft: PolicyDraft) -> Node? {
        guard !draft.mistakes.isEmpty || !draft.warnings.isEmpty else { return nil }
        func list(_ remarks: [PolicyDraft.Remark], _ kind: String) -> Node? {
            remarks.isEmpty
                ? nil
                : el(
                    "ul", [.class("notice \(kind)")],
                    .group(
                        remarks.map { remark in
                            el(
                                "li", [], remark.line.map { .group([.text(texts(.line, ["n": "\($0)"])), .text(": ")]) },
                                el("span", [.lang("en")], .text(remark.text)))
                        }))
        }
        return section(.remarks, id: "remarks", list(draft.mistakes, "bad"), list(draft.warnings, "warn"))
    }

    private func trial(_ report: PolicyTrialReport) -> Node {
        let all = max(report.customers.count, 1)
        let rules = report.rules.map { rule in
            [
                el("bdi", [], .text(named(rule: rule.name))), .text(texts.number(Int64(rule.requests))),
                .text(texts.number(Int64(rule.customers.count))),
                .text(texts.percentage(Int32(rule.customers.count * 1_000 / all) * 100)),
            ]
        }
        let changes = report.changes.prefix(200).map { change in
            [
                el("a", [.href(caseLink(change.transactionID))], code(change.transactionID)), instant(change.requestedAt),
                .text(texts.verdict(change.was)), el("strong", [], .text(texts.verdict(change.becomes))),
                change.becomes.rule.map { el("bdi", [], .text(named(rule: $0))) } ?? .text("–"),
            ]
        }
        return section(
            .trialTitle, id: "trial", el("p", [], .text(texts(.changesCount, report.changes.count)), .text(" · "), basis(report)),
            warnings(report),
            table(.trialRules, columns: [.rule, .requests, .customers, .shareOfCustomers], rows: rules, class: "numbers"),
            changes.isEmpty
                ? empty(.trialEmpty)
                : table(.trialChanges, columns: [.transactionID, .requested, .was, .becomes, .rule], rows: changes),
            report.changes.count > 200 ? el("p", [.class("muted")], .text(texts[.trialMore])) : nil)
    }
}
