import Domain
import Foundation
import Testing

@testable import Dashboard

@Suite struct PageTests {
    @Test(arguments: Language.allCases)
    func noPageHoldsForeignMarkupOrInlineCode(_ language: Language) async throws {
        let world = try await World(isSimulated: true)
        try await world.fill()
        let browser = Browser(world, language: language.rawValue)
        try await browser.logIn()
        for page in Pages.all {
            let reply = await browser.get(page)
            #expect([200, 404].contains(reply.status), "\(page)")
            let text = reply.text
            for hostile in ["<script>alert", "<img src=x", "<i>", "<Sons>"] { #expect(!text.contains(hostile), "\(page): \(hostile)") }
            for inline in [" style=", " onclick=", "javascript:", "<style"] { #expect(!text.contains(inline), "\(page): \(inline)") }
            #expect(text.matches(of: /<script/).count == text.matches(of: /<script src="\/assets\//).count)
            #expect(text.contains("<html lang=\"\(language.rawValue)\">"))
            #expect(text.contains("class=\"simulated\""), "a simulated desk says so on every page")
            #expect(text.matches(of: /<h1/).count == 1 && text.matches(of: /<main/).count == 1, "\(page)")
        }
    }

    @Test func everyPageIsLockedDown() async throws {
        let world = try await World()
        try await world.fill()
        let browser = Browser(world)
        let login = await browser.get("/login")
        try await browser.logIn()
        var replies = [login, await browser.get("/apps/nobody/queue"), await browser.get("/apps/acme/cases/1")]
        for page in Pages.all { replies.append(await browser.get(page)) }
        for reply in replies {
            #expect(
                reply.header("Content-Security-Policy")
                    == "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; "
                    + "frame-ancestors 'none'; base-uri 'none'")
            #expect(reply.header("Cache-Control") == "no-store")
            #expect(reply.header("X-Content-Type-Options") == "nosniff")
            #expect(reply.header("Referrer-Policy") == "same-origin")
        }
        #expect(replies[1].status == 404 && replies[2].status == 404)
    }

    @Test func filesOfTheProgramMayBeKeptForGood() async throws {
        let world = try await World()
        let page = await Browser(world).get("/login").text
        for asset in Asset.allCases {
            #expect(page.contains(asset.link.text))
            let reply = await Browser(world).get(asset.link.text)
            #expect(reply.status == 200 && reply.text.utf8.count > 100)
            #expect(reply.header("Cache-Control") == "public, max-age=31536000, immutable")
            #expect(reply.header("Content-Type") == asset.contentType)
        }
        #expect(await Browser(world).get("/assets/old/desk.css").header("Cache-Control") == "no-cache")
    }

    @Test func pathsOfTheInterfaceAreLeftAlone() async throws {
        let browser = Browser(try await World())
        for path in ["/v1/apps/acme/cases", "/healthz", "/nothing", "/metrics", "/apps", "/assets/x/../y", "/apps/acme/nothing"] {
            #expect(await browser.get(path).status == 0, "\(path)")
        }
    }

    @Test func searchingFindsCasesAndCustomersByAnyName() async throws {
        let world = try await World()
        try await world.fill()
        let browser = Browser(world)
        try await browser.logIn()
        #expect(await browser.get("/apps/acme/search?q=+2001+").header("Location") == "/apps/acme/cases/2001")
        #expect(await browser.get("/apps/acme/search?q=7042001").header("Location") == "/apps/acme/customer?ref=7042001")
        #expect(await browser.get("/apps/acme/search?q=..").status == 404)
        #expect(await browser.get("/apps/acme/search?q=").header("Location") == "/apps/acme/customers")
    }

    @Test func listsGoOnPageByPage() async throws {
        let world = try await World()
        for index in 0..<35 { try await world.notify("CONSUMPTION_REQUEST", world.purchase("\(3000 + index)"), uuid: "uuid-\(index)") }
        let browser = Browser(world)
        try await browser.logIn()
        let first = await browser.get("/apps/acme/queue").text
        #expect(first.matches(of: /id="case-/).count == 30)
        let next = try #require(first.firstMatch(of: /href="([^"]*cursor=[^"]*)"/).map { String($0.1) })
        #expect(await browser.get(next).text.matches(of: /id="case-/).count == 5)
        #expect(await browser.get("/apps/acme/queue?cursor=nonsense").status == 404)
    }

    @Test func aDraftIsTriedAndItsMistakesAreNamed() async throws {
        let world = try await World()
        try await world.fill()
        let browser = Browser(world)
        try await browser.logIn()
        let tried = try await browser.post("/apps/acme/policy", from: "/apps/acme/policy", ["draft": "{ </textarea><script>alert(2) }"])
        #expect(tried.text.contains("&lt;/textarea&gt;&lt;script&gt;alert(2)"))
        #expect(tried.text.contains("2 requests would be decided otherwise"))
        #expect(tried.text.contains("Guideline 5.6"))
        let mistaken = try await browser.post("/apps/acme/policy", from: "/apps/acme/policy", ["draft": "mistake"])
        #expect(mistaken.text.contains("Line 3: <span lang=\"en\">rules[0]: &lt;b&gt;no&lt;/b&gt;</span>"))
    }

    /// Stored pages; with `REFUND_DESK_SNAPSHOTS=record` in the environment they are written anew.
    @Test(arguments: [
        ("login", "/login", "en"), ("queue", "/apps/acme/queue", "en"), ("queue-uk", "/apps/acme/queue", "uk"),
        ("case-held", "/apps/acme/cases/2001", "en"), ("case-answered", "/apps/acme/cases/2002", "fr"),
        ("case-refunded", "/apps/acme/cases/2004", "zh-TW"), ("cases", "/apps/acme/cases", "vi"),
        ("customer", "/apps/acme/customer?ref=7042001", "en"), ("policy", "/apps/acme/policy", "en"), ("health", "/apps/acme/health", "en"),
        ("notifications", "/apps/acme/notifications", "en"), ("reports", "/apps/acme/reports", "en"),
        ("reports-outcomes", "/apps/acme/reports?report=outcomes", "fr"), ("reports-costs", "/apps/acme/reports?report=costs", "uk"),
    ])
    func pagesAreAsTheyWereLookedAt(_ name: String, _ page: String, _ language: String) async throws {
        let world = try await World()
        try await world.fill()
        let browser = Browser(world, language: language)
        if name != "login" { try await browser.logIn() }
        try Snapshot(name).check(await browser.get(page).text)
    }
}

/// A page as it was when somebody looked at it, without what differs each time.
struct Snapshot {
    private let file: URL
    init(_ name: String, path: String = #filePath) {
        file = URL(filePath: path).deletingLastPathComponent().appending(path: "Snapshots/\(name).html")
    }

    func check(_ page: String) throws {
        let text =
            page.replacing(/name="form" value="[^"]*"/) { _ in "name=\"form\" value=\"…\"" }.replacing(/\/assets\/[^\/]+\//) { _ in
                "/assets/…/"
            }
            .replacing("><", with: ">\n<") + "\n"
        if ProcessInfo.processInfo.environment["REFUND_DESK_SNAPSHOTS"] == "record" {
            try Data(text.utf8).write(to: file)
        }
        let stored = try String(contentsOf: file, encoding: .utf8)
        let difference = zip(stored.split(separator: "\n"), text.split(separator: "\n")).first { $0 != $1 }
        #expect(stored == text, "\(file.lastPathComponent): \(difference.map { "\($0) became \($1)" } ?? "another length")")
    }
}
