import Domain
import HTTPServer
import Ingest
import Store

extension Dashboard {
    func showCustomers(_ frame: PageFrame) async throws(Refusal) -> HTTPResponse {
        guard let app = frame.app else { throw .notFound }
        let (ledger, request) = (frame.ledger, frame.visit.page(limit: 50))
        let page = try await read { tx throws(StoreError) -> Page<CustomerItem> in
            let customers = try tx.customers(in: ledger, page: request)
            var items: [CustomerItem] = []
            for customer in customers.items { items.append(try CustomerItem(customer, app, ledger, tx)) }
            return Page(items: items, nextCursor: customers.nextCursor)
        }
        return HTTPResponse(frame.customers(page))
    }

    func showCustomer(_ frame: PageFrame) async throws(Refusal) -> HTTPResponse {
        guard let app = frame.app, let ref = frame.visit.query("ref") else { throw .notFound }
        let ledger = frame.ledger
        let model = try await read { tx throws(StoreError) in try CustomerModel(ref, app, ledger, tx) }
        guard let model else { return HTTPResponse(status: 404, frame.nothingFound(ref)) }
        return HTTPResponse(frame.customer(model))
    }
}

extension PageFrame {
    func customers(_ page: Page<CustomerItem>) -> Node {
        let rows = page.items.map { item in
            [
                item.aliases.first.map { el("a", [.href(customerLink($0.value)), Attribute("data-open")], code($0.value)) } ?? .text("–"),
                item.aliases.last { $0.kind == .userID }.map { code($0.value) } ?? .text("–"),
                badge(texts[item.standing.phrase], item.standing.badgeClass), .text(texts.number(Int64(item.counts.requested))),
                .text(texts.number(Int64(item.counts.granted))),
            ]
        }
        return self.page(
            texts[.customers], current: .customers, heading(texts[.customers], .customersIntro),
            rows.isEmpty
                ? empty(.customersEmpty)
                : table(
                    .customersTable, columns: [.customer, .userID, .consentTitle, .casesRequested, .casesGranted], rows: rows,
                    class: "wide"), pager(link(.customers), next: page.nextCursor))
    }

    func customer(_ model: CustomerModel) -> Node {
        let name = model.aliases.last { $0.kind == .userID }?.value ?? model.aliases.first?.value ?? model.ref
        return page(
            "\(texts[.customer]) \(name)", current: .customers,
            el(
                "div", [.class("heading")], el("p", [.class("eyebrow")], .text(texts[.customer])), el("h1", [], el("bdi", [], .text(name))),
                .group(model.tags.map { el("span", [.class("badge quiet")], el("bdi", [], .text($0))) }), repeatBadge(model)),
            accessSection(model),
            el(
                "div", [.class("columns")], el("div", [], entitlements(model), balances(model), casesOfCustomer(model)),
                el("div", [], profile(model), consentOfCustomer(model))))
    }

    private func repeatBadge(_ model: CustomerModel) -> Node? {
        let limits = visit.settings.repeatRefundBounds(ledger.app)
        let since = now - .days(Int64(limits.days))
        let isRepeating = model.history.refunds(since: since) >= limits.granted || model.history.requests(since: since) >= limits.requested
        return isRepeating ? badge(texts[.repeatRefunder], "warn") : nil
    }

    private func profile(_ model: CustomerModel) -> Node {
        section(
            .names, id: "names",
            facts(
                .group(
                    Alias.Kind.allCases.compactMap { kind in
                        let own = model.aliases.filter { $0.kind == kind }
                        guard !own.isEmpty else { return nil }
                        return el(
                            "div", [], el("dt", [], .text(kind.name(texts))),
                            el("dd", [], .group(own.prefix(20).map { el("div", [], code($0.value)) })))
                    }),
                fact(.casesRequested, .text(texts.number(Int64(model.history.requested)))),
                fact(.casesGranted, .text(texts.number(Int64(model.history.granted)))), fact(.paid, amounts(model.history.paid)),
                fact(.refunded, amounts(model.history.refunded)), fact(.preference, model.preference.map { preference($0) })))
    }

    private func preference(_ preference: CustomerPreference) -> Node {
        switch preference {
        case .prefer(let word): .text(texts[PersonChoice(word).phrase])
        case .dataOnly: .text(texts[.choiceDataOnly])
        case .none: .text(texts[.choiceAbstain])
        }
    }

    private func entitlements(_ model: CustomerModel) -> Node {
        let rows = model.access.entitlements(at: now).map { row in
            [
                el("bdi", [], .text(row.productID.rawValue)), access(row),
                .group([
                    row.commitment.map { commitment($0) } ?? .text("–"),
                    row.seats.map { .group([.text(" · "), .text(texts(.seats, Int($0.quantity)))]) } ?? .nothing,
                ]),
                .text(texts[row.willRenew ? .yes : .no]), row.pendingProductID.map { el("bdi", [], .text($0.rawValue)) } ?? .text("–"),
            ]
        }
        return section(
            .entitlementsTitle, id: "entitlements",
            rows.isEmpty
                ? empty(.entitlementsEmpty)
                : table(.entitlementsTable, columns: [.productColumn, .access, .commitment, .willRenew, .nextProduct], rows: rows))
    }

    private func commitment(_ progress: CommitmentProgress) -> Node {
        let numbers: String? =
            if let number = progress.billingPeriodNumber, let total = progress.totalBillingPeriods {
                texts(.periodOf, ["n": "\(number)", "total": "\(total)"])
            } else { nil }
        let words = [numbers, texts[progress.state.phrase], progress.endsAfterTerm ? texts[.endsAfterTerm] : nil]
        return .text(words.compactMap(\.self).joined(separator: " · "))
    }

    private func balances(_ model: CustomerModel) -> Node? {
        let rows = model.access.balances(at: now).map { balance in
            [
                el("bdi", [], .text(balance.productID.rawValue)), .text(texts.number(balance.purchased)),
                .text(texts.number(balance.refunded)),
                .text(texts.number(balance.net)),
            ]
        }
        guard !rows.isEmpty else { return nil }
        return section(
            .balances, id: "balances",
            table(.balancesTable, columns: [.productColumn, .bought, .takenBack, .remaining], rows: rows, class: "numbers"))
    }

    private func casesOfCustomer(_ model: CustomerModel) -> Node {
        let rows = model.cases.map { row in
            [
                state(row.state), el("a", [.href(caseLink(row.transactionID)), Attribute("data-open")], productName(row.productID)),
                row.rawReason.map { reason($0) } ?? .text("–"), instant(row.openedAt),
            ]
        }
        return section(
            .cases, id: "cases",
            rows.isEmpty ? empty(.casesEmpty) : table(.casesTable, columns: [.state, .productColumn, .reason, .opened], rows: rows))
    }

    private func consentOfCustomer(_ model: CustomerModel) -> Node {
        section(
            .consentTitle, id: "consent", el("p", [], badge(texts[model.standing.phrase], model.standing.badgeClass)),
            consentEvidence(model.consents))
    }
}
