import Domain
import Store
import Testing

@Suite struct ConformanceCases {
    private let id = TransactionID("2000001")

    @Test(arguments: engines) func eventsComeBackAsTheyWerePut(_ engine: Engine) async throws {
        let id = id
        var refund = CaseEvent(kind: .seatsRefunded, notificationUUID: NotificationUUID("uuid-1"), signedDate: at(1))
        refund.rawReason = "UNINTENDED_PURCHASE"
        refund.revocation = Revocation(date: at(2), reason: 3, rawType: "REFUND_FULL", percentage: 4)
        refund.revokedSeats = 5
        var dateOnly = CaseEvent(kind: .refunded, notificationUUID: NotificationUUID("uuid-2"), signedDate: at(1))
        dateOnly.revocation = Revocation(date: at(2))
        let bare = CaseEvent(kind: .requested, notificationUUID: NotificationUUID("uuid-3"), signedDate: at(1))
        let events: Set<CaseEvent> = [refund, dateOnly, bare]
        try await engine.use { store in
            try await store.write { tx throws(StoreError) in
                for event in events { try tx.put(event, of: id, in: demo) }
                var again = bare
                again.signedDate = at(9)
                try tx.put(again, of: id, in: demo)
                try tx.put(bare, of: TransactionID("2000002"), in: demo)
            }
            let kept = try await store.read { tx throws(StoreError) in try tx.caseEvents(id, in: demo) }
            #expect(Set(kept) == events)
            #expect(kept.count == 3)
        }
    }

    @Test(arguments: engines) func aCaseRowComesBackAsItWasPut(_ engine: Engine) async throws {
        let id = id
        let full = CaseRow(
            transactionID: id, originalTransactionID: TransactionID("2000000"), productID: ProductID("com.demo.pro"), state: .refunded,
            rawReason: "LEGAL", openedAt: at(1), deadline: at(2))
        let bare = CaseRow(
            transactionID: id, originalTransactionID: id, productID: nil, state: .open, rawReason: nil, openedAt: at(3), deadline: nil)
        try await engine.use { store in
            for row in [full, bare] {
                try await store.write { tx throws(StoreError) in try tx.put(row, in: demo) }
                #expect(try await store.read { tx throws(StoreError) in try tx.caseRow(id, in: demo) } == row)
            }
            #expect(try await store.read { tx throws(StoreError) in try tx.caseRow(id, in: other) } == nil)
        }
    }

    /// Ten cases, two to an instant; the states, products, reasons and chains go round.
    private func fill(_ store: any Store) async throws {
        try await store.write { tx throws(StoreError) in
            for index in 0..<10 {
                let row = CaseRow(
                    transactionID: TransactionID("\(index)"), originalTransactionID: TransactionID("chain-\(index % 3)"),
                    productID: index % 4 == 0 ? nil : ProductID("product-\(index % 2)"),
                    state: RefundCase.State.allCases[index % 4], rawReason: index % 5 == 0 ? "LEGAL" : nil,
                    openedAt: at(Int64(index / 2)), deadline: nil)
                try tx.put(row, in: demo)
                try tx.put(row, in: other)
            }
        }
    }

    @Test(
        arguments: engines,
        [
            CaseSample(CaseQuery(ledger: demo), "9876543210"),
            CaseSample(CaseQuery(ledger: demo, state: .refunded), "951"),
            CaseSample(CaseQuery(ledger: demo, productID: ProductID("product-1")), "97531"),
            CaseSample(CaseQuery(ledger: demo, rawReason: "LEGAL"), "50"),
            CaseSample(CaseQuery(ledger: demo, state: .open, rawReason: "LEGAL"), "0"),
            CaseSample(CaseQuery(ledger: demoSandbox), ""),
        ])
    func casesAreListedNewestFirst(_ engine: Engine, _ sample: CaseSample) async throws {
        try await engine.use { store in
            try await fill(store)
            for limit in [1, 2, 3, 100] {
                let pages = try await store.pages(of: limit) { tx, page throws(StoreError) in
                    var query = sample.query
                    query.page = page
                    return try tx.cases(query)
                }
                #expect(pages.joined().map(\.transactionID.rawValue).joined() == sample.ids, "pages of \(limit)")
            }
        }
    }

    @Test(arguments: engines) func aCustomersCasesAreThoseOfAllTheirChains(_ engine: Engine) async throws {
        try await engine.use { store in
            try await fill(store)
            let (customer, stranger) = try await store.write { tx throws(StoreError) in
                let names = [Alias(.originalTransactionID, "chain-0"), Alias(.originalTransactionID, "chain-1"), Alias(.userID, "chain-2")]
                return (try tx.join(names, in: demo), try tx.join([Alias(.originalTransactionID, "none")], in: demo))
            }
            let samples: [(CaseQuery, String)] = [
                (CaseQuery(ledger: demo, customer: customer), "9764310"),
                (CaseQuery(ledger: demo, state: .refunded, customer: customer), "91"),
                (CaseQuery(ledger: demo, customer: customer, productID: ProductID("product-1")), "9731"),
                (CaseQuery(ledger: demo, customer: customer, rawReason: "LEGAL"), "0"),
                (CaseQuery(ledger: demo, customer: stranger), ""),
                (CaseQuery(ledger: other, customer: customer), ""),
            ]
            for (query, ids) in samples {
                for limit in [1, 2, 100] {
                    let pages = try await store.pages(of: limit) { tx, page throws(StoreError) in
                        var query = query
                        query.page = page
                        return try tx.cases(query)
                    }
                    #expect(pages.joined().map(\.transactionID.rawValue).joined() == ids, "pages of \(limit)")
                }
            }
        }
    }

    @Test(arguments: engines) func casesInTheirWindowComeByDeadline(_ engine: Engine) async throws {
        try await engine.use { store in
            try await store.write { tx throws(StoreError) in
                for (id, deadline) in [("1", 30), ("2", 10), ("3", nil), ("4", 20), ("5", 20)] as [(String, Int64?)] {
                    let row = CaseRow(
                        transactionID: TransactionID(id), originalTransactionID: TransactionID(id), productID: nil, state: .open,
                        rawReason: nil, openedAt: at(0), deadline: deadline.map(at))
                    try tx.put(row, in: demo)
                    if id == "5" { try tx.put(row, in: other) }
                }
            }
            for (now, ids) in [(0, "2451"), (10, "451"), (19, "451"), (20, "1"), (30, "")] as [(Int64, String)] {
                let found = try await store.read { tx throws(StoreError) in try tx.casesInWindow(at: at(now), in: demo) }
                #expect(found.map(\.transactionID.rawValue).joined() == ids, "at \(now)")
            }
        }
    }

    @Test(arguments: engines, 1...3) func casesInTheirWindowComePageByPage(_ engine: Engine, _ limit: Int) async throws {
        try await engine.use { store in
            try await store.write { tx throws(StoreError) in
                for (id, deadline) in [("1", 30), ("2", 10), ("3", nil), ("4", 20), ("5", 20), ("6", 30)] as [(String, Int64?)] {
                    let row = CaseRow(
                        transactionID: TransactionID(id), originalTransactionID: TransactionID(id), productID: nil, state: .open,
                        rawReason: nil, openedAt: at(0), deadline: deadline.map(at))
                    try tx.put(row, in: demo)
                    try tx.put(row, in: other)
                }
            }
            for (now, ids) in [(0, "24516"), (10, "4516"), (20, "16"), (30, "")] as [(Int64, String)] {
                let pages = try await store.pages(of: limit) { tx, page throws(StoreError) in
                    try tx.casesInWindow(at: at(now), in: demo, page: page)
                }
                #expect(pages.joined().map(\.transactionID.rawValue).joined() == ids, "at \(now)")
            }
            let late = try await store.read { tx throws(StoreError) in
                try tx.casesInWindow(at: at(20), in: demo, page: PageRequest(cursor: "\(at(10).milliseconds).2"))
            }
            #expect(late.items.map(\.transactionID.rawValue) == ["1", "6"], "what is past meanwhile is left out")
        }
    }

    @Test(arguments: engines, ["", "x", "12", "x.1"])
    func aForeignCursorIsRefused(_ engine: Engine, _ cursor: String) async throws {
        try await engine.use { store in
            let error = await failure {
                try await store.read { tx throws(StoreError) in
                    try tx.cases(CaseQuery(ledger: demo, page: PageRequest(cursor: cursor)))
                }
            }
            #expect(error?.code == .cursor)
        }
    }

    @Test(arguments: engines) func recordsComeBackInOrder(_ engine: Engine) async throws {
        let id = id
        let step = PolicyTraceStep(rule: "rule-1", matched: false, failedOn: "price")
        let full = Decision(
            .hold, rule: "rule-1", preference: .grantFull, because: [.holdout, .person], holdUntil: at(5), trace: [step],
            isCurrentPeriod: true)
        let decisions = [Decision(.abstain), full].map {
            DecisionRecord(transactionID: id, anchor: NotificationUUID("uuid-1"), at: at(1), decision: $0)
        }
        let attempts = [
            AttemptRecord(
                transactionID: id, anchor: NotificationUUID("uuid-1"), at: at(2), httpStatus: 500, errorCode: 5_000_001, error: "Ä"),
            AttemptRecord(transactionID: id, anchor: NotificationUUID("uuid-1"), at: at(1)),
        ]
        try await engine.use { store in
            try await store.write { tx throws(StoreError) in
                for (index, record) in decisions.enumerated().reversed() { try tx.put(record, sequence: Int64(index + 1), in: demo) }
                for (index, record) in attempts.enumerated().reversed() { try tx.put(record, sequence: Int64(index + 1), in: demo) }
            }
            try await store.read { tx throws(StoreError) in
                #expect(try tx.decisions(id, in: demo) == decisions)
                #expect(try tx.attempts(id, in: demo) == attempts)
                #expect(try tx.decisions(id, in: other) == [])
                #expect(try tx.attempts(TransactionID("1"), in: demo) == [])
            }
        }
    }

    @Test(arguments: engines) func aLaterAnswerReplacesTheEarlierOfItsAnchor(_ engine: Engine) async throws {
        let id = id
        let scheduled = AnswerRecord(transactionID: id, anchor: NotificationUUID("uuid-1"), status: .scheduled, at: at(3))
        let sent = AnswerRecord(
            transactionID: id, anchor: NotificationUUID("uuid-1"), status: .retrying, body: "{}", isInDoubt: true, at: at(2))
        let second = AnswerRecord(transactionID: id, anchor: NotificationUUID("uuid-2"), status: .accepted, at: at(9))
        try await engine.use { store in
            try await store.write { tx throws(StoreError) in
                for record in [scheduled, second, sent] { try tx.put(record, in: demo) }
            }
            #expect(try await store.read { tx throws(StoreError) in try tx.answers(id, in: demo) } == [sent, second])
        }
    }
}

struct CaseSample: Sendable, CustomTestStringConvertible {
    var query: CaseQuery
    var ids: String

    init(_ query: CaseQuery, _ ids: String) {
        self.query = query
        self.ids = ids
    }

    var testDescription: String {
        let words = [query.state?.rawValue, query.productID?.rawValue, query.rawReason]
        return "\(query.ledger.environment.rawValue) \(words.compactMap(\.self).joined(separator: " "))"
    }
}
