import Domain
import Store
import Testing

@Suite struct ConformanceRefundCounts {
    private let chain = Alias(.originalTransactionID, "chain")

    /// One case, as its fold would keep it.
    private func put(
        _ id: String, _ state: RefundCase.State, _ events: [(CaseEvent.Kind, Int64)], chain: String = "chain",
        revokedAt: Int64? = nil, openedAt: Int64 = 0, _ tx: any WriteTransaction
    ) throws(StoreError) {
        let id = TransactionID(id)
        for (index, (kind, seconds)) in events.enumerated() {
            let event = CaseEvent(kind: kind, notificationUUID: NotificationUUID("\(id)-\(index)"), signedDate: at(seconds))
            try tx.put(event, of: id, in: demo)
        }
        if let revokedAt {
            var transaction = Transaction.bare(id.rawValue, original: chain)
            transaction.revocationDate = at(revokedAt)
            try tx.put(Purchase(transaction), in: demo)
        }
        let row = CaseRow(
            transactionID: id, originalTransactionID: TransactionID(chain), productID: nil, state: state, rawReason: nil,
            openedAt: at(openedAt), deadline: nil)
        try tx.put(row, in: demo)
    }

    private func fill(_ tx: any WriteTransaction) throws(StoreError) {
        try put("1", .refunded, [(.requested, 10), (.requested, 11), (.refunded, 20)], revokedAt: 20, openedAt: 10, tx)
        try put("2", .declined, [(.requested, 30), (.declined, 31), (.requested, 90)], openedAt: 30, tx)
        try put("3", .reversed, [(.refunded, 40), (.reversed, 41)], openedAt: 40, tx)
        // Only the transaction tells of this one.
        try put("4", .refunded, [], revokedAt: 50, openedAt: 50, tx)
        // Nothing but its events is known of this one.
        try put("5", .refunded, [(.seatsRefunded, 60)], openedAt: 60, tx)
        try put("6", .refunded, [(.requested, 10), (.refunded, 20)], chain: "someone else's", openedAt: 10, tx)
    }

    @Test(arguments: engines) func casesAreCountedWithinTheSpan(_ engine: Engine) async throws {
        let chain = chain
        try await engine.use { store in
            let customer = try await store.write { tx throws(StoreError) in
                try self.fill(tx)
                return try tx.join([chain], in: demo)
            }
            let samples: [(from: Int64?, to: Int64?, without: String?, requested: Int, granted: Int)] = [
                (nil, nil, nil, 2, 3), (nil, nil, "1", 1, 2), (11, nil, nil, 2, 3), (12, nil, nil, 1, 3), (nil, 20, nil, 1, 0),
                (20, 21, nil, 0, 1), (50, 60, nil, 0, 1), (60, 91, nil, 1, 1), (91, nil, nil, 0, 0), (40, 42, nil, 0, 0),
            ]
            for sample in samples {
                let counts = try await store.read { tx throws(StoreError) in
                    try tx.refundCounts(
                        of: customer, from: sample.from.map(at), to: sample.to.map(at), without: sample.without.map { TransactionID($0) })
                }
                #expect(counts == RefundCounts(requested: sample.requested, granted: sample.granted), "\(sample)")
            }
        }
    }

    @Test(arguments: engines) func aCustomerWithoutCasesHasNone(_ engine: Engine) async throws {
        try await engine.use { store in
            let customer = try await store.write { tx throws(StoreError) in try tx.join([Alias(.userID, "u")], in: demo) }
            let counts = try await store.read { tx throws(StoreError) in
                try tx.refundCounts(of: customer, from: nil, to: nil, without: nil)
            }
            #expect(counts == RefundCounts())
        }
    }

    @Test(arguments: engines) func theEventsOfACustomerComeByCase(_ engine: Engine) async throws {
        let chain = chain
        try await engine.use { store in
            let customer = try await store.write { tx throws(StoreError) in
                try self.fill(tx)
                return try tx.join([chain, Alias(.userID, "someone else's")], in: demo)
            }
            let (events, each) = try await store.read { tx throws(StoreError) in
                let events = try tx.caseEvents(of: customer)
                var each: [TransactionID: Set<CaseEvent>] = [:]
                for id in ["1", "2", "3", "5"].map({ TransactionID($0) }) { each[id] = Set(try tx.caseEvents(id, in: demo)) }
                return (events, each)
            }
            #expect(events.mapValues(Set.init) == each)
            #expect(events[TransactionID("1")]?.count == 3)
        }
    }

    @Test(arguments: engines) func candidatesAreThoseWithEnoughInTheWindow(_ engine: Engine) async throws {
        let chain = chain
        try await engine.use { store in
            let customers = try await store.write { tx throws(StoreError) in
                try self.fill(tx)
                return [try tx.join([chain], in: demo), try tx.join([Alias(.originalTransactionID, "someone else's")], in: demo)]
            }
            let all = [0, 1]
            let samples: [(granted: Int, requested: Int, since: Int64, found: [Int])] = [
                (3, 99, 0, [0]), (4, 99, 0, []), (3, 99, 21, []), (2, 99, 21, [0]), (2, 99, 51, []), (1, 99, 0, all), (1, 99, 20, all),
                (1, 99, 21, [0]), (99, 4, 0, [0]), (99, 5, 0, []), (99, 4, 11, []), (99, 3, 11, [0]), (99, 1, 10, all), (99, 1, 31, [0]),
                (99, 1, 91, []), (1, 1, 0, all),
            ]
            for sample in samples {
                let pages = try await store.pages(of: 1) { tx, page throws(StoreError) in
                    try tx.refundCandidates(
                        granted: sample.granted, requested: sample.requested, since: at(sample.since), in: demo, page: page)
                }
                #expect(pages.flatMap(\.self) == sample.found.map { customers[$0] }, "\(sample)")
            }
            let elsewhere = try await store.read { tx throws(StoreError) in
                try tx.refundCandidates(granted: 1, requested: 1, since: at(0), in: other, page: PageRequest()).items
            }
            #expect(elsewhere == [])
        }
    }
}
