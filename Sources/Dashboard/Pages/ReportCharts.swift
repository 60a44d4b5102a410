import Domain
import Reports
import Store

/// Charts of a report: drawn here as SVG, so that they need no script. Each says what stands in the table beneath it.
extension PageFrame {
    private static let outcomeKinds: [ChartKind] = [
        ChartKind("declined", .stateDeclined), ChartKind("refunded", .reportFull), ChartKind("share", .reportProrated),
        ChartKind("reversed", .stateReversed), ChartKind("open", .reportUndecided),
    ]
    private static let costKinds: [ChartKind] = [
        ChartKind("refunded", .reportProceeds), ChartKind("share", .reportUnitCosts), ChartKind("open", .reportPaymentsWorth),
    ]

    /// - Returns: nil for tables that a picture would tell no more of.
    func chart(of table: ReportTable, _ model: ReportModel) -> Node? {
        switch (model.figures, table.name) {
        case (.refunds(let report), "byRequestDate"): caseChart(report.byRequestDate, table, model.question)
        case (.refunds(let report), "byPurchaseDate"): caseChart(report.byPurchaseDate, table, model.question)
        case (.refunds(let report), "amountsByRequestDate"): amountCharts(report.byRequestDate, table, model.question)
        case (.refunds(let report), "amountsByPurchaseDate"): amountCharts(report.byPurchaseDate, table, model.question)
        case (.outcomes(let report), "bySent"): shareChart(report.bySent.map { ($0.name, $0.refundedShare) }, table, column: "sent")
        case (.outcomes(let report), "byRule"): shareChart(report.byRule.map { ($0.name, $0.refundedShare) }, table, column: "rule")
        case (.outcomes(let report), "holdout"): holdoutChart(report.holdouts, table)
        case (.costs(let report), "costs"): costCharts(report, table, model.question)
        case (.customers(let report), "customers"): customerChart(report, table)
        case (.prevention(let report), "products"): shareChart(report.products.map { ($0.name, $0.share) }, table, column: "product")
        case (.prevention(let report), "offers"): shareChart(report.offers.map { ($0.name, $0.share) }, table, column: "offer")
        case (.prevention(let report), "rates"): rateChart(report, table)
        default: nil
        }
    }

    private func caseChart(_ groups: [RefundsReport.Group], _ table: ReportTable, _ question: ReportQuestion) -> Node? {
        let bars = groups.map { group in
            let sums = group.sums
            return ChartBar(
                group.name, [sums.declined, sums.grantedFull, sums.grantedProrated + sums.grantedSeats, sums.reversed, sums.undecided])
        }
        return barChart(bars, PageFrame.outcomeKinds, table, question) { texts.number($0) }
    }

    private func amountCharts(_ groups: [RefundsReport.Group], _ table: ReportTable, _ question: ReportQuestion) -> Node? {
        let lines = groups.flatMap { group in
            group.amounts.map { (currency: $0.key, bar: ChartBar(group.name, [$0.value.refunded, $0.value.reversed])) }
        }
        return moneyCharts(lines, [ChartKind("refunded", .refunded), ChartKind("reversed", .stateReversed)], table, question)
    }

    private func costCharts(_ report: CostsReport, _ table: ReportTable, _ question: ReportQuestion) -> Node? {
        let lines = report.lines.map { line in
            (currency: line.currency, bar: ChartBar(line.group, [line.proceeds, line.unitCosts, line.paymentsLostAmount]))
        }
        return moneyCharts(lines, PageFrame.costKinds, table, question)
    }

    /// A chart for each currency; amounts of different ones stand in no common scale.
    private func moneyCharts(
        _ lines: [(currency: String, bar: ChartBar)], _ kinds: [ChartKind], _ table: ReportTable, _ question: ReportQuestion
    ) -> Node? {
        let currencies = Dictionary(grouping: lines.filter { !$0.currency.isEmpty && $0.bar.total > 0 }, by: \.currency)
        let most = currencies.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }.prefix(4)
        let charts = most.compactMap { currency, lines in
            barChart(lines.map(\.bar), kinds, table, question, subtitle: currency) { texts.money(Money(amount: $0, currency: currency)) }
        }
        return charts.isEmpty ? nil : .group(charts)
    }

    private func customerChart(_ report: CustomersReport, _ table: ReportTable) -> Node? {
        let bars = report.lines.map { ChartBar($0.name, [$0.granted]) }
        return lanes(bars, [ChartKind("refunded", .reportRefundCount)], table, column: "customer") { texts.number($0) }
    }

    private func barChart(
        _ bars: [ChartBar], _ kinds: [ChartKind], _ table: ReportTable, _ question: ReportQuestion, subtitle: String? = nil,
        _ words: (Int64) -> String
    ) -> Node? {
        guard bars.contains(where: { $0.total > 0 }) else { return nil }
        guard question.by.isOverTime else { return lanes(bars, kinds, table, column: question.by.rawValue, subtitle: subtitle, words) }
        return columns(ChartBar.filled(bars, question), kinds, table, subtitle: subtitle, words)
    }
}

// MARK: Bars

extension PageFrame {
    /// Upright bars, one for each stretch of time, with those in which nothing was.
    private func columns(
        _ bars: [ChartBar], _ kinds: [ChartKind], _ table: ReportTable, subtitle: String?, _ words: (Int64) -> String
    ) -> Node {
        let top = ChartScale.top(bars.map(\.total).max() ?? 0)
        let slot = 10_000 / Int64(max(bars.count, 1))
        let drawn = bars.enumerated().map { index, bar in
            column(bar, kinds, x: Int64(index) * slot, width: max(slot * 4 / 5, 1), top: top, words)
        }
        return figure(
            table, subtitle: subtitle,
            el(
                "div", [.class("plot")],
                el("p", [.class("scale muted small")], el("span", [], .text(words(top))), el("span", [], .text(words(0)))),
                el(
                    "svg",
                    [
                        .class("upright"), Attribute("viewBox", "0 0 \(slot * Int64(bars.count)) 1000"),
                        Attribute("preserveAspectRatio", "none"), Attribute("role", "img"), .label(spoken(table, subtitle)),
                    ], .group([250, 500, 750].map { gridLine(y: $0, width: slot * Int64(bars.count)) }), .group(drawn)), timeAxis(bars)),
            legend(kinds))
    }

    private func column(
        _ bar: ChartBar, _ kinds: [ChartKind], x: Int64, width: Int64, top: Int64, _ words: (Int64) -> String
    ) -> Node {
        var y: Int64 = 1_000
        var parts: [Node] = []
        for (value, kind) in zip(bar.values, kinds) where value > 0 {
            let height = max(ChartScale.part(value, of: top), 1)
            y -= height
            parts.append(rect(kind.name, x: x, y: y, width: width, height: height))
        }
        guard !parts.isEmpty else { return .nothing }
        return el("g", [], el("title", [], .text(described(bar, kinds, words))), .group(parts))
    }

    private func gridLine(y: Int64, width: Int64) -> Node { rect("grid-line", x: 0, y: y, width: width, height: 4) }

    private func timeAxis(_ bars: [ChartBar]) -> Node {
        let last = bars.count - 1
        let places = last < 4 ? Array(0...max(last, 0)) : [0, last / 4, last / 2, last * 3 / 4, last]
        return el(
            "p", [.class("axis muted small")], .group(places.filter(bars.indices.contains).map { el("span", [], .text(bars[$0].name)) }))
    }

    /// Lying bars, one for each group, those with most first.
    private func lanes(
        _ bars: [ChartBar], _ kinds: [ChartKind], _ table: ReportTable, column: String, subtitle: String? = nil,
        _ words: (Int64) -> String
    ) -> Node? {
        let most = bars.filter { $0.total > 0 }.sorted { ($1.total, $0.name) < ($0.total, $1.name) }.prefix(12)
        guard let longest = most.first?.total else { return nil }
        let drawn = most.map { bar -> Node in
            var x: Int64 = 0
            var parts: [Node] = []
            for (value, kind) in zip(bar.values, kinds) where value > 0 {
                let width = max(ChartScale.part(value, of: longest), 2)
                parts.append(rect(kind.name, x: x, y: 0, width: width, height: 20))
                x += width
            }
            var named = bar
            named.name = plainWord(bar.name, in: column)
            return lane(named.name, words(bar.total), described(named, kinds, words), parts)
        }
        return figure(table, subtitle: subtitle, .group(drawn), legend(kinds))
    }

    /// One line of a lying chart: a name, a picture a thousand wide, a figure.
    private func lane(_ name: String, _ figure: String, _ description: String, _ parts: [Node]) -> Node {
        el(
            "div", [.class("bar-lane")], el("p", [.class("small")], el("bdi", [], .text(name))),
            el(
                "svg",
                [
                    Attribute("viewBox", "0 0 1000 20"), Attribute("preserveAspectRatio", "none"), Attribute("role", "img"),
                    .label(description),
                ], el("title", [], .text(description)), rect("track", x: 0, y: 0, width: 1_000, height: 20), .group(parts)),
            el("p", [.class("small")], .text(figure)))
    }

    private func described(_ bar: ChartBar, _ kinds: [ChartKind], _ words: (Int64) -> String) -> String {
        let parts = zip(bar.values, kinds).filter { $0.0 > 0 }.map { "\(texts[$0.1.phrase]) \(words($0.0))" }
        return "\(bar.name): \(parts.joined(separator: ", "))"
    }

    private func legend(_ kinds: [ChartKind]) -> Node {
        el(
            "ul", [.class("legend small")],
            .group(
                kinds.map { kind in
                    el("li", [], el("span", [.class("swatch chart-\(kind.name)"), .hidden]), .text(texts[kind.phrase]))
                }))
    }

    private func figure(_ table: ReportTable, subtitle: String?, _ content: Node...) -> Node {
        el(
            "figure", [.class("report-chart")], subtitle.map { el("figcaption", [.class("small")], .text($0)) }, .group(content))
    }

    private func spoken(_ table: ReportTable, _ subtitle: String?) -> String {
        texts(.reportChart, ["title": [texts[table.phrase], subtitle].compactMap(\.self).joined(separator: ", ")])
    }

    private func rect(_ name: String, x: Int64, y: Int64, width: Int64, height: Int64) -> Node {
        el(
            "rect",
            [
                .class("chart-\(name)"), Attribute("x", "\(x)"), Attribute("y", "\(y)"), Attribute("width", "\(width)"),
                Attribute("height", "\(height)"),
            ])
    }
}

// MARK: Shares with their intervals

extension PageFrame {
    /// A mark where the share is, in the stretch where the true one is expected.
    private func shareChart(_ shares: [(name: String, share: Share)], _ table: ReportTable, column: String) -> Node? {
        let known = shares.filter { $0.share.total > 0 }.sorted { ($1.share.total, $0.name) < ($0.share.total, $1.name) }.prefix(12)
        return intervals(
            known.map { ChartInterval(plainWord($0.name, in: column), $0.share.value, $0.share.interval) }, table, from: 0)
    }

    private func holdoutChart(_ holdouts: [OutcomesReport.Holdout], _ table: ReportTable) -> Node? {
        intervals(holdouts.map { ChartInterval(named(rule: $0.rule), $0.difference.value, $0.difference.interval) }, table, from: nil)
    }

    private func rateChart(_ report: PreventionReport, _ table: ReportTable) -> Node? {
        let rates = [
            (texts[.reportTheseDays], report.now.share),
            (texts(.reportDaysBefore, ["n": "\(PreventionReport.baselineDays)"]), report.baseline.share),
        ]
        return intervals(rates.map { ChartInterval($0.0, $0.1.value, $0.1.interval) }, table, from: 0)
    }

    /// - Parameter from: Where the scale begins; nil for one that reaches as far to either side of zero.
    private func intervals(_ all: [ChartInterval?], _ table: ReportTable, from: Double?) -> Node? {
        let known = all.compactMap(\.self)
        guard let reach = known.map({ max(abs($0.low), abs($0.high)) }).max() else { return nil }
        let end = ChartScale.topShare(reach)
        let start = from ?? -end
        let x = { (value: Double) in Int64((value - start) / (end - start) * 1_000) }
        let drawn = known.map { one in
            lane(
                one.name, texts.share(one.value),
                "\(one.name): \(texts.share(one.value)) (\(texts.share(one.low)) – \(texts.share(one.high)))",
                [
                    rect("interval", x: x(one.low), y: 6, width: max(x(one.high) - x(one.low), 2), height: 8),
                    start < 0 ? rect("zero", x: 499, y: 0, width: 2, height: 20) : .nothing,
                    rect("mark", x: max(x(one.value) - 3, 0), y: 1, width: 6, height: 18),
                ])
        }
        let middle = (start + end) / 2
        return figure(
            table, subtitle: nil, .group(drawn),
            el(
                "p", [.class("axis share-axis muted small")], .group([start, middle, end].map { el("span", [], .text(texts.share($0))) })))
    }
}

/// One bar: a name and its parts.
private struct ChartBar {
    var name: String
    var values: [Int64]
    var total: Int64 { values.reduce(0, +) }

    init(_ name: String, _ values: [Int64]) {
        self.name = name
        self.values = values
    }

    /// With a bar for each stretch of the days, also where nothing was.
    static func filled(_ bars: [ChartBar], _ question: ReportQuestion) -> [ChartBar] {
        let known = Dictionary(bars.map { ($0.name, $0) }) { first, _ in first }
        var filled: [ChartBar] = []
        for day in question.span.from..<question.span.to {
            let name = question.by.group(value: "", day: day)
            if filled.last?.name != name { filled.append(known[name] ?? ChartBar(name, [])) }
        }
        return filled
    }
}

/// A part of all bars, with the class that gives it its colour.
private struct ChartKind {
    var name: String
    var phrase: Phrase

    init(_ name: String, _ phrase: Phrase) {
        self.name = name
        self.phrase = phrase
    }
}

private struct ChartInterval {
    var name: String
    var value: Double
    var low: Double
    var high: Double

    /// - Returns: nil where nothing is known.
    init?(_ name: String, _ value: Double?, _ interval: ClosedRange<Double>?) {
        guard let value, let interval else { return nil }
        self.name = name
        self.value = value
        (low, high) = (interval.lowerBound, interval.upperBound)
    }
}

enum ChartScale {
    /// The next round number: 1, 2, 3, 4, 5, 6, 8, 10, 20 and so on.
    static func top(_ value: Int64) -> Int64 {
        var step: Int64 = 1
        while step < 1_000_000_000_000_000_000 {
            for factor in [1, 2, 3, 4, 5, 6, 8] as [Int64] where factor * step >= value { return factor * step }
            step *= 10
        }
        return max(value, 1)
    }

    /// The same for shares, up to the whole.
    static func topShare(_ value: Double) -> Double {
        let steps = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]
        return steps.first { $0 >= value } ?? 1
    }

    /// In thousandths, without overflow.
    static func part(_ value: Int64, of whole: Int64) -> Int64 { Int64(Int128(value) * 1_000 / Int128(max(whole, 1))) }
}
