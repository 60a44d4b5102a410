import Domain
import Store
import Testing

/// What the dashboard's pages read beside what others read too, and who is logged in.
@Suite struct ConformanceDashboard {
    @Test(arguments: engines) func aSessionIsThereUntilItIsEnded(_ engine: Engine) async throws {
        let session = SessionRow(sha256: [1, 2], tokenSHA256: [3], createdAt: at(1), seenAt: at(2))
        let second = SessionRow(sha256: [4], tokenSHA256: [3], createdAt: at(5), seenAt: at(5))
        try await engine.use { store in
            try await store.write { tx throws(StoreError) in
                try tx.add(session)
                try tx.add(second)
                try tx.setSeen([1, 2], at: at(9))
            }
            var seen = session
            seen.seenAt = at(9)
            let expected = seen
            #expect(try await store.read { tx throws(StoreError) in try tx.session(sha256: [1, 2]) } == expected)
            #expect(try await store.read { tx throws(StoreError) in try tx.session(sha256: [1]) } == nil)
            let ended = try await store.write { tx throws(StoreError) in
                [try tx.endSession(sha256: [1, 2]), try tx.endSession(sha256: [1, 2])]
            }
            #expect(ended == [true, false])
            #expect(try await store.read { tx throws(StoreError) in try tx.session(sha256: [4]) } == second)
        }
    }

    @Test(arguments: engines) func expiredSessionsAreTakenAway(_ engine: Engine) async throws {
        try await engine.use { store in
            let left = try await store.write { tx throws(StoreError) -> [Bool] in
                for (id, created, seen) in [(1, 10, 20), (2, 9, 20), (3, 10, 19)] as [(UInt8, Int64, Int64)] {
                    try tx.add(SessionRow(sha256: [id], tokenSHA256: [0], createdAt: at(created), seenAt: at(seen)))
                }
                try tx.endSessions(createdBefore: at(10), seenBefore: at(20))
                return [try tx.session(sha256: [1]) != nil, try tx.session(sha256: [2]) != nil, try tx.session(sha256: [3]) != nil]
            }
            #expect(left == [true, false, false])
        }
    }

    @Test(arguments: engines) func pendingWorkOfALaneIsListedAndCounted(_ engine: Engine) async throws {
        @Sendable func row(_ subject: String, due: Int64, _ kind: OutboxRow.Kind = .decide, in ledger: Ledger = demo) -> OutboxRow {
            OutboxRow(kind: kind, ledger: ledger, subject: subject, key: "k", dueAt: at(due), createdAt: at(0))
        }
        try await engine.use { store in
            try await store.write { tx throws(StoreError) in
                for row in [row("b", due: 2), row("a", due: 1), row("c", due: 3), row("x", due: 0, .answer), row("y", due: 0, in: other)] {
                    try tx.enqueue(row)
                }
                try tx.cancel(.decide, subject: "c", in: demo, at: at(0))
            }
            let lane = OutboxRow.Lane(.decide)
            let (all, first, none) = try await store.read { tx throws(StoreError) in
                (
                    try tx.pendingSubjects(in: lane, of: demo, limit: 9), try tx.pendingSubjects(in: lane, of: demo, limit: 1),
                    try tx.pendingSubjects(in: lane, of: demoSandbox, limit: 9)
                )
            }
            #expect(all == ["a", "b"])
            #expect(first == ["a"])
            #expect(none == [])
            let counts = try await store.read { tx throws(StoreError) in
                [
                    try tx.overdueCount(in: lane, at: at(0), limit: 9), try tx.overdueCount(in: lane, at: at(1), limit: 9),
                    try tx.overdueCount(in: lane, at: at(9), limit: 9), try tx.overdueCount(in: lane, at: at(9), limit: 2),
                ]
            }
            #expect(counts == [1, 2, 3, 2], "of all apps, and no further than asked")
        }
    }

    @Test(arguments: engines) func theNewestJudgedDecisionsComeFirst(_ engine: Engine) async throws {
        var facts = PolicyFacts()
        facts.rawReason = "OTHER"
        let basis = DecisionBasis(facts: facts, delivery: .delivered, sampleContentProvided: true, consumed: nil)
        @Sendable func record(_ id: String, at seconds: Int64, judged: Bool = true) -> DecisionRecord {
            DecisionRecord(
                transactionID: TransactionID(id), anchor: NotificationUUID("u\(id)"), at: at(seconds), decision: Decision(.answer),
                basis: judged ? basis : nil)
        }
        let records = [record("1", at: 5), record("2", at: 9), record("3", at: 7, judged: false), record("4", at: 7), record("5", at: 7)]
        try await engine.use { store in
            try await store.write { tx throws(StoreError) in
                for (index, record) in records.enumerated() { try tx.put(record, sequence: Int64(index + 1), in: demo) }
                try tx.put(record("6", at: 99), sequence: 9, in: other)
            }
            let newest = try await store.read { tx throws(StoreError) in try tx.judgedDecisions(in: demo, newest: 3) }
            #expect(newest.map(\.transactionID.rawValue) == ["2", "5", "4"])
            #expect(newest.first?.basis == basis)
        }
    }
}
