import AppStore
import Crypto
import Domain
import Foundation
import HTTPServer
import Ingest
import Store
import StoreSQLite
import Synchronization
import Testing

@testable import Dashboard

/// A dashboard on a fresh database with one app, `acme`, and a clock that stands still.
final class World: Sendable {
    let store: SQLiteStore
    let dashboard: Dashboard
    let intake: Intake
    let app: AppSettings
    let clock = Clock()
    private let folder: String

    static let token = "rd_write"
    static let readToken = "rd_read"

    init(
        app: AppSettings = .acme, publicURL: String = "http://desk.example", isSecure: Bool = false, isSimulated: Bool = false,
        limits: RepeatRefundLimits = RepeatRefundLimits(granted: 2, requested: 3, days: 365)
    ) async throws {
        folder = NSTemporaryDirectory() + "dashboard-tests-\(UUID())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        self.app = app
        store = try await SQLiteStore.open(path: folder + "/desk.db", now: clock.now())
        let apps = AppDirectory([app])
        intake = Intake(
            store: store, verifiers: VerifierDirectory([app.id: Signer.shared.verifier]), apps: apps, time: clock, metrics: Metrics())
        let settings = DashboardSettings(
            publicURL: publicURL, isSecure: isSecure, isSimulated: isSimulated, version: "1", trustedProxies: .local,
            repeatRefundBounds: { _ in limits }, isInSmallBusinessProgram: { _ in false },
            revenueCatApps: [],
            readPolicy: { text in
                let policy = text.contains("mistake") ? nil : Policy(default: PolicyOutcome(.prefer(.decline)))
                let mistakes = policy == nil ? [PolicyDraft.Remark(line: 3, text: "rules[0]: <b>no</b>")] : []
                return PolicyDraft(policy: policy, mistakes: mistakes, warnings: [])
            }, sendTest: { _ in .arrived })
        dashboard = Dashboard(apps: apps, store: store, time: clock, metrics: Metrics(), settings: settings)
        try await addToken(World.token, "Ann", .admin)
        try await addToken(World.readToken, "Rea", .read)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func addToken(_ token: String, _ name: String, _ scope: TokenRow.Scope) async throws {
        let row = TokenRow(name: name, scope: scope, sha256: SHA256Digest.hash(Array(token.utf8)), createdAt: clock.now())
        #expect(try await store.write { tx throws(StoreError) in try tx.add(row) })
    }
}

final class Clock: Time {
    private let instant = Mutex(Timestamp(milliseconds: 1_790_000_000_000))
    func now() -> Timestamp { instant.withLock { $0 } }
    func advance(_ span: Span) { instant.withLock { $0 = $0 + span } }
    func sleep(until instant: Timestamp) async throws { throw CancellationError() }
}

extension AppSettings {
    /// Holds what is dear, answers the rest with the data alone.
    static let acme = AppSettings(
        id: AppID("acme"), name: "Acme & <Sons>", bundleID: "com.acme.app", appAppleID: 900_100_200,
        environments: [.production, .sandbox],
        products: ProductCatalogue(
            byID: [
                ProductID("com.acme.coins100"): ProductStatement(
                    sampleContentProvided: true, delivery: .delivered, meter: "coins", terms: ProductTerms(granted: 100))
            ], rest: ProductStatement(sampleContentProvided: true, delivery: .delivered)),
        policy: Policy(
            rules: [
                PolicyRule(
                    name: "dear <i>", conditions: [PolicyCondition(.named(.price), .atLeast(ExactDecimal(5)))],
                    outcome: PolicyOutcome(.dataOnly, after: .hours(2)))
            ]))
}

/// What came back.
struct Reply: Sendable {
    var status: Int
    var headers: [(name: String, value: String)]
    var text: String

    func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }
    func headers(_ name: String) -> [String] { headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value) }
    /// The value of the first form's token.
    var formToken: String? { text.firstMatch(of: /name="form" value="([^"]+)"/).map { String($0.1) } }
}

/// A browser: keeps cookies, names the origin of what it posts.
final class Browser: Sendable {
    let world: World
    private let cookies = Mutex<[String: String]>([:])
    let language: String
    let address: String

    init(_ world: World, language: String = "en", address: String = "198.51.100.7") {
        self.world = world
        self.language = language
        self.address = address
    }

    var jar: [String: String] { cookies.withLock { $0 } }
    func keep(_ jar: [String: String]) { cookies.withLock { $0 = jar } }

    @discardableResult
    func get(_ target: String, headers: [(name: String, value: String)] = []) async -> Reply {
        await send("GET", target, [:], headers: headers)
    }

    /// - Parameter headers: `Origin` is the host's own where it is not named here; an empty value leaves it out.
    @discardableResult
    func post(_ target: String, _ fields: [String: String], headers: [(name: String, value: String)] = []) async -> Reply {
        let origin = headers.contains { $0.name == "Origin" } ? [] : [(name: "Origin", value: "http://desk.example")]
        return await send("POST", target, fields, headers: (headers + origin).filter { !$0.value.isEmpty })
    }

    private func send(
        _ method: String, _ target: String, _ fields: [String: String], headers: [(name: String, value: String)]
    ) async -> Reply {
        var request = HTTPRequest(target: target)
        request.method = method
        request.remoteAddress = address
        let jar = jar.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: "; ")
        request.headers =
            [(name: "Host", value: "desk.example"), (name: "Accept-Language", value: language)]
            + (jar.isEmpty ? [] : [(name: "Cookie", value: jar)]) + headers
        request.body = Array(fields.map { "\($0.key)=\(Browser.encoded($0.value))" }.joined(separator: "&").utf8)
        guard let response = await world.dashboard.handle(request) else { return Reply(status: 0, headers: [], text: "") }
        for header in response.headers where header.name == "Set-Cookie" {
            let sides = header.value.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            cookies.withLock { $0[String(sides[0])] = header.value.contains("Max-Age=0;") ? nil : String(sides[1]) }
        }
        return Reply(status: response.status, headers: response.headers, text: String(decoding: response.body, as: UTF8.self))
    }

    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    /// Logs in through the form.
    @discardableResult
    func logIn(_ token: String = World.token) async throws -> Reply {
        let form = await get("/login")
        return await post("/login", ["form": try #require(form.formToken), "token": token])
    }

    /// Posts a form of a page.
    func post(_ target: String, from page: String, _ fields: [String: String]) async throws -> Reply {
        let form = await get(page)
        return await post(target, fields.merging(["form": try #require(form.formToken)]) { own, _ in own })
    }
}

extension World {
    /// Signs and posts a notification.
    func notify(_ type: String, _ transaction: JSONValue, reason: String? = nil, uuid: String) async throws {
        var container: [String: JSONValue] = [
            "bundleId": "com.acme.app", "appAppleId": 900_100_200, "environment": "Production",
            "signedTransactionInfo": .string(Signer.shared.sign(transaction)),
        ]
        container["consumptionRequestReason"] = reason.map { .string($0) }
        let payload: JSONValue = [
            "notificationType": .string(type), "notificationUUID": .string(uuid), "version": "2.0",
            "signedDate": .integer(clock.now().milliseconds), "data": .object(container),
        ]
        let body: JSONValue = ["signedPayload": .string(Signer.shared.sign(payload))]
        #expect(try await intake.receiveNotification(body.bytes, postedTo: app.id) == .accepted)
    }

    /// A purchase, made yesterday.
    func purchase(_ id: String, _ product: String = "com.acme.coins100", price: Int64 = 990, currency: String = "USD") -> JSONValue {
        let now = clock.now().milliseconds
        return [
            "transactionId": .string(id), "originalTransactionId": .string(id), "bundleId": "com.acme.app", "productId": .string(product),
            "type": "Consumable", "quantity": 1, "purchaseDate": .integer(now - 86_400_000), "signedDate": .integer(now),
            "environment": "Production", "price": .integer(price), "currency": .string(currency), "storefront": "USA",
            "appTransactionId": .string("704" + id), "inAppOwnershipType": "PURCHASED",
        ]
    }

    func consent(_ ref: String, source: String = "in-app dialog") async throws {
        let (app, now) = (app, clock.now())
        let ledger = Ledger(app: app.id, environment: .production)
        _ = try await store.write { tx throws(StoreError) in
            try OwnerDesk(app: app, ledger: ledger, tx: tx, now: now, actor: "backend")
                .record(ConsentFact(ref: ref, consented: true, source: source, textVersion: "1", at: now))
        }
    }

    func file(_ id: String) async throws -> CaseFile? {
        let ledger = Ledger(app: app.id, environment: .production)
        return try await store.read { tx throws(StoreError) in try CaseFile(TransactionID(id), in: ledger, tx) }
    }

    /// One case that is held, one that was answered, one refunded, and text that wants to be markup in every field that takes any.
    func fill() async throws {
        try await consent("7042001", source: "<img src=x onerror=alert(1)>")
        try await consent("7042002")
        try await notify("CONSUMPTION_REQUEST", purchase("2001", price: 9_990), reason: "UNINTENDED_PURCHASE", uuid: "uuid-1")
        try await notify("CONSUMPTION_REQUEST", purchase("2002"), reason: "<script>alert(1)</script>", uuid: "uuid-2")
        try await notify(
            "CONSUMPTION_REQUEST", purchase("2003", "<script>alert('p')</script>", currency: "JPY"), reason: "OTHER", uuid: "uuid-3")
        let revoked: [String: JSONValue] = [
            "revocationDate": .integer(clock.now().milliseconds), "revocationReason": 1, "revocationType": "REFUND_FULL",
            "revocationPercentage": 100_000,
        ]
        try await notify("REFUND", purchase("2004").merging(revoked), uuid: "uuid-4")
    }
}
