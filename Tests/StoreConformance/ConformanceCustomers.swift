import Domain
import Store
import Testing

@Suite struct ConformanceCustomers {
    private let token = Alias(.appAccountToken, "7e3fb20b-4cdb-47cc-936d-99d65f608138")
    private let chain = Alias(.originalTransactionID, "2000001")
    private let second = Alias(.originalTransactionID, "2000002")
    private let user = Alias(.userID, "user-1")
    private let account = Alias(.appTransactionID, "704")

    @Test(arguments: engines) func namesJoinCustomersThatWereApart(_ engine: Engine) async throws {
        let (token, chain, second, user, account) = (token, chain, second, user, account)
        try await engine.use { store in
            let (a, b, c, joined) = try await store.write { tx throws(StoreError) in
                let a = try tx.join([chain], in: demo)
                let b = try tx.join([second, token], in: demo)
                let c = try tx.join([user], in: demo)
                return (a, b, c, try tx.join([account, user, token, chain], in: demo))
            }
            #expect(Set([a, b, c]).count == 3)
            #expect(joined == min(a, b, c))
            try await store.read { tx throws(StoreError) in
                #expect(try tx.aliases(of: joined) == [account, token, chain, second, user])
                #expect(try tx.customer(second, in: demo) == joined)
                #expect(try tx.aliases(of: max(a, b, c)) == [])
                #expect(try tx.customers(in: demo, page: PageRequest()).items == [joined])
            }
        }
    }

    @Test(arguments: engines) func joiningAgainChangesNothing(_ engine: Engine) async throws {
        let (token, chain) = (token, chain)
        try await engine.use { store in
            let first = try await store.write { tx throws(StoreError) in try tx.join([chain, token, chain], in: demo) }
            for names in [[chain, token], [token], [chain]] {
                #expect(try await store.write { tx throws(StoreError) in try tx.join(names, in: demo) } == first)
            }
            #expect(try await store.read { tx throws(StoreError) in try tx.aliases(of: first) } == [token, chain])
        }
    }

    @Test(arguments: engines) func theSameNameInAnotherLedgerOrOfAnotherKindIsSomeoneElse(_ engine: Engine) async throws {
        let chain = chain
        try await engine.use { store in
            let customers = try await store.write { tx throws(StoreError) in
                [
                    try tx.join([chain], in: demo), try tx.join([chain], in: demoSandbox),
                    try tx.join([Alias(.userID, chain.value)], in: demo),
                ]
            }
            #expect(Set(customers).count == 3)
        }
    }

    @Test(arguments: engines) func customersAreListedOldestFirst(_ engine: Engine) async throws {
        try await engine.use { store in
            let customers = try await store.write { tx throws(StoreError) in
                var customers: [CustomerID] = []
                for index in 0..<5 {
                    customers.append(try tx.join([Alias(.userID, "user-\(index)")], in: demo))
                    _ = try tx.join([Alias(.userID, "user-\(index)")], in: other)
                }
                return customers
            }
            let pages = try await store.pages(of: 2) { tx, page throws(StoreError) in try tx.customers(in: demo, page: page) }
            #expect(pages == [Array(customers[0..<2]), Array(customers[2..<4]), [customers[4]]])
        }
    }

    @Test(arguments: engines) func theNewestLinkCounts(_ engine: Engine) async throws {
        func link(_ user: String, _ seconds: Int64) -> UserLinkFact {
            UserLinkFact(originalTransactionID: TransactionID("1"), userID: UserID(user), at: at(seconds))
        }
        let steps = [(link("a", 5), "a"), (link("b", 4), "a"), (link("c", 5), "c"), (link("d", 6), "d")]
        try await engine.use { store in
            for (fact, expected) in steps {
                try await store.write { tx throws(StoreError) in try tx.put(fact, in: demo) }
                let kept = try await store.read { tx throws(StoreError) in try tx.userLink(TransactionID("1"), in: demo) }
                #expect(kept?.userID.rawValue == expected)
            }
            let (kept, none) = try await store.read { tx throws(StoreError) in
                (try tx.userLink(TransactionID("1"), in: demo), try tx.userLink(TransactionID("1"), in: other))
            }
            #expect(kept == link("d", 6))
            #expect(none == nil)
        }
    }
}
