extension PageFrame {
    /// - Parameters:
    ///   - remark: Why the last try did not work.
    ///   - back: Where to go after it.
    func login(_ remark: Phrase?, back: Link) -> Node {
        document(
            title: texts[.logIn], isPlain: true,
            el(
                "main", [.id("main"), .class("card narrow login"), Attribute("tabindex", "-1")], el("h1", [], .text(texts[.product])),
                el("p", [.class("muted")], .text(texts[.loginIntro])),
                remark.map { el("p", [.class("notice bad"), Attribute("role", "alert")], .text(texts[$0])) },
                form(
                    Link("login"), class: "stack", back: back, el("label", [Attribute("for", "token")], .text(texts[.apiToken])),
                    el(
                        "input",
                        [
                            .type("password"), .id("token"), .name("token"), Attribute("required"),
                            Attribute("autocomplete", "current-password"),
                            Attribute("autofocus"), Attribute("spellcheck", "false"), Attribute("aria-describedby", "token-help"),
                        ]),
                    el(
                        "p", [.id("token-help"), .class("muted small")], .text(texts[.loginHelp]), .text(" "),
                        el("code", [], .text("refund-desk token create"))),
                    el("button", [.class("button primary")], .text(texts[.logIn]))),
                PageFrame(visit).languages))
    }

    /// Asks for the same page once more, now from this site, so that the browser sends the session's cookie.
    func knocking(again link: Link) -> Node {
        document(
            title: texts[.logIn], isPlain: true,
            head: el("meta", [Attribute("http-equiv", "refresh"), Attribute("content", "0; url=\(link.text)")]),
            el(
                "main", [.id("main"), .class("card narrow"), Attribute("tabindex", "-1")], el("h1", [], .text(texts[.product])),
                el("p", [], el("a", [.class("button"), .href(link)], .text(texts[.proceed])))))
    }
}
