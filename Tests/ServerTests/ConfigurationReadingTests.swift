import Domain
import Foundation
import HTTPServer
import Ingest
import Testing

@testable import Server

private func only(_ fixture: ConfigurationFixture, _ variables: [String: String] = [:]) throws -> AppConfiguration {
    let reading = fixture.reading(variables)
    #expect(reading.mistakes.isEmpty, "\(reading.mistakes)")
    return try #require(reading.configuration?.apps.first)
}

@Test func whatIsLeftOutHasItsStandard() throws {
    let reading = ConfigurationFixture().reading()
    let desk = try #require(reading.configuration)
    #expect(reading.warnings.isEmpty)
    #expect(desk.listen == ListenAddress(host: "127.0.0.1", port: 8080) && desk.publicURL == "http://127.0.0.1:8080")
    #expect(desk.database == .sqlite(path: "/etc/desk/desk.db"))
    #expect(!desk.simulated && !desk.allowPrivateTargets && desk.tls == nil && desk.trustedProxies == .local)
    let app = try #require(desk.apps.first)
    #expect(
        app.id == AppID("acme") && app.name == "acme" && app.environments == [.production, .sandbox] && app.appAppleID == 1_234_567_890)
    #expect(
        app.serverAPI.productionURL == "https://api.storekit.apple.com"
            && app.serverAPI.sandboxURL == "https://api.storekit-sandbox.apple.com")
    #expect(app.serverAPI.privateKeyFile == "/etc/desk/AuthKey.p8")
    #expect(app.trustedRoots.isEmpty && !app.onlineChecks && app.policy == Policy() && app.retention == Retention(usage: nil, bodies: nil))
    #expect((app.repeatRefunder.granted, app.repeatRefunder.requested, app.repeatRefunder.days) == (2, 3, 365))
    #expect(app.consent == ConsentConfiguration(mode: .perCustomer, minimumTextVersion: nil))
    let product = try #require(app.products[ProductID("anything")])
    #expect(!product.sampleContentProvided && product.delivery == nil && product.costs.isEmpty && !product.usageIsComplete)
}

@Test func aSimulatedInstanceMayDiffer() throws {
    let fixture = ConfigurationFixture(
        desk: ["simulated": "true", "publicURL": "'http://127.0.0.1/'"],
        app: [
            "trustedRoots": "['root.pem', '/tmp/other.der']",
            "serverAPI":
                "{ issuerId: 'i', keyId: 'k', privateKeyFile: 'k.p8', productionURL: 'http://127.0.0.1:1/', sandboxURL: 'http://[::1]:2' }",
            "alerts": "[{ kind: 'telegram', token: 't', chatId: '-100', url: 'http://127.0.0.1:3' }]",
        ])
    let reading = fixture.reading()
    let desk = try #require(reading.configuration, "\(reading.mistakes)")
    #expect(desk.allowPrivateTargets && desk.publicURL == "http://127.0.0.1" && reading.warnings.isEmpty)
    #expect(desk.apps[0].trustedRoots == ["/etc/desk/root.pem", "/tmp/other.der"])
    #expect(desk.apps[0].serverAPI.productionURL == "http://127.0.0.1:1")
    #expect(desk.apps[0].alerts[0].channel == .telegram(token: "t", chatID: "-100", apiURL: "http://127.0.0.1:3"))
    #expect(reading.files.map(\.role) == [.databaseFolder, .privateKey, .certificate, .certificate])
    #expect(
        ConfigurationFixture(desk: ["simulated": "true", "allowPrivateTargets": "false"]).reading().configuration?.allowPrivateTargets
            == false)
}

@Test func trustedProxiesAreThoseThatStandThere() throws {
    let given = ConfigurationFixture(desk: ["trustedProxies": "['10.1.0.0/16', '${PROXY}', 'fd00::/8']"]).reading(["PROXY": "192.0.2.7"])
    let wanted = try ["10.1.0.0/16", "192.0.2.7", "fd00::/8"].map { try #require(AddressBlock($0)) }
    #expect(given.configuration?.trustedProxies == TrustedProxies(wanted) && given.warnings.isEmpty)
    #expect(ConfigurationFixture(desk: ["trustedProxies": "[]"]).reading().configuration?.trustedProxies == TrustedProxies([]))
    let all = ConfigurationFixture(desk: ["trustedProxies": "['::1', '0.0.0.0/0']"]).reading()
    #expect(all.configuration != nil && all.warnings.map(\.path) == ["trustedProxies[1]"])
}

@Test func productsAsStated() throws {
    let app = try only(
        ConfigurationFixture(app: [
            "products": """
            { 'com.example.coins': { sampleContentProvided: true, meter: 'coins', granted: 100, usageComplete: true, \
            costs: { coins: { unit: 40, currency: 'USD' } } }, \
            pass: { sampleContentProvided: true, duration: 'P1Y2M1W3DT4H5M6S', \
            outages: [{ from: '2026-11-01T10:00Z', to: '2026-11-01T14:00:30Z', status: 'UNDELIVERED_SERVER_OUTAGE' }] }, \
            '*': { sampleContentProvided: false, delivery: 'DELIVERED' } }
            """
        ]))
    let coins = try #require(app.products[ProductID("com.example.coins")])
    #expect(coins.meter == "coins" && coins.terms.granted == 100 && coins.usageIsComplete && coins.delivery == nil)
    #expect(coins.costs["coins"]?.unit == 40 && coins.costs["coins"]?.currency == "USD")
    let pass = try #require(app.products[ProductID("pass")])
    #expect(pass.terms.duration == CalendarPeriod(years: 1, months: 2, days: 10, seconds: 4 * 3600 + 5 * 60 + 6))
    let outage = try #require(pass.outages.first)
    #expect(outage.from == Timestamp(milliseconds: 1_793_527_200_000) && outage.to == Timestamp(milliseconds: 1_793_541_630_000))
    #expect(pass.outages.count == 1 && outage.status == .undeliveredServerOutage)
    #expect(app.products[ProductID("other")]?.delivery == .delivered)
}

@Test func channelsAsStated() throws {
    let key = Data((0..<32).map { UInt8($0) })
    let fixture = ConfigurationFixture(app: [
        "alerts": """
        [{ kind: 'slack', url: 'https://${HOST}/x', showAmounts: true, environments: ['Production'], events: ['request', 'decision'] }, \
        { kind: 'discord', url: 'https://d.example/' }, { kind: 'ntfy', url: 'https://n.example/topic' }, \
        { kind: 'webhook', url: 'https://w.example' }, { kind: 'telegram', token: '${TOKEN}', chatId: '-1' }, \
        { kind: 'email', smtp: 'smtp://u:p@m.example:587', from: 'a@b.example', to: ['c@d.example', 'e@f.example'] }]
        """,
        "webhooks": """
        [{ url: 'https://b.example/hooks', secret: 'whsec_\(key.base64EncodedString())', events: ['refund.*', 'seats.changed'], \
        environments: ['Production'] }]
        """,
        "forward": "[{ url: 'https://r.example/in?x=1' }]",
    ])
    let app = try only(fixture, ["HOST": "s.example", "TOKEN": "123:abc"])
    #expect(
        app.alerts.map(\.channel) == [
            .slack(url: "https://s.example/x"), .discord(url: "https://d.example/"), .ntfy(url: "https://n.example/topic"),
            .webhook(url: "https://w.example"), .telegram(token: "123:abc", chatID: "-1", apiURL: "https://api.telegram.org"),
            .email(smtp: "smtp://u:p@m.example:587", from: "a@b.example", to: ["c@d.example", "e@f.example"]),
        ])
    #expect(app.alerts[0].showAmounts && app.alerts[0].environments == [.production] && app.alerts[0].events == [.request, .decision])
    #expect(!app.alerts[1].showAmounts && app.alerts[1].environments == [.production, .sandbox])
    #expect(app.alerts[1].events.count == 11 && !app.alerts[1].events.contains(.decision))
    #expect(
        app.webhooks == [
            WebhookConfiguration(
                url: "https://b.example/hooks", secret: Array(key), events: ["refund.*", "seats.changed"], environments: [.production])
        ])
    #expect(app.forward == [ForwardConfiguration(url: "https://r.example/in?x=1")])
}

@Test func receiversOfMailBetweenCommas() throws {
    let app = try only(
        ConfigurationFixture(app: [
            "alerts": "[{ kind: 'email', smtp: 'smtps://m.example', from: 'a@b.example', to: 'c@d.example, e@f.example' }]"
        ]))
    #expect(
        app.alerts.map(\.channel) == [.email(smtp: "smtps://m.example", from: "a@b.example", to: ["c@d.example", "e@f.example"])])
}

@Test func anotherResponderIsWarnedOf() {
    for (host, isWarned) in [
        ("api.revenuecat.com", true), ("revenuecat.com", true), ("notrevenuecat.com", false), ("revenuecat.com.example", false),
    ] {
        let reading = ConfigurationFixture(app: ["forward": "[{ url: 'https://\(host)/x' }]"]).reading()
        #expect(reading.mistakes.isEmpty)
        #expect(reading.warnings.map(\.path) == (isWarned ? ["apps[0].forward[0].url"] : []), "\(host)")
    }
}

@Test func otherValuesAsStated() throws {
    let app = try only(
        ConfigurationFixture(app: [
            "name": "'Acme'", "consent": "{ mode: 'blanket', attestation: 'Terms of 2026-10', minimumTextVersion: '2026-10' }",
            "economics": "{ smallBusinessProgram: true }", "retention": "{ usage: '2y', bodies: null }",
            "repeatRefunder": "{ granted: 5, days: 30 }", "environments": "['Sandbox']", "appAppleId": nil, "onlineChecks": "true",
            "policy": "{ rules: [{ name: 'all', then: { prefer: 'DECLINE' } }], default: { answer: 'none' } }",
        ]))
    #expect(app.name == "Acme" && app.environments == [.sandbox] && app.appAppleID == nil && app.onlineChecks)
    #expect(app.consent == ConsentConfiguration(mode: .blanket(attestation: "Terms of 2026-10"), minimumTextVersion: "2026-10"))
    #expect(app.economics.smallBusinessProgram && app.retention.usage == .days(730) && app.retention.bodies == nil)
    #expect((app.repeatRefunder.granted, app.repeatRefunder.requested, app.repeatRefunder.days) == (5, 3, 30))
    #expect(
        app.policy
            == Policy(rules: [PolicyRule(name: "all", outcome: PolicyOutcome(.prefer(.decline)))], default: PolicyOutcome(.abstain)))
}

@Test func whatHardlyWorksAsMeantIsWarnedOf() {
    let fixture = ConfigurationFixture(
        desk: ["publicURL": "'http://refunds.example.com'"],
        app: [
            "environments": "['Sandbox']", "forward": "[]", "consent": "{ mode: 'perCustomer', attestation: 'x' }",
            "alerts": "[{ kind: 'ntfy', url: 'https://n.example/t', environments: ['Production'] }]",
            "products": "{ a: { sampleContentProvided: true } }",
        ])
    let reading = fixture.reading()
    #expect(reading.configuration != nil, "\(reading.mistakes)")
    #expect(
        Set(reading.warnings.map(\.path)) == [
            "publicURL", "apps[0].consent.attestation", "apps[0].alerts[0].environments", "apps[0].products",
        ])
}

@Test func listenAddresses() {
    #expect(ListenAddress("localhost:0") == ListenAddress(host: "localhost", port: 0))
    #expect(ListenAddress("[::1]:8080") == ListenAddress(host: "::1", port: 8080))
    #expect(ListenAddress("[::1]:8080")?.description == "[::1]:8080" && ListenAddress("0.0.0.0:1")?.description == "0.0.0.0:1")
    for text in ["", ":", ":80", "80", "a:", "a:-1", "a:65536", "a b:80", "::1:80", "[]:80"] {
        #expect(ListenAddress(text) == nil, "\(text)")
    }
}

private let shared: URL? = {
    let sibling = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../shared")
    let folder = ProcessInfo.processInfo.environment["REFUND_DESK_SHARED"].map { URL(filePath: $0) } ?? sibling
    return FileManager.default.fileExists(atPath: folder.appending(path: "interface.md").path) ? folder : nil
}()

@Test(.enabled(if: shared != nil, "the shared folder is missing: set REFUND_DESK_SHARED"))
func theExampleOfTheInterfaceIsAConfiguration() throws {
    let document = try String(contentsOf: #require(shared).appending(path: "interface.md"), encoding: .utf8)
    let blocks = document.components(separatedBy: "```json5\n").dropFirst().compactMap { $0.components(separatedBy: "```").first }
    let example = try #require(blocks.first).replacing("whsec_...", with: "${SECRET}")
    let variables = ["SECRET": "whsec_" + Data(count: 32).base64EncodedString(), "SLACK_URL": "https://hooks.slack.example/x"]
    let reading = ConfigurationReading(of: Array(example.utf8), folder: "/etc/desk", variables: variables)
    #expect(reading.mistakes.isEmpty && reading.warnings.isEmpty, "\(reading.mistakes) \(reading.warnings)")
    #expect(reading.configuration?.apps.first?.products.byID.count == 2)
    let rules = try #require(blocks.dropFirst().first).split(separator: "\n").joined(separator: ",\n")
    let policy = PolicyReading(of: Array("{ rules: [\n\(rules)\n] }".utf8), variables: [:])
    #expect(policy.mistakes.isEmpty && policy.warnings.isEmpty && policy.policy?.rules.count == 4, "\(policy.mistakes)")
}
