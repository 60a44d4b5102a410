import Domain
import HTTPServer
import Ingest
import Store

extension Dashboard {
    func showQueue(_ frame: PageFrame) async throws(Refusal) -> HTTPResponse {
        guard let app = frame.app else { throw .notFound }
        let (ledger, now, page) = (frame.ledger, frame.now, frame.visit.page(limit: QueueModel.pageSize))
        let model = try await read { tx throws(StoreError) in try QueueModel(app, ledger, page: page, at: now, tx) }
        return HTTPResponse(frame.queue(model))
    }
}

extension PageFrame {
    func queue(_ model: QueueModel) -> Node {
        page(
            texts[.queue], current: .queue, isLive: true, heading(texts[.queue], .queueIntro),
            model.held.isEmpty ? nil : heldSection(model), openSection(model))
    }

    private func heldSection(_ model: QueueModel) -> Node {
        el(
            "section", [.class("held"), Attribute("aria-labelledby", "held")],
            el("h2", [.id("held")], .text(texts[.heldTitle]), .text(" "), badge(texts.number(Int64(model.held.count)), "warn")),
            el("ol", [.class("cards")], .group(model.held.map { card($0) })),
            model.hasMoreHeld ? el("p", [.class("muted")], .text(texts[.heldMore])) : nil)
    }

    private func openSection(_ model: QueueModel) -> Node {
        let isAllQuiet = model.open.items.isEmpty && model.held.isEmpty
        return el(
            "section", [Attribute("aria-labelledby", "open")], el("h2", [.id("open")], .text(texts[.openTitle])),
            isAllQuiet
                ? quietQueue
                : model.open.items.isEmpty ? empty(.openEmpty) : el("ol", [.class("cards")], .group(model.open.items.map { card($0) })),
            pager(link(.queue), next: model.open.nextCursor))
    }

    private var quietQueue: Node {
        el(
            "div", [.class("quiet-queue")], el("p", [.class("big")], .text(texts[.queueEmpty])),
            el("p", [.class("muted")], .text(texts[.queueEmptyHint])))
    }

    /// One case: how long, what, why, and what was done.
    private func card(_ item: QueueItem) -> Node {
        let id = item.file.transactionID
        return el(
            "li", [.class(item.isHeld ? "case held" : "case"), .id("case-\(id)"), Attribute("data-row")],
            el(
                "div", [.class("when")], countdown(item.round.deadline), window(item),
                el("span", [.class("muted small")], .text(texts[.untilDeadline]))),
            el(
                "div", [.class("what")],
                el("h3", [], el("a", [.href(caseLink(id)), Attribute("data-open")], product(item.file))),
                el("p", [.class("meta")], .group(meta(item)))),
            el("div", [.class("said")], verdict(of: item.round, item.file)),
            item.outlook.flatMap { choices($0, id, back: here) })
    }

    /// How much of the window is left, as a bar.
    private func window(_ item: QueueItem) -> Node {
        let whole = max((item.round.deadline - item.round.requestedAt).milliseconds, 1)
        let left = min(max((item.round.deadline - now).milliseconds, 0), whole)
        let percent = left * 100 / whole
        return el(
            "svg", [.class("window"), Attribute("viewBox", "0 0 100 4"), Attribute("preserveAspectRatio", "none"), .hidden],
            el("rect", [.class("all"), Attribute("width", "100"), Attribute("height", "4")]),
            el("rect", [.class(percent < 25 ? "left low" : "left"), Attribute("width", "\(percent)"), Attribute("height", "4")]))
    }

    private func meta(_ item: QueueItem) -> [Node] {
        let transaction = item.file.purchase?.transaction
        return [
            transaction?.money.map { el("span", [.class("money")], .text(texts.money($0))) },
            el("span", [], reason(item.round.rawReason)),
            item.round.number > 1 ? badge(texts(.askNumber, ["n": "\(item.round.number)"]), "warn") : nil,
            period(of: item.file).map { el("span", [], .text($0)) },
            el("span", [], .text(texts[.requested]), .text(" "), ago(item.round.requestedAt)),
        ].compactMap(\.self)
    }
}
