import Domain
import Store
import Testing

@Suite struct ConformanceOwnerFacts {
    @Test(arguments: engines) func consentsComeBackInTheOrderRecorded(_ engine: Engine) async throws {
        let full = ConsentFact(ref: "a", consented: true, source: "signup", textVersion: "2026-1", at: at(5))
        let bare = ConsentFact(ref: "b", consented: false, source: "support", textVersion: nil, at: at(1))
        try await engine.use { store in
            try await store.write { tx throws(StoreError) in
                try tx.put(bare, sequence: 2, in: demo)
                try tx.put(full, sequence: 1, in: demo)
                try tx.put(full, sequence: 3, in: demo)
                try tx.put(full, sequence: 4, in: other)
            }
            try await store.read { tx throws(StoreError) in
                #expect(try tx.consents(refs: ["a", "b", "a", "c"], in: demo).map(\.fact) == [full, bare, full])
                #expect(try tx.consents(refs: ["b"], in: demo).map(\.fact) == [bare])
                #expect(try tx.consents(refs: [], in: demo).map(\.fact) == [])
            }
        }
    }

    @Test(arguments: engines) func theNewestDeliveryCounts(_ engine: Engine) async throws {
        let id = TransactionID("1")
        let steps: [(DeliveryStatus, Int64, DeliveryStatus)] = [
            (.delivered, 5, .delivered), (.undeliveredOther, 4, .delivered), (.undeliveredWrongItem, 5, .undeliveredWrongItem),
            (.delivered, 6, .delivered),
        ]
        try await engine.use { store in
            for (status, seconds, expected) in steps {
                let fact = DeliveryFact(transactionID: id, status: status, at: at(seconds))
                try await store.write { tx throws(StoreError) in try tx.put(fact, in: demo) }
                #expect(try await store.read { tx throws(StoreError) in try tx.delivery(id, in: demo)?.status } == expected)
            }
            let kept = try await store.read { tx throws(StoreError) in try tx.delivery(id, in: demo) }
            #expect(kept == DeliveryFact(transactionID: id, status: .delivered, at: at(6)))
        }
    }

    @Test(arguments: engines) func outagesReplaceThoseOfTheirProduct(_ engine: Engine) async throws {
        let product = ProductID("com.demo.pro")
        let first = Outage(from: at(5), to: at(6), status: .undeliveredServerOutage)
        let second = Outage(from: at(1), to: at(9), status: .undeliveredOther)
        try await engine.use { store in
            for outages in [[first, second, first], [second], [], [first]] {
                try await store.write { tx throws(StoreError) in
                    try tx.put(OutagesFact(productID: product, outages: outages, at: at(1)), in: demo)
                    try tx.put(OutagesFact(productID: ProductID("*"), outages: [second], at: at(1)), in: demo)
                }
                try await store.read { tx throws(StoreError) in
                    #expect(try tx.outages(of: product, in: demo) == outages, "in the order given")
                    #expect(try tx.outages(of: ProductID("*"), in: demo) == [second])
                    #expect(try tx.outages(of: product, in: demoSandbox) == [])
                }
            }
        }
    }

    @Test(arguments: engines) func usageIsSummedPerMeterAndSubject(_ engine: Engine) async throws {
        let purchase = UsageFact.Subject.transaction(TransactionID("1"))
        let customer = UsageFact.Subject.customer(ref: "1")
        let added: [(UsageFact.Subject, String, Int64)] = [
            (purchase, "tokens", 5), (purchase, "tokens", 7), (purchase, "images", -3), (customer, "tokens", 100),
        ]
        try await engine.use { store in
            try await store.write { tx throws(StoreError) in
                for (subject, meter, millionths) in added {
                    try tx.add(UsageFact(id: "1", subject: subject, meter: meter, millionths: millionths, at: at(1)), in: demo)
                }
            }
            try await store.read { tx throws(StoreError) in
                #expect(try tx.usage(of: purchase, in: demo) == ["tokens": 12, "images": -3])
                #expect(try tx.usage(of: customer, in: demo) == ["tokens": 100])
                #expect(try tx.usage(of: .customer(ref: "2"), in: demo) == [:])
                #expect(try tx.usage(of: purchase, in: other) == [:])
            }
        }
    }

    @Test(arguments: engines, [Int64.max, -.max])
    func usageBeyondSixtyFourBitsSaturates(_ engine: Engine, _ huge: Int64) async throws {
        let subject = UsageFact.Subject.customer(ref: "1")
        let fact = UsageFact(id: "1", subject: subject, meter: "tokens", millionths: huge, at: at(1))
        try await engine.use { store in
            try await store.write { tx throws(StoreError) in
                for _ in 0..<3 { try tx.add(fact, in: demo) }
            }
            let sum = try await store.read { tx throws(StoreError) in try tx.usage(of: subject, in: demo)["tokens"] }
            #expect(sum == (huge > 0 ? Int64.max : Int64.min))
        }
    }

    @Test(arguments: engines) func theNewestSettingUnderAnyNameCounts(_ engine: Engine) async throws {
        @Sendable func setting(_ ref: String, _ json: String?, _ seconds: Int64) -> CustomerSetting {
            CustomerSetting(kind: .preference, ref: ref, json: json, at: at(seconds))
        }
        let tags = CustomerSetting(kind: .tags, ref: "a", json: "[]", at: at(100))
        try await engine.use { store in
            try await store.write { tx throws(StoreError) in
                try tx.put(setting("a", "1", 5), sequence: 1, in: demo)
                try tx.put(setting("b", "2", 5), sequence: 2, in: demo)
                try tx.put(setting("a", "3", 4), sequence: 3, in: demo)
                try tx.put(tags, sequence: 4, in: demo)
            }
            try await store.read { tx throws(StoreError) in
                #expect(try tx.setting(.preference, refs: ["a"], in: demo) == setting("a", "1", 5))
                #expect(try tx.setting(.preference, refs: ["a", "b"], in: demo) == setting("b", "2", 5))
                #expect(try tx.setting(.preference, refs: ["c"], in: demo) == nil)
                #expect(try tx.setting(.tags, refs: ["a", "b"], in: demo) == tags)
            }
            try await store.write { tx throws(StoreError) in try tx.put(setting("a", nil, 6), sequence: 5, in: demo) }
            let takenBack = try await store.read { tx throws(StoreError) in try tx.setting(.preference, refs: ["b", "a"], in: demo) }
            #expect(takenBack == setting("a", nil, 6))
        }
    }

    @Test(arguments: engines) func anUnrevokedNameStandsForOneToken(_ engine: Engine) async throws {
        let token = TokenRow(name: "ci", scope: .write, sha256: [1], createdAt: at(1))
        let second = TokenRow(name: "ci", scope: .admin, sha256: [2], createdAt: at(2))
        try await engine.use { store in
            let added = try await store.write { tx throws(StoreError) in
                [
                    try tx.add(token), try tx.add(second), try tx.revokeToken(name: "ci", at: at(3)),
                    try tx.revokeToken(name: "ci", at: at(4)), try tx.add(second),
                ]
            }
            #expect(added == [true, false, true, false, true])
            var revoked = token
            revoked.revokedAt = at(3)
            let (all, found, none) = try await store.read { tx throws(StoreError) in
                (try tx.tokens(), try tx.token(sha256: [1]), try tx.token(sha256: [3]))
            }
            #expect(all == [revoked, second])
            #expect(found == revoked)
            #expect(none == nil)
        }
    }
}
