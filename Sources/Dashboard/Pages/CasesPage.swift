import Domain
import HTTPServer
import Ingest
import Store

extension Dashboard {
    func showCases(_ frame: PageFrame) async throws(Refusal) -> HTTPResponse {
        let visit = frame.visit
        let query = CaseQuery(
            ledger: frame.ledger, state: visit.query("state").flatMap(RefundCase.State.init(rawValue:)),
            productID: visit.query("product").map(ProductID.init(_:)), rawReason: visit.query("reason"), page: visit.page(limit: 50))
        let page = try await read { tx throws(StoreError) -> Page<CaseItem> in
            let rows = try tx.cases(query)
            var items: [CaseItem] = []
            for row in rows.items {
                items.append(CaseItem(row: row, price: try tx.purchase(row.transactionID, in: query.ledger)?.transaction.money))
            }
            return Page(items: items, nextCursor: rows.nextCursor)
        }
        return HTTPResponse(frame.cases(page, query))
    }

    /// Finds what a number or a name means: a case's transaction, else a customer by any alias.
    func search(_ frame: PageFrame) async throws(Refusal) -> HTTPResponse {
        guard let text = frame.visit.query("q").map({ String($0.drop { $0 == " " }) }), !text.isEmpty else {
            return .redirect(to: frame.link(.customers))
        }
        let ledger = frame.ledger
        let ref = text.split(separator: " ").joined()
        let (isCase, purchase, customer) = try await read { tx throws(StoreError) in
            let purchase = try tx.purchase(TransactionID(ref), in: ledger)
            return (try tx.caseRow(TransactionID(ref), in: ledger) != nil, purchase, try resolve(ref, in: ledger, tx))
        }
        if isCase { return .redirect(to: frame.caseLink(TransactionID(ref))) }
        if customer != nil { return .redirect(to: frame.customerLink(ref)) }
        if let purchase { return .redirect(to: frame.customerLink(purchase.transaction.originalTransactionID.rawValue)) }
        return HTTPResponse(status: 404, frame.nothingFound(text))
    }
}

/// One row of the list.
struct CaseItem: Sendable {
    var row: CaseRow
    var price: Money?
}

extension PageFrame {
    func cases(_ page: Page<CaseItem>, _ query: CaseQuery) -> Node {
        let rows = page.items.map { item in
            [
                state(item.row.state),
                el("a", [.href(caseLink(item.row.transactionID)), Attribute("data-open")], productName(item.row.productID)),
                item.price.map { .text(texts.money($0)) } ?? .text("–"), item.row.rawReason.map { reason($0) } ?? .text("–"),
                instant(item.row.openedAt),
                code(item.row.transactionID),
            ]
        }
        let link = filtered(query)
        return self.page(
            texts[.cases], current: .cases, heading(texts[.cases]), filters(query),
            rows.isEmpty
                ? empty(.casesEmpty)
                : table(
                    .casesTable, columns: [.state, .productColumn, .price, .reason, .opened, .transactionID], rows: rows, class: "wide"),
            pager(link, next: page.nextCursor))
    }

    private func filtered(_ query: CaseQuery) -> Link {
        link(.cases).adding("state", query.state?.rawValue).adding("reason", query.rawReason).adding("product", query.productID?.rawValue)
    }

    private func filters(_ query: CaseQuery) -> Node {
        func option(_ value: String, _ text: String, _ selected: String?) -> Node {
            el("option", [.value(value), value == (selected ?? "") ? Attribute("selected") : nil], .text(text))
        }
        return el(
            "form", [.class("filters"), .action(link(.cases))],
            ledger.environment == .production
                ? nil : el("input", [.type("hidden"), .name("environment"), .value(ledger.environment.rawValue)]),
            el(
                "label", [], .text(texts[.state]),
                el(
                    "select", [.name("state")], option("", texts[.any], query.state?.rawValue),
                    .group(RefundCase.State.allCases.map { option($0.rawValue, texts[$0.phrase], query.state?.rawValue) }))),
            el(
                "label", [], .text(texts[.reason]),
                el(
                    "select", [.name("reason")], option("", texts[.any], query.rawReason),
                    .group(ConsumptionRequestReason.allCases.map { option($0.rawValue, texts[$0.phrase], query.rawReason) }))),
            el(
                "label", [], .text(texts[.productColumn]),
                el(
                    "input",
                    [
                        .name("product"), .value(query.productID?.rawValue ?? ""), Attribute("maxlength", "200"),
                        Attribute("spellcheck", "false"),
                    ])),
            el("button", [.class("button")], .text(texts[.filter])))
    }

    func nothingFound(_ text: String) -> Node {
        page(
            texts[.search], current: nil, heading(texts[.search]),
            el("p", [.class("empty")], .text(texts[.searchEmpty]), .text(" "), code(text)))
    }
}
