import Testing

@testable import Server

/// One mistake in an otherwise good configuration: where it is found, and words its message has.
struct MistakeRow: CustomTestStringConvertible {
    var testDescription: String
    var fixture: ConfigurationFixture
    var path: String
    var words: [String]

    init(_ name: String, desk: [String: String?] = [:], app: [String: String?] = [:], at path: String, _ words: String...) {
        testDescription = name
        fixture = ConfigurationFixture(desk: desk, app: app)
        self.path = path
        self.words = words
    }

    /// A mistake in the entry of the products without one.
    init(_ name: String, product: String, at path: String, _ words: String...) {
        testDescription = name
        fixture = ConfigurationFixture(app: ["products": "{ '*': { \(product) } }"])
        self.path = "apps[0].products[\"*\"]" + path
        self.words = words
    }

    /// A mistake in the only alert.
    init(_ name: String, alert: String, at path: String, _ words: String...) {
        testDescription = name
        fixture = ConfigurationFixture(app: ["alerts": "[{ \(alert) }]"])
        self.path = "apps[0].alerts[0]" + path
        self.words = words
    }
}

private let deskRows = [
    MistakeRow("unknown key", desk: ["listn": "1"], at: "listn", "unknown key", "\"listen\""),
    MistakeRow("address without port", desk: ["listen": "'127.0.0.1'"], at: "listen", "host:port"),
    MistakeRow("port too great", desk: ["listen": "'127.0.0.1:70000'"], at: "listen", "host:port"),
    MistakeRow("bare IPv6", desk: ["listen": "'::1:80'"], at: "listen", "host:port"),
    MistakeRow("number for text", desk: ["listen": "8080"], at: "listen", "a string is expected, not a number"),
    MistakeRow("text for a flag", desk: ["simulated": "'yes'"], at: "simulated", "true or false is expected, not a string"),
    MistakeRow("public URL without scheme", desk: ["publicURL": "'refunds.example.com'"], at: "publicURL", "https://"),
    MistakeRow("public URL with query", desk: ["publicURL": "'https://a.example/?x=1'"], at: "publicURL", "leave out"),
    MistakeRow("no database", desk: ["database": nil], at: "", "\"database\" is missing", "sqlite:"),
    MistakeRow("other database", desk: ["database": "'mysql://h/d'"], at: "database", "sqlite:FILE", "postgres://"),
    MistakeRow("TLS without key", desk: ["tls": "{ certificateFile: 'a.pem' }"], at: "tls", "\"privateKeyFile\" is missing"),
    MistakeRow("proxies that are no list", desk: ["trustedProxies": "'10.0.0.1'"], at: "trustedProxies", "a list"),
    MistakeRow("a proxy's name", desk: ["trustedProxies": "['::1', 'caddy']"], at: "trustedProxies[1]", "10.0.0.0/8", "names"),
    MistakeRow("a block with more set", desk: ["trustedProxies": "['10.0.0.1/8']"], at: "trustedProxies[0]", "behind its length"),
    MistakeRow("a block that is too long", desk: ["trustedProxies": "['10.0.0.1/33']"], at: "trustedProxies[0]", "10.0.0.0/8"),
    MistakeRow("variable not set", desk: ["listen": "'${ADDRESS}:80'"], at: "listen", "ADDRESS is not set"),
    MistakeRow("variable not closed", desk: ["listen": "'${ADDRESS'"], at: "listen", "write ${NAME}"),
]

private let appRows = [
    MistakeRow("key in other case", app: ["bundleID": "'x'"], at: "apps[0].bundleID", "did you mean \"bundleId\"?"),
    MistakeRow("far from every key", app: ["verification": "'off'"], at: "apps[0].verification", "nearest known is", "onlineChecks"),
    MistakeRow("verification cannot be switched off", app: ["skipVerification": "true"], at: "apps[0].skipVerification", "unknown key"),
    MistakeRow("id of capitals", app: ["id": "'Acme'"], at: "apps[0].id", "a-z, 0-9 and -"),
    MistakeRow("no id", app: ["id": nil], at: "apps[0]", "\"id\" is missing"),
    MistakeRow("empty name", app: ["name": "' '"], at: "apps[0].name", "must not be empty"),
    MistakeRow("bundle id with a space", app: ["bundleId": "'com. x'"], at: "apps[0].bundleId", "com.example.acme"),
    MistakeRow("Production without app id", app: ["appAppleId": nil], at: "apps[0]", "\"appAppleId\" is missing", "Production"),
    MistakeRow("app id as text", app: ["appAppleId": "'1'"], at: "apps[0].appAppleId", "a number is expected, not a string"),
    MistakeRow("app id of zero", app: ["appAppleId": "0"], at: "apps[0].appAppleId", "whole number from 1"),
    MistakeRow("Xcode", app: ["environments": "['Production', 'Xcode']"], at: "apps[0].environments[1]", "only Production and Sandbox"),
    MistakeRow("LocalTesting", app: ["environments": "['LocalTesting']"], at: "apps[0].environments[0]", "only Production and Sandbox"),
    MistakeRow(
        "misspelt environment", app: ["environments": "['Prodution']"], at: "apps[0].environments[0]", "did you mean \"Production\"?"),
    MistakeRow("environment as number", app: ["environments": "[5]"], at: "apps[0].environments[0]", "a string is expected"),
    MistakeRow("no environments", app: ["environments": "[]"], at: "apps[0].environments", "the list is empty"),
    MistakeRow("environment twice", app: ["environments": "['Sandbox', 'Sandbox']"], at: "apps[0].environments[1]", "stands twice"),
    MistakeRow("no API key", app: ["serverAPI": nil], at: "apps[0]", "\"serverAPI\" is missing"),
    MistakeRow(
        "misspelt in the API", app: ["serverAPI": "{ issuerId: 'i', keyId: 'k', privateKeyFile: 'p', productonURL: '' }"],
        at: "apps[0].serverAPI.productonURL", "did you mean \"productionURL\"?"),
    MistakeRow(
        "API elsewhere", app: ["serverAPI": "{ issuerId: 'i', keyId: 'k', privateKeyFile: 'p', sandboxURL: 'http://127.0.0.1:1' }"],
        at: "apps[0].serverAPI.sandboxURL", "https://api.storekit-sandbox.apple.com", "simulated: true"),
    MistakeRow(
        "Sandbox's host for Production",
        app: ["serverAPI": "{ issuerId: 'i', keyId: 'k', privateKeyFile: 'p', productionURL: 'https://api.storekit-sandbox.apple.com' }"],
        at: "apps[0].serverAPI.productionURL", "https://api.storekit.apple.com"),
    MistakeRow("own roots", app: ["trustedRoots": "['testCA.der']"], at: "apps[0].trustedRoots", "Apple Root CA - G3", "simulated: true"),
    MistakeRow("no consent", app: ["consent": nil], at: "apps[0]", "\"consent\" is missing"),
    MistakeRow("blanket alone", app: ["consent": "{ mode: 'blanket' }"], at: "apps[0].consent", "attestation"),
    MistakeRow("blank attestation", app: ["consent": "{ mode: 'blanket', attestation: ' ' }"], at: "apps[0].consent.attestation", "empty"),
    MistakeRow("other mode", app: ["consent": "{ mode: 'percustomer' }"], at: "apps[0].consent.mode", "did you mean \"perCustomer\"?"),
    MistakeRow("no products", app: ["products": nil], at: "apps[0]", "\"products\" is missing"),
    MistakeRow("retention without unit", app: ["retention": "{ usage: '2' }"], at: "apps[0].retention.usage", "30d, 2y"),
    MistakeRow("retention of hours", app: ["retention": "{ bodies: '2h' }"], at: "apps[0].retention.bodies", "30d, 2y"),
    MistakeRow("no refunds at all", app: ["repeatRefunder": "{ granted: 0 }"], at: "apps[0].repeatRefunder.granted", "from 1"),
    MistakeRow("in the policy", app: ["policy": "{ default: { answer: 'dataonly' } }"], at: "apps[0].policy.default.answer", "data-only"),
]

private let productRows = [
    MistakeRow("sample not stated", product: "delivery: 'DELIVERED'", at: "", "\"sampleContentProvided\" is missing"),
    MistakeRow(
        "unknown delivery", product: "sampleContentProvided: true, delivery: 'DELIVERD'", at: ".delivery", "did you mean \"DELIVERED\"?"),
    MistakeRow("nothing granted", product: "sampleContentProvided: true, granted: 0", at: ".granted", "whole number from 1"),
    MistakeRow(
        "no currency", product: "sampleContentProvided: true, costs: { gems: { unit: 1 } }", at: ".costs.gems", "\"currency\" is missing"),
    MistakeRow(
        "small currency", product: "sampleContentProvided: true, costs: { gems: { unit: 1, currency: 'usd' } }", at: ".costs.gems.currency",
        "USD"),
    MistakeRow(
        "negative cost", product: "sampleContentProvided: true, costs: { gems: { unit: -1, currency: 'USD' } }", at: ".costs.gems.unit",
        "from 0"),
    MistakeRow("no period", product: "sampleContentProvided: true, duration: '30d'", at: ".duration", "P30D"),
    MistakeRow("period of no time", product: "sampleContentProvided: true, duration: 'P0D'", at: ".duration", "P30D"),
    MistakeRow(
        "outage backwards",
        product:
            "sampleContentProvided: true, outages: [{ from: '2026-11-01T10:00Z', to: '2026-11-01T09:00Z', status: 'UNDELIVERED_OTHER' }]",
        at: ".outages[0].to", "later"),
    MistakeRow(
        "a day no calendar has",
        product:
            "sampleContentProvided: true, outages: [{ from: '2026-02-30T10:00Z', to: '2026-11-01T09:00Z', status: 'UNDELIVERED_OTHER' }]",
        at: ".outages[0].from", "2026-11-01T10:00Z"),
]

private let channelRows = [
    MistakeRow("no kind", alert: "url: 'https://a.example'", at: "", "\"kind\" is missing", "slack"),
    MistakeRow("unknown kind", alert: "kind: 'slak'", at: ".kind", "did you mean \"slack\"?"),
    MistakeRow("no URL", alert: "kind: 'discord'", at: "", "\"url\" is missing"),
    MistakeRow(
        "key of another kind", alert: "kind: 'slack', url: 'https://a.example', chatId: '1'", at: ".chatId", "no meaning for the kind slack"
    ),
    MistakeRow(
        "telegram elsewhere", alert: "kind: 'telegram', token: 't', chatId: '1', url: 'https://a.example'", at: ".url", "simulated: true"),
    MistakeRow(
        "mail over http", alert: "kind: 'email', smtp: 'http://a.example', from: 'a@b.example', to: 'c@d.example'", at: ".smtp", "smtp://"),
    MistakeRow(
        "no address", alert: "kind: 'email', smtp: 'smtp://a.example', from: 'a@b.example', to: ['c']", at: ".to[0]", "alerts@example.com"),
    MistakeRow(
        "unknown alert event", alert: "kind: 'ntfy', url: 'https://a.example/t', events: ['secondask']", at: ".events[0]",
        "did you mean \"second-ask\"?"),
    MistakeRow("no secret", app: ["webhooks": "[{ url: 'https://a.example' }]"], at: "apps[0].webhooks[0]", "\"secret\" is missing"),
    MistakeRow(
        "secret without prefix", app: ["webhooks": "[{ url: 'https://a.example', secret: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }]"],
        at: "apps[0].webhooks[0].secret", "whsec_", "openssl rand"),
    MistakeRow(
        "short secret", app: ["webhooks": "[{ url: 'https://a.example', secret: 'whsec_AAAA' }]"], at: "apps[0].webhooks[0].secret",
        "24 to 64"),
    MistakeRow(
        "misspelt event",
        app: ["webhooks": "[{ url: 'https://a.example', secret: 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', events: ['refund.grant'] }]"],
        at: "apps[0].webhooks[0].events[0]", "did you mean \"refund.granted\"?"),
    MistakeRow("forward to ftp", app: ["forward": "[{ url: 'ftp://a.example' }]"], at: "apps[0].forward[0].url", "https://"),
    MistakeRow("forward without host", app: ["forward": "[{ url: 'https:///x' }]"], at: "apps[0].forward[0].url", "host"),
]

@Test(arguments: deskRows + appRows + productRows + channelRows)
func oneMistake(_ row: MistakeRow) throws {
    let reading = row.fixture.reading()
    let mistake = try #require(reading.mistakes.first)
    #expect(reading.mistakes.count == 1 && reading.configuration == nil, "\(reading.mistakes)")
    #expect(mistake.path == row.path)
    for word in row.words { #expect(mistake.message.contains(word), "\(mistake)") }
    let parts = row.path.split { $0 == "." || $0 == "[" }
    let key = parts.first == "apps" ? parts.dropFirst(2).first ?? "apps" : parts.first ?? "{"
    #expect(mistake.line == row.fixture.line(of: String(key)))
}

@Test func everyMistakeIsCollectedInTheOrderOfTheText() {
    let fixture = ConfigurationFixture(
        desk: ["listen": "'x'", "database": "5"], app: ["id": "'A B'", "consent": "{ mode: 'blanket' }", "policy": "{ rules: [{}] }"])
    let mistakes = fixture.reading().mistakes
    #expect(Set(mistakes.map(\.path)) == ["database", "listen", "apps[0].id", "apps[0].consent", "apps[0].policy.rules[0]"], "\(mistakes)")
    #expect(mistakes.compactMap(\.line) == mistakes.compactMap(\.line).sorted())
}

@Test func appsHaveIDsAndBundleIDsOfTheirOwn() {
    let app = """
        { id: 'a', bundleId: 'com.a', environments: ['Sandbox'], serverAPI: { issuerId: 'i', keyId: 'k', privateKeyFile: 'p' }, \
        consent: { mode: 'perCustomer' }, products: { '*': { sampleContentProvided: true } } }
        """
    let text = "{ database: 'sqlite:a', apps: [\n\(app),\n\(app)] }"
    let mistakes = ConfigurationReading(of: Array(text.utf8), folder: "/", variables: [:]).mistakes
    #expect(mistakes.map(\.path) == ["apps[1].id", "apps[1].bundleId"], "\(mistakes)")
    #expect(mistakes.allSatisfy { $0.line == 3 && $0.message.contains("on line 2") }, "\(mistakes)")
}

@Test func aTextThatIsNoJSON5IsOneMistake() {
    let reading = ConfigurationReading(of: Array("{\n listen: hello }".utf8), folder: "/", variables: [:])
    #expect(reading.mistakes.count == 1)
    #expect(reading.mistakes.first?.description.hasPrefix("line 2: column 10: text needs quotation marks") == true)
    for bytes in [[0xFF], Array("[]".utf8), []] {
        #expect(ConfigurationReading(of: bytes, folder: "/", variables: [:]).mistakes.count == 1)
    }
}

@Test func mistakesNeverHoldSecrets() {
    let secret = "s3cr3t-value"
    let fixture = ConfigurationFixture(
        desk: ["database": "'mysql://user:\(secret)@h/d'", "listen": "'${SECRET}'", "publicURL": "'${SECRET}'"],
        app: [
            "webhooks": "[{ url: '${SECRET}', secret: '\(secret)' }]",
            "alerts": "[{ kind: 'slack', url: '\(secret)' }, { kind: 'email', smtp: '\(secret)', from: '\(secret)', to: '\(secret)' }]",
            "retention": "{ usage: '${SECRET}' }",
        ])
    let reading = fixture.reading(["SECRET": secret])
    #expect(reading.mistakes.count >= 8)
    for mistake in reading.mistakes + reading.warnings { #expect(!mistake.description.contains(secret), "\(mistake.path)") }
}
