import Domain
import HTTPServer
import Ingest
import Reports
import Store

extension Dashboard {
    func showReport(_ frame: PageFrame) async throws(Refusal) -> HTTPResponse {
        let question = ReportQuestion(frame.visit)
        let request = request(question, frame.ledger)
        let model = try await read { tx throws(StoreError) in try ReportModel(question, request, tx) }
        return HTTPResponse(frame.report(model))
    }

    /// One table of a report as a file.
    func giveReportTable(_ frame: PageFrame) async throws(Refusal) -> HTTPResponse {
        let question = ReportQuestion(frame.visit)
        let request = request(question, frame.ledger)
        let document = try await read { tx throws(StoreError) in try question.kind.document(request, tx) }
        guard let table = document.table(frame.visit.query("table") ?? question.kind.tables[0]) else { throw .notFound }
        let own: [(name: String, value: String)] = [
            ("Content-Type", "text/csv; charset=utf-8"),
            ("Content-Disposition", "attachment; filename=\"\(document.name)-\(table.name).csv\""),
        ]
        let body = CSVRendering.text(document, table: table) + "\n"
        return HTTPResponse(headers: own + pageHeaders.filter { $0.name != "Content-Type" }, body: Array(body.utf8))
    }

    private func request(_ question: ReportQuestion, _ ledger: Ledger) -> ReportRequest {
        let bounds = settings.repeatRefundBounds(ledger.app)
        return ReportRequest(
            ledger: ledger, span: question.span, by: question.by, isSmallBusiness: settings.isInSmallBusinessProgram(ledger.app),
            granted: bounds.granted, requested: bounds.requested)
    }
}

extension PageFrame {
    /// More rows are in the file.
    private static let mostRows = 400
    /// From so many on a table beneath a chart is folded up.
    private static let foldedRows = 13

    func report(_ model: ReportModel) -> Node {
        let question = model.question
        return page(
            "\(texts[.reports]): \(texts[question.kind.phrase])", current: .reports, heading(texts[.reports], .reportsIntro),
            kinds(question), filters(question), verdict(model), .group(model.document.tables.map { tableSection($0, model) }),
            section(
                .reportReading, id: "reading",
                el("ul", [.class("plain-list")], .group(question.kind.notes.map { el("li", [], .text(texts[$0])) }))))
    }

    /// The reports, as a row of links that keep the days.
    private func kinds(_ question: ReportQuestion) -> Node {
        el(
            "nav", [.class("tabs"), .label(texts[.reports])],
            el(
                "ul", [],
                .group(
                    ReportKind.allCases.map { kind in
                        var other = question
                        other.kind = kind
                        if !kind.groupings.contains(other.by) { other.by = kind.groupings.first ?? .product }
                        return el(
                            "li", [],
                            el(
                                "a",
                                [.href(other.asked(on: link(.reports))), kind == question.kind ? Attribute("aria-current", "page") : nil],
                                .text(texts[kind.phrase])))
                    })))
    }

    private func filters(_ question: ReportQuestion) -> Node {
        let span = question.span
        return el(
            "form", [.class("filters"), .action(link(.reports))],
            ledger.environment == .production
                ? nil : el("input", [.type("hidden"), .name("environment"), .value(ledger.environment.rawValue)]),
            el("input", [.type("hidden"), .name("report"), .value(question.kind.rawValue)]),
            question.kind.groupings.isEmpty
                ? nil
                : choice(.reportBy, "by", question.kind.groupings.map { ($0.rawValue, texts[$0.phrase]) }, question.by.rawValue),
            day(.reportFrom, "from", span.from), day(.reportLast, "last", span.to - 1),
            choice(
                .reportZone, "zone", [(ReportZone.utc.rawValue, "UTC"), (ReportZone.pacific.rawValue, texts[.reportPacific])],
                span.zone.rawValue), el("button", [.class("button")], .text(texts[.show])))
    }

    private func choice(_ label: Phrase, _ name: String, _ options: [(value: String, text: String)], _ chosen: String) -> Node {
        el(
            "label", [], .text(texts[label]),
            el(
                "select", [.name(name)],
                .group(
                    options.map { el("option", [.value($0.value), $0.value == chosen ? Attribute("selected") : nil], .text($0.text)) })))
    }

    private func day(_ label: Phrase, _ name: String, _ day: Int64) -> Node {
        el(
            "label", [], .text(texts[label]),
            el("input", [.type("date"), .name(name), .value(CivilDate(daysSinceEpoch: day).text), Attribute("required")]))
    }

    private func tableSection(_ table: ReportTable, _ model: ReportModel) -> Node {
        let file = model.question.asked(on: link("reports", Place.tableFile)).adding("table", table.name)
        let title = table.phrase
        guard !table.rows.isEmpty else { return section(title, id: table.name, empty(.reportNothing)) }
        let chart = chart(of: table, model)
        return section(
            title, id: table.name, chart, chart != nil && table.rows.count >= PageFrame.foldedRows ? folded(table) : figures(table),
            table.rows.count > PageFrame.mostRows
                ? el("p", [.class("muted small")], .text(texts(.reportRowsCut, ["n": texts.number(Int64(PageFrame.mostRows))]))) : nil,
            el("p", [.class("small")], el("a", [.href(file)], .text(texts[.reportCSV])), .text(" · \(days(model.question))")))
    }

    private func folded(_ table: ReportTable) -> Node {
        el("details", [.class("folded")], el("summary", [.class("small")], .text(caption(table))), figures(table))
    }

    private func figures(_ table: ReportTable) -> Node {
        self.table(
            captioned: caption(table), columns: table.columns.map(\.phrase),
            rows: table.rows.prefix(PageFrame.mostRows).map { row($0, table.columns) }, class: "numbers wide figures")
    }

    private func caption(_ table: ReportTable) -> String { texts(.reportTable, ["title": texts[table.phrase]]) }

    /// `2026-09-01 – 2026-09-30, UTC`.
    private func days(_ question: ReportQuestion) -> String {
        let (from, last) = (CivilDate(daysSinceEpoch: question.span.from), CivilDate(daysSinceEpoch: question.span.to - 1))
        return "\(from.text) – \(last.text), \(question.span.zone.rawValue)"
    }

    private func row(_ cells: [ReportTable.Cell], _ columns: [ReportTable.Column]) -> [Node] {
        zip(cells, columns).map { cell, column in
            switch cell {
            case .none: .text("–")
            case .text(let text): word(text, in: column.name)
            case .count(0): el("span", [.class("muted")], .text(texts.number(0)))
            case .count(let count): .text(texts.number(count))
            case .money(let money): .text(texts.money(money))
            case .share(let share): .text(texts.share(share))
            case .seconds(let seconds): .text(texts.span(.seconds(seconds)))
            }
        }
    }
}
