import Domain
import Ingest

extension PageFrame {
    private static let places: [(page: Place.AppPage, phrase: Phrase)] = [
        (.queue, .queue), (.cases, .cases), (.customers, .customers), (.policy, .policy), (.reports, .reports),
        (.health, .health),
        (.notifications, .notifications),
        (.audit, .audit),
    ]

    /// Brand, app, pages, search, and who is logged in.
    func sidebar(_ app: AppSettings, _ current: Place.AppPage?) -> Node {
        el(
            "header", [.class("side")],
            el(
                "div", [.class("side-in")], el("a", [.class("brand"), .href(link(.queue))], mark, .text(texts[.product])), apps(app),
                searchForm,
                el(
                    "nav", [.label(texts[.navigation])],
                    el("ul", [], .group(PageFrame.places.map { item($0.page, $0.phrase, current) }))),
                account))
    }

    /// The sign of the product: a slip that comes back.
    private var mark: Node {
        el(
            "svg", [Attribute("viewBox", "0 0 32 32"), .class("mark"), .hidden],
            el(
                "rect",
                [Attribute("x", "3"), Attribute("y", "3"), Attribute("width", "26"), Attribute("height", "26"), Attribute("rx", "8")]),
            el("path", [Attribute("d", "M13 10 8 15l5 5M8.5 15H19a4.5 4.5 0 0 1 0 9h-3")]))
    }

    private func item(_ page: Place.AppPage, _ phrase: Phrase, _ current: Place.AppPage?) -> Node {
        el(
            "li", [],
            el("a", [.href(link(page)), page == current ? Attribute("aria-current", "page") : nil], .text(texts[phrase])))
    }

    /// The apps and their environments, as links.
    private func apps(_ app: AppSettings) -> Node {
        let places = visit.apps.all.flatMap { app in
            app.environments.sorted { $0.rawValue < $1.rawValue }.map { (app: app, environment: $0) }
        }
        return el(
            "details", [.class("apps")],
            el(
                "summary", [], el("span", [.class("sr")], .text(texts[.appAndEnvironment])), el("bdi", [], .text(app.name)),
                environmentBadge),
            el(
                "ul", [],
                .group(
                    places.map { place in
                        let frame = PageFrame(visit, place.app, Ledger(app: place.app.id, environment: place.environment))
                        return el(
                            "li", [],
                            el(
                                "a", [.href(frame.link(.queue)), frame.ledger == ledger ? Attribute("aria-current", "true") : nil],
                                el("bdi", [], .text(place.app.name)), .text(" "), frame.environmentBadge))
                    })))
    }

    var environmentBadge: Node {
        let isProduction = ledger.environment == .production
        return el(
            "span", [.class(isProduction ? "badge quiet" : "badge sandbox")], .text(texts[isProduction ? .production : .sandbox]))
    }

    private var searchForm: Node {
        el(
            "form", [.class("search"), Attribute("role", "search"), .action(link(.search))],
            ledger.environment == .production
                ? nil : el("input", [.type("hidden"), .name("environment"), .value(ledger.environment.rawValue)]),
            el("label", [.class("sr"), Attribute("for", "q")], .text(texts[.searchLabel])),
            el(
                "input",
                [
                    .type("search"), .id("q"), .name("q"), Attribute("placeholder", "\(texts[.search])  /"),
                    Attribute("maxlength", "200"),
                    Attribute("autocomplete", "off"), Attribute("spellcheck", "false"),
                ]), el("button", [.class("sr")], .text(texts[.search])))
    }

    private var account: Node? {
        guard let session = visit.session else { return nil }
        let role: Phrase = session.mayAct ? .roleActs : .roleReads
        return el(
            "div", [.class("account")],
            el("p", [], el("bdi", [], .text(session.actor)), .text(" "), el("span", [.class("badge quiet")], .text(texts[role]))),
            languages,
            form(Link("logout"), el("button", [.class("button small")], .text(texts[.logOut]))))
    }

    var languages: Node {
        form(
            Link("language"), class: "languages", el("label", [.class("sr"), Attribute("for", "language")], .text(texts[.language])),
            el(
                "select", [.id("language"), .name("language")],
                .group(
                    Language.allCases.map { language in
                        el(
                            "option",
                            [
                                .value(language.rawValue), .lang(language.rawValue),
                                language == texts.language ? Attribute("selected") : nil,
                            ], .text(language.name))
                    })), el("button", [.class("button small")], .text(texts[.choose])))
    }
}
