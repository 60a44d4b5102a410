import Domain

/// Pieces that many pages are made of.
extension PageFrame {
    func heading(_ title: String, _ intro: Phrase? = nil, _ more: Node?...) -> Node {
        el(
            "div", [.class("heading")], el("h1", [], .text(title)), .group(more.compactMap(\.self)),
            intro.map { el("p", [.class("muted")], .text(texts[$0])) })
    }

    func section(_ title: Phrase, id: String, class names: String = "card", _ content: Node?...) -> Node {
        el(
            "section", [.class(names), Attribute("aria-labelledby", id)], el("h2", [.id(id)], .text(texts[title])),
            .group(content.compactMap(\.self)))
    }

    /// An instant: in UTC here, in the viewer's zone once the script has run, which keeps UTC as the title.
    func instant(_ instant: Timestamp) -> Node {
        el(
            "time", [Attribute("datetime", isoText(instant)), .title("\(utcText(instant, seconds: true)) UTC"), Attribute("data-local")],
            .text("\(utcText(instant)) UTC"))
    }

    func instant(_ instant: Timestamp?) -> Node { instant.map { self.instant($0) } ?? .text("–") }

    /// How much time is left; the script counts on.
    func countdown(_ deadline: Timestamp, class names: String = "countdown") -> Node {
        let text = deadline > now ? texts.span(deadline - now) : texts[.windowClosed]
        return el(
            "time",
            [
                .class(names), Attribute("datetime", isoText(deadline)), .title("\(utcText(deadline, seconds: true)) UTC"),
                Attribute("data-countdown"),
            ],
            .text(text))
    }

    /// How long ago something was.
    func ago(_ instant: Timestamp) -> Node {
        el(
            "time", [Attribute("datetime", isoText(instant)), .title("\(utcText(instant, seconds: true)) UTC"), Attribute("data-ago")],
            .text(texts(.ago, ["time": texts.span(now - instant)])))
    }

    /// A value from outside, as it came. Its direction of writing is kept to itself.
    func code(_ text: String) -> Node { el("code", [], el("bdi", [], .text(text))) }
    func code(_ id: some Identifier) -> Node { code(id.rawValue) }

    func badge(_ text: String, _ kind: String) -> Node { el("span", [.class("badge \(kind)")], .text(text)) }

    /// One word or number with its name.
    func fact(_ name: Phrase, _ value: Node?) -> Node? {
        value.map { el("div", [], el("dt", [], .text(texts[name])), el("dd", [], $0)) }
    }

    func facts(_ facts: Node?...) -> Node { el("dl", [.class("facts")], .group(facts.compactMap(\.self))) }

    func table(_ caption: Phrase, columns: [Phrase], rows: [[Node]], class names: String = "") -> Node {
        table(captioned: texts[caption], columns: columns, rows: rows, class: names)
    }

    func table(captioned caption: String, columns: [Phrase], rows: [[Node]], class names: String = "") -> Node {
        let head = el("tr", [], .group(columns.map { el("th", [.scope("col")], .text(texts[$0])) }))
        let body = rows.map { cells in
            el(
                "tr", [],
                .group(zip(columns, cells).map { column, cell in el("td", [Attribute("data-column", texts[column])], el("div", [], cell)) })
            )
        }
        return el(
            "div", [.class("scroll"), Attribute("tabindex", "0"), Attribute("role", "region"), .label(caption)],
            el(
                "table", [.class(names)], el("caption", [], .text(caption)), el("thead", [], head), el("tbody", [], .group(body))))
    }

    func empty(_ phrase: Phrase) -> Node { el("p", [.class("empty")], .text(texts[phrase])) }

    /// The ways to the next page and back to the first.
    func pager(_ link: Link, next: String?) -> Node? {
        let isFirst = visit.query("cursor") == nil
        guard next != nil || !isFirst else { return nil }
        return el(
            "nav", [.class("pager"), .label(texts[.pages])],
            isFirst ? nil : el("a", [.class("button"), .href(link)], .text(texts[.firstPage])),
            next.map { el("a", [.class("button"), .href(link.adding("cursor", $0)), Attribute("rel", "next")], .text(texts[.nextPage])) })
    }

    /// What came of the act that led here.
    var outcomeOfAct: Node? {
        if let done = visit.query("done").flatMap(ActOutcome.init(rawValue:)) {
            return el("p", [.class("notice good"), Attribute("role", "status")], .text(texts[done.phrase]))
        }
        guard let refused = visit.query("refused").flatMap(ActOutcome.init(rawValue:)) else { return nil }
        return el("p", [.class("notice bad"), Attribute("role", "alert")], .text(texts[refused.phrase]))
    }
}
