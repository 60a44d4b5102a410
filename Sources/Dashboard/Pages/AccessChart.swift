import Domain

extension PageFrame {
    /// What the customer could use over time: a bar for each stretch, a lane for each chain.
    func accessSection(_ model: CustomerModel) -> Node? {
        let spans = model.access.spans
        guard let chart = AccessChart(spans, now: now) else { return nil }
        let lanes = Dictionary(grouping: spans, by: \.originalTransactionID).values.sorted {
            ($0[0].start, $0[0].originalTransactionID) < ($1[0].start, $1[0].originalTransactionID)  // a group has a member
        }
        return section(
            .accessOverTime, id: "access",
            el("div", [.class("chart")], .group(lanes.prefix(40).map { lane($0, chart, model) }), axis(chart)), legend)
    }

    private func lane(_ spans: [AccessSpan], _ chart: AccessChart, _ model: CustomerModel) -> Node {
        let products = spans.map(\.productID.rawValue).reduce(into: [String]()) { if $0.last != $1 { $0.append($1) } }
        return el(
            "div", [.class("lane")], el("p", [.class("small")], el("bdi", [], .text(products.joined(separator: " → ")))),
            el(
                "svg",
                [
                    Attribute("viewBox", "0 0 1000 22"), Attribute("preserveAspectRatio", "none"), Attribute("role", "img"),
                    .label(products.joined(separator: ", ")),
                ],
                el("rect", [.class("track"), Attribute("width", "1000"), Attribute("height", "22")]),
                .group(spans.flatMap { bars($0, chart, model) }),
                el("rect", [.class("today"), Attribute("x", "\(chart.x(now))"), Attribute("width", "2"), Attribute("height", "22")])))
    }

    /// The paid part, grace behind it, and what a revocation took.
    private func bars(_ span: AccessSpan, _ chart: AccessChart, _ model: CustomerModel) -> [Node] {
        let end = span.end ?? chart.to
        let paid = min(span.paidUntil ?? end, end)
        let purchase = model.purchases[span.transactionID]
        let isReversed = purchase?.transaction.revocationDate != nil && purchase?.revocation == nil
        let isFamily = span.rawOwnershipType == InAppOwnershipType.familyShared.rawValue
        let kind: (name: String, phrase: Phrase) =
            isReversed ? ("reversed", .stateReversed) : isFamily ? ("family", .ownershipFamily) : ("paid", .legendPaid)
        return [
            bar(span.start, paid, kind.name, kind.phrase, chart), bar(paid, end, "grace", .accessGrace, chart),
            span.revokedAt.flatMap { bar(max($0, span.start), span.paidUntil ?? chart.to, "revoked", .accessRevoked, chart) },
        ].compactMap(\.self)
    }

    private func bar(_ from: Timestamp, _ to: Timestamp, _ name: String, _ phrase: Phrase, _ chart: AccessChart) -> Node? {
        let (from, to) = (max(from, chart.from), min(to, chart.to))
        guard from < to else { return nil }
        let width = max(chart.x(to) - chart.x(from) - 1, 2)
        return el(
            "rect",
            [
                .class(from > now ? "\(name) upcoming" : name), Attribute("x", "\(chart.x(from))"), Attribute("y", "3"),
                Attribute("width", "\(width)"), Attribute("height", "16"),
            ], el("title", [], .text("\(texts[phrase]): \(dateText(from)) – \(dateText(to)) UTC")))
    }

    private func axis(_ chart: AccessChart) -> Node {
        let step = Span(milliseconds: (chart.to - chart.from).milliseconds / 4)
        return el(
            "p", [.class("axis muted small")],
            .group((0...4).map { el("span", [], .text(dateText(chart.from + Int64($0) * step))) }))
    }

    private var legend: Node {
        let kinds: [(name: String, phrase: Phrase)] = [
            ("paid", .legendPaid), ("grace", .accessGrace), ("revoked", .accessRevoked), ("reversed", .stateReversed),
            ("family", .ownershipFamily), ("today-line", .legendToday),
        ]
        return el(
            "ul", [.class("legend small")],
            .group(
                kinds.map { kind in
                    el("li", [], el("span", [.class("swatch \(kind.name)"), .hidden]), .text(texts[kind.phrase]))
                }))
    }
}

/// The stretch of time that is drawn, a thousand units wide.
struct AccessChart: Sendable {
    var from: Timestamp
    var to: Timestamp

    /// - Returns: nil where there is nothing to draw.
    init?(_ spans: [AccessSpan], now: Timestamp) {
        guard let first = spans.map(\.start).min() else { return nil }
        // What never ends, or ends in years, is cut; so is what began ten years ago.
        let last = spans.compactMap { [$0.end, $0.paidUntil].compactMap(\.self).max() }.max() ?? now
        from = max(first, now - .days(3_650))
        to = min(max(last, now + .days(14)), now + .days(400))
        guard from < to else { return nil }
    }

    func x(_ instant: Timestamp) -> Int64 {
        let whole = max((to - from).milliseconds, 1)
        let part = min(max((instant - from).milliseconds, 0), whole)
        return Int64(Int128(part) * 1_000 / Int128(whole))
    }
}
