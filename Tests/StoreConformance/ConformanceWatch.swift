import Domain
import Store
import Testing

@Suite struct ConformanceWatch {
    private static func request(_ id: String, _ transaction: String, signed: Int64, in ledger: Ledger = demo) -> LogEntry {
        var entry = LogEntry(kind: .notification, identity: id, ledger: ledger, source: .live, receivedAt: at(signed + 1), body: [])
        entry.rawNotificationType = "CONSUMPTION_REQUEST"
        entry.transactionID = TransactionID(transaction)
        entry.signedDate = at(signed)
        return entry
    }

    @Test(arguments: engines) func requestsCountByPurchaseAndTime(_ engine: Engine) async throws {
        try await engine.use { store in
            try await store.write { tx throws(StoreError) in
                for entry in [
                    Self.request("a", "1", signed: 10), Self.request("b", "1", signed: 11), Self.request("c", "2", signed: 19),
                    Self.request("d", "3", signed: 20), Self.request("e", "4", signed: 12, in: demoSandbox),
                ] { _ = try tx.append(entry) }
                var aside = Self.request("f", "5", signed: 12)
                aside.result = .quarantined
                _ = try tx.append(aside)
            }
            let (count, first, none, aside) = try await store.read { tx throws(StoreError) in
                (
                    try tx.requestedPurchases(in: demo, from: at(10), to: at(20)), try tx.firstRequest(in: demo),
                    try tx.firstRequest(in: other), try tx.quarantinedCount(in: demo)
                )
            }
            #expect(count == 2)
            #expect(first == at(10))
            #expect(none == nil)
            #expect(aside == 1)
        }
    }

    @Test(arguments: engines) func arrivalsLeap(_ engine: Engine) async throws {
        try await engine.use { store in
            try await store.write { tx throws(StoreError) in
                for (id, seconds) in [("a", 0), ("b", 10), ("c", 59), ("d", 60), ("e", 200)] as [(String, Int64)] {
                    _ = try tx.append(
                        LogEntry(kind: .notification, identity: id, ledger: demo, source: .live, receivedAt: at(seconds), body: []))
                }
                _ = try tx.append(
                    LogEntry(kind: .notification, identity: "f", ledger: demo, source: .history, receivedAt: at(900), body: []))
            }
            let (arrivals, last) = try await store.read { tx throws(StoreError) in
                (try tx.arrivals(in: demo, since: at(0), apart: .seconds(60)), try tx.lastArrival(in: demo))
            }
            #expect(arrivals == [at(0), at(60), at(200)])
            #expect(last == at(200))
        }
    }

    @Test(arguments: engines) func deadRowsAreListedAndRevived(_ engine: Engine) async throws {
        try await engine.use { store in
            try await store.write { tx throws(StoreError) in
                for (key, ledger) in [("a", demo), ("b", demoSandbox), ("c", other), ("d", demo)] {
                    try tx.enqueue(
                        OutboxRow(kind: .forward, ledger: ledger, subject: "s", key: key, dueAt: at(0), payload: [1], createdAt: at(0)))
                }
                for key in ["a", "b"] {
                    let row = try tx.outboxRow(.forward, subject: "s", key: key, in: key == "a" ? demo : demoSandbox)
                    if let row { try tx.finish(row.id, state: .dead, at: at(5)) }
                }
            }
            let query = OutboxQuery(app: demo.app, state: .dead)
            let dead = try await store.read { tx throws(StoreError) in try tx.outboxEntries(query).items }
            #expect(dead.map(\.row.key) == ["b", "a"])
            let counts = try await store.read { tx throws(StoreError) in (try tx.outboxDead(of: nil), try tx.outboxDead(of: other.app)) }
            #expect(counts.0 == [.forward: 2])
            #expect(counts.1 == (other.app == demo.app ? [.forward: 2] : [:]))
            let pages = try await store.pages(of: 1) { tx, page throws(StoreError) in
                var query = query
                query.page = page
                return try tx.outboxEntries(query)
            }
            #expect(pages.map { $0.map(\.row.key) } == [["b"], ["a"]])
            let id = try #require(dead.last?.row.id)
            try await store.write { tx throws(StoreError) in
                try tx.put(DeliveryAttempt(outboxID: id, at: at(4), httpStatus: 500, error: "no"))
                try tx.revive(id, at: at(100))
            }
            let revived = try #require(try await store.read { tx throws(StoreError) in try tx.outboxEntry(id: id) })
            #expect((revived.row.state, revived.row.attempt, revived.row.dueAt, revived.row.createdAt) == (.pending, 0, at(100), at(100)))
            #expect(revived.attempts.map(\.error) == ["no"])
        }
    }
}
