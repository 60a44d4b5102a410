import Domain
import Store
import Testing

private struct Seeded: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 29)
    }
}

@Suite struct ConformanceUsage {
    /// Whatever the interval, its sum is that of the events dated in it.
    @Test(arguments: engines, [UInt64(1), 2, 3]) func usageOfAnyInterval(_ engine: Engine, _ seed: UInt64) async throws {
        var random = Seeded(state: seed)
        let subject = UsageFact.Subject.customer(ref: "someone")
        let days = 86_400_000 * Int64(4)
        let facts = (0..<400).map { index in
            UsageFact(
                id: "\(index)", subject: subject, meter: "coins", millionths: .random(in: -50...100, using: &random),
                at: Timestamp(milliseconds: .random(in: -days...days, using: &random)))
        }
        let edges =
            [Int64.min, -days, -86_400_000, 0, 60_000, 86_400_000, .max]
            + facts.prefix(20).flatMap { [$0.at.milliseconds, $0.at.milliseconds + 1] }
        let pairs = (0..<60).map { _ in (from: edges.randomElement(using: &random) ?? 0, to: edges.randomElement(using: &random) ?? 0) }
        try await engine.use { store in
            try await store.write { tx throws(StoreError) in for fact in facts { try tx.add(fact, in: demo) } }
            try await store.read { tx throws(StoreError) in
                for pair in pairs {
                    let expected = facts.filter { pair.from <= $0.at.milliseconds && $0.at.milliseconds < pair.to }.map(\.millionths)
                        .reduce(0, +)
                    let sum = try tx.usage(
                        of: subject, meter: "coins", in: demo, from: Timestamp(milliseconds: pair.from),
                        to: Timestamp(milliseconds: pair.to))
                    #expect(sum == expected, "seed \(seed): [\(pair.from), \(pair.to))")
                }
                #expect(
                    try tx.usage(
                        of: subject, meter: "gems", in: demo, from: Timestamp(milliseconds: .min), to: Timestamp(milliseconds: .max)) == 0)
                #expect(try tx.usage(of: subject, in: demo) == ["coins": facts.map(\.millionths).reduce(0, +)])
            }
        }
    }

    /// Summing reads sums, not events: a thousand times as many in the same days cost about the same.
    @Test(arguments: engines) func sumsCostTheSameHoweverMuchWasReported(_ engine: Engine) async throws {
        let (few, many) = (UsageFact.Subject.customer(ref: "few"), UsageFact.Subject.customer(ref: "many"))
        try await engine.use { store in
            for (subject, count) in [(few, 30), (many, 30_000)] {
                try await store.write { tx throws(StoreError) in
                    for index in 0..<count {
                        let at = Timestamp(milliseconds: Int64(index) * 30 * 86_400_000 / Int64(count))
                        try tx.add(UsageFact(id: "", subject: subject, meter: "coins", millionths: 1, at: at), in: demo)
                    }
                }
            }
            @Sendable func fastest(_ subject: UsageFact.Subject) async throws -> Duration {
                var fastest = Duration.seconds(60)
                for _ in 0..<20 {
                    fastest = min(
                        fastest,
                        try await ContinuousClock().measure {
                            _ = try await store.read { tx throws(StoreError) in try tx.usage(of: subject, in: demo) }
                        })
                }
                return fastest
            }
            let (short, long) = (try await fastest(few), try await fastest(many))
            #expect(long < short * 8 + .milliseconds(1), "\(short) and \(long)")
        }
    }

    @Test(arguments: engines) func namesUnderWhichUsageWasReported(_ engine: Engine) async throws {
        try await engine.use { store in
            try await store.write { tx throws(StoreError) in
                let customer = try tx.join(
                    [Alias(.originalTransactionID, "1"), Alias(.userID, "u-1"), Alias(.appTransactionID, "7")], in: demo)
                for (ref, id) in [("u-1", "a"), ("7", "b"), ("9", "c")] {
                    try tx.add(UsageFact(id: id, subject: .customer(ref: ref), meter: "coins", millionths: 1, at: at(1)), in: demo)
                }
                try tx.add(
                    UsageFact(id: "d", subject: .transaction(TransactionID("1")), meter: "coins", millionths: 1, at: at(1)), in: demo)
                #expect(try tx.usageRefs(of: customer) == ["7", "u-1"])
            }
        }
    }

    @Test(arguments: engines) func theTrailOfALedgerAndOfTheDesk(_ engine: Engine) async throws {
        try await engine.use { store in
            try await store.write { tx throws(StoreError) in
                for (index, ledger) in [demo, other, demo].enumerated() {
                    let entry = LogEntry(kind: .consent, ledger: ledger, source: .owner, receivedAt: at(Int64(index)), body: [1])
                    guard let sequence = try tx.append(entry) else { continue }
                    let position = Int64(index) + 1
                    try tx.put(
                        AuditSeal(
                            position: position, entry: sequence, actor: "backend", salt: [2], contentSHA256: [3], sha256: [UInt8(index)]),
                        in: ledger)
                }
                #expect(try tx.newestSeal()?.position == 3)
                #expect(try tx.auditTrail(in: [demo], page: PageRequest(limit: 1)).items.map(\.seal.position) == [3])
                let next = try tx.auditTrail(in: [demo], page: PageRequest(limit: 1)).nextCursor
                #expect(try tx.auditTrail(in: [demo], page: PageRequest(limit: 1, cursor: next)).items.map(\.seal.position) == [1])
                #expect(try tx.auditTrail(in: [demo, other], page: PageRequest()).items.map(\.seal.position) == [3, 2, 1])
                #expect(try tx.seals(after: 1, limit: 9).map(\.seal.position) == [2, 3])
                #expect(try tx.seal(ofEntry: tx.seals(after: 0, limit: 1)[0].seal.entry)?.sha256 == [0])
                #expect(try tx.unsealedEntryCount() == 0)
                _ = try tx.append(LogEntry(kind: .tags, ledger: demo, source: .owner, receivedAt: at(9), body: []))
                #expect(try tx.unsealedEntryCount() == 1)
            }
        }
    }
}
