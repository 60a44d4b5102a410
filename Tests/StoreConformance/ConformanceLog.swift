import Domain
import Store
import Testing

@Suite struct ConformanceLog {
    @Test(arguments: engines) func anEntryComesBackAsItWasAppended(_ engine: Engine) async throws {
        var full = LogEntry.notification("uuid-1", in: demoSandbox, type: "REFUND", at: at(2))
        full.result = .quarantined
        full.reason = "wrong-app"
        full.source = .history
        full.rawSubtype = "SEATS"
        full.rawEnvironment = "Xcode"
        full.transactionID = TransactionID("2000001")
        full.signedDate = at(1)
        full.body = [0, 255, 7]
        var bare = LogEntry(kind: .transaction, identity: "sha256:1", ledger: demo, source: .client, receivedAt: at(3), body: [])
        let expected = full
        try await engine.use { store in
            let entry = full
            let sequence = try await store.write { tx throws(StoreError) in try tx.append(entry) }
            full.sequence = try #require(sequence)
            let second = bare
            bare.sequence = try #require(try await store.write { tx throws(StoreError) in try tx.append(second) })
            let kept = try await store.read { tx throws(StoreError) in
                [try tx.logEntry(identity: "uuid-1"), try tx.logEntry(identity: "sha256:1"), try tx.logEntry(identity: "none")]
            }
            #expect(kept == [full, bare, nil])
            #expect(expected.sequence == 0)
            #expect(bare.sequence > full.sequence)
        }
    }

    @Test(arguments: engines) func anIdentityCountsOnce(_ engine: Engine) async throws {
        try await engine.use { store in
            let sequences = try await store.write { tx throws(StoreError) in
                var again = LogEntry.notification("uuid-1", in: other)
                again.body = [9]
                var nameless = LogEntry.notification("")
                nameless.identity = nil
                return [
                    try tx.append(.notification("uuid-1")), try tx.append(again), try tx.append(nameless), try tx.append(nameless),
                ]
            }
            #expect(sequences.map { $0 == nil } == [false, true, false, false])
            let kept = try await store.read { tx throws(StoreError) in try tx.logEntry(identity: "uuid-1") }
            #expect(kept?.body == Array("uuid-1".utf8))
            #expect(kept?.ledger == demo)
        }
    }

    /// Twelve entries: notifications of two types, some quarantined, in two environments and another app, and what is never listed.
    private func fill(_ store: any Store) async throws {
        try await store.write { tx throws(StoreError) in
            for index in 0..<12 {
                let ledger = [demo, demoSandbox, other][index % 3]
                var entry = LogEntry.notification("uuid-\(index)", in: ledger, type: index % 2 == 0 ? "REFUND" : "DID_RENEW")
                if index > 7 { entry.result = .quarantined }
                _ = try tx.append(entry)
            }
            _ = try tx.append(LogEntry(kind: .transaction, identity: "bare", ledger: demo, source: .client, receivedAt: at(1), body: [1]))
            _ = try tx.append(LogEntry(kind: .usage, identity: "usage:1", ledger: demo, source: .owner, receivedAt: at(1), body: [1]))
            _ = try tx.append(LogEntry(kind: .decision, ledger: demo, source: .desk, receivedAt: at(1), body: [1]))
        }
    }

    @Test(
        arguments: engines,
        [
            ListingSample(LogQuery(app: demo.app, environment: .production), ["bare", "uuid-9", "uuid-6", "uuid-3", "uuid-0"]),
            ListingSample(LogQuery(app: demo.app, environment: .sandbox), ["uuid-10", "uuid-7", "uuid-4", "uuid-1"]),
            ListingSample(
                LogQuery(app: demo.app, environment: nil),
                ["bare", "uuid-10", "uuid-9", "uuid-7", "uuid-6", "uuid-4", "uuid-3", "uuid-1", "uuid-0"]),
            ListingSample(
                LogQuery(app: demo.app, environment: nil, rawNotificationType: "REFUND"), ["uuid-10", "uuid-6", "uuid-4", "uuid-0"]),
            ListingSample(LogQuery(app: demo.app, environment: nil, result: .quarantined), ["uuid-10", "uuid-9"]),
            ListingSample(LogQuery(app: demo.app, environment: .production, result: .accepted), ["bare", "uuid-6", "uuid-3", "uuid-0"]),
            ListingSample(LogQuery(app: demo.app, environment: nil, rawNotificationType: "REFUND", result: .quarantined), ["uuid-10"]),
            ListingSample(LogQuery(app: AppID("none"), environment: nil), []),
        ])
    func signedEntriesAreListedNewestFirst(_ engine: Engine, _ sample: ListingSample) async throws {
        try await engine.use { store in
            try await fill(store)
            for limit in [1, 2, 3, 100] {
                let pages = try await store.pages(of: limit) { tx, page throws(StoreError) in
                    var query = sample.query
                    query.page = page
                    return try tx.logEntries(query)
                }
                #expect(pages.joined().map(\.identity) == sample.identities, "pages of \(limit)")
                #expect(pages.dropLast().allSatisfy { $0.count == limit })
            }
        }
    }

    @Test(arguments: engines) func pagesAreCompleteWhileMoreComesIn(_ engine: Engine) async throws {
        try await engine.use { store in
            try await store.write { tx throws(StoreError) in
                for index in 0..<200 { _ = try tx.append(.notification("old-\(index)")) }
            }
            async let inserting: Void = {
                for index in 0..<100 {
                    try await store.write { tx throws(StoreError) in _ = try tx.append(.notification("new-\(index)")) }
                }
            }()
            let pages = try await store.pages(of: 7) { tx, page throws(StoreError) in
                try tx.logEntries(LogQuery(app: demo.app, environment: nil, page: page))
            }
            try await inserting
            let old = pages.joined().compactMap(\.identity).filter { $0.hasPrefix("old") }
            #expect(old == (0..<200).reversed().map { "old-\($0)" })
        }
    }

    @Test(arguments: engines, ["", "x", "12x", "1.5"])
    func aForeignCursorIsRefused(_ engine: Engine, _ cursor: String) async throws {
        try await engine.use { store in
            let error = await failure {
                try await store.read { tx throws(StoreError) in
                    try tx.logEntries(LogQuery(app: demo.app, environment: nil, page: PageRequest(cursor: cursor)))
                }
            }
            #expect(error?.code == .cursor)
        }
    }

    @Test(arguments: engines) func aHeaderSegmentIsStoredOnce(_ engine: Engine) async throws {
        try await engine.use { store in
            let ids = try await store.write { tx throws(StoreError) in
                [try tx.jwsHeaderID([1, 2]), try tx.jwsHeaderID([3]), try tx.jwsHeaderID([1, 2])]
            }
            let later = try await store.write { tx throws(StoreError) in try tx.jwsHeaderID([3]) }
            #expect(ids[0] == ids[2] && ids[0] != ids[1] && ids[1] == later)
            let segments = try await store.read { tx throws(StoreError) in
                [try tx.jwsHeader(id: ids[0]), try tx.jwsHeader(id: ids[1]), try tx.jwsHeader(id: 1_000)]
            }
            #expect(segments == [[1, 2], [3], nil])
        }
    }

    @Test(arguments: engines) func moreHeaderSegmentsThanAreRememberedKeepTheirIDs(_ engine: Engine) async throws {
        try await engine.use { store in
            let write: Writing<[Int64]> = { tx throws(StoreError) in
                var ids: [Int64] = []
                for index in 0..<200 { ids.append(try tx.jwsHeaderID([UInt8(index), 1])) }
                return ids
            }
            let first = try await store.write(write)
            #expect(try await store.write(write) == first)
            #expect(Set(first).count == 200)
        }
    }
}

struct ListingSample: Sendable, CustomTestStringConvertible {
    var query: LogQuery
    var identities: [String]

    init(_ query: LogQuery, _ identities: [String]) {
        self.query = query
        self.identities = identities
    }

    var testDescription: String {
        "\(query.app) \(query.environment?.rawValue ?? "all") \(query.rawNotificationType ?? "") \(query.result?.rawValue ?? "")"
    }
}
