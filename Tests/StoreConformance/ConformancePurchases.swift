import Domain
import Store
import Testing

@Suite struct ConformancePurchases {
    @Test(arguments: engines, [PurchaseSample("every field set", .everything), PurchaseSample("only what must be", .bare)])
    func aPurchaseComesBackAsItWasPut(_ engine: Engine, _ sample: PurchaseSample) async throws {
        let purchase = sample.purchase
        try await engine.use { store in
            try await store.write { tx throws(StoreError) in try tx.put(purchase, in: demo) }
            let kept = try await store.read { tx throws(StoreError) in try tx.purchase(TransactionID("2"), in: demo) }
            #expect(kept == purchase)
        }
    }

    @Test(arguments: engines) func aLaterPutReplacesAllOfAnEarlier(_ engine: Engine) async throws {
        try await engine.use { store in
            try await store.write { tx throws(StoreError) in
                try tx.put(.everything, in: demo)
                try tx.put(.bare, in: demo)
            }
            let (kept, count) = try await store.read { tx throws(StoreError) in
                (
                    try tx.purchase(TransactionID("2"), in: demo),
                    try tx.purchases(original: TransactionID("1"), in: demo).count
                )
            }
            #expect(kept == .bare)
            #expect(count == 1)
        }
    }

    @Test(arguments: engines) func aChainsPurchasesComeOldestFirst(_ engine: Engine) async throws {
        try await engine.use { store in
            try await store.write { tx throws(StoreError) in
                for (id, seconds) in [("12", 20), ("10", 30), ("11", 10)] as [(String, Int64)] {
                    try tx.put(Purchase(.bare(id, original: "10", purchased: at(seconds))), in: demo)
                }
                try tx.put(Purchase(.bare("13")), in: demo)
                try tx.put(Purchase(.bare("14", original: "10")), in: demoSandbox)
            }
            let ids = try await store.read { tx throws(StoreError) in
                try tx.purchases(original: TransactionID("10"), in: demo).map(\.transaction.transactionID.rawValue)
            }
            #expect(ids == ["11", "12", "10"])
        }
    }

    @Test(arguments: engines) func aCustomersPurchasesComeOldestFirst(_ engine: Engine) async throws {
        try await engine.use { store in
            let (customer, stranger) = try await store.write { tx throws(StoreError) in
                for (id, original, seconds) in [("12", "10", 20), ("10", "10", 5), ("11", "11", 10), ("13", "13", 1)] {
                    try tx.put(Purchase(.bare(id, original: original, purchased: at(Int64(seconds)))), in: demo)
                }
                try tx.put(Purchase(.bare("14", original: "10")), in: demoSandbox)
                // The same words as names of another kind mean no chain.
                let names = [Alias(.originalTransactionID, "10"), Alias(.originalTransactionID, "11"), Alias(.userID, "13")]
                return (try tx.join(names, in: demo), try tx.join([Alias(.userID, "nobody")], in: demo))
            }
            let (ids, none) = try await store.read { tx throws(StoreError) in
                (try tx.purchases(of: customer).map(\.transaction.transactionID.rawValue), try tx.purchases(of: stranger))
            }
            #expect(ids == ["10", "11", "12"])
            #expect(none == [])
        }
    }

    /// Reading all of a customer of many chains costs about what its purchases cost one by one, however many others there are.
    @Test(arguments: engines) func aCustomerOfManyChainsIsReadByThem(_ engine: Engine) async throws {
        try await engine.use { store in
            let customer = try await store.write { tx throws(StoreError) in
                for id in 0..<10_000 { try tx.put(Purchase(.bare("\(id)")), in: demo) }
                return try tx.join((0..<500).map { Alias(.originalTransactionID, "\($0 * 20)") }, in: demo)
            }
            let (joined, single) = try await store.read { tx throws(StoreError) in
                let clock = ContinuousClock()
                let start = clock.now
                let purchases = try tx.purchases(of: customer)
                let joined = clock.now - start
                #expect(purchases.count == 500)
                let second = clock.now
                for purchase in purchases { _ = try tx.purchases(original: purchase.transaction.originalTransactionID, in: demo) }
                return (joined, clock.now - second)
            }
            #expect(joined < single * 5, "\(joined) against \(single)")
        }
    }

    @Test(arguments: engines) func everyFieldOfACustomersPurchaseComesBack(_ engine: Engine) async throws {
        try await engine.use { store in
            let customer = try await store.write { tx throws(StoreError) in
                try tx.put(.everything, in: demo)
                return try tx.join([Alias(.originalTransactionID, "1")], in: demo)
            }
            #expect(try await store.read { tx throws(StoreError) in try tx.purchases(of: customer) } == [.everything])
        }
    }

    @Test(arguments: engines) func ledgersAreApart(_ engine: Engine) async throws {
        try await engine.use { store in
            try await store.write { tx throws(StoreError) in try tx.put(.bare, in: demo) }
            let elsewhere = try await store.read { tx throws(StoreError) in
                [try tx.purchase(TransactionID("2"), in: demoSandbox), try tx.purchase(TransactionID("2"), in: other)]
            }
            #expect(elsewhere == [nil, nil])
        }
    }

    @Test(arguments: engines) func aChainComesBackAsItWasPut(_ engine: Engine) async throws {
        let original = TransactionID("1")
        var withoutCommitment = Chain.full("1")
        withoutCommitment.renewal?.value.commitment = nil
        let bareRenewal = RenewalInfo(originalTransactionID: original, signedDate: at(1))
        let precedence = Precedence(signedDate: at(1), notificationUUID: "", payloadSHA256: [])
        let chains = [
            Chain.full("1"), withoutCommitment, Chain(originalTransactionID: original),
            Chain(originalTransactionID: original, statusConfirmedAt: at(3)),
            Chain(originalTransactionID: original, renewal: Snapshot(bareRenewal, precedence)),
        ]
        try await engine.use { store in
            for chain in chains {
                try await store.write { tx throws(StoreError) in try tx.put(chain, in: demo) }
                let kept = try await store.read { tx throws(StoreError) in try tx.chain(original, in: demo) }
                #expect(kept == chain)
            }
        }
    }

    @Test(arguments: engines) func whatWasNeverPutIsNil(_ engine: Engine) async throws {
        try await engine.use { store in
            try await store.read { tx throws(StoreError) in
                #expect(try tx.purchase(TransactionID("1"), in: demo) == nil)
                #expect(try tx.chain(TransactionID("1"), in: demo) == nil)
                #expect(try tx.purchases(original: TransactionID("1"), in: demo) == [])
            }
        }
    }
}

struct PurchaseSample: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var purchase: Purchase

    init(_ name: String, _ purchase: Purchase) {
        testDescription = name
        self.purchase = purchase
    }
}

extension Purchase {
    static let everything = Purchase(.full("2", original: "1"), uuid: "uuid-1", lastReversal: at(9))
    static let bare = Purchase(.bare("2", original: "1"))
}
