import Domain
import Store
import StoreConformance
import StorePostgres
import Testing

@testable import AppStoreSimulator
@testable import Ingest

/// Two desks on one database, as two processes have it: whatever meets, the outcome is one that some order could have had.
@Suite(.enabled(if: PostgresServer.url != nil, PostgresServer.missing), .timeLimit(.minutes(3)))
struct ManyDesksTests {
    private let schema: TemporarySchema
    private let stores: [PostgresStore]
    private let first: TestDesk
    private let second: TestDesk

    init() async throws {
        let url = try #require(PostgresServer.url)
        schema = try TemporarySchema(url)
        stores = [
            try await PostgresStore.open(url: url, schema: schema.name, now: on(0)),
            try await PostgresStore.open(url: url, schema: schema.name, now: on(0)),
        ]
        first = try await TestDesk(on: stores[0])
        second = try await TestDesk(on: stores[1])
    }

    private func close() async throws {
        let differences = try await first.differences()
        #expect(differences == [])
        for store in stores { await store.close() }
    }

    /// Does both at once, many times.
    private func atOnce(
        _ count: Int, _ one: @escaping @Sendable (Int) async throws -> Void, _ other: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<count {
                group.addTask { try await one(index) }
                group.addTask { try await other(index) }
            }
            try await group.waitForAll()
        }
    }

    private func kinds(_ ids: [String]) async throws -> Set<Decision.Kind> {
        var kinds: Set<Decision.Kind> = []
        for id in ids {
            let decision = try await first.decision(id)
            kinds.insert(try #require(decision).kind)
        }
        return kinds
    }

    /// Neither may miss the other: either the request finds the consent, or the consent the request.
    @Test(arguments: ["transaction", "account", "token", "user"]) func consentAndRequest(_ name: String) async throws {
        let token = { @Sendable (index: Int) in "7e3fb20b-4cdb-47cc-936d-\(100_000_000_000 + index)" }
        let (first, second) = (first, second)
        if name == "user" {
            // The consent's name is known of the customer, but none that the request carries.
            for index in 0..<40 { try await first.link("\(5_000 + index)", to: "user-\(index)") }
        }
        try await atOnce(40) { index in
            let purchase = TransactionPayload.coins("\(5_000 + index)").with { $0.appAccountToken = token(index) }
            try await first.ask(purchase, "ask-\(index)")
        } _: { index in
            switch name {
            case "transaction": try await second.consent("\(5_000 + index)")
            case "account": try await second.consent("704\(5_000 + index)")
            case "token": try await second.consent(token(index))
            default: try await second.consent("user-\(index)")
            }
        }
        let kinds = try await kinds((0..<40).map { "\(5_000 + $0)" })
        #expect(kinds == [.answer])
        try await close()
    }

    @Test func deliveryAndRequest() async throws {
        let (first, second) = (first, second)
        for index in 0..<40 { try await first.consent("704\(6_000 + index)") }
        try await atOnce(40) { index in
            try await first.ask(.make("\(6_000 + index)", "unstated", .consumable, at: on(0)), "ask-\(index)")
        } _: { index in
            try await second.deliver("\(6_000 + index)", .delivered)
        }
        let kinds = try await kinds((0..<40).map { "\(6_000 + $0)" })
        #expect(kinds == [.answer])
        try await close()
    }

    @Test func outagesAndRequest() async throws {
        let (first, second) = (first, second)
        for index in 0..<40 { try await first.consent("704\(7_000 + index)") }
        try await atOnce(40) { index in
            try await first.ask(.make("\(7_000 + index)", "unstated", .consumable, at: on(0)), "ask-\(index)")
        } _: { index in
            if index % 10 == 5 { try await second.outages(of: "com.acme.unstated", (-1, 1)) }
        }
        let kinds = try await kinds((0..<40).map { "\(7_000 + $0)" })
        #expect(kinds == [.answer])
        try await close()
    }

    /// The same customer's messages through both desks, some of them twice.
    @Test func repeatsAndRefundsOfOneCustomer() async throws {
        let (first, second) = (first, second)
        try await first.consent("704-shared")
        let purchase = { @Sendable (index: Int) in
            TransactionPayload.coins("\(8_000 + index % 10)").with { $0.appTransactionId = "704-shared" }
        }
        try await atOnce(60) { index in
            try await first.ask(purchase(index), "ask-\(index / 2)")
        } _: { index in
            if index % 3 == 0 {
                try await second.notify("REFUND", nil, purchase(index).refunded(at: on(0)), uuid: "refund-\(index)")
            } else {
                try await second.ask(purchase(index), "ask-\(index / 2)")
            }
        }
        let ledger = first.ledger
        let customers = try await stores[0].read { tx throws(StoreError) in try tx.customers(in: ledger, page: PageRequest(limit: 100)) }
        #expect(customers.items.count == 1)
        try await close()
    }
}
