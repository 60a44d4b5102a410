import API
import AppStoreSimulator
import Crypto
import Domain
import Foundation
import HTTPServer
import Ingest
import Store

/// Looks at a world that has come to rest: nothing is on its way any more, and everything that can be known is known.
struct FinalCheck {
    let world: World
    private let desk: RunningDesk
    private var store: any Store { desk.store.inner }
    var chronicle: Chronicle { world.chronicle }

    init(_ world: World, _ desk: RunningDesk) {
        self.world = world
        self.desk = desk
    }

    func run() async {
        await world.checkAcknowledgedIsKept()
        checkEverythingArrived()
        checkAlerts()
        checkForwards()
        do {
            try await checkNothingMixed()
            try await checkWebhooks()
            try await checkAccess()
            try await checkOrder()
        } catch { chronicle.breach(.workIsDone, "the desk cannot be looked at: \(error)") }
    }

    private func checkEverythingArrived() {
        for environment in Environment.allCases {
            for sent in world.apple.see(environment, { $0.sent }) where world.judge.knownAt(sent.notification.notificationUUID) == nil {
                let notification = sent.notification
                chronicle.breach(
                    .historyIsComplete, "\(notification.notificationType) \(notification.notificationUUID) never came in: \(sent.attempts)")
            }
        }
    }

    /// Every message lies in the ledger of its environment.
    private func checkNothingMixed() async throws(StoreError) {
        for environment in Environment.allCases {
            let uuids = world.apple.see(environment) { $0.sent.map(\.notification.notificationUUID) }
            let strays = try await store.read { tx throws(StoreError) in
                var strays: [String] = []
                for uuid in uuids {
                    if let entry = try tx.logEntry(identity: uuid), entry.ledger.environment != environment { strays.append(uuid) }
                }
                return strays
            }
            for uuid in strays { chronicle.breach(.environmentsNeverMix, "\(uuid) of \(environment.rawValue) lies elsewhere") }
        }
    }
}

// Webhooks.
extension FinalCheck {
    private func checkWebhooks() async throws(StoreError) {
        var deliveries: [EventDelivery] = []
        var page = PageRequest(limit: 200)
        repeat {
            let request = page
            let found = try await store.read { tx throws(StoreError) in
                try tx.eventDeliveries(of: SimulatedOwner.app, environment: nil, page: request)
            }
            deliveries += found.items
            page.cursor = found.nextCursor
        } while page.cursor != nil
        for receiver in world.receivers {
            let own = deliveries.map(\.row).filter { $0.key == receiver.name }.sorted { $0.id < $1.id }
            for row in own where !receiver.hasHeard(row.subject) {
                chronicle.breach(.webhooksArriveAtLeastOnce, "\(row.subject) is \(row.state.rawValue) after \(row.attempt) tries")
            }
            checkSequence(own)
            chronicle.count("webhooks", own.count)
        }
    }

    private func checkSequence(_ rows: [OutboxRow]) {
        var newest: [String: Int64] = [:]
        for row in rows {
            guard let event = Receiver.Event(row.payload), let customer = event.data.customer.appTransactionId else { continue }
            let key = "\(event.data.environment)/\(customer)"
            if let last = newest[key], event.sequence <= last {
                chronicle.breach(.webhookSequenceRises, "\(event.type) \(event.id): \(event.sequence) after \(last)")
            }
            newest[key] = event.sequence
        }
    }
}

// Access.
extension FinalCheck {
    private struct Table: Decodable {
        struct Balance: Decodable {
            var productId: String
            var purchased: Int64
            var refunded: Int64
        }
        var entitlements: [Receiver.Row]
        var balances: [Balance]
    }

    private func checkAccess() async throws {
        let token = "world"
        let now = world.time.now()
        let row = TokenRow(name: "world", scope: .read, sha256: SHA256Digest.hash(Array(token.utf8)), createdAt: now)
        _ = try await store.write { tx throws(StoreError) in try tx.add(row) }
        let api = DeskAPI(apps: AppDirectory([desk.app]), store: store, intake: desk.intake, time: world.time, metrics: Metrics())
        for environment in Environment.allCases {
            let books = world.apple.see(environment) { $0 }
            let prefix = environment.rawValue + "/"
            let reversals = world.reversals.filter { $0.key.hasPrefix(prefix) }
            let oracle = AccessOracle(
                store: books,
                reversals: Dictionary(uniqueKeysWithValues: reversals.map { (String($0.key.dropFirst(prefix.count)), $0.value) }))
            for customer in books.world.customers.keys.sorted() {
                guard books.world.purchases.values.contains(where: { $0.transaction.appTransactionId == customer }) else { continue }
                for instant in [now, World.start + world.dice.span(.hours(1), now - World.start)] {
                    let table = await table(of: customer, environment, at: instant, api, token)
                    compare(table, with: oracle, customer, environment, at: instant)
                    if instant == now { compare(table, withFollowersOf: customer, environment) }
                }
            }
        }
    }

    private func table(
        of customer: String, _ environment: Environment, at instant: Timestamp, _ api: DeskAPI, _ token: String
    ) async -> Table? {
        let response = await api.handle(
            HTTPRequest(
                path: "/v1/apps/\(SimulatedOwner.app)/customers/\(customer)/entitlements",
                query: [("environment", environment.rawValue), ("at", "\(instant.milliseconds)")],
                headers: [("Authorization", "Bearer \(token)")]))
        return try? JSONDecoder().decode(Table.self, from: Data(response.body))
    }

    private func compare(
        _ table: Table?, with oracle: AccessOracle, _ customer: String, _ environment: Environment, at instant: Timestamp
    ) {
        guard let table else { return chronicle.breach(.accessIsTrue, "nothing is known of \(customer) in \(environment.rawValue)") }
        let believed = Set(table.entitlements.filter(\.active).map(\.originalTransactionId))
        let actual = oracle.active(customer, at: instant)
        if believed != actual {
            chronicle.breach(
                .accessIsTrue, "\(customer) in \(environment.rawValue) at \(instant): \(believed.sorted()) instead of \(actual.sorted())")
        }
        guard instant == world.time.now() else { return }
        let balances = Dictionary(uniqueKeysWithValues: table.balances.map { ($0.productId, [$0.purchased, $0.refunded]) })
        if balances != oracle.balances(customer) {
            chronicle.breach(.accessIsTrue, "\(customer) in \(environment.rawValue): \(balances) instead of \(oracle.balances(customer))")
        }
    }

    private func compare(_ table: Table?, withFollowersOf customer: String, _ environment: Environment) {
        let now = world.time.now()
        let known = table?.entitlements ?? []
        guard !known.isEmpty else { return }
        for receiver in world.receivers {
            let rows = receiver.rows(of: customer, environment) ?? []
            let believed = rows.filter { $0.isActive(at: now) }.map { "\($0.originalTransactionId) \($0.until ?? -1)" }.sorted()
            let current = known.filter(\.active).map { "\($0.originalTransactionId) \($0.until ?? -1)" }.sorted()
            if believed != current {
                chronicle.breach(
                    .followersKnowTheAccess, "\(receiver.name) of \(customer) in \(environment.rawValue): \(believed) instead of \(current)"
                )
            }
        }
    }
}

// Folding.
extension FinalCheck {
    private func checkOrder() async throws {
        let report = try await store.replay(repair: false) { entry, tx throws(StoreError) in try foldLogEntry(entry, tx) }
        for difference in report.differences { chronicle.breach(.orderDoesNotMatter, "replay: \(difference)") }
        chronicle.count("log entries", Int(report.entries))
        let second = SecondDesk(path: world.folder + "/second.db", dice: world.dice, time: world.time)
        let differences = try await second.differences(from: store, entries: report.entries)
        for difference in differences { chronicle.breach(.orderDoesNotMatter, "another order: \(difference)") }
    }
}
