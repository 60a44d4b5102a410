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

@testable import API

/// A desk on a fresh database with one app, `acme`, and a clock that stands still.
final class World: Sendable {
    let store: SQLiteStore
    let api: DeskAPI
    let app: AppSettings
    let clock = Clock()
    let metrics = Metrics()
    private let folder: String

    static let adminToken = "admin-token"

    init(app: AppSettings = .acme) async throws {
        let folder = NSTemporaryDirectory() + "api-tests-\(UUID())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        self.folder = folder
        self.app = app
        store = try await SQLiteStore.open(path: folder + "/desk.db", now: clock.now())
        let apps = AppDirectory([app])
        let intake = Intake(
            store: store, verifiers: VerifierDirectory([app.id: Signer.shared.verifier]), apps: apps, time: clock, metrics: metrics)
        api = DeskAPI(apps: apps, store: store, intake: intake, time: clock, metrics: metrics)
        try await addToken(World.adminToken, .admin)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func addToken(_ token: String, _ scope: TokenRow.Scope) async throws {
        let row = TokenRow(
            name: "\(token)-\(scope)", scope: scope, sha256: SHA256Digest.hash(Array(token.utf8)), createdAt: clock.now())
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
    static let acme = AppSettings(
        id: AppID("acme"), name: "Acme", bundleID: "com.acme.app", appAppleID: 900_100_200, environments: [.production, .sandbox],
        products: ProductCatalogue(
            byID: [
                ProductID("com.acme.coins100"): ProductStatement(
                    sampleContentProvided: true, delivery: .delivered, meter: "coins", terms: ProductTerms(granted: 100)),
                ProductID("com.acme.unstated"): ProductStatement(sampleContentProvided: false),
            ], rest: ProductStatement(sampleContentProvided: true, delivery: .delivered)))
}

/// What came back.
struct Reply: Sendable {
    var status: Int
    var headers: [(name: String, value: String)]
    var body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }
    var json: JSONValue? { JSONValue(bytes: body) }
    func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }

    /// A value by its path, as `items.0.state`.
    subscript(path: String) -> JSONValue? { json?[path] }
    var code: String? { self["code"]?.text }
}

extension World {
    /// Sends a request and checks that the description knows an answer like this.
    ///
    /// - Parameter path: With the query, below `/v1/apps/acme` where it does not begin with `/v1` and the like.
    func send(
        _ method: String, _ path: String, _ body: String? = nil, token: String? = World.adminToken,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async -> Reply {
        let parts = path.split(separator: "?", maxSplits: 1).map(String.init)
        let pairs = parts.count > 1 ? parts[1].split(separator: "&") : []
        let query = pairs.map { pair in
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return (name: sides[0], value: sides.count > 1 ? sides[1] : "")
        }
        let request = HTTPRequest(
            method: method, path: parts.first ?? "/", query: query,
            headers: token.map { [(name: "authorization", value: "Bearer " + $0)] } ?? [], body: Array((body ?? "").utf8))
        let response = await api.handle(request)
        let reply = Reply(status: response.status, headers: response.headers, body: response.body)
        Description.check(reply, to: request, sourceLocation)
        return reply
    }

    func get(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) async -> Reply {
        await send("GET", "/v1/apps/acme" + path, sourceLocation: sourceLocation)
    }
    func put(_ path: String, _ body: String, sourceLocation: SourceLocation = #_sourceLocation) async -> Reply {
        await send("PUT", "/v1/apps/acme" + path, body, sourceLocation: sourceLocation)
    }
    func post(_ path: String, _ body: String = "", sourceLocation: SourceLocation = #_sourceLocation) async -> Reply {
        await send("POST", "/v1/apps/acme" + path, body, sourceLocation: sourceLocation)
    }
}

extension World {
    /// Signs and posts a notification.
    ///
    /// - Parameter result: What must become of it; nil where the test looks for itself.
    @discardableResult
    func notify(
        _ type: String, _ transaction: JSONValue?, renewal: JSONValue? = nil, uuid: String = UUID().uuidString.lowercased(),
        more: [String: JSONValue] = [:], data: [String: JSONValue] = [:], result: JSONValue? = "accepted",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async -> Reply {
        var container: [String: JSONValue] = [
            "bundleId": "com.acme.app", "appAppleId": 900_100_200, "environment": transaction?["environment"] ?? "Production",
        ]
        container["signedTransactionInfo"] = transaction.map { .string(Signer.shared.sign($0)) }
        container["signedRenewalInfo"] = renewal.map { .string(Signer.shared.sign($0)) }
        let payload: JSONValue = [
            "notificationType": .string(type), "notificationUUID": .string(uuid), "version": "2.0",
            "signedDate": .integer(clock.now().milliseconds), "data": JSONValue.object(container).merging(data),
        ]
        let body: JSONValue = ["signedPayload": .string(Signer.shared.sign(payload.merging(more)))]
        let reply = await send(
            "POST", "/v1/apps/acme/notifications", String(decoding: body.bytes, as: UTF8.self), token: nil, sourceLocation: sourceLocation)
        if let result { #expect(reply["result"] == result, "\(reply.text)", sourceLocation: sourceLocation) }
        return reply
    }

    /// A pack of coins, bought yesterday by a customer of its own.
    func coins(_ id: String, _ changes: [String: JSONValue] = [:]) -> JSONValue {
        let now = clock.now().milliseconds
        let purchase: JSONValue = [
            "transactionId": .string(id), "originalTransactionId": .string(id), "bundleId": "com.acme.app",
            "productId": "com.acme.coins100",
            "type": "Consumable", "quantity": 1, "purchaseDate": .integer(now - 86_400_000), "signedDate": .integer(now),
            "environment": "Production", "price": 990, "currency": "USD", "storefront": "USA", "appTransactionId": .string("704" + id),
            "inAppOwnershipType": "PURCHASED",
        ]
        return purchase.merging(changes)
    }

    /// A month of a year that is paid by the month, begun yesterday.
    func month(_ number: Int64, _ id: String, _ changes: [String: JSONValue] = [:]) -> JSONValue {
        let start = clock.now().milliseconds - 86_400_000
        let period = coins(
            id,
            [
                "originalTransactionId": "1001", "productId": "com.acme.pro.yearly", "type": "Auto-Renewable Subscription",
                "subscriptionGroupIdentifier": "21000001", "purchaseDate": .integer(start),
                "expiresDate": .integer(start + 30 * 86_400_000),
                "price": 6990, "appTransactionId": "7041001", "appAccountToken": "7E3FB20B-4CDB-47CC-936D-99D65F608138",
                "billingPlanType": "MONTHLY",
                "commitmentInfo": [
                    "billingPeriodNumber": .integer(number), "totalBillingPeriods": 12,
                    "commitmentExpiresDate": .integer(start + 200 * 86_400_000), "commitmentPrice": 83_880,
                ],
            ])
        return period.merging(changes)
    }

    func renewal() -> JSONValue {
        [
            "originalTransactionId": "1001", "productId": "com.acme.pro.yearly", "autoRenewProductId": "com.acme.pro.yearly",
            "autoRenewStatus": 1, "renewalDate": .integer(clock.now().milliseconds + 29 * 86_400_000), "environment": "Production",
            "signedDate": .integer(clock.now().milliseconds),
            "commitmentInfo": ["commitmentAutoRenewProductId": "com.acme.pro.yearly", "commitmentAutoRenewStatus": 1],
        ]
    }

    /// Consents in the customer's name.
    func consent(_ ref: String, _ consented: Bool = true) async {
        #expect(
            await put("/customers/\(ref)/consent", #"{"consented":\#(consented),"source":"in-app dialog","textVersion":"1"}"#).status == 200
        )
    }
}
