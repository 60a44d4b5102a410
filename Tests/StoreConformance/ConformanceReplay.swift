import Domain
import Store
import Synchronization
import Testing

/// A fold of every kind of state, for tests: what an entry's body says decides what is put.
private let fold: @Sendable (LogEntry, any WriteTransaction) throws(StoreError) -> Void = { entry, tx throws(StoreError) in
    let number = Int(String(decoding: entry.body, as: UTF8.self)) ?? 0
    let id = TransactionID("\(number % 50)")
    var transaction = Transaction.full(id.rawValue, original: "\(number % 10)")
    transaction.price = Int64(number)
    try tx.put(Purchase(transaction, uuid: entry.identity ?? ""), in: entry.ledger)
    try tx.put(Chain.full("\(number % 10)"), in: entry.ledger)
    _ = try tx.join(
        [Alias(.originalTransactionID, "\(number % 10)"), Alias(.userID, "user-\(number % 7 == 0 ? number % 10 : 1_000 + number)")],
        in: entry.ledger)
    let anchor = NotificationUUID(entry.identity ?? "")
    try tx.put(CaseEvent(kind: .requested, notificationUUID: anchor, signedDate: entry.receivedAt), of: id, in: entry.ledger)
    try tx.put(
        CaseRow(
            transactionID: id, originalTransactionID: id, productID: nil, state: .open, rawReason: nil, openedAt: at(Int64(number)),
            deadline: nil), in: entry.ledger)
    let link = UserLinkFact(originalTransactionID: id, userID: UserID("user"), at: entry.receivedAt)
    try tx.put(link, in: entry.ledger)
    let consent = ConsentFact(ref: "ref-\(number)", consented: true, source: "test", textVersion: nil, at: entry.receivedAt)
    try tx.put(consent, sequence: entry.sequence, in: entry.ledger)
    try tx.put(DeliveryFact(transactionID: id, status: .delivered, at: entry.receivedAt), in: entry.ledger)
    let outage = Outage(from: at(0), to: at(Int64(number + 1)), status: .undeliveredOther)
    try tx.put(OutagesFact(productID: ProductID("p\(number % 5)"), outages: [outage], at: entry.receivedAt), in: entry.ledger)
    try tx.add(UsageFact(id: "1", subject: .transaction(id), meter: "tokens", millionths: 3, at: entry.receivedAt), in: entry.ledger)
    try tx.put(
        CustomerSetting(kind: .tags, ref: "ref-\(number % 3)", json: "[]", at: entry.receivedAt), sequence: entry.sequence, in: entry.ledger
    )
    let decision = DecisionRecord(transactionID: id, anchor: anchor, at: entry.receivedAt, decision: Decision(.abstain))
    try tx.put(decision, sequence: entry.sequence, in: entry.ledger)
    try tx.put(AnswerRecord(transactionID: id, anchor: anchor, status: .scheduled, at: entry.receivedAt), in: entry.ledger)
    try tx.put(
        AttemptRecord(transactionID: id, anchor: anchor, at: entry.receivedAt, error: "x"), sequence: entry.sequence, in: entry.ledger)
    try tx.enqueue(
        OutboxRow(kind: .alert, ledger: entry.ledger, subject: "s", key: "\(number)", dueAt: at(0), createdAt: entry.receivedAt))
}

@Suite(.timeLimit(.minutes(5))) struct ConformanceReplay {
    /// Runs a test on a store whose state is folded from 300 entries, in three ledgers; afterwards nothing of a replay may be left.
    private static func filled(_ engine: Engine, _ body: (any Store, EmptyStore) async throws -> Void) async throws {
        let empty = try await engine.make()
        try await empty.use { store in
            for chunk in 0..<3 {
                try await store.write { tx throws(StoreError) in
                    for number in (chunk * 100)..<(chunk * 100 + 100) { try Self.append(number, tx) }
                }
            }
            try await body(store, empty)
        }
        #expect(try empty.leftovers() == [])
    }

    /// Replays, and demands exactly these lines.
    private static func expect(_ lines: [String], from store: any Store, repair: Bool) async throws {
        let report = try await store.replay(repair: repair, fold: fold)
        #expect(report.differences == lines)
    }

    private static func append(_ number: Int, _ tx: any WriteTransaction) throws(StoreError) {
        var entry = LogEntry.notification("uuid-\(number)", in: [demo, other, demoSandbox][number % 3], at: at(Int64(number)))
        entry.body = Array("\(number)".utf8)
        guard let sequence = try tx.append(entry) else { return }
        entry.sequence = sequence
        try fold(entry, tx)
    }

    @Test(arguments: engines) func nothingDiffersWhereNothingWasAltered(_ engine: Engine) async throws {
        try await Self.filled(engine) { store, _ in
            let report = try await store.replay(repair: false, fold: fold)
            #expect(report.entries == 300)
            #expect(report.differences == [])
        }
    }

    @Test(arguments: engines) func entriesComeInOrderAndWhole(_ engine: Engine) async throws {
        try await Self.filled(engine) { store, _ in
            let seen = Mutex<[LogEntry]>([])
            _ = try await store.replay(repair: false) { entry, tx throws(StoreError) in
                seen.withLock { $0.append(entry) }
                try fold(entry, tx)
            }
            let entries = seen.withLock { $0 }
            #expect(entries.map(\.sequence) == Array(1...300))
            #expect(entries.map(\.identity) == (0..<300).map { "uuid-\($0)" })
            #expect(Set(entries.map(\.ledger)) == [demo, other, demoSandbox])
        }
    }

    struct Alteration: Sendable, CustomTestStringConvertible {
        var sql: String
        var line: String
        var testDescription: String { line }
    }

    private static let alterations = [
        Alteration(
            sql: "UPDATE purchases SET price = 1 WHERE ledger_id = 1 AND transaction_id = '0'",
            line: "purchases demo/Production 0: price kept=1 rebuilt=150"),
        Alteration(
            sql: "UPDATE purchases SET storefront = 'DEU', offer_type = NULL WHERE ledger_id = 2 AND transaction_id = '0'",
            line: "purchases other/Production 0: storefront differs, offer_type kept=none rebuilt=4"),
        Alteration(
            sql: "DELETE FROM chains WHERE ledger_id = 3 AND original_transaction_id = '9'",
            line: "chains demo/Sandbox 9: in the log, but not kept"),
        Alteration(
            sql: "INSERT INTO deliveries (ledger_id, transaction_id, status, at_ms) VALUES (1, 'zz', 'DELIVERED', 1)",
            line: "deliveries demo/Production zz: kept, but not in the log"),
        Alteration(
            sql: "UPDATE usage_sums SET millionths = 4 WHERE ledger_id = 1 AND subject = '0' AND span_ms = 86400000",
            line: "usage_sums demo/Production transaction 0 tokens 86400000 1699920000000: millionths kept=4 rebuilt=6"),
        Alteration(
            sql: """
                UPDATE case_sums SET requests = requests + 1
                WHERE ledger_id = 1 AND basis = 'requested' AND dimension = 'reason' AND tier = 'day' AND shard = (
                    SELECT min(shard) FROM case_sums WHERE ledger_id = 1 AND basis = 'requested' AND dimension = 'reason' AND tier = 'day'
                )
                """,
            line: "case_sums demo/Production requested reason day 19675 19675 (unknown) USD: requests kept=51 rebuilt=50"),
        Alteration(
            sql: """
                UPDATE report_sums SET count = count + 1 WHERE ledger_id = 1 AND series = 'refund' AND tier = 'month' AND shard = (
                    SELECT min(shard) FROM report_sums WHERE ledger_id = 1 AND series = 'refund' AND tier = 'month'
                )
                """,
            line: "report_sums demo/Production refund territory month 19662 19662 com.demo.pro\tUSA\tsubscription prorated USD: "
                + "count kept=51 rebuilt=50"),
        Alteration(
            sql: "UPDATE consents SET ref = 'someone@example.com' WHERE sequence = 5", line: "consents 5: ref differs"),
        Alteration(
            sql: "DELETE FROM aliases WHERE value = 'user-1001'", line: "aliases other/Production 4 user-1001: in the log, but not kept"),
        Alteration(sql: "INSERT INTO customers (id, ledger_id) VALUES (5000, 1)", line: "customers 5000: kept, but has no name"),
        Alteration(
            sql: """
                UPDATE aliases SET customer_id = (SELECT customer_id FROM aliases WHERE ledger_id = 1 AND kind = 3 AND value = '0')
                WHERE ledger_id = 1 AND value = 'user-1003'
                """, line: "aliases demo/Production 4 user-1003: customer differs"),
    ]

    @Test(arguments: engines, alterations) func anAlteredRowIsFoundAndRepaired(_ engine: Engine, _ alteration: Alteration) async throws {
        try await Self.filled(engine) { store, empty in
            try empty.edit(alteration.sql)
            try await Self.expect([alteration.line], from: store, repair: false)
            try await Self.expect([alteration.line], from: store, repair: true)
            try await Self.expect([], from: store, repair: false)
            // What is no folded state is left alone, and writing goes on.
            try await store.write { tx throws(StoreError) in try Self.append(300, tx) }
            let depth = try await store.read { tx throws(StoreError) in try tx.outboxDepth() }
            #expect(depth == [.alert: 301])
            try await Self.expect([], from: store, repair: false)
        }
    }

    @Test(arguments: engines) func writesDuringARepairAreNotLost(_ engine: Engine) async throws {
        try await Self.filled(engine) { store, empty in
            try empty.edit("UPDATE purchases SET quantity = 77")
            let store = store
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { _ = try await store.replay(repair: true, fold: fold) }
                group.addTask {
                    for number in 300..<500 { try await store.write { tx throws(StoreError) in try Self.append(number, tx) } }
                }
                try await group.waitForAll()
            }
            let report = try await store.replay(repair: false, fold: fold)
            #expect(report.entries == 500)
            #expect(report.differences == [])
        }
    }

    @Test(arguments: engines) func onlyTheFirstHundredLinesAreTold(_ engine: Engine) async throws {
        try await Self.filled(engine) { store, empty in
            try empty.edit("UPDATE case_events SET reason = 'LEGAL'")
            try empty.edit("UPDATE attempts SET http_status = 1")
            let report = try await store.replay(repair: true, fold: fold)
            #expect(report.differences.count == 100)
            try await Self.expect([], from: store, repair: false)
        }
    }

    @Test(arguments: engines) func aFoldThatThrowsEndsTheReplayAndChangesNothing(_ engine: Engine) async throws {
        try await Self.filled(engine) { store, _ in
            let error = await failure {
                try await store.replay(repair: true) { entry, _ throws(StoreError) in
                    if entry.sequence == 290 { throw StoreError(code: .corrupt, operation: "test", detail: "a damaged entry") }
                }
            }
            #expect(error?.detail == "a damaged entry")
            try await Self.expect([], from: store, repair: false)
        }
    }

    @Test(arguments: engines) func theFoldReadsHeaderSegmentsOfTheLog(_ engine: Engine) async throws {
        try await Self.filled(engine) { store, _ in
            let id = try await store.write { tx throws(StoreError) in try tx.jwsHeaderID([1, 2, 3]) }
            _ = try await store.replay(repair: false) { entry, tx throws(StoreError) in
                #expect(try tx.jwsHeader(id: id) == [1, 2, 3])
                try fold(entry, tx)
            }
        }
    }
}
