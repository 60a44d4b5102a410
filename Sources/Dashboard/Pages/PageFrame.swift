import Domain
import Ingest
import Store

/// What all pages have in common: head, navigation, the mark of a simulated instance; and the app and ledger that a page is about.
struct PageFrame: Sendable {
    let visit: Visit
    /// nil on pages that are about no app.
    let app: AppSettings?
    let ledger: Ledger

    init(_ visit: Visit) {
        self.visit = visit
        app = nil
        ledger = .desk
    }

    init(_ visit: Visit, _ app: AppSettings, _ ledger: Ledger) {
        self.visit = visit
        self.app = app
        self.ledger = ledger
    }

    var texts: Texts { visit.texts }
    var now: Timestamp { visit.now }
}

extension PageFrame {
    /// - Parameters:
    ///   - current: The page's place in the navigation.
    ///   - isLive: Whether the page keeps itself up to date.
    func page(_ title: String, current: Place.AppPage?, isLive: Bool = false, _ content: Node?...) -> Node {
        document(
            title: title,
            el(
                "div", [.class("shell")], app.map { sidebar($0, current) },
                el(
                    "main", [.id("main"), Attribute("tabindex", "-1"), isLive ? Attribute("data-live") : nil],
                    outcomeOfAct, .group(content.compactMap(\.self)))))
    }

    /// The whole document around a body.
    func document(title: String, isPlain: Bool = false, head: Node? = nil, _ body: Node...) -> Node {
        let mark = visit.settings.isSimulated ? "[\(texts[.simulatedShort])] " : ""
        return el(
            "html", [.lang(texts.language.rawValue)],
            el(
                "head", [], el("meta", [Attribute("charset", "utf-8")]),
                el("meta", [.name("viewport"), Attribute("content", "width=device-width, initial-scale=1")]),
                el("meta", [.name("color-scheme"), Attribute("content", "light dark")]),
                el("meta", [.name("robots"), Attribute("content", "noindex")]),
                el("title", [], .text("\(mark)\(title) · \(texts[.product])")),
                el("link", [Attribute("rel", "icon"), .type("image/svg+xml"), .href(Asset.icon.link)]),
                el("link", [Attribute("rel", "stylesheet"), .href(Asset.style.link)]),
                el("script", [Attribute("src", Asset.script.link.text), Attribute("defer")]), head),
            el(
                "body", units + (isPlain ? [.class("plain")] : []),
                el("a", [.class("skip"), Attribute("href", "#main")], .text(texts[.skipToContent])), simulatedBanner, .group(body),
                keyboardHelp))
    }

    /// For the script's countdowns.
    private var units: [Attribute?] {
        [
            Attribute("data-days", texts[.unitDays]), Attribute("data-hours", texts[.unitHours]),
            Attribute("data-minutes", texts[.unitMinutes]), Attribute("data-seconds", texts[.unitSeconds]),
            Attribute("data-over", texts[.windowClosed]), Attribute("data-ago", texts[.ago]),
        ]
    }

    private var simulatedBanner: Node? {
        guard visit.settings.isSimulated else { return nil }
        return el(
            "aside", [.class("simulated"), .label(texts[.simulatedShort])],
            el("p", [], el("strong", [], .text(texts[.simulatedShort])), .text(" "), .text(texts[.simulatedLong])))
    }

    private var keyboardHelp: Node {
        func row(_ key: String, _ phrase: Phrase) -> Node {
            el("div", [], el("dt", [], el("kbd", [], .text(key))), el("dd", [], .text(texts[phrase])))
        }
        return el(
            "dialog", [.id("keys"), Attribute("aria-labelledby", "keys-title")], el("h2", [.id("keys-title")], .text(texts[.keyboard])),
            el(
                "dl", [], row("j", .keyNext), row("k", .keyPrevious), row("Enter", .keyOpen), row("/", .keySearch), row("g q", .keyQueue),
                row("?", .keyHelp)),
            el("form", [Attribute("method", "dialog")], el("button", [.class("button")], .text(texts[.close]))))
    }
}

extension PageFrame {
    /// A place of this app and ledger.
    func link(_ segments: String...) -> Link {
        let link = Link(segments: ["apps", ledger.app.rawValue] + segments, query: [])
        return ledger.environment == .production ? link : link.adding("environment", ledger.environment.rawValue)
    }

    func link(_ page: Place.AppPage) -> Link { link(page.rawValue) }
    func caseLink(_ id: TransactionID) -> Link { link("cases", id.rawValue) }
    /// Names go into the query: one such as `..` would be no path.
    func customerLink(_ ref: String) -> Link { link(.customer).adding("ref", ref) }

    /// The page that is shown now, for the way back after an act.
    var here: Link {
        let asked = visit.request
        let query = asked.query.filter { !["done", "refused"].contains($0.name) }
        return Link(segments: asked.pathSegments, query: query.map { Link.Pair(name: $0.name, value: $0.value) })
    }

    /// A form that posts to a place of this desk, with its token and the way back.
    func form(_ action: Link, class names: String? = nil, back: Link? = nil, _ content: Node?...) -> Node {
        el(
            "form", [Attribute("method", "post"), .action(action), names.map { .class($0) }],
            el("input", [.type("hidden"), .name(FormGuard.field), .value(FormGuard.token(visit.secret ?? ""))]),
            el("input", [.type("hidden"), .name("back"), .value((back ?? here).text)]), .group(content.compactMap(\.self)))
    }

    func problem(_ phrase: Phrase) -> Node {
        document(
            title: texts[.problem], isPlain: true,
            el(
                "main", [.id("main"), .class("card narrow"), Attribute("tabindex", "-1")], el("h1", [], .text(texts[.problem])),
                el("p", [], .text(texts[phrase])), el("p", [], el("a", [.class("button"), .href(Link())], .text(texts[.toQueue])))))
    }
}
