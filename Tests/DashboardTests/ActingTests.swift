import Domain
import Store
import Testing

@testable import Dashboard

@Suite struct ActingTests {
    private static let decision = "/apps/acme/cases/2001/decision"

    @Test func aHeldCaseIsDecidedWithOneClick() async throws {
        let world = try await World()
        try await world.fill()
        let browser = Browser(world)
        try await browser.logIn()
        let reply = try await browser.post(
            ActingTests.decision, from: "/apps/acme/queue", ["choice": "DECLINE", "back": "/apps/acme/queue"])
        #expect(reply.header("Location") == "/apps/acme/queue?done=answered")
        let file = try #require(try await world.file("2001"))
        let decision = try #require(file.folded.rounds.last.flatMap { file.decision(of: $0) }?.decision)
        #expect(decision.preference == .decline && decision.rule == Decision.byPerson)
        let app = world.app.id
        let trail = try await world.store.read { tx throws(StoreError) in
            try tx.auditTrail(in: [Ledger(app: app, environment: .production)], page: PageRequest())
        }
        #expect(trail.items.first { $0.entry.kind == .decision }?.seal.actor == "Ann")
        let page = await browser.get("/apps/acme/queue?done=answered")
        #expect(page.text.contains("role=\"status\">Decided: the answer is on its way to Apple."))
    }

    @Test(
        arguments: [
            ("2001", "GRANT_PRORATED", "illegal-preference"), ("2002", "nonsense", nil), ("2003", "GRANT_FULL", "no-consent"),
            ("2004", "DECLINE", "window-closed"), ("9999", "DECLINE", "no-such-case"),
        ] as [(String, String, String?)])
    func whatIsNotAllowedIsRefused(_ id: String, _ choice: String, _ outcome: String?) async throws {
        let world = try await World()
        try await world.fill()
        let browser = Browser(world)
        try await browser.logIn()
        let before = try await world.file(id)?.decisions
        let reply = try await browser.post("/apps/acme/cases/\(id)/decision", from: "/apps/acme/queue", ["choice": choice])
        if let outcome {
            #expect(reply.header("Location") == "/apps/acme/cases/\(id)?refused=\(outcome)")
        } else {
            #expect(reply.status == 404)
        }
        #expect(try await world.file(id)?.decisions == before)
    }

    @Test func whoMayOnlyReadSeesAndDoesNotAct() async throws {
        let world = try await World()
        try await world.fill()
        let browser = Browser(world)
        try await browser.logIn(World.readToken)
        for page in Pages.all { #expect(!(await browser.get(page).text.contains("name=\"choice\"")), "\(page)") }
        for (target, fields) in [
            (ActingTests.decision, ["choice": "DECLINE"]), ("/apps/acme/health/test", [:]), ("/apps/acme/deliveries/1/redelivery", [:]),
        ] {
            #expect(try await browser.post(target, from: "/apps/acme/queue", fields).status == 403)
        }
        #expect(try await browser.post("/apps/acme/policy", from: "/apps/acme/policy", ["draft": "{}"]).status == 200, "trying is reading")
    }

    @Test func formsOfOthersAreRefused() async throws {
        let world = try await World()
        try await world.fill()
        let browser = Browser(world)
        try await browser.logIn()
        let token = try #require(await browser.get("/apps/acme/queue").formToken)
        let fields = ["choice": "DECLINE", "form": token]
        let other = Browser(world)
        try await other.logIn()
        #expect(await other.post(ActingTests.decision, fields).status == 403, "another session's form")
        #expect(await browser.post(ActingTests.decision, ["choice": "DECLINE"]).status == 403)
        #expect(await browser.post(ActingTests.decision, ["choice": "DECLINE", "form": String(token.dropLast()) + "x"]).status == 403)
        for origin in ["https://evil.example", "null", "", "http://desk.example.evil", "http://evil.example/desk.example"] {
            #expect(await browser.post(ActingTests.decision, fields, headers: [("Origin", origin)]).status == 403, "\(origin)")
        }
        #expect(await browser.post(ActingTests.decision, fields, headers: [("Sec-Fetch-Site", "same-site")]).status == 403)
        #expect(try await world.file("2001")?.decisions.count == 1)
        #expect(await browser.get("/apps/acme/cases/2001/decision").status == 405)
        #expect(await browser.post(ActingTests.decision, fields).status == 303)
    }

    @Test func theLoginFormBelongsToItsBrowserToo() async throws {
        let world = try await World()
        let form = try #require(await Browser(world).get("/login").formToken)
        #expect(await Browser(world).post("/login", ["form": form, "token": World.token]).status == 403)
    }

    @Test func aTestNotificationIsAskedForAndNoted() async throws {
        let world = try await World()
        let browser = Browser(world)
        try await browser.logIn()
        let reply = try await browser.post("/apps/acme/health/test", from: "/apps/acme/health", [:])
        #expect(reply.header("Location") == "/apps/acme/health?done=test-arrived")
        #expect(await browser.get("/apps/acme/audit").text.contains("test notification asked for"))
    }

    @Test func whatWasGivenUpIsSentAgain() async throws {
        let world = try await World()
        let (now, ledger) = (world.clock.now(), Ledger(app: world.app.id, environment: .production))
        let row = OutboxRow(kind: .webhook, ledger: ledger, subject: "evt_<b>1", key: "0", dueAt: now, createdAt: now)
        try await world.store.write { tx throws(StoreError) in
            try tx.enqueue(row)
            let claimed = try tx.claim(in: [row.lane], limit: 1, at: now, leaseUntil: now + .minutes(1))
            for row in claimed { try tx.finish(row.id, state: .dead, at: now) }
        }
        let browser = Browser(world)
        try await browser.logIn()
        let page = await browser.get("/apps/acme/health")
        #expect(page.text.contains("evt_&lt;b&gt;1"))
        let target = try #require(page.text.firstMatch(of: /action="(\/apps\/acme\/deliveries\/\d+\/redelivery)"/).map { String($0.1) })
        let reply = try await browser.post(target, from: "/apps/acme/health", [:])
        #expect(reply.header("Location") == "/apps/acme/health?done=redelivered")
        #expect(try await world.store.read { tx throws(StoreError) in try tx.nextDue(in: [row.lane]) } == now)
        #expect(
            try await browser.post(target, from: "/apps/acme/health", [:]).header("Location") == "/apps/acme/health?refused=not-redelivered"
        )
    }

    @Test func theLanguageIsChosenAndKept() async throws {
        let world = try await World()
        let browser = Browser(world, language: "fr")
        #expect(await browser.get("/login").text.contains("<html lang=\"fr\">"))
        _ = try await browser.post("/language", from: "/login", ["language": "uk"])
        try await browser.logIn()
        #expect(await browser.get("/apps/acme/queue").text.contains("<html lang=\"uk\">"))
        _ = try await browser.post("/language", from: "/apps/acme/queue", ["language": "xx"])
        #expect(await browser.get("/apps/acme/queue").text.contains("<html lang=\"uk\">"))
    }
}
