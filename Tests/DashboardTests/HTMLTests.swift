import Testing

@testable import Dashboard

private func text(_ node: Node) -> String { String(decoding: node.bytes, as: UTF8.self) }

@Test(arguments: [
    ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"), ("a & b", "a &amp; b"), ("\"'", "&quot;&#39;"),
    ("&lt;", "&amp;lt;"), ("a\u{0}\u{1B}b", "a\u{FFFD}\u{FFFD}b"), ("繁體 \n\t", "繁體 \n\t"),
])
func textAndValuesAreEscaped(_ raw: String, _ escaped: String) {
    #expect(text(.text(raw)) == escaped)
    #expect(text(el("p", [.title(raw)], .text(raw))) == "<p title=\"\(escaped)\">\(escaped)</p>")
}

@Test func elementsAreWrittenAsHTMLHasThem() {
    #expect(text(el("input", [.type("hidden"), Attribute("required"), nil], nil)) == "<input type=\"hidden\" required>")
    #expect(text(el("p", [], nil, .group([.text("a"), el("b", [], .text("b"))]))) == "<p>a<b>b</b></p>")
}

@Test func linksStayOnThisHost() {
    #expect(Link("apps", "a/b", "../..", "?x#y").text == "/apps/a%2Fb/..%2F../%3Fx%23y")
    #expect(Link().text == "/")
    #expect(Link("apps").adding("ref", "a&b=c \"ü\"").adding("no", nil).text == "/apps?ref=a%26b%3Dc%20%22%C3%BC%22")
    #expect(Link("").text == "/")
}

@Test(arguments: [
    "//evil.example/", "https://evil.example/apps/x", "/\\evil.example", "javascript:alert(1)", "/login/../..//evil", "",
    "/v1/apps/acme/cases",
    "/apps//evil.example\r\nSet-Cookie: x=1",
])
func noWayBackLeadsElsewhere(_ text: String) {
    let link = Dashboard.ownLink(text).text
    #expect(link == "/" || link.hasPrefix("/apps/"), "\(link)")
    #expect(!link.hasPrefix("//") && !link.contains("\r"))
}

@Test func aWayBackKeepsItsQuery() {
    let link = "/apps/acme/cases?environment=Sandbox&reason=a%20b"
    #expect(Dashboard.ownLink(link).text == link)
}

@Test func formsAreReadByTheRulesOfForms() {
    var request = HTTPRequestStub.post("a=1&b=x+y%26&a=2&bad=%zz&c")
    #expect(FormBody(request)["a"] == "1")
    #expect(FormBody(request)["b"] == "x y&")
    #expect(FormBody(request)["bad"] == "")
    #expect(FormBody(request)["c"] == "")
    request.body = [0xFF, 0x3D, 0xFE]
    #expect(FormBody(request)["a"] == "")
}
