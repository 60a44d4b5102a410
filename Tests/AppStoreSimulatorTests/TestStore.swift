import Domain
import HTTPServer

@testable import AppStoreSimulator

/// The API over an environment, without a network.
struct TestStore {
    var environment: StoreEnvironment
    var now = noon
    let api = StoreAPI(
        signer: testIdentity.signer,
        tokens: TokenCheck(
            issuerID: SimulatorIdentity.issuerID, keyID: "SIM", key: testIdentity.apiKey.publicKey,
            bundleIDs: ["com.example.acme", "com.example.birdsong"]))

    init(_ environment: Environment = .production, seed: UInt64 = 1) {
        self.environment = StoreEnvironment(world: StoreWorld(environment: environment, apps: SimulatedApp.samples, seed: seed))
    }

    struct Reply {
        var status: Int
        var body: [UInt8]
        var json: [String: JSONValue] { JSONValue(body)?.object ?? [:] }
        var errorCode: Int64? { json["errorCode"]?.integer }
        func items(_ name: String) -> [String] {
            guard case .array(let values)? = json[name] else { return [] }
            return values.compactMap(\.string)
        }
    }

    mutating func call(
        _ method: String, _ path: String, query: [(String, String)] = [], body: String = "", token: TestToken? = nil,
        headers: [(String, String)]? = nil
    ) -> Reply {
        let authorization = ("Authorization", (token ?? TestToken(at: now)).authorization)
        let request = HTTPRequest(
            method: method, path: path, query: query.map { (name: $0.0, value: $0.1) },
            headers: (headers ?? [authorization]).map { (name: $0.0, value: $0.1) }, body: Array(body.utf8))
        let response = api.respond(to: request, in: &environment, at: now)
        return Reply(status: response.status, body: response.body)
    }

    mutating func consume(_ id: String, _ body: String) -> Reply {
        call("PUT", "/inApps/v2/transactions/consumption/\(id)", body: body)
    }

    mutating func customer() -> StoreCustomer { environment.world.newCustomer(of: "com.example.acme", at: now) }

    mutating func buy(
        _ product: SampleProduct, by customer: StoreCustomer? = nil, _ options: PurchaseOptions = PurchaseOptions()
    ) throws -> String {
        let buyer = customer ?? self.customer()
        return try environment.world.buy("com.example." + product.rawValue, by: buyer, options, at: now)
    }

    /// Makes what happened part of the history, as delivered, unless `failed`.
    mutating func deliverAll(failed: Bool = false) {
        for notification in environment.world.takeNotifications() {
            let attempt = SendAttempt(date: notification.signedDate, result: failed ? "NO_RESPONSE" : "SUCCESS")
            environment.add(notification, attempts: [attempt])
        }
    }
}
