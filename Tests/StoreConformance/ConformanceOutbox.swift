import Domain
import Store
import Testing

/// The lane of a kind's rows as these tests make them: one receiver, named as the key.
private func lane(_ kind: OutboxRow.Kind) -> OutboxRow.Lane {
    OutboxRow(kind: kind, ledger: demo, subject: "", key: kind == .webhook ? "receiver" : "a", dueAt: at(0), createdAt: at(0)).lane
}

@Suite struct ConformanceOutbox {
    private static func row(_ kind: OutboxRow.Kind, _ key: String, due seconds: Int64, in ledger: Ledger = demo) -> OutboxRow {
        OutboxRow(kind: kind, ledger: ledger, subject: "subject", key: key, dueAt: at(seconds), payload: [1, 0], createdAt: at(0))
    }

    private static func claim(_ store: any Store, _ kinds: [OutboxRow.Kind], limit: Int = 10, at now: Int64) async throws -> [OutboxRow] {
        try await store.write { tx throws(StoreError) in
            try tx.claim(in: kinds.map(lane), limit: limit, at: at(now), leaseUntil: at(now + 60))
        }
    }

    @Test(arguments: engines) func aRowComesBackAsItWasEnqueued(_ engine: Engine) async throws {
        try await engine.use { store in
            var row = Self.row(.answer, "key", due: 5, in: demoSandbox)
            let enqueued = row
            try await store.write { tx throws(StoreError) in try tx.enqueue(enqueued) }
            let kept = try await store.read { tx throws(StoreError) in
                try tx.outboxRow(.answer, subject: "subject", key: "key", in: demoSandbox)
            }
            row.id = try #require(kept).id
            #expect(kept == row)
            let claimed = try await Self.claim(store, [.answer], at: 5)
            row.attempt = 1
            row.dueAt = at(65)
            #expect(claimed == [row])
            let none = try await store.read { tx throws(StoreError) in
                try tx.outboxRow(.answer, subject: "subject", key: "key", in: demo)
            }
            #expect(none == nil)
        }
    }

    @Test(arguments: engines) func theMostOverdueIsClaimedFirst(_ engine: Engine) async throws {
        try await engine.use { store in
            try await store.write { tx throws(StoreError) in
                try tx.enqueue(Self.row(.webhook, "receiver", due: 3))
                try tx.enqueue(Self.row(.answer, "a", due: 1))
                try tx.enqueue(Self.row(.answer, "b", due: 3, in: other))
                try tx.enqueue(Self.row(.alert, "not asked for", due: 0))
                try tx.enqueue(Self.row(.answer, "not due", due: 5))
            }
            #expect(try await Self.claim(store, [.answer, .webhook], limit: 2, at: 4).map(\.key) == ["a", "receiver"])
            let rest = try await Self.claim(store, [.answer, .webhook], at: 4)
            #expect(rest.map(\.key) == ["b"])
            #expect(rest.map(\.ledger) == [other])
            #expect(try await Self.claim(store, [.answer, .webhook], at: 4) == [])
        }
    }

    @Test(arguments: engines) func aLeaseEndsByItself(_ engine: Engine) async throws {
        try await engine.use { store in
            try await store.write { tx throws(StoreError) in try tx.enqueue(Self.row(.answer, "a", due: 1)) }
            #expect(try await Self.claim(store, [.answer], at: 1).map(\.attempt) == [1])
            #expect(try await store.read { tx throws(StoreError) in try tx.nextDue(in: [lane(.answer)]) } == at(61))
            #expect(try await Self.claim(store, [.answer], at: 60) == [])
            #expect(try await Self.claim(store, [.answer], at: 61).map(\.attempt) == [2])
        }
    }

    @Test(arguments: engines) func onlyAnEarlierDueIsTakenOver(_ engine: Engine) async throws {
        try await engine.use { store in
            for (due, expected) in [(5, 5), (9, 5), (3, 3)] as [(Int64, Int64)] {
                try await store.write { tx throws(StoreError) in
                    var row = Self.row(.answer, "a", due: due)
                    row.payload = [UInt8(due)]
                    try tx.enqueue(row)
                }
                let kept = try await store.read { tx throws(StoreError) in
                    try tx.outboxRow(.answer, subject: "subject", key: "a", in: demo)
                }
                #expect(kept?.dueAt == at(expected))
                #expect(kept?.payload == [5])
            }
        }
    }

    @Test(arguments: engines) func aLeaseIsNotBroken(_ engine: Engine) async throws {
        try await engine.use { store in
            try await store.write { tx throws(StoreError) in try tx.enqueue(Self.row(.answer, "a", due: 5)) }
            let id = try #require(try await Self.claim(store, [.answer], at: 5).first?.id)
            try await store.write { tx throws(StoreError) in try tx.enqueue(Self.row(.answer, "a", due: 1)) }
            #expect(try await Self.claim(store, [.answer], at: 6) == [])
            try await store.write { tx throws(StoreError) in
                try tx.reschedule(id, at: at(30))
                try tx.enqueue(Self.row(.answer, "a", due: 20))
            }
            #expect(try await Self.claim(store, [.answer], at: 20).map(\.attempt) == [2])
        }
    }

    @Test(arguments: engines, [OutboxRow.State.done, .dead])
    func whatEndedIsRevivedOnlyByRescheduling(_ engine: Engine, _ state: OutboxRow.State) async throws {
        try await engine.use { store in
            try await store.write { tx throws(StoreError) in try tx.enqueue(Self.row(.answer, "a", due: 5)) }
            let id = try #require(try await Self.claim(store, [.answer], at: 5).first?.id)
            try await store.write { tx throws(StoreError) in
                try tx.finish(id, state: state, at: at(6))
                try tx.enqueue(Self.row(.answer, "a", due: 1))
            }
            let kept = try await store.read { tx throws(StoreError) in
                try tx.outboxRow(.answer, subject: "subject", key: "a", in: demo)
            }
            #expect(kept?.state == state)
            #expect(try await store.read { tx throws(StoreError) in try tx.nextDue(in: OutboxRow.Kind.allCases.map(lane)) } == nil)
            #expect(try await Self.claim(store, [.answer], at: 1_000) == [])
            try await store.write { tx throws(StoreError) in try tx.reschedule(id, at: at(7)) }
            #expect(try await Self.claim(store, [.answer], at: 7).map(\.id) == [id])
        }
    }

    @Test(arguments: engines) func cancellingEndsWhatIsPendingAboutTheSubject(_ engine: Engine) async throws {
        try await engine.use { store in
            try await store.write { tx throws(StoreError) in
                for (kind, key, ledger) in [
                    (.answer, "a", demo), (.answer, "b", demo), (.decide, "a", demo), (.answer, "a", other),
                ] as [(OutboxRow.Kind, String, Ledger)] {
                    try tx.enqueue(Self.row(kind, key, due: 1, in: ledger))
                }
                var elsewhere = Self.row(.answer, "a", due: 1)
                elsewhere.subject = "another"
                try tx.enqueue(elsewhere)
                try tx.cancel(.answer, subject: "subject", in: demo, at: at(1))
                try tx.cancel(.answer, subject: "subject", in: demoSandbox, at: at(1))
            }
            let depth = try await store.read { tx throws(StoreError) in try tx.outboxDepth() }
            #expect(depth == [.answer: 2, .decide: 1])
        }
    }

    @Test(arguments: engines) func cancellingLeavesWhatIsLeasedToItsHolder(_ engine: Engine) async throws {
        try await engine.use { store in
            try await store.write { tx throws(StoreError) in try tx.enqueue(Self.row(.answer, "on its way", due: 1)) }
            let leased = try #require(try await Self.claim(store, [.answer], at: 1).first)
            try await store.write { tx throws(StoreError) in
                try tx.enqueue(Self.row(.answer, "waits", due: 1))
                try tx.cancel(.answer, subject: "subject", in: demo, at: at(1))
            }
            let depth = try await store.read { tx throws(StoreError) in try tx.outboxDepth() }
            #expect(depth == [.answer: 1])
            #expect(try await Self.claim(store, [.answer], at: 1_000_000).map(\.id) == [leased.id], "taken over when the lease has ended")
        }
    }

    @Test(arguments: engines) func theNextDueIsOfTheLanesAskedFor(_ engine: Engine) async throws {
        try await engine.use { store in
            try await store.write { tx throws(StoreError) in
                try tx.enqueue(Self.row(.answer, "a", due: 9))
                try tx.enqueue(Self.row(.webhook, "receiver", due: 4))
                try tx.enqueue(Self.row(.webhook, "another receiver", due: 2))
                try tx.enqueue(Self.row(.alert, "a", due: 1))
            }
            try await store.read { tx throws(StoreError) in
                #expect(try tx.nextDue(in: [lane(.answer), lane(.webhook)]) == at(4))
                #expect(try tx.nextDue(in: [lane(.answer)]) == at(9))
                #expect(try tx.nextDue(in: [lane(.forward)]) == nil)
                #expect(try tx.nextDue(in: []) == nil)
            }
        }
    }
}
