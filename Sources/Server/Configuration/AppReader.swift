import AppStore
import Domain
import Ingest
import JSON5

enum AppKey: String, ConfigurationKey {
    case id, name, bundleId, appAppleId, environments, serverAPI, trustedRoots, onlineChecks, consent, products, economics, retention
    case policy, alerts, webhooks, forward, repeatRefunder, salesReports
}

enum ServerAPIKey: String, ConfigurationKey { case issuerId, keyId, privateKeyFile, productionURL, sandboxURL }
enum SalesReportsKey: String, ConfigurationKey { case vendorNumber, issuerId, keyId, privateKeyFile, url }

extension ConfigurationPlace {
    func app(simulated: Bool) -> AppConfiguration? {
        guard let app = object(AppKey.self) else { return nil }
        let id = app.required(.id, "a short name for URLs, of a-z, 0-9 and -")?.appID()
        let name = app[.name]?.filledText()
        let bundleID = app.required(.bundleId, "as in App Store Connect, such as \"com.example.acme\"")?.bundleID()
        let environments = app[.environments]?.environments() ?? Set(Environment.allCases)
        let appAppleID = app[.appAppleId]?.wholeNumber(1...(.max))
        if environments.contains(.production), app[.appAppleId] == nil {
            mistake(
                "\"appAppleId\" is missing: Production needs the app's Apple ID, a number in App Store Connect under App Information; "
                    + "without Production, write environments: [\"Sandbox\"]")
        }
        let serverAPI = app.required(.serverAPI, "without a key of the App Store Server API no request can be answered")?
            .serverAPI(simulated: simulated)
        let roots = app[.trustedRoots]?.trustedRoots(simulated: simulated) ?? []
        let products = app.required(.products, "such as { \"*\": { sampleContentProvided: true or false } }")?.products()
        let consent = app.required(.consent, "{ mode: \"perCustomer\" }, or blanket with an attestation")?.consent()
        let channels = Channels(app, environments: environments, simulated: simulated)
        let settings = Settings(app)
        let salesReports = app[.salesReports]?.salesReports(simulated: simulated)
        guard let id, let bundleID, let serverAPI, let products, let consent else { return nil }
        return AppConfiguration(
            id: id, name: name ?? id.rawValue, bundleID: bundleID, appAppleID: appAppleID, environments: environments, serverAPI: serverAPI,
            trustedRoots: roots, onlineChecks: settings.onlineChecks, consent: consent, products: products, economics: settings.economics,
            retention: settings.retention, policy: settings.policy, alerts: channels.alerts, webhooks: channels.webhooks,
            forward: channels.forward, repeatRefunder: settings.repeatRefunder, salesReports: salesReports)
    }

    private func appID() -> AppID? {
        guard let text = text() else { return nil }
        let isPlain = !text.isEmpty && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
        return isPlain ? AppID(text) : refused("only a-z, 0-9 and - may stand in an app's id: it is part of URLs")
    }

    private func bundleID() -> String? {
        guard let text = text() else { return nil }
        let isPlain = !text.isEmpty && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "." || $0 == "-") }
        return isPlain ? text : refused("a bundle id such as com.example.acme is expected: letters, digits, - and .")
    }

    private func environments() -> Set<Environment>? {
        guard let places = list() else { return nil }
        for place in places where [.string("Xcode"), .string("LocalTesting")].contains(place.node.value) {
            return place.refused(
                "Xcode signs with a certificate of the machine, which proves nothing: only Production and Sandbox have ledgers")
        }
        return words(Environment.self)
    }

    private func serverAPI(simulated: Bool) -> ServerAPIConfiguration? {
        guard let api = object(ServerAPIKey.self) else { return nil }
        let issuerID = api.required(.issuerId, "the issuer id shown above the keys in App Store Connect")?.filledText()
        let keyID = api.required(.keyId, "the id of the In-App Purchase key")?.filledText()
        let key = api.required(.privateKeyFile, "the .p8 file of the In-App Purchase key")?.file(.privateKey)
        let production = api[.productionURL].map { $0.apiURL(.production, simulated: simulated) } ?? Self.standardURL(.production)
        let sandbox = api[.sandboxURL].map { $0.apiURL(.sandbox, simulated: simulated) } ?? Self.standardURL(.sandbox)
        guard let issuerID, let keyID, let key, let production, let sandbox else { return nil }
        return ServerAPIConfiguration(issuerID: issuerID, keyID: keyID, privateKeyFile: key, productionURL: production, sandboxURL: sandbox)
    }

    private func salesReports(simulated: Bool) -> SalesReportsConfiguration? {
        guard let api = object(SalesReportsKey.self) else { return nil }
        let vendor = api.required(.vendorNumber, "your vendor number, from Payments and Financial Reports")?.vendorNumber()
        let issuerID = api.required(.issuerId, "the issuer id shown above the team keys in App Store Connect")?.filledText()
        let keyID = api.required(.keyId, "the id of the team key")?.filledText()
        let key = api.required(.privateKeyFile, "the .p8 file of the team key")?.file(.privateKey)
        let url = api[.url].map { $0.connectURL(simulated: simulated) } ?? SalesReportsAPI.appleURL
        guard let vendor, let issuerID, let keyID, let key, let url else { return nil }
        return SalesReportsConfiguration(vendorNumber: vendor, issuerID: issuerID, keyID: keyID, privateKeyFile: key, url: url)
    }

    private func vendorNumber() -> String? {
        guard let text = text() else { return nil }
        let isNumber = (1...20).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        return isNumber ? text : refused("a number in quotation marks is expected, such as \"80000001\"")
    }

    private func connectURL(simulated: Bool) -> String? {
        guard let url = baseURL() else { return nil }
        guard simulated || url == SalesReportsAPI.appleURL else {
            return refused("only \(SalesReportsAPI.appleURL) is called unless the instance says simulated: true")
        }
        return url
    }

    private static func standardURL(_ environment: Environment) -> String? { ServerAPIConfiguration.appleURLs(environment).first }

    private func apiURL(_ environment: Environment, simulated: Bool) -> String? {
        guard let url = baseURL() else { return nil }
        let apple = ServerAPIConfiguration.appleURLs(environment)
        guard simulated || apple.contains(url) else {
            return refused("only Apple's own hosts are called (\(apple.joined(separator: ", "))) unless the instance says simulated: true")
        }
        return url
    }

    /// Refusing every root covers Apple's published test certificates too, whose private keys everyone has.
    private func trustedRoots(simulated: Bool) -> [String]? {
        guard let places = list() else { return nil }
        guard simulated || places.isEmpty else {
            return refused("only Apple Root CA - G3 is trusted unless the instance says simulated: true: remove trustedRoots")
        }
        return places.compactMap { $0.file(.certificate) }
    }
}

/// Whom an app tells of what happens.
private struct Channels {
    var alerts: [AlertConfiguration]
    var webhooks: [WebhookConfiguration]
    var forward: [ForwardConfiguration]

    init(_ app: ConfigurationObject<AppKey>, environments: Set<Environment>, simulated: Bool) {
        alerts = app[.alerts]?.list()?.compactMap { $0.alert(environments: environments, simulated: simulated) } ?? []
        webhooks = app[.webhooks]?.list()?.compactMap { $0.webhook(environments: environments) } ?? []
        forward = app[.forward]?.list()?.compactMap { $0.forward() } ?? []
    }
}

/// What an app may leave to its standard.
private struct Settings {
    var onlineChecks: Bool
    var economics: Economics
    var retention: Retention
    var policy: Policy
    var repeatRefunder: RepeatRefunder

    init(_ app: ConfigurationObject<AppKey>) {
        onlineChecks = app[.onlineChecks]?.bool() ?? false
        economics = app[.economics]?.economics() ?? Economics()
        retention = app[.retention]?.retentionTimes() ?? Retention()
        policy = app[.policy]?.policy() ?? Policy()
        repeatRefunder = app[.repeatRefunder]?.repeatRefunder() ?? RepeatRefunder()
    }
}
