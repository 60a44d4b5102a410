import Domain
import Ingest

extension PageFrame {
    /// What has to be done once outside this desk, with what to copy.
    func setUp(_ app: AppSettings) -> Node {
        let url = "\(visit.settings.publicURL)/v1/apps/\(app.id)/notifications"
        return section(
            .setUpTitle, id: "set-up", el("p", [.class("muted")], .text(texts[.setUpIntro])),
            el(
                "ol", [.class("steps")],
                step(.setUpURL, .setUpURLHow, field("set-up-url", texts[.setUpURL], url)),
                step(.setUpAPIKey, .setUpAPIKeyHow, nil), step(.setUpConsent, .setUpConsentHow, consentSample),
                step(.setUpPrivacy, .setUpPrivacyHow, nil), revenueCat(app)))
    }

    private func step(_ title: Phrase, _ how: Phrase, _ more: Node?) -> Node {
        el("li", [], el("h3", [], .text(texts[title])), el("p", [], .text(texts[how])), more)
    }

    /// Text to copy: selectable by itself, with a button where scripts run.
    private func field(_ id: String, _ label: String, _ value: String) -> Node {
        el(
            "div", [.class("copy")],
            el("input", [.id(id), Attribute("readonly"), .value(value), .label(label), Attribute("spellcheck", "false")]),
            el(
                "button",
                [
                    .class("button small"), .type("button"), Attribute("data-copy", id), Attribute("data-copied", texts[.copied]),
                    Attribute("hidden"),
                ], .text(texts[.copy])))
    }

    /// In the viewer's language: apps ask their customers in theirs.
    private var consentSample: Node { el("blockquote", [], .text(texts[.consentSample])) }

    private func revenueCat(_ app: AppSettings) -> Node {
        let forwards = visit.settings.revenueCatApps.contains(app.id)
        return el(
            "li", [], el("h3", [], .text(texts[.setUpRevenueCat]), .text(" "), forwards ? badge(texts[.forwarding], "warn") : nil),
            el("p", [], .text(texts[.setUpRevenueCatHow])),
            el(
                "pre", [Attribute("tabindex", "0"), .label(texts[.setUpRevenueCat])],
                .text("forward: [{ url: \"https://…revenuecat.com/…\" }]")))
    }
}
