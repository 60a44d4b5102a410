import Domain
import Foundation
import HTTPServer
import Ingest
import Store

extension Dashboard {
    func showAudit(_ frame: PageFrame) async throws(Refusal) -> HTTPResponse {
        let (ledger, request) = (frame.ledger, frame.visit.page(limit: 50))
        let page = try await read { tx throws(StoreError) in try tx.auditTrail(in: [ledger, .desk], page: request) }
        return HTTPResponse(frame.audit(page))
    }
}

extension PageFrame {
    func audit(_ page: Page<SealedEntry>) -> Node {
        let rows = page.items.map { sealed in
            let entry = sealed.entry
            return [
                .text(texts.number(sealed.seal.position)), instant(entry.receivedAt), .text(texts[entry.kind.phrase]),
                sealed.seal.actor.map { el("bdi", [], .text($0)) } ?? .text(texts[.desk]),
                entry.transactionID.map { el("a", [.href(caseLink($0))], code($0)) } ?? .text("–"), content(entry),
            ] as [Node]
        }
        return self.page(
            texts[.audit], current: .audit, heading(texts[.audit], .auditIntro),
            rows.isEmpty
                ? empty(.auditEmpty)
                : table(.auditTable, columns: [.position, .when, .what, .who, .transactionID, .content], rows: rows, class: "wide"),
            pager(link(.audit), next: page.nextCursor))
    }

    /// As it is sealed, folded up; of an act what was done.
    private func content(_ entry: LogEntry) -> Node {
        let act = entry.kind == .act ? try? JSONDecoder().decode(Act.self, from: Data(entry.body)) : nil
        return .group([
            act.map { el("p", [.lang("en")], .text($0.what), .text(": "), el("bdi", [], .text($0.subject))) } ?? .nothing,
            el(
                "details", [], el("summary", [], .text(texts[.show])),
                el("pre", [Attribute("tabindex", "0"), .label(texts[.content])], .text(String(decoding: entry.body, as: UTF8.self)))),
        ])
    }
}
