import Domain
import HTTPServer
import Ingest
import Store

extension Dashboard {
    func showCase(_ id: TransactionID, _ frame: PageFrame) async throws(Refusal) -> HTTPResponse {
        guard let app = frame.app else { throw .notFound }
        let (ledger, now) = (frame.ledger, frame.now)
        let model = try await read { tx throws(StoreError) in try CaseModel(id, app, ledger, at: now, tx) }
        if let model { return HTTPResponse(frame.caseFile(model)) }
        // Alerts link to a case without its environment.
        guard frame.visit.query("environment") == nil, app.environments.contains(.sandbox) else { throw .notFound }
        let sandbox = PageFrame(frame.visit, app, Ledger(app: app.id, environment: .sandbox))
        let isThere = try await read { tx throws(StoreError) in try tx.caseRow(id, in: sandbox.ledger) != nil }
        guard isThere else { throw .notFound }
        return .redirect(to: sandbox.caseLink(id))
    }
}

extension PageFrame {
    func caseFile(_ model: CaseModel) -> Node {
        let file = model.file
        return page(
            "\(texts[.caseTitle]) \(file.transactionID)", current: .cases, isLive: true,
            el(
                "div", [.class("heading")], el("p", [.class("eyebrow")], .text(texts[.caseTitle]), .text(" "), code(file.transactionID)),
                el("h1", [], product(file)), state(file.folded.state)),
            decisionPanel(model),
            el(
                "div", [.class("columns")],
                el("div", [], timeline(CaseTimeline(model, at: now)), .group(file.folded.rounds.reversed().map { round($0, file) })),
                el("div", [], purchase(model), usage(model), accessChange(model), consent(model), history(model))))
    }

    /// What a person may do now, or why not.
    private func decisionPanel(_ model: CaseModel) -> Node? {
        guard let round = model.file.folded.rounds.last, round.isOpen(at: now), let outlook = model.outlook else { return nil }
        let isHeld = model.file.decision(of: round)?.decision.kind == .hold
        return el(
            "section", [.class(isHeld ? "card decide held" : "card decide"), Attribute("aria-labelledby", "decide")],
            el(
                "h2", [.id("decide")], .text(texts[isHeld ? .heldTitle : outlook.refusal == nil ? .decideTitle : .decisionTitle]),
                .text(" "), countdown(round.deadline)),
            verdict(of: round, model.file), outlook.refusal.map { el("p", [.class("notice")], .text(texts[ActOutcome($0).phrase])) },
            choices(outlook, model.file.transactionID, back: here)
                ?? (visit.session?.mayAct == true ? nil : el("p", [.class("muted")], .text(texts[.readOnlyHint]))))
    }

    private func purchase(_ model: CaseModel) -> Node {
        let file = model.file
        let transaction = file.purchase?.transaction
        return section(
            .purchase, id: "purchase",
            facts(
                fact(.price, (transaction?.money).map { .text(texts.money($0)) }),
                fact(.productType, transaction.map { type in type.type.map { .text(texts[$0.phrase]) } ?? code(type.rawType) }),
                fact(.quantity, transaction.flatMap { $0.quantity == 1 ? nil : .text(texts.number(Int64($0.quantity))) }),
                fact(.purchased, transaction.map { instant($0.purchaseDate) }),
                fact(.paidUntil, (transaction?.expiresDate).map { instant($0) }),
                fact(.period, period(of: file).map { .text($0) }), fact(.storefront, (transaction?.storefront).map { code($0) }),
                fact(.ownership, ownership(transaction)),
                fact(.customer, model.customerRef.map { el("a", [.href(customerLink($0))], code($0)) }),
                fact(.userID, file.userID.map { code($0) }), fact(.transactionID, code(file.transactionID)),
                fact(.originalTransactionID, transaction.map { code($0.originalTransactionID) }), fact(.refunded, refund(file))))
    }

    private func ownership(_ transaction: Transaction?) -> Node? {
        switch transaction?.ownership {
        case .familyShared: .text(texts[.ownershipFamily])
        case .assigned: .text(texts[.ownershipAssigned])
        case .purchased, nil: nil
        }
    }

    private func refund(_ file: CaseFile) -> Node? {
        guard let refund = file.folded.refund else { return nil }
        let amount = (file.purchase?.transaction).flatMap(refund.amount).map { texts.money($0) }
        let share = refund.revocation?.percentage.map { texts.percentage($0) }
        let words = [amount, share, refund.seats.map { texts(.seats, Int($0)) }].compactMap(\.self).joined(separator: " · ")
        return .group([
            .text(words.isEmpty ? texts[.amountUnknown] : words),
            refund.reversedAt.map { .group([.text(" · "), .text(texts[.reversedOn]), .text(" "), instant($0)]) } ?? .nothing,
        ])
    }

    private func usage(_ model: CaseModel) -> Node? {
        guard let outlook = model.outlook else { return nil }
        let rows = outlook.meters.map { meter in
            [
                code(meter.name), .text(meter.used.map { texts.quantity($0) } ?? texts[.unknown]),
                .text(meter.granted.map { texts.number($0) } ?? "–"),
            ]
        }
        return section(
            .usageTitle, id: "usage",
            facts(
                fact(.delivery, .text(outlook.delivery.map { texts[$0.phrase] } ?? texts[.unknown])),
                fact(.sample, .text(texts[outlook.sampleContentProvided ? .yes : .no])),
                fact(
                    .consumed,
                    outlook.consumed.map {
                        .text("\(texts.percentage($0.thousandths)) · \(texts[$0.source == .usage ? .fromUsage : .fromTime])")
                    })),
            rows.isEmpty ? empty(.usageEmpty) : table(.usageTable, columns: [.meter, .used, .granted], rows: rows))
    }

    /// What the refund, or its reversal, changed in the access.
    private func accessChange(_ model: CaseModel) -> Node? {
        guard let refund = model.file.folded.refund, let purchase = model.file.purchase else { return nil }
        let isConsumable = purchase.transaction.type == .consumable
        let instant = refund.reversedAt ?? refund.revocation?.date ?? refund.toldAt
        let change = model.change(at: instant)
        return section(
            .accessChangeTitle, id: "access-change",
            isConsumable
                ? el("p", [], .text(texts[refund.reversedAt == nil ? .accessUnitsTaken : .accessUnitsBack]))
                : change.map { change in
                    .group([
                        change.before?.access == change.after?.access && change.before?.state == change.after?.state
                            ? el("p", [], .text(texts[.accessUnchanged])) : .nothing,
                        facts(
                            fact(.when, self.instant(instant)), fact(.accessBefore, change.before.map { access($0) }),
                            fact(.accessAfter, change.after.map { access($0) })),
                    ])
                })
    }

    func access(_ row: Entitlement) -> Node {
        .group([
            badge(texts[row.state.phrase], row.state.badgeClass), .text(" "),
            row.access.until.map { .group([.text(texts[row.access.active ? .until : .endedOn]), .text(" "), instant($0)]) }
                ?? .text(row.access.active ? texts[.forEver] : ""),
        ])
    }

    private func consent(_ model: CaseModel) -> Node {
        section(
            .consentTitle, id: "consent",
            model.outlook.map { el("p", [], badge(texts[$0.consent.phrase], $0.consent.badgeClass)) }, consentEvidence(model.consents))
    }

    /// Who agreed to which text, when and where it was said.
    func consentEvidence(_ consents: [RecordedConsent]) -> Node {
        guard !consents.isEmpty else { return empty(.consentEmpty) }
        let rows = consents.reversed().map { consent in
            [
                instant(consent.fact.at),
                badge(texts[consent.fact.consented ? .yes : .no], consent.fact.consented ? "good" : "bad"),
                el("bdi", [], .text(consent.fact.source)), consent.fact.textVersion.map { code($0) } ?? .text("–"), code(consent.fact.ref),
            ]
        }
        return table(.consentTable, columns: [.when, .agreed, .source, .textVersion, .recordedAs], rows: rows)
    }

    private func history(_ model: CaseModel) -> Node? {
        guard let history = model.history else { return nil }
        return section(
            .historyTitle, id: "history",
            facts(
                fact(.casesRequested, .text(texts.number(Int64(history.requested)))),
                fact(.casesGranted, .text(texts.number(Int64(history.granted)))),
                fact(.paid, amounts(history.paid)), fact(.refunded, amounts(history.refunded))),
            model.others.isEmpty
                ? nil
                : el(
                    "ul", [.class("plain-list")],
                    .group(
                        model.others.map { other in
                            el(
                                "li", [], el("a", [.href(caseLink(other.transactionID))], productName(other.productID)), .text(" "),
                                state(other.state), .text(" "), instant(other.openedAt))
                        })))
    }

    /// Per currency, never in one sum.
    func amounts(_ amounts: [Money]) -> Node? {
        amounts.isEmpty ? nil : .text(amounts.map { texts.money($0) }.joined(separator: " · "))
    }

    func productName(_ product: ProductID?) -> Node {
        product.map { el("bdi", [], .text($0.rawValue)) } ?? .text(texts[.unknownProduct])
    }
}
