import AppStore
import Crypto
import Domain
import Foundation
import HTTPClient
import Store
import StoreSQLite
import Synchronization
import TestSupport

@testable import AppStoreSimulator
@testable import Ingest
@testable import Outbox

/// A desk's outgoing side on a fresh database, in virtual time, with an App Store on loopback that answers as a test says.
final class World: Sendable {
    let store: SQLiteStore
    let intake: Intake
    let apis: ServerAPIDirectory
    let clock: VirtualClock
    let metrics = Metrics()
    let app: AppSettings
    let ledger: Ledger
    let apple: FakeApple
    let client = HTTPClient(userAgent: "tests/1", maximumConnections: 16, perHostConnections: 16)
    private let folder: String

    static let chain = SigningChain.generate(at: day(0))

    init(_ environment: Environment = .production) async throws {
        let clock = VirtualClock()
        folder = NSTemporaryDirectory() + "outbox-tests-\(UUID())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        app = AppSettings(
            id: AppID("acme"), name: "Acme", bundleID: "com.acme.app", appAppleID: 900_100_200, environments: [.production, .sandbox],
            consentMode: .blanket(attestation: "the tests"),
            products: ProductCatalogue(rest: ProductStatement(sampleContentProvided: true, delivery: .delivered)),
            alerts: [AlertTarget(id: "0")])
        ledger = Ledger(app: app.id, environment: environment)
        apple = FakeApple(clock)
        store = try await SQLiteStore.open(path: folder + "/desk.db", now: clock.now())
        intake = Intake(
            store: store, verifiers: VerifierDirectory([app.id: SignedPayloadVerifier(roots: [World.chain.root])]),
            apps: AppDirectory([app]), time: clock, metrics: metrics)
        apis = ServerAPIDirectory([
            ledger: AppStoreServerAPI(
                credentials: ServerAPICredentials(
                    issuerID: "issuer", keyID: "key", privateKey: P256PrivateKey.generate(), bundleID: app.bundleID),
                environment: environment, baseURL: apple.url, client: client, allowsPrivateTargets: true, now: { clock.now() },
                sleep: { try await clock.sleep(until: $0) })
        ])
        self.clock = clock
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    var reader: HistoryReader { HistoryReader(store: store, intake: intake, apis: apis, time: clock, metrics: metrics) }

    var outbox: OutboxDesk {
        OutboxDesk(
            store: store, apps: AppDirectory([app]), client: client, allowsPrivateTargets: true, time: clock, metrics: metrics,
            jitter: { 0 })
    }

    /// A purchase that somebody asks about, signed at an instant.
    func request(_ number: Int64, signed: Timestamp, uuid: String? = nil) -> StoreNotification {
        message("CONSUMPTION_REQUEST", number, signed: signed, uuid: uuid)
    }

    func message(_ type: String, _ number: Int64, signed: Timestamp, uuid: String? = nil) -> StoreNotification {
        let id = String(2_000_000_000_000_000 + number)
        var transaction = TransactionPayload(
            transactionId: id, originalTransactionId: id, bundleId: app.bundleID, productId: "com.acme.coins",
            type: ProductType.consumable.rawValue, purchaseDate: signed.milliseconds - 1_000,
            originalPurchaseDate: signed.milliseconds - 1_000, signedDate: signed.milliseconds, environment: ledger.environment.rawValue,
            storefront: "USA", storefrontId: "143441", transactionReason: "PURCHASE")
        (transaction.price, transaction.currency, transaction.appTransactionId) = (990, "USD", "704\(number)")
        return StoreNotification(
            notificationUUID: uuid ?? "\(type)-\(number)", notificationType: type, signedDate: signed.milliseconds,
            environment: ledger.environment, bundleID: app.bundleID, appAppleID: app.appAppleID ?? 0, transaction: transaction,
            consumptionRequestReason: type == "CONSUMPTION_REQUEST" ? "OTHER" : nil)
    }

    func contact() async throws -> LedgerContact? {
        let ledger = ledger
        return try await store.read { tx throws(StoreError) in try tx.contact(of: ledger) }
    }

    func read(_ reader: HistoryRead.Reader = .server) async throws -> HistoryRead? {
        let ledger = ledger
        return try await store.read { tx throws(StoreError) in try tx.historyRead(reader, of: ledger) }
    }

    func answer(_ number: Int64) async throws -> AnswerRecord? {
        let (ledger, id) = (ledger, TransactionID(String(2_000_000_000_000_000 + number)))
        return try await store.read { tx throws(StoreError) in try tx.answers(id, in: ledger).last }
    }

    func depth(_ kind: OutboxRow.Kind) async throws -> Int64 {
        try await store.read { tx throws(StoreError) in try tx.outboxDepth()[kind] ?? 0 }
    }
}

/// The first instant of a day of the story.
func day(_ number: Int64) -> Timestamp { Timestamp(milliseconds: 1_790_000_000_000) + .days(number) }

/// Time passes when somebody sleeps, and when a test says so.
final class VirtualClock: Domain.Time {
    private let instant = Mutex(day(0))
    func now() -> Timestamp { instant.withLock { $0 } }
    func set(_ now: Timestamp) { instant.withLock { $0 = now } }
    func advance(_ span: Domain.Span) { instant.withLock { $0 = $0 + span } }
    func sleep(until wake: Timestamp) async throws {
        try Task.checkCancellation()
        instant.withLock { $0 = max($0, wake) }
    }
}

/// Notification history, refund history and answers, as far as these tests need them.
final class FakeApple: Sendable {
    struct State: Sendable {
        var history: [Item] = []
        var calls: [RawServer.Request] = []
        /// Answers instead of what follows; nil goes on.
        var override: @Sendable (RawServer.Request, Timestamp) -> RawServer.Reply? = { _, _ in nil }
    }
    struct Item: Sendable {
        var notification: StoreNotification
        var results = ["SUCCESS"]
        var signedPayload: String?
    }
    let state: Mutex<State>
    private let server: RawServer
    var url: String { server.url }
    static let pageSize = 20

    init(_ clock: VirtualClock) {
        let box = Box()
        state = Mutex(State())
        server = RawServer { request in box.owner?.answer(request, at: clock.now()) ?? .response(503) }
        box.set(self)
    }

    /// Lets the server's closure find its owner, which is made after it.
    private final class Box: Sendable {
        private struct Weak: @unchecked Sendable {  // Read and written under the mutex alone.
            weak var value: FakeApple?
        }
        private let kept = Mutex(Weak())
        var owner: FakeApple? { kept.withLock { $0.value } }
        func set(_ owner: FakeApple) { kept.withLock { $0.value = owner } }
    }

    func change(_ body: @Sendable (inout State) -> Void) { state.withLock { body(&$0) } }
    var historyCalls: [RawServer.Request] { state.withLock { $0.calls.filter { $0.path.contains("notifications/history") } } }
    var answerCalls: [RawServer.Request] { state.withLock { $0.calls.filter { $0.path.contains("consumption") } } }

    private func answer(_ request: RawServer.Request, at now: Timestamp) -> RawServer.Reply {
        let (override, history) = state.withLock { state in
            state.calls.append(request)
            return (state.override, state.history)
        }
        if let reply = override(request, now) { return reply }
        if request.path.contains("consumption") { return .response(202) }
        guard request.path.hasPrefix("/inApps/v1/notifications/history") else { return .error(4_040_010) }
        return Self.page(of: history, request)
    }

    private struct Window: Decodable {
        var startDate, endDate: Int64
        var onlyFailures: Bool?
    }

    /// The token is the number of the first item and the body that it belongs to.
    private static func page(of history: [Item], _ request: RawServer.Request) -> RawServer.Reply {
        guard let window = try? JSONDecoder().decode(Window.self, from: Data(request.body)) else { return .response(400) }
        let proof = "+/" + Base64URL.encode(Array(SHA256Digest.hash(request.body).prefix(6)))
        var start = 0
        if let text = request.path.split(separator: "=", maxSplits: 1).dropFirst().first?.removingPercent {
            let parts = text.split(separator: "|").map(String.init)
            guard parts.count == 2, let number = Int(parts[0]) else { return .error(4_000_014) }
            guard parts[1] == proof else { return .error(4_000_017) }
            start = number
        }
        let found = history.filter {
            (window.startDate...window.endDate).contains($0.notification.signedDate)
                && !(window.onlyFailures == true && $0.results.contains("SUCCESS"))
        }
        let items = found.dropFirst(start).prefix(pageSize).map { item -> String in
            let attempts = item.results.enumerated().map { index, result in
                #"{"attemptDate":\#(item.notification.signedDate + Int64(index) * 3_600_000),"sendAttemptResult":"\#(result)"}"#
            }
            let signed = item.signedPayload ?? item.notification.signedPayload(World.chain.signer)
            return #"{"signedPayload":"\#(signed)","sendAttempts":[\#(attempts.joined(separator: ","))]}"#
        }
        let end = start + items.count
        let token = end < found.count ? #","paginationToken":"\#(end)|\#(proof)""# : ""
        return .json(#"{"notificationHistory":[\#(items.joined(separator: ","))],"hasMore":\#(end < found.count)\#(token)}"#)
    }
}

extension Substring {
    fileprivate var removingPercent: String? { String(self).removingPercentEncoding }
}

extension RawServer.Reply {
    static func json(_ text: String, status: Int = 200) -> RawServer.Reply {
        .response(status, ["Content-Type": "application/json"], Array(text.utf8))
    }
    static func error(_ code: Int64) -> RawServer.Reply {
        .json(#"{"errorCode": \#(code), "errorMessage": "Said by Apple."}"#, status: Int(code / 10_000))
    }
}
