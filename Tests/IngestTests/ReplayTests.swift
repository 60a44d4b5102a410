import AppStore
import Domain
import Store
import StoreConformance
import Synchronization
import Testing

@testable import AppStoreSimulator
@testable import Ingest

/// Everything that can be said to a desk, drawn from a seed, with repeats and in disorder.
struct RandomStory {
    let desk: TestDesk
    var world: StoreWorld
    var random: SplitMix64
    var customers: [StoreCustomer] = []
    /// Signed but not yet delivered.
    var underWay: [StoreNotification] = []
    var delivered: [StoreNotification] = []

    init(seed: UInt64, _ desk: TestDesk) {
        self.desk = desk
        random = SplitMix64(seed: seed)
        let app = SimulatedApp.standard(bundleID: "com.acme.app", appAppleID: 900_100_200, name: "Acme", prefix: "com.acme")
        world = StoreWorld(environment: .production, apps: [app], seed: seed)
        for _ in 0..<3 { customers.append(world.newCustomer(of: "com.acme.app", hasAccountToken: random.chance(60), at: on(0))) }
    }

    mutating func run(steps: Int) async throws {
        for step in 0..<steps {
            desk.clock.advance(.minutes(.random(in: 0...600, using: &random)))
            try happen()
            underWay += world.takeNotifications()
            try await deliver()
            try await speak(step)
            try await work()
        }
        for message in underWay.shuffled(using: &random) { try await desk.post(message) }
    }

    private var ids: [String] { world.purchases.keys.sorted() }
    private var chains: [String] { world.chains.keys.sorted() }

    /// Something happens in the store. What cannot happen now does not.
    private mutating func happen() throws {
        let now = desk.clock.now()
        let products: [SampleProduct] = [.coins100, .lifetime, .season, .basicMonthly, .proYearly]
        let customer = random.pick(customers)
        guard !ids.isEmpty, random.chance(80) else {
            let product = random.pick(products)
            let options = PurchaseOptions(isCommitment: product == .proYearly && random.chance(60))
            try world.buy("com.acme." + product.rawValue, by: customer, options, at: now)
            return
        }
        let id = random.pick(ids)
        switch Int.random(in: 0..<9, using: &random) {
        case 0...2: try world.askForRefund(of: id, random.pick(ConsumptionRequestReason.allCases), at: now)
        case 3: try world.refund(id, percentage: random.chance(50) ? 40_000 : nil, at: now)
        case 4: try world.declineRefund(of: id, at: now)
        case 5: try? world.reverseRefund(of: id, keepsDate: random.chance(50), at: now)
        default: try changeSubscription(now)
        }
    }

    private mutating func changeSubscription(_ now: Timestamp) throws {
        guard !chains.isEmpty else { return }
        let chain = random.pick(chains)
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1: _ = try? world.renew(chain, at: now)
        case 2: try? world.failRenewal(chain, at: now)
        case 3: try world.setAutoRenew(random.chance(50), of: chain, at: now)
        case 4: _ = try? world.upgrade(chain, to: "com.acme.max.yearly", at: now)
        default: try? world.expire(chain, .voluntary, at: now)
        }
    }

    /// Some of what is under way arrives, some of it again.
    private mutating func deliver() async throws {
        underWay.shuffle(using: &random)
        while !underWay.isEmpty, random.chance(70) {
            let message = underWay.removeLast()
            try await desk.post(message)
            delivered.append(message)
        }
        if !delivered.isEmpty, random.chance(20) { #expect(try await desk.post(random.pick(delivered)) == .duplicate) }
        if random.chance(10), let id = ids.first, let transaction = world.purchases[id]?.transaction {
            let copy = transaction.with { $0.signedDate = desk.clock.now().milliseconds }
            _ = try await desk.intake.receiveTransaction(TestDesk.signer.sign(copy), postedTo: desk.app.id)
        }
        if random.chance(5) { try await desk.notify("NEWS", nil, coins) }
        if random.chance(5) { try await desk.notify("DID_RENEW", nil, coins.with { $0.bundleId = "com.other" }) }
    }

    /// The owner says something.
    private mutating func speak(_ step: Int) async throws {
        let customer = random.pick(customers)
        let names = [customer.appTransactionID, customer.appAccountToken, chains.first, "u-\(step % 3)"].compactMap(\.self)
        let name = random.pick(names)
        switch Int.random(in: 0..<10, using: &random) {
        case 0...2: try await desk.consent(name, random.chance(75))
        case 3: _ = try await desk.use(.random(in: -5_000_000...60_000_000, using: &random), "e\(step % 20)", of: .customer(ref: name))
        case 4 where !ids.isEmpty:
            _ = try await desk.use(10_000_000, "t\(step % 20)", of: .transaction(TransactionID(random.pick(ids))))
        case 5 where !ids.isEmpty: try await desk.deliver(random.pick(ids), random.pick(DeliveryStatus.allCases))
        case 6 where !ids.isEmpty: try await desk.link(random.pick(ids), to: "u-\(step % 3)")
        case 7:
            let word = random.pick(["GRANT_FULL", "none", "data-only", nil])
            let setting = CustomerSetting(kind: random.chance(50) ? .preference : .tags, ref: name, json: word, at: desk.clock.now())
            try await desk.owner { owner throws(StoreError) in try owner.record(setting) }
        case 8 where !ids.isEmpty:
            let (id, preference) = (TransactionID(random.pick(ids)), random.pick(RefundPreference.allCases))
            _ = try await desk.owner { owner throws(StoreError) in try owner.answer(id, preferring: preference) }
        case 9 where !chains.isEmpty: try await confirm(random.pick(chains))
        default: break
        }
    }

    private func confirm(_ chain: String) async throws {
        let newest = try world.newestTransaction(of: chain).with { $0.signedDate = desk.clock.now().milliseconds }
        let row = SignedStatus(signedTransactionInfo: TestDesk.signer.sign(newest), signedRenewalInfo: nil)
        try await desk.intake.receiveStatuses([row], of: TransactionID(chain), in: desk.ledger, askedAt: desk.clock.now())
    }

    /// What is due is tried, with all kinds of luck; some tries never end.
    private mutating func work() async throws {
        try await desk.keepRounds()
        while let attempt = try await desk.begin() {
            if random.chance(10) { break }
            let results: [AnswerResult] = [
                .accepted, .refused, .notFound, .notTaken(notBefore: nil), .inDoubt(notBefore: nil), .unauthorized,
            ]
            let result = random.pick(results)
            if random.chance(10) { try await desk.consent(attempt.order.transactionID.rawValue, false) }
            try await desk.end(attempt, result, errorCode: result == .notFound ? 4_040_010 : nil)
        }
    }
}

@Test(arguments: UInt64(1)...8)
func theLogRebuildsEverything(_ seed: UInt64) async throws {
    let desk = try await TestDesk(.acme(PolicyOutcome(.prefer(.grantProrated), after: seed.isMultiple(of: 3) ? .hours(1) : nil)))
    var story = RandomStory(seed: seed, desk)
    try await story.run(steps: 120)
    let report = try await desk.store.replay(repair: false, fold: foldLogEntry)
    #expect(report.differences.isEmpty, "seed \(seed)")
    #expect(report.entries > 200, "seed \(seed)")
}

/// Bodies and usage go by and by, and the story goes on: nothing that is folded changes, and repeats are repeats.
@Test(arguments: UInt64(1)...4)
func whatIsTakenAwayChangesNothingThatIsFolded(_ seed: UInt64) async throws {
    for engine in engines {
        try await engine.use { store in
            var app = AppSettings.acme(PolicyOutcome(.prefer(.grantProrated)))
            app.retention = Retention(usage: .days(2), bodies: .days(1))
            let desk = try await TestDesk(app, on: store)
            var story = RandomStory(seed: seed, desk)
            for _ in 0..<3 {
                try await story.run(steps: 30)
                let taken = try await desk.takeAway()
                #expect(taken.bodies > 0, "\(engine), seed \(seed)")
                let differences = try await store.replay(repair: false, fold: foldLogEntry).differences
                #expect(differences == [], "\(engine), seed \(seed)")
            }
            #expect(try await AuditTrail.verify(store).faults == [])
        }
    }
}

/// What Apple's words alone make of a ledger.
private struct Folded: Hashable {
    var access: CustomerAccess
    var cases: [RefundCase?]
}

extension TestDesk {
    fileprivate func folded(_ ids: [String]) async throws -> Folded {
        var cases: [RefundCase?] = []
        for id in ids { cases.append(try await file(id)?.folded) }
        return Folded(access: try await access(ids), cases: cases)
    }
}

@Test(arguments: UInt64(1)...4)
func theOrderOfArrivalDoesNotMatterToTheLedger(_ seed: UInt64) async throws {
    let source = try await TestDesk()
    var story = RandomStory(seed: seed, source)
    try await story.run(steps: 60)
    let messages = story.delivered + story.underWay
    let ids = story.world.purchases.keys.sorted()
    var results: [Folded] = []
    for _ in 0..<2 {
        let desk = try await TestDesk()
        desk.clock.set(on(400))
        for message in (messages + messages).shuffled(using: &story.random) { try await desk.post(message) }
        results.append(try await desk.folded(ids))
    }
    #expect(results[0] == results[1], "seed \(seed)")
    #expect(results[0].cases.contains { $0 != nil }, "seed \(seed)")
}

/// All folded state as text, in the order of tables, ledgers and keys.
private func folded(_ store: any Store) async throws -> [String] {
    let lines = Mutex<[FoldedLine]>([])
    try await store.exportFolded { line in lines.withLock { $0.append(line) } }
    return lines.withLock { $0 }.map { "\($0.ledger) \($0.table) \($0.text)" }
}

@Test(.enabled(if: Engine.postgres != nil, PostgresServer.missing))
func theSameFactsGiveTheSameBytesInBothEngines() async throws {
    let postgres = try #require(Engine.postgres)
    for seed in UInt64(1)...4 {
        var states: [[String]] = []
        for engine in [Engine.sqlite, postgres] {
            try await engine.use { store in
                let desk = try await TestDesk(on: store)
                var story = RandomStory(seed: seed, desk)
                try await story.run(steps: 40)
                let differences = try await store.replay(repair: false, fold: foldLogEntry).differences
                #expect(differences == [], "\(engine), seed \(seed)")
                states.append(try await folded(store))
            }
        }
        #expect(states[0].count > 50)
        #expect(states[0] == states[1], "seed \(seed)")
    }
}
