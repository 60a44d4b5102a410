import API
import AppStore
import AppStoreSimulator
import Crypto
import Domain
import Foundation
import Ingest
import Store
import StoreSQLite

@testable import HTTPServer

extension FuzzTarget {
    /// A whole request of an administrator's: `METHOD TARGET`, a line end, the body. Never a fault of our own, and always an answer in JSON, or
    /// in CSV where a report is asked for.
    static let request = FuzzTarget(name: "request", seeds: { requestSeeds }) {
        var desk = FuzzedDesk()
        var count = 0
        return { input in
            count += 1
            if count % 20_000 == 0 { desk = FuzzedDesk() }  // So that its database stays small.
            let lines = input.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
            let words = lines[0].split(separator: UInt8(ascii: " "), maxSplits: 1)
            guard words.count == 2, let method = String(validating: words[0], as: UTF8.self),
                let target = String(validating: words[1], as: UTF8.self).flatMap(RequestTarget.init)
            else { return }
            desk.check(
                HTTPRequest(
                    method: method, path: target.path, pathSegments: target.segments, query: target.query,
                    headers: [("Authorization", "Bearer \(FuzzedDesk.token)")], body: lines.count > 1 ? Array(lines[1]) : []))
        }
    }

    /// A request's target: whatever is taken apart holds no more than what was sent.
    static let requestTarget = FuzzTarget(
        name: "target",
        seeds: { bytes("/v1/apps/a%2Fb/cases?limit=5&cursor=x%20+y", "http://h/a?b=c&&=d", "*", "/%00%zz", "/a//b/?", "https://h/") }
    ) {
        { input in
            guard let text = String(validating: input, as: UTF8.self), let target = RequestTarget(text) else { return }
            precondition(target.segments.allSatisfy { !$0.isEmpty }, "an empty segment")
            let size =
                target.segments.reduce(0) { $0 + $1.utf8.count } + target.query.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
            precondition(size <= input.count, "more than was sent")
        }
    }

    private static let requestSeeds = bytes(
        "GET /v1/apps/acme/cases?environment=Sandbox&state=open&customer=c&limit=5&cursor=eyJ9",
        "GET /v1/apps/acme/customers?repeatRefunders=true",
        "GET /v1/apps/acme/cases/1", "POST /v1/apps/acme/cases/1/answer\n{\"prefer\":\"DECLINE\"}", "POST /v1/apps/acme/cases/1/abstain\n",
        "GET /v1/apps/acme/customers/c/entitlements?at=1790000000000", "GET /v1/apps/acme/audit?limit=1&cursor=5", "GET /metrics",
        "GET /readyz",
        "PUT /v1/apps/acme/customers/c/consent\n{\"consented\":true,\"source\":\"s\",\"textVersion\":\"2026-10\"}",
        "PUT /v1/apps/acme/customers/c/preference\n{\"answer\":\"data-only\"}", "PUT /v1/apps/acme/customers/c/tags\n{\"tags\":[\"vip\"]}",
        "PUT /v1/apps/acme/transactions/1/delivery\n{\"status\":\"DELIVERED\"}", "PUT /v1/apps/acme/transactions/1/user\n{\"userId\":7}",
        "POST /v1/apps/acme/usage\n{\"events\":[{\"id\":\"e\",\"customer\":\"c\",\"meter\":\"m\",\"quantity\":1.5,\"at\":1790000000000}]}",
        "PUT /v1/apps/acme/products/*/outages\n[{\"from\":\"2026-11-01T10:00Z\",\"to\":1790000000000,\"status\":\"UNDELIVERED_OTHER\"}]",
        "POST /v1/apps/acme/notifications\n{\"signedPayload\":\"a.b.c\"}",
        "POST /v1/apps/acme/transactions\n{\"signedTransactionInfo\":\"a.b.c\"}",
        "GET /v1/apps/acme/notifications?type=TEST&result=quarantined&environment=all&cursor=9", "POST /v1/apps/acme/outbox/1/redrive\n",
        "GET /v1/apps/acme/webhooks/deliveries?cursor=12", "GET /v1/apps/acme/outbox?state=pending&kind=webhook", "GET /openapi.json",
        "GET /v1/apps/acme/reports/refunds?by=day&zone=UTC&from=2026-01-01&to=2026-02-01&format=csv&table=byPurchaseDate",
        "GET /v1/apps/acme/reports/outcomes?zone=America/Los_Angeles")
}

/// A desk of one app on a database of its own, behind its API.
private final class FuzzedDesk: Sendable {
    static let token = "token"
    private let api: DeskAPI
    private let store: SQLiteStore
    private let folder = NSTemporaryDirectory() + "refund-desk-fuzz-\(UUID())"

    init() {
        let (folder, clock) = (folder, StandingClock())
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let opened = waiting { try? await SQLiteStore.open(path: folder + "/desk.db", now: clock.now()) }
        guard let store = opened else { preconditionFailure("a database in \(folder)") }
        let app = AppSettings(
            id: AppID("acme"), name: "Acme", bundleID: "com.example.acme", appAppleID: 1, environments: [.production, .sandbox],
            products: ProductCatalogue(byID: [:], rest: ProductStatement(sampleContentProvided: true, delivery: .delivered)))
        let (apps, metrics) = (AppDirectory([app]), Metrics())
        let chain = SigningChain.generate(at: clock.now(), isPadded: false)
        let verifiers = VerifierDirectory([app.id: SignedPayloadVerifier(roots: [chain.root])])
        let intake = Intake(store: store, verifiers: verifiers, apps: apps, time: clock, metrics: metrics)
        api = DeskAPI(apps: apps, store: store, intake: intake, time: clock, metrics: metrics)
        self.store = store
        let row = TokenRow(name: "fuzz", scope: .admin, sha256: SHA256Digest.hash(Array(FuzzedDesk.token.utf8)), createdAt: clock.now())
        let isAdded = waiting { (try? await store.write { tx throws(StoreError) in try tx.add(row) }) == true }
        precondition(isAdded, "a token on a fresh database")
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func check(_ request: HTTPRequest) {
        let response = waiting { [api] in await api.handle(request) }
        precondition((200..<500).contains(response.status), "a fault of our own: \(response.status)")
        let type = response.headers.first { $0.name == "Content-Type" }?.value ?? ""
        guard !type.hasPrefix("text/") else { return }
        precondition(type == (response.status < 300 ? "application/json" : "application/problem+json"), "the type \(type)")
        precondition((try? JSONDecoder().decode(JSONValue.self, from: Data(response.body))) != nil, "an answer that is no JSON")
    }
}

private struct StandingClock: Time {
    func now() -> Timestamp { Timestamp(milliseconds: 1_790_000_000_000) }
    func sleep(until instant: Timestamp) async throws { throw CancellationError() }
}
