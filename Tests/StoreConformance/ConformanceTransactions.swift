import Domain
import Store
import Testing

@Suite struct ConformanceTransactions {
    private static let refusal = StoreError(code: .corrupt, operation: "test", detail: "refused on purpose")

    @Test(arguments: engines) func aBodyThatThrowsChangesNothingAndDisturbsNoOther(_ engine: Engine) async throws {
        try await engine.use { store in
            let outcomes = await withTaskGroup(of: (Int, StoreError?).self) { group in
                for index in 0..<300 {
                    group.addTask {
                        let error = await failure {
                            try await store.write { tx throws(StoreError) in
                                _ = try tx.append(.notification("uuid-\(index)"))
                                _ = try tx.join([Alias(.userID, "user-\(index)")], in: demo)
                                if index % 3 == 0 { throw Self.refusal }
                            }
                        }
                        return (index, error)
                    }
                }
                return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
            #expect(Set(outcomes.keys) == Set(stride(from: 0, to: 300, by: 3)))
            #expect(outcomes.values.allSatisfy { $0.detail == Self.refusal.detail })
            for index in 0..<300 {
                let (entry, customer) = try await store.read { tx throws(StoreError) in
                    (try tx.logEntry(identity: "uuid-\(index)"), try tx.customer(Alias(.userID, "user-\(index)"), in: demo))
                }
                #expect((entry == nil) == (index % 3 == 0) && (customer == nil) == (index % 3 == 0))
            }
        }
    }

    @Test(arguments: engines) func aLedgerThatWasRolledBackIsMadeAnew(_ engine: Engine) async throws {
        try await engine.use { store in
            let error = await failure {
                try await store.write { tx throws(StoreError) in
                    try tx.put(Purchase(.bare("1")), in: demo)
                    throw Self.refusal
                }
            }
            #expect(error != nil)
            try await store.write { tx throws(StoreError) in
                try tx.put(Purchase(.bare("1")), in: other)
                try tx.put(Purchase(.bare("2")), in: demo)
            }
            let kept = try await store.read { tx throws(StoreError) in
                [
                    try tx.purchase(TransactionID("1"), in: demo), try tx.purchase(TransactionID("1"), in: other),
                    try tx.purchase(TransactionID("2"), in: demo),
                ]
            }
            #expect(kept == [nil, Purchase(.bare("1")), Purchase(.bare("2"))])
        }
    }

    @Test(arguments: engines) func aHeaderThatWasRolledBackIsStoredAnew(_ engine: Engine) async throws {
        try await engine.use { store in
            _ = await failure {
                try await store.write { tx throws(StoreError) in
                    _ = try tx.jwsHeaderID([1])
                    throw Self.refusal
                }
            }
            let (second, first) = try await store.write { tx throws(StoreError) in (try tx.jwsHeaderID([2]), try tx.jwsHeaderID([1])) }
            let segments = try await store.read { tx throws(StoreError) in [try tx.jwsHeader(id: first), try tx.jwsHeader(id: second)] }
            #expect(segments == [[1], [2]])
        }
    }

    @Test(arguments: engines) func aWriteSeesItsOwnAndEarlierWrites(_ engine: Engine) async throws {
        try await engine.use { store in
            try await store.write { tx throws(StoreError) in try tx.put(Purchase(.bare("1")), in: demo) }
            let seen = try await store.write { tx throws(StoreError) in
                try tx.put(Purchase(.bare("2")), in: demo)
                return [try tx.purchase(TransactionID("1"), in: demo), try tx.purchase(TransactionID("2"), in: demo)]
            }
            #expect(seen == [Purchase(.bare("1")), Purchase(.bare("2"))])
        }
    }

    @Test(arguments: engines) func everythingIsThereAfterReopening(_ engine: Engine) async throws {
        let empty = try await engine.make()
        try await empty.use { store in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<50 {
                    group.addTask { try await store.write { tx throws(StoreError) in _ = try tx.append(.notification("uuid-\(index)")) } }
                }
                try await group.waitForAll()
            }
        }
        try await empty.use { store in
            let pages = try await store.pages(of: 1_000) { tx, page throws(StoreError) in
                try tx.logEntries(LogQuery(app: demo.app, environment: nil, page: page))
            }
            #expect(Set(pages.joined().compactMap(\.identity)) == Set((0..<50).map { "uuid-\($0)" }))
        }
    }

    @Test(arguments: engines) func aClosedStoreIsUnavailable(_ engine: Engine) async throws {
        let empty = try await engine.make()
        let store = try await empty.reopen()
        await store.close()
        let errors = [
            await failure { try await store.write { tx throws(StoreError) in try tx.put(Purchase(.bare("1")), in: demo) } },
            await failure { try await store.read { tx throws(StoreError) in try tx.tokens() } },
        ]
        #expect(errors.map { $0?.code } == [.unavailable, .unavailable])
    }

    @Test(arguments: engines) func manyReadersSeeOnlyWholeTransactions(_ engine: Engine) async throws {
        try await engine.use { store in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for index in 0..<100 {
                        try await store.write { tx throws(StoreError) in
                            _ = try tx.append(.notification("a-\(index)"))
                            _ = try tx.append(.notification("b-\(index)"))
                        }
                    }
                }
                for _ in 0..<8 {
                    group.addTask {
                        for index in 0..<100 {
                            let (a, b) = try await store.read { tx throws(StoreError) in
                                (try tx.logEntry(identity: "a-\(index)"), try tx.logEntry(identity: "b-\(index)"))
                            }
                            #expect((a == nil) == (b == nil))
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
