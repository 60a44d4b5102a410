import AppStore
import Domain
import Foundation
import SQLite
import Store
import StoreSQLite
import Synchronization
import Testing

@testable import AppStoreSimulator
@testable import Ingest

/// A desk on a fresh database, with a clock that stands still until it is set.
final class TestDesk: Sendable {
    let store: any Store
    let intake: Intake
    let app: AppSettings
    let clock = TestClock()
    let metrics = Metrics()
    let ledger: Ledger
    /// Numbers the messages: of two signed in one instant the later counts.
    private let messageCount = Mutex(0)
    private let folder: String

    static let chain = SigningChain.generate(at: on(0))
    static var signer: SimulatorSigner { chain.signer }

    /// - Parameter others: More apps that are configured beside this one.
    /// - Parameter store: Where everything is kept; nil makes a file.
    init(
        _ app: AppSettings = .acme, others: [AppSettings] = [], in environment: Environment = .production, on store: (any Store)? = nil
    ) async throws {
        folder = NSTemporaryDirectory() + "ingest-tests-\(UUID())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        self.app = app
        ledger = Ledger(app: app.id, environment: environment)
        if let store {
            self.store = store
        } else {
            self.store = try await SQLiteStore.open(path: folder + "/desk.db", now: clock.now())
        }
        let store = self.store
        let apps = [app] + others
        let verifier = SignedPayloadVerifier(roots: [TestDesk.chain.root])
        intake = Intake(
            store: store, verifiers: VerifierDirectory(Dictionary(uniqueKeysWithValues: apps.map { ($0.id, verifier) })),
            apps: AppDirectory(apps), time: clock, metrics: metrics)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }
}

final class TestClock: Time {
    private let instant = Mutex(on(0))
    func now() -> Timestamp { instant.withLock { $0 } }
    func set(_ now: Timestamp) { instant.withLock { $0 = now } }
    func advance(_ span: Span) { instant.withLock { $0 = $0 + span } }
    func sleep(until instant: Timestamp) async throws { throw CancellationError() }
}

/// An instant so many days into the story.
func on(_ day: Int64) -> Timestamp { Timestamp(milliseconds: 1_790_000_000_000) + .days(day) }

extension AppSettings {
    static let acme = AppSettings(
        id: AppID("acme"), name: "Acme", bundleID: "com.acme.app", appAppleID: 900_100_200, environments: [.production, .sandbox],
        products: ProductCatalogue(
            byID: [
                ProductID("com.acme.coins100"): ProductStatement(
                    sampleContentProvided: true, delivery: .delivered, meter: "coins", terms: ProductTerms(granted: 100)),
                ProductID("com.acme.unstated"): ProductStatement(sampleContentProvided: false),
                ProductID("com.acme.season"): ProductStatement(
                    sampleContentProvided: false, delivery: .delivered, terms: ProductTerms(duration: CalendarPeriod(months: 2))),
            ], rest: ProductStatement(sampleContentProvided: true, delivery: .delivered)))

    /// The same app with a policy of one rule for all.
    static func acme(_ outcome: PolicyOutcome) -> AppSettings {
        var app = acme
        app.policy = Policy(default: outcome)
        return app
    }
}

extension TestDesk {
    /// All bytes of the database's files; of the closed store.
    func databaseText() throws -> String {
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).map { folder + "/" + $0 }
        return try files.map { String(decoding: try Data(contentsOf: URL(filePath: $0)), as: Unicode.ASCII.self) }.joined()
    }

    /// Edits the file behind the store's back.
    func edit(_ sql: StaticString) throws {
        let file = try Connection(path: folder + "/desk.db", mode: .readWriteCreate)
        #expect(try file.run("test.edit", sql) > 0)
    }
}

// MARK: What Apple sends

extension TestDesk {
    /// Signs and posts a notification, dated now.
    @discardableResult
    func notify(
        _ type: String, _ subtype: String? = nil, _ transaction: TransactionPayload? = nil, _ renewal: RenewalPayload? = nil,
        reason: String? = nil, uuid: String? = nil, signed: Timestamp? = nil
    ) async throws -> Receipt {
        try await post(message(type, subtype, transaction, renewal, reason: reason, uuid: uuid, signed: signed))
    }

    func message(
        _ type: String, _ subtype: String? = nil, _ transaction: TransactionPayload? = nil, _ renewal: RenewalPayload? = nil,
        reason: String? = nil, uuid: String? = nil, signed: Timestamp? = nil
    ) -> StoreNotification {
        let next = messageCount.withLock { count in
            count += 1
            return count
        }
        let signedDate = (signed ?? clock.now()).milliseconds
        var (transaction, renewal) = (transaction, renewal)
        transaction?.signedDate = signedDate
        renewal?.signedDate = signedDate
        return StoreNotification(
            notificationUUID: uuid ?? "message-\(next + 10_000)", notificationType: type, subtype: subtype, signedDate: signedDate,
            environment: ledger.environment,
            bundleID: app.bundleID, appAppleID: app.appAppleID ?? 0, transaction: transaction, renewal: renewal,
            status: nil, consumptionRequestReason: reason)
    }

    @discardableResult
    func post(_ message: StoreNotification) async throws -> Receipt {
        try await intake.receiveNotification(message.body(TestDesk.signer), postedTo: app.id)
    }

    /// Posts a payload as it stands.
    func post(json: String, to app: AppID? = nil) async throws -> Receipt {
        try await intake.receiveNotification(TestDesk.body(json: json), postedTo: app ?? self.app.id)
    }

    static func body(json: String) -> [UInt8] { Array(#"{"signedPayload":"\#(signer.sign(json))"}"#.utf8) }

    /// A customer asks about a purchase.
    @discardableResult
    func ask(_ transaction: TransactionPayload, _ uuid: String = "ask", signed: Timestamp? = nil) async throws -> Receipt {
        try await notify("CONSUMPTION_REQUEST", nil, transaction, reason: "UNINTENDED_PURCHASE", uuid: uuid, signed: signed)
    }

    func decline(_ transaction: TransactionPayload, signed: Timestamp? = nil) async throws {
        try await notify("REFUND_DECLINED", nil, transaction, signed: signed)
    }
}

// MARK: What the owner says

extension TestDesk {
    /// - Parameter names: What the API announces to touch with the same fact.
    @discardableResult
    func owner<Result: Sendable>(
        touching names: [String] = [], _ body: @escaping @Sendable (OwnerDesk) throws(StoreError) -> Result
    ) async throws -> Result {
        let (app, ledger, now) = (app, ledger, clock.now())
        return try await store.write(touching: ledger.touching(names)) { tx throws(StoreError) in
            try body(OwnerDesk(app: app, ledger: ledger, tx: tx, now: now))
        }
    }

    func consent(_ ref: String, _ consented: Bool = true, text: String? = nil) async throws {
        let fact = ConsentFact(ref: ref, consented: consented, source: "in-app dialog", textVersion: text, at: clock.now())
        try await owner(touching: [ref]) { desk throws(StoreError) in try desk.record(fact) }
    }

    /// - Returns: Whether the event is new.
    func use(_ millionths: Int64, _ id: String, of subject: UsageFact.Subject, meter: String = "coins") async throws -> Bool {
        let fact = UsageFact(id: id, subject: subject, meter: meter, millionths: millionths, at: clock.now())
        return try await owner { desk throws(StoreError) in try desk.record(fact) == .accepted }
    }

    func deliver(_ id: String, _ status: DeliveryStatus) async throws {
        let fact = DeliveryFact(transactionID: TransactionID(id), status: status, at: clock.now())
        try await owner(touching: [id]) { desk throws(StoreError) in try desk.record(fact) }
    }

    /// Records a product's outages, on whole days of the story.
    func outages(of product: String, _ days: (Int64, Int64)..., status: DeliveryStatus = .undeliveredServerOutage) async throws {
        let outages = days.map { Outage(from: on($0.0), to: on($0.1), status: status) }
        let fact = OutagesFact(productID: ProductID(product), outages: outages, at: clock.now())
        try await owner(touching: ["outages/\(product)"]) { desk throws(StoreError) in try desk.record(fact) }
    }

    func link(_ original: String, to user: String) async throws {
        let fact = UserLinkFact(originalTransactionID: TransactionID(original), userID: UserID(user), at: clock.now())
        try await owner(touching: [original, user]) { desk throws(StoreError) in try desk.record(fact) }
    }
}

// MARK: What is known

extension TestDesk {
    func file(_ id: String) async throws -> CaseFile? {
        let ledger = ledger
        return try await store.read { tx throws(StoreError) in try CaseFile(TransactionID(id), in: ledger, tx) }
    }

    func decision(_ id: String, round: Int = 0) async throws -> Decision? {
        guard let file = try await file(id), file.folded.rounds.indices.contains(round) else { return nil }
        return file.decision(of: file.folded.rounds[round])?.decision
    }

    func answer(_ id: String, round: Int = 0) async throws -> AnswerRecord? {
        guard let file = try await file(id), file.folded.rounds.indices.contains(round) else { return nil }
        return file.answer(of: file.folded.rounds[round])
    }

    /// Everything that belongs to whoever bought one of these.
    func access(_ originals: [String]) async throws -> CustomerAccess {
        let (app, ledger) = (app, ledger)
        return try await store.read { tx throws(StoreError) in
            try CustomerState(originals.map { Alias(.originalTransactionID, $0) }, app: app, ledger: ledger, tx: tx).access
        }
    }

    func entry(_ uuid: String) async throws -> LogEntry? {
        try await store.read { tx throws(StoreError) in try tx.logEntry(identity: uuid) }
    }

    /// Rebuilds everything from the log.
    /// - Returns: What differs.
    func differences() async throws -> [String] { try await store.replay(repair: false, fold: foldLogEntry).differences }

    /// How much work of a kind waits, due or not.
    func depth(_ kind: OutboxRow.Kind) async throws -> Int64 {
        try await store.read { tx throws(StoreError) in try tx.outboxDepth()[kind] ?? 0 }
    }

    func nextDue(_ kind: OutboxRow.Kind) async throws -> Timestamp? {
        try await store.read { tx throws(StoreError) in try tx.nextDue(in: [OutboxRow.Lane(kind)]) }
    }
}
