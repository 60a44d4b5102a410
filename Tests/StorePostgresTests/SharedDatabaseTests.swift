import Domain
import Postgres
import Store
import StoreConformance
import Testing

@testable import StorePostgres

/// Several stores on one database, as several processes have them.
@Suite(.enabled(if: PostgresServer.url != nil, PostgresServer.missing), .timeLimit(.minutes(3)))
struct SharedDatabaseTests {
    private let schema: TemporarySchema
    private let stores: [PostgresStore]

    init() async throws {
        let url = try #require(PostgresServer.url)
        schema = try TemporarySchema(url)
        var stores: [PostgresStore] = []
        for _ in 0..<3 { stores.append(try await PostgresStore.open(url: url, schema: schema.name, now: at(0))) }
        self.stores = stores
    }

    private func close() async { for store in stores { await store.close() } }

    /// Calls each store many times at once.
    private func atOnce(_ count: Int, _ body: @escaping @Sendable (PostgresStore, Int) async throws -> Void) async throws {
        let stores = stores
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<count { group.addTask { try await body(stores[index % stores.count], index) } }
            try await group.waitForAll()
        }
    }

    @Test func anIdentityIsTakenOnce() async throws {
        let taken = Counter()
        try await atOnce(300) { store, index in
            let sequence = try await store.write { tx throws(StoreError) in try tx.append(.notification("uuid-\(index / 3)")) }
            if sequence != nil { taken.add() }
        }
        #expect(taken.value == 100)
        await close()
    }

    /// Names overlap in a ring, so that in the end all are one customer, however the joins meet.
    @Test func overlappingNamesBecomeOneCustomer() async throws {
        try await atOnce(120) { store, index in
            let names = [Alias(.userID, "\(index % 40)"), Alias(.userID, "\((index % 40 + 1) % 40)")]
            _ = try await store.write(touching: names.map(\.value)) { tx throws(StoreError) in try tx.join(names, in: demo) }
        }
        let customers = try await stores[0].read { tx throws(StoreError) in
            var found: [CustomerID?] = []
            for index in 0..<40 { found.append(try tx.customer(Alias(.userID, "\(index)"), in: demo)) }
            return found
        }
        #expect(Set(customers).count == 1 && customers[0] != nil)
        let page = try await stores[0].read { tx throws(StoreError) in try tx.customers(in: demo, page: PageRequest(limit: 100)) }
        #expect(page.items.count == 1)
        await close()
    }

    /// The same without announcing anything: the rows' own locks and rules keep the customers whole.
    @Test func joinsThatAnnounceNothingLoseNothing() async throws {
        try await atOnce(60) { store, index in
            let names = [Alias(.userID, "\(index % 20)"), Alias(.userID, "\((index % 20 + 1) % 20)")]
            for attempt in 0... {
                let error = await failure { try await store.write { tx throws(StoreError) in try tx.join(names, in: demo) } }
                guard let error else { break }
                guard error.code == .busy, attempt < 20 else { throw error }
            }
        }
        let page = try await stores[0].read { tx throws(StoreError) in try tx.customers(in: demo, page: PageRequest(limit: 100)) }
        #expect(page.items.count == 1)
        await close()
    }

    @Test func eventsOfACustomerAreNumberedOnceEach() async throws {
        let customer = try await stores[0].write { tx throws(StoreError) in try tx.join([Alias(.userID, "u")], in: demo) }
        let numbers = Numbers()
        try await atOnce(150) { store, _ in
            let number = try await store.write { tx throws(StoreError) in
                try tx.hold([Alias(.userID, "u")], in: demo)
                return try tx.nextSequence(of: customer)
            }
            numbers.add(number)
        }
        #expect(numbers.sorted == Array(1...150))
        await close()
    }

    /// Reads, adds one and writes: without the common name increments would be lost.
    @Test func whatIsAnnouncedIsNotLost() async throws {
        try await stores[0].write { tx throws(StoreError) in
            var transaction = Transaction.bare("1")
            transaction.price = 0
            try tx.put(Purchase(transaction), in: demo)
        }
        try await atOnce(150) { store, _ in
            try await store.write(touching: ["1"]) { tx throws(StoreError) in
                guard let known = try tx.purchase(TransactionID("1"), in: demo) else { return }
                var transaction = known.transaction
                transaction.price = (transaction.price ?? 0) + 1
                try tx.put(Purchase(transaction), in: demo)
            }
        }
        let price = try await stores[1].read { tx throws(StoreError) in try tx.purchase(TransactionID("1"), in: demo)?.transaction.price }
        #expect(price == 150)
        await close()
    }

    @Test func aDueRowIsClaimedOnce() async throws {
        try await stores[0].write { tx throws(StoreError) in
            for index in 0..<100 {
                try tx.enqueue(OutboxRow(kind: .turn, ledger: demo, subject: "\(index)", key: "", dueAt: at(0), createdAt: at(0)))
            }
        }
        let numbers = Numbers()
        try await atOnce(60) { store, _ in
            let rows = try await store.write { tx throws(StoreError) in
                try tx.claim(in: [OutboxRow.Lane(.turn)], limit: 3, at: at(1), leaseUntil: at(60))
            }
            for row in rows { numbers.add(row.id) }
        }
        #expect(numbers.sorted.count == Set(numbers.sorted).count)
        #expect(numbers.sorted.count == 100)
        await close()
    }

    @Test func headersAndLedgersAreMadeOnce() async throws {
        let numbers = Numbers()
        try await atOnce(60) { store, index in
            let id = try await store.write { tx throws(StoreError) in
                _ = try tx.append(.notification("uuid-\(index)", in: index % 2 == 0 ? demo : other))
                return try tx.jwsHeaderID([UInt8](repeating: 9, count: 6_000))
            }
            numbers.add(id)
        }
        #expect(Set(numbers.sorted).count == 1)
        await close()
    }

    @Test func theAuditChainHasNoGapAndNoFork() async throws {
        try await atOnce(120) { store, index in
            try await store.write { tx throws(StoreError) in
                guard let entry = try tx.append(.notification("uuid-\(index)")) else { return }
                try tx.append(in: demo) { newest in
                    AuditSeal(
                        position: (newest?.position ?? 0) + 1, entry: entry, actor: nil, salt: nil, contentSHA256: [1],
                        sha256: (newest?.sha256 ?? []) + [UInt8(index)])
                }
            }
        }
        let seals = try await stores[0].read { tx throws(StoreError) in try tx.seals(after: 0, limit: 1_000).map(\.seal) }
        #expect(seals.map(\.position) == Array(1...120))
        for (before, after) in zip(seals, seals.dropFirst()) { #expect(after.sha256.starts(with: before.sha256)) }
        await close()
    }

    @Test func aCommitThatSchedulesWakesTheOtherProcesses() async throws {
        let wakeUp = stores[1].outboxSignal.subscribe()
        let isAwake = Counter()
        let sleeper = Task {
            await wakeUp.sleep()
            isAwake.add()
        }
        // It may not listen yet: until it does, calls go unheard.
        var number = 0
        while isAwake.value == 0 {
            let key = "\(number)"
            number += 1
            try await stores[0].write { tx throws(StoreError) in
                try tx.enqueue(OutboxRow(kind: .turn, ledger: demo, subject: key, key: "", dueAt: at(0), createdAt: at(0)))
            }
        }
        await sleeper.value
        await close()
    }

    @Test func bodiesThatAreInEachOthersWayAreTriedAgain() async throws {
        let ids = try await stores[0].write { tx throws(StoreError) in
            [try tx.join([Alias(.userID, "a")], in: demo), try tx.join([Alias(.userID, "b")], in: demo)]
        }
        // Each takes both rows, in opposite orders: now and then PostgreSQL has to end one of them.
        try await atOnce(40) { store, index in
            try await store.write { tx throws(StoreError) in
                for id in index % 2 == 0 ? ids : ids.reversed() { _ = try tx.nextSequence(of: id) }
            }
        }
        let next = try await stores[0].write { tx throws(StoreError) in try tx.nextSequence(of: ids[0]) }
        #expect(next == 41)
        await close()
    }
}
