import Domain
import Store
import StoreSQLite
import Testing

@Suite struct ConformanceCatchUp {
    @Test(arguments: engines) func aContactComesBack(_ engine: Engine) async throws {
        try await engine.use { store in
            #expect(try await store.read { tx throws(StoreError) in try tx.contact(of: demo) } == nil)
            let contacts = [
                LedgerContact(), LedgerContact(completeUntil: at(1), lookedAt: at(2)),
                LedgerContact(failure: LedgerContact.Failure(at: at(3), text: "refused")),
                LedgerContact(completeUntil: at(4), newestSendFailure: LedgerContact.SendFailure(at: at(5), rawResult: "TIMED_OUT")),
            ]
            for contact in contacts {
                try await store.write { tx throws(StoreError) in try tx.put(contact, of: demo) }
                #expect(try await store.read { tx throws(StoreError) in try tx.contact(of: demo) } == contact)
                #expect(try await store.read { tx throws(StoreError) in try tx.contact(of: demoSandbox) } == nil)
            }
        }
    }

    @Test(arguments: engines) func eachReaderHasOneReadingOfALedger(_ engine: Engine) async throws {
        try await engine.use { store in
            var read = HistoryRead(
                ledger: demo, reader: .server, from: at(1), to: at(2), onlyFailures: true, completes: false, failuresAfter: at(3),
                outageBegan: at(4))
            let first = read
            try await store.write { tx throws(StoreError) in try tx.put(first) }
            #expect(try await store.read { tx throws(StoreError) in try tx.historyRead(.server, of: demo) } == first)
            read.paginationToken = "a+/b=="
            (read.restarts, read.pages, read.followUp, read.endedAt) = (1, 2, "refunds", at(9))
            (read.counts.seen, read.counts.new, read.counts.duplicates) = (3, 4, 5)
            (read.counts.quarantined, read.counts.refused, read.counts.failedSends) = (6, 7, 8)
            let second = read
            try await store.write { tx throws(StoreError) in try tx.put(second) }
            try await store.read { tx throws(StoreError) in
                #expect(try tx.historyRead(.server, of: demo) == second)
                #expect(try tx.historyRead(.command, of: demo) == nil)
                #expect(try tx.historyRead(.server, of: other) == nil)
            }
        }
    }

    @Test(arguments: engines) func aRevisionIsKeptPerCustomerAndForgotten(_ engine: Engine) async throws {
        try await engine.use { store in
            for revision in ["20", "r+/45", nil] {
                try await store.write { tx throws(StoreError) in try tx.setRefundRevision(revision, of: "704", in: demo, at: at(1)) }
                try await store.read { tx throws(StoreError) in
                    #expect(try tx.refundRevision("704", in: demo) == revision)
                    #expect(try tx.refundRevision("705", in: demo) == nil)
                    #expect(try tx.refundRevision("704", in: demoSandbox) == nil)
                }
            }
        }
    }

    @Test(arguments: engines) func releasedLeasesAreDueAtOnceAndWhatWaitsForItsTimeIsNot(_ engine: Engine) async throws {
        try await engine.use { store in
            try await store.write { tx throws(StoreError) in
                for (key, due) in [("leased", 1), ("later", 500)] as [(String, Int64)] {
                    try tx.enqueue(OutboxRow(kind: .answer, ledger: demo, subject: "s", key: key, dueAt: at(due), createdAt: at(0)))
                }
            }
            func claim(at now: Int64) async throws -> [String] {
                try await store.write { tx throws(StoreError) in
                    try tx.claim(in: [OutboxRow.Lane(.answer)], limit: 9, at: at(now), leaseUntil: at(now + 60)).map(\.key)
                }
            }
            #expect(try await claim(at: 1) == ["leased"])
            #expect(try await claim(at: 2) == [])
            #expect(try await store.write { tx throws(StoreError) in try tx.releaseLeases(at: at(3)) } == 1)
            #expect(try await store.write { tx throws(StoreError) in try tx.releaseLeases(at: at(3)) } == 0)
            #expect(try await claim(at: 3) == ["leased"])
        }
    }
}

@Suite(.timeLimit(.minutes(1))) struct ClockConformance {
    /// A clock that was set back left rows that wait for days, and a lease.
    @Test(arguments: engines) func whatIsToBeSentTooLateIsHastenedAndTheCalendarIsNot(_ engine: Engine) async throws {
        try await engine.use { store in
            let rows: [(OutboxRow.Kind, Int64)] = [
                (.answer, 900), (.webhook, 901), (.forward, 902), (.alert, 903), (.answer, 50), (.windowCloses, 900), (.decide, 900),
                (.deadlineNear, 900), (.turn, 900),
            ]
            try await store.write { tx throws(StoreError) in
                for (kind, due) in rows {
                    try tx.enqueue(OutboxRow(kind: kind, ledger: demo, subject: "s\(due)", key: "k", dueAt: at(due), createdAt: at(0)))
                }
                _ = try tx.claim(in: [OutboxRow.Lane(.answer)], limit: 1, at: at(50), leaseUntil: at(990))
            }
            #expect(try await store.write { tx throws(StoreError) in try tx.hasten(after: at(100), at: at(10)) } == 5)
            #expect(try await store.write { tx throws(StoreError) in try tx.hasten(after: at(100), at: at(10)) } == 0)
            for (kind, due) in rows {
                let row = try await store.read { tx throws(StoreError) in try tx.outboxRow(kind, subject: "s\(due)", key: "k", in: demo) }
                let isSent = [.answer, .webhook, .forward, .alert].contains(kind)
                #expect(row?.dueAt == at(isSent ? 10 : due), "\(kind) \(due)")
            }
        }
    }

    @Test(arguments: engines) func touchingTheDiskChangesNothing(_ engine: Engine) async throws {
        try await engine.use { store in
            for _ in 0..<2 { try await store.write { tx throws(StoreError) in try tx.touchDisk() } }
            #expect(try await store.read { tx throws(StoreError) in try tx.outboxDepth() }.values.reduce(0, +) == 0)
        }
    }
}

@Suite(.timeLimit(.minutes(1))) struct OtherWriterTests {
    /// What another process schedules wakes the workers here; what we write ourselves needs no second call.
    @Test func anotherWritersCommitIsNoticedOnce() async throws {
        let folder = try TemporaryFolder()
        let (ours, theirs) = (
            try await SQLiteStore.open(path: folder.file("desk.db"), now: at(0)),
            try await SQLiteStore.open(path: folder.file("desk.db"), now: at(0))
        )
        let row = OutboxRow(kind: .answer, ledger: demo, subject: "s", key: "k", dueAt: at(1), createdAt: at(0))
        await ours.noticeOtherWriters()
        let wakeUp = ours.outboxSignal.subscribe()
        try await theirs.write { tx throws(StoreError) in try tx.enqueue(row) }
        await ours.noticeOtherWriters()
        await wakeUp.sleep()  // Returns, as the call was kept.
        #expect(try await ours.read { tx throws(StoreError) in try tx.nextDue(in: [OutboxRow.Lane(.answer)]) } == at(1))
        await ours.noticeOtherWriters()
        let isCalled = await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await wakeUp.sleep()
                return !Task.isCancelled
            }
            group.addTask {
                await ours.noticeOtherWriters()
                return false
            }
            let first = await group.next() ?? true
            group.cancelAll()
            return first
        }
        #expect(!isCalled)
        await ours.close()
        await theirs.close()
    }
}
