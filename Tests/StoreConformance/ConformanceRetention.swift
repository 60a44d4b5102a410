import Domain
import Store
import Testing

@Suite struct ConformanceRetention {
    private static func signed(_ identity: String, _ kind: LogEntry.Kind = .notification, in ledger: Ledger = demo, at day: Int64)
        -> LogEntry
    {
        LogEntry(kind: kind, identity: identity, ledger: ledger, source: .live, receivedAt: at(day), body: Array("whole \(identity)".utf8))
    }

    @Test(arguments: engines) func wholeBodiesAreFoundByAgeUntilTheyAreReduced(_ engine: Engine) async throws {
        try await engine.use { store in
            try await store.write { tx throws(StoreError) in
                _ = try tx.append(Self.signed("c", .status, at: 3))
                _ = try tx.append(Self.signed("a", at: 1))
                _ = try tx.append(Self.signed("b", .transaction, at: 2))
                _ = try tx.append(Self.signed("young", at: 9))
                _ = try tx.append(Self.signed("elsewhere", in: other, at: 1))
                _ = try tx.append(LogEntry(kind: .consent, ledger: demo, source: .owner, receivedAt: at(1), body: [1]))
            }
            let found = try await store.write { tx throws(StoreError) in
                let found = try tx.wholeEntries(in: demo, before: at(9), limit: 10)
                #expect(found.map(\.identity) == ["a", "b", "c"])
                #expect(found.map { String(decoding: $0.body, as: UTF8.self) } == ["whole a", "whole b", "whole c"])
                #expect(try tx.wholeEntries(in: demo, before: at(9), limit: 2).map(\.identity) == ["a", "b"])
                for entry in found.dropLast() { try tx.reduce(entry.sequence, receivedAt: entry.receivedAt, to: [7], at: at(20)) }
                return found
            }
            try await store.read { tx throws(StoreError) in
                #expect(try tx.wholeEntries(in: demo, before: at(9), limit: 10).map(\.identity) == ["c"])
                let reduced = try tx.logEntry(identity: "a")
                #expect(reduced?.body == [7] && reduced?.reducedAt == at(20) && reduced?.sequence == found[0].sequence)
                #expect(try tx.logEntry(identity: "c")?.reducedAt == nil)
                #expect(try tx.logEntries(after: 0, limit: 10).first { $0.identity == "b" }?.body == [7])
            }
            let again = try await store.write { tx throws(StoreError) in try tx.append(Self.signed("a", at: 30)) }
            #expect(again == nil, "what was reduced is known yet")
        }
    }

    @Test(arguments: engines) func whatWaitsToBeForwardedStaysWhole(_ engine: Engine) async throws {
        try await engine.use { store in
            try await store.write { tx throws(StoreError) in
                _ = try tx.append(Self.signed("waits", at: 1))
                _ = try tx.append(Self.signed("given-up", at: 1))
                for subject in ["waits", "given-up"] {
                    try tx.enqueue(OutboxRow(kind: .forward, ledger: demo, subject: subject, key: "0", dueAt: at(1), createdAt: at(1)))
                }
                if let row = try tx.outboxRow(.forward, subject: "given-up", key: "0", in: demo) {
                    try tx.finish(row.id, state: .dead, at: at(2))
                }
                #expect(try tx.wholeEntries(in: demo, before: at(9), limit: 10).map(\.identity) == ["given-up"])
            }
        }
    }

    private static func usage(
        _ id: String, _ millionths: Int64, of ref: String = "ann", _ meter: String = "coins", at instant: Timestamp
    ) -> UsageFact {
        UsageFact(id: id, subject: .customer(ref: ref), meter: meter, millionths: millionths, at: instant)
    }

    /// - Returns: The event with its place in the log.
    private static func take(
        _ fact: UsageFact, placed: Bool = true, _ tx: any WriteTransaction
    ) throws(StoreError) -> (sequence: Int64, fact: UsageFact) {
        var entry = LogEntry(
            kind: .usage, identity: fact.id, ledger: demo, source: .owner, receivedAt: at(1), body: Array(fact.id.utf8))
        if placed { entry.place = UsagePlace(fact) }
        guard let sequence = try tx.append(entry) else { throw StoreError(code: .busy, operation: "test", detail: "") }
        try tx.add(fact, in: demo)
        return (sequence, fact)
    }

    private static func identities(_ entries: [LogEntry]) -> [String?] { entries.map(\.identity) }

    @Test(arguments: engines) func usageIsFoundByWhenItWas(_ engine: Engine) async throws {
        try await engine.use { store in
            try await store.write { tx throws(StoreError) in
                let second = Self.usage("2", 1, at: at(2))
                for fact in [Self.usage("3", 1, at: at(3)), second, Self.usage("1", 1, at: at(1)), Self.usage("4", 1, at: at(2))] {
                    _ = try Self.take(fact, tx)
                }
                _ = try Self.take(Self.usage("old", 1, at: at(0)), placed: false, tx)
                let found = try tx.usageEntries(in: demo, .behind(nil, before: at(3)), limit: 10)
                #expect(Self.identities(found) == ["1", "2", "4"])
                #expect(found.map(\.place) == [UsagePlace(Self.usage("1", 1, at: at(1))), UsagePlace(second), UsagePlace(second)])
                #expect(Self.identities(try tx.usageEntries(in: demo, .behind(found[0].place, before: at(9)), limit: 2)) == ["2", "4"])
                #expect(Self.identities(try tx.usageEntries(in: demo, .behind(found[2].place, before: at(9)), limit: 9)) == ["3"])
                #expect(Self.identities(try tx.usageEntries(in: demo, .at(UsagePlace(second)), limit: .max)) == ["2", "4"])
                let unplaced = try tx.usageEntries(in: demo, .unplaced, limit: 9)
                #expect(Self.identities(unplaced) == ["old"] && unplaced[0].place == nil)
                try tx.setPlace(UsagePlace(Self.usage("old", 1, at: at(0))), ofEntry: unplaced[0].sequence)
                #expect(Self.identities(try tx.usageEntries(in: demo, .behind(nil, before: at(1)), limit: 9)) == ["old"])
                var forgotten = unplaced[0]
                (forgotten.reason, forgotten.identity, forgotten.body) = ("forgotten", nil, [1])
                try tx.rewrite(forgotten)
                #expect(try tx.usageEntries(in: demo, .behind(nil, before: at(1)), limit: 9).isEmpty)
                #expect(try tx.usageEntries(in: demo, .unplaced, limit: 9).isEmpty)
            }
        }
    }

    /// Sums of minutes and days go down with their events and go with the last one, also where they are zero before.
    @Test(arguments: engines) func sumsAreWhatTheEventsLeftAddUpTo(_ engine: Engine) async throws {
        try await engine.use { store in
            let day = at(0)
            let events = [
                Self.usage("a", 5, at: day), Self.usage("b", -5, at: day), Self.usage("c", 7, at: day + .seconds(1)),
                Self.usage("d", 11, at: day + .minutes(2)), Self.usage("e", 0, at: day + .minutes(3)),
                Self.usage("f", 13, of: "bob", at: day), Self.usage("g", 17, of: "ann", "gems", at: day),
                Self.usage("h", 19, at: day + .days(1)),
            ]
            let taken = try await store.write { tx throws(StoreError) in
                var taken: [(sequence: Int64, fact: UsageFact)] = []
                for fact in events { taken.append(try Self.take(fact, tx)) }
                return taken
            }
            // What goes, in order; what stays must be what would be summed of it alone.
            var left = taken
            for gone in [["c"], ["a", "b"], ["d"], ["g", "e"], ["f"], ["h"]] {
                let batch = left.filter { gone.contains($0.fact.id) }
                left.removeAll { gone.contains($0.fact.id) }
                try await store.write { tx throws(StoreError) in try tx.removeUsage(batch, in: demo) }
                let report = try await store.replay(repair: false) { entry, tx throws(StoreError) in
                    guard let fact = events.first(where: { $0.id == entry.identity }) else { return }
                    try tx.add(fact, in: demo)
                }
                #expect(report.entries == Int64(left.count))
                #expect(report.differences == [], "after \(gone)")
            }
            let known = try await store.read { tx throws(StoreError) in try tx.usage(of: .customer(ref: "ann"), in: demo) }
            #expect(known.isEmpty)
        }
    }

    @Test(arguments: engines) func itIsRememberedOfWhomUsageWasRemoved(_ engine: Engine) async throws {
        try await engine.use { store in
            try await store.write { tx throws(StoreError) in
                let customer = try tx.join([Alias(.originalTransactionID, "1"), Alias(.userID, "ann")], in: demo)
                let stranger = try tx.join([Alias(.originalTransactionID, "2")], in: demo)
                #expect(try tx.usageRemoved(of: customer) == nil)
                for instant in [at(3), at(5), at(4)] { try tx.noteUsageRemoved(of: .customer(ref: "ann"), before: instant, in: demo) }
                try tx.noteUsageRemoved(of: .customer(ref: "1"), before: at(2), in: demo)
                try tx.noteUsageRemoved(of: .transaction(TransactionID("2")), before: at(9), in: demo)
                #expect(try tx.usageRemoved(of: customer) == at(5))
                #expect(try tx.usageRemoved(of: stranger) == nil, "usage of a transaction is not its customer's")
                #expect(try tx.usageRemoved(of: .transaction(TransactionID("2")), in: demo) == at(9))
                #expect(try tx.usageRemoved(of: .customer(ref: "ann"), in: demo) == at(5))
                #expect(try tx.usageRemoved(of: .customer(ref: "ann"), in: other) == nil)
                let person = KnownPerson(ledger: demo, customer: customer, refs: ["ann", "1"], originals: [], transactions: [])
                try tx.removeFolded(person, identities: [])
                #expect(try tx.usageRemoved(of: .customer(ref: "ann"), in: demo) == nil)
            }
        }
    }

    @Test(arguments: engines) func endedWorkGoesAndTheRestStays(_ engine: Engine) async throws {
        try await engine.use { store in
            try await store.write { tx throws(StoreError) in
                let ends: [(String, OutboxRow.Kind, OutboxRow.State?, Timestamp)] = [
                    ("old", .webhook, .done, at(1)), ("older", .forward, .done, at(0)), ("young", .webhook, .done, at(5)),
                    ("dead", .webhook, .dead, at(1)), ("pending", .webhook, nil, at(1)), ("alert", .alert, .done, at(1)),
                ]
                for (subject, kind, state, instant) in ends {
                    try tx.enqueue(OutboxRow(kind: kind, ledger: demo, subject: subject, key: "0", dueAt: at(0), createdAt: at(0)))
                    guard let row = try tx.outboxRow(kind, subject: subject, key: "0", in: demo) else { continue }
                    try tx.put(DeliveryAttempt(outboxID: row.id, at: at(0), httpStatus: 200))
                    if let state { try tx.finish(row.id, state: state, at: instant) }
                }
            }
            let counts = try await store.write { tx throws(StoreError) in
                [
                    try tx.purgeOutbox(endedBefore: at(5), limit: 1), try tx.purgeOutbox(endedBefore: at(5), limit: 10),
                    try tx.purgeOutbox(endedBefore: at(5), limit: 10),
                ]
            }
            #expect(counts == [1, 1, 0])
            try await store.read { tx throws(StoreError) in
                for (kind, subject) in [(OutboxRow.Kind.webhook, "old"), (.forward, "older")] {
                    #expect(try tx.outboxRow(kind, subject: subject, key: "0", in: demo) == nil)
                }
                for (kind, subject) in [(OutboxRow.Kind.webhook, "young"), (.webhook, "dead"), (.webhook, "pending"), (.alert, "alert")] {
                    #expect(try tx.outboxRow(kind, subject: subject, key: "0", in: demo) != nil, "\(subject)")
                }
                let page = try tx.eventDeliveries(of: demo.app, environment: nil, page: PageRequest())
                #expect(page.items.map(\.attempts.count) == [1, 1, 1])
            }
        }
    }
}
