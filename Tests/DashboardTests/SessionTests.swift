import Domain
import Store
import Testing

@testable import Dashboard

@Suite struct SessionTests {
    @Test func nothingIsShownToWhomNobodyKnows() async throws {
        let world = try await World()
        try await world.fill()
        for page in Pages.all {
            let reply = await Browser(world).get(page)
            #expect(reply.status == 200)
            #expect(reply.text.contains("name=\"token\""), "\(page)")
            #expect(!reply.text.contains("com.acme") && !reply.text.contains("Acme"), "\(page)")
        }
        #expect(await Browser(world).get("/").header("Location") == nil)
    }

    @Test func aTokenLogsInAndLeadsBack() async throws {
        let world = try await World()
        let browser = Browser(world)
        let form = await browser.get("/apps/acme/cases?environment=Sandbox&state=open")
        let back = form.text.firstMatch(of: /name="back" value="([^"]+)"/).map { String($0.1).replacing("&amp;", with: "&") }
        let reply = await browser.post("/login", ["form": try #require(form.formToken), "token": " \(World.token)\n", "back": back ?? ""])
        #expect(reply.status == 303)
        #expect(reply.header("Location") == "/apps/acme/cases?environment=Sandbox&state=open")
        let cookie = try #require(reply.headers("Set-Cookie").first { $0.hasPrefix("refund-desk=") })
        for word in ["HttpOnly", "SameSite=Strict", "Path=/"] { #expect(cookie.contains(word)) }
        #expect(await browser.get("/").header("Location") == "/apps/acme/queue")
        #expect(await browser.get("/apps/acme/queue").text.contains("Ann"))
    }

    @Test func cookiesAreForHTTPSAloneWhereThatIsSpoken() async throws {
        let world = try await World(isSecure: true)
        let reply = try await Browser(world).logIn()
        let cookie = try #require(reply.headers("Set-Cookie").first { $0.hasPrefix("__Host-refund-desk=") })
        #expect(cookie.contains("; Secure"))
        #expect(!cookie.contains("Domain"))
    }

    @Test func wrongTokensAreRefused() async throws {
        let world = try await World()
        for token in ["", "nonsense", String(repeating: "x", count: 600), World.token + "x"] {
            let browser = Browser(world)
            let reply = try await browser.logIn(token)
            #expect([403, 422].contains(reply.status))
            #expect(browser.jar["refund-desk"] == nil)
        }
    }

    @Test func aRevokedTokenEndsItsSessionsAtOnce() async throws {
        let world = try await World()
        let browser = Browser(world)
        try await browser.logIn()
        #expect(await browser.get("/apps/acme/queue").text.contains("Ann"))
        let now = world.clock.now()
        #expect(try await world.store.write { tx throws(StoreError) in try tx.revokeToken(name: "Ann", at: now) })
        #expect(await browser.get("/apps/acme/queue").text.contains("name=\"token\""))
    }

    @Test func loggingOutEndsTheSessionEverywhere() async throws {
        let world = try await World()
        let browser = Browser(world)
        try await browser.logIn()
        let copy = Browser(world)
        copy.keep(browser.jar)
        #expect(try await browser.post("/logout", from: "/apps/acme/queue", [:]).status == 303)
        #expect(browser.jar["refund-desk"] == nil)
        #expect(await copy.get("/apps/acme/queue").text.contains("name=\"token\""))
    }

    @Test func aSessionEndsWhereNobodyIsThere() async throws {
        let world = try await World()
        let browser = Browser(world)
        try await browser.logIn()
        world.clock.advance(.hours(11))
        #expect(await browser.get("/apps/acme/queue").text.contains("Ann"))
        // A page that keeps itself up to date is nobody.
        world.clock.advance(.hours(11))
        #expect(await browser.get("/apps/acme/queue", headers: [("Refund-Desk-Live", "1")]).text.contains("Ann"))
        world.clock.advance(.hours(2))
        #expect(await browser.get("/apps/acme/queue").text.contains("name=\"token\""))
    }

    @Test func aSessionEndsAfterAWeekHoweverBusy() async throws {
        let world = try await World()
        let browser = Browser(world)
        try await browser.logIn()
        for _ in 0..<15 {
            world.clock.advance(.hours(11))
            #expect(await browser.get("/apps/acme/queue").text.contains("Ann"))
        }
        world.clock.advance(.hours(4))
        #expect(await browser.get("/apps/acme/queue").text.contains("name=\"token\""))
    }

    @Test func guessingIsSlowedDown() async throws {
        let world = try await World()
        let guesser = Browser(world)
        for _ in 0..<LoginThrottle.perAddress { #expect(try await guesser.logIn("wrong").status == 403) }
        let reply = try await guesser.logIn()
        #expect(reply.status == 429)
        #expect(reply.header("Retry-After") == "300")
        #expect(try await Browser(world, address: "203.0.113.9").logIn().status == 303, "others are not kept out")
        world.clock.advance(LoginThrottle.span)
        #expect(try await guesser.logIn().status == 303)
    }

    @Test func guessingFromManyAddressesIsSlowedDownToo() async throws {
        let throttle = LoginThrottle()
        let now = Timestamp(milliseconds: 0)
        for index in 0..<LoginThrottle.fromAll {
            #expect(throttle.wait(for: "a\(index)", at: now) == nil)
            throttle.noteFailure(from: "a\(index)", at: now)
        }
        #expect(throttle.wait(for: "another", at: now + .seconds(1)) == .seconds(299))
        #expect(throttle.wait(for: "another", at: now + LoginThrottle.span) == nil)
    }

    @Test(
        arguments: [
            ("198.51.100.7", nil, "198.51.100.7"), ("198.51.100.7", "1.2.3.4", "198.51.100.7"),
            ("127.0.0.1", "6.6.6.6, 203.0.113.5", "203.0.113.5"),
            ("127.0.0.1", nil, "127.0.0.1"), ("2001:db8:1:2:3:4:5:6", nil, "2001:db8:1:2"),
            // However it is written: one host's addresses count as one.
            ("2001:db8:1::5", nil, "2001:db8:1:0"), ("2001:db8:1::6", nil, "2001:db8:1:0"), ("::1", "2001:db8::7", "2001:db8:0:0"),
        ] as [(String, String?, String)])
    func whoAsksIsKnownAlsoBehindAProxy(_ peer: String, _ forwarded: String?, _ address: String) {
        var request = HTTPRequestStub.post("", headers: forwarded.map { [("X-Forwarded-For", $0)] } ?? [])
        request.remoteAddress = peer
        #expect(LoginThrottle.address(of: request, behind: .local) == address)
    }

    @Test func aLinkOnAnotherSiteLeadsInAfterAll() async throws {
        let world = try await World()
        let browser = Browser(world)
        try await browser.logIn()
        // Browsers leave a strict cookie out here.
        let first = await Browser(world).get("/apps/acme/cases/1?x=%22", headers: [("Sec-Fetch-Site", "cross-site")])
        #expect(first.text.contains("<meta http-equiv=\"refresh\" content=\"0; url=/apps/acme/cases/1?x=%22\">"))
        #expect(await Browser(world).get("/apps/acme/queue", headers: [("Sec-Fetch-Site", "same-origin")]).text.contains("name=\"token\""))
    }
}

/// Where pages are.
enum Pages {
    static let all = [
        "/apps/acme/queue", "/apps/acme/cases", "/apps/acme/cases?state=open&reason=OTHER&product=x", "/apps/acme/cases/2001",
        "/apps/acme/cases/2002", "/apps/acme/cases/2003", "/apps/acme/cases/2004",
        "/apps/acme/customers", "/apps/acme/customer?ref=7042001", "/apps/acme/policy", "/apps/acme/health", "/apps/acme/notifications",
        "/apps/acme/reports", "/apps/acme/reports?report=refunds&by=reason", "/apps/acme/reports?report=refunds&by=product",
        "/apps/acme/reports?report=outcomes", "/apps/acme/reports?report=costs", "/apps/acme/reports?report=customers",
        "/apps/acme/reports?report=prevention&zone=America/Los_Angeles",
        "/apps/acme/reports?report=%3Ci%3E&from=x&last=9999-99-99&by=%3Ci%3E",
        "/apps/acme/notifications/uuid-2", "/apps/acme/audit", "/apps/acme/search?q=%3Cscript%3E",
    ]
}
