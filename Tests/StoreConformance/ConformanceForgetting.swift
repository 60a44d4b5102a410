import Domain
import Store
import Testing

@Suite struct ConformanceForgetting {
    /// Everything that is kept about one person, under names that begin alike.
    private static func people(_ tx: any WriteTransaction, _ mark: String) throws(StoreError) -> KnownPerson {
        let id = TransactionID(mark + "-tx")
        let anchor = NotificationUUID(mark + "-ask")
        let names = [Alias(.originalTransactionID, id.rawValue), Alias(.userID, mark + "-user")]
        let customer = try tx.join(names, in: demo)
        try tx.put(
            Purchase(newest: Snapshot(.bare(id.rawValue), Precedence(signedDate: at(0), notificationUUID: "", payloadSHA256: []))), in: demo
        )
        try tx.put(Chain(originalTransactionID: id, statusConfirmedAt: at(1)), in: demo)
        try tx.put(CaseEvent(kind: .requested, notificationUUID: anchor, signedDate: at(1)), of: id, in: demo)
        try tx.put(
            CaseRow(
                transactionID: id, originalTransactionID: id, productID: nil, state: .open, rawReason: nil, openedAt: at(1), deadline: nil),
            in: demo)
        try tx.put(
            DecisionRecord(transactionID: id, anchor: anchor, at: at(1), decision: Decision(.abstain)), sequence: customer.rawValue,
            in: demo)
        try tx.put(AnswerRecord(transactionID: id, anchor: anchor, status: .scheduled, at: at(1)), in: demo)
        try tx.put(AttemptRecord(transactionID: id, anchor: anchor, at: at(1)), sequence: customer.rawValue, in: demo)
        try tx.put(
            ConsentFact(ref: mark + "-user", consented: true, source: "test", textVersion: nil, at: at(1)), sequence: customer.rawValue,
            in: demo)
        try tx.put(DeliveryFact(transactionID: id, status: .delivered, at: at(1)), in: demo)
        try tx.put(UserLinkFact(originalTransactionID: id, userID: UserID(mark + "-user"), at: at(1)), in: demo)
        try tx.add(UsageFact(id: "1", subject: .customer(ref: mark + "-user"), meter: "coins", millionths: 1, at: at(1)), in: demo)
        try tx.add(UsageFact(id: "2", subject: .transaction(id), meter: "coins", millionths: 1, at: at(1)), in: demo)
        try tx.put(CustomerSetting(kind: .tags, ref: mark + "-user", json: "vip", at: at(1)), sequence: customer.rawValue, in: demo)
        try tx.setRefundRevision("r", of: id.rawValue, in: demo, at: at(1))
        try tx.enqueue(OutboxRow(kind: .answer, ledger: demo, subject: id.rawValue, key: "1", dueAt: at(1), createdAt: at(1)))
        try tx.enqueue(OutboxRow(kind: .turn, ledger: demo, subject: "\(customer.rawValue)", key: "", dueAt: at(1), createdAt: at(1)))
        try tx.enqueue(OutboxRow(kind: .forward, ledger: demo, subject: mark + "-identity", key: "0", dueAt: at(1), createdAt: at(1)))
        try tx.enqueue(
            OutboxRow(
                kind: .webhook, ledger: demo, subject: "evt-" + mark, key: "0", dueAt: at(1),
                payload: Array(#"{"originalTransactionId":"\#(id)"}"#.utf8), createdAt: at(1)))
        return KnownPerson(ledger: demo, customer: customer, refs: [mark + "-user", id.rawValue], originals: [id], transactions: [id])
    }

    /// How many of the things above are still kept.
    private static func kept(_ person: KnownPerson, _ mark: String, _ tx: any ReadTransaction) throws(StoreError) -> Int {
        let id = TransactionID(mark + "-tx")
        let customer = person.customer?.rawValue ?? 0
        let found = [
            try tx.customer(Alias(.userID, mark + "-user"), in: demo) != nil, try tx.purchase(id, in: demo) != nil,
            try tx.chain(id, in: demo) != nil, try !tx.caseEvents(id, in: demo).isEmpty, try tx.caseRow(id, in: demo) != nil,
            try !tx.decisions(id, in: demo).isEmpty, try !tx.answers(id, in: demo).isEmpty, try !tx.attempts(id, in: demo).isEmpty,
            try !tx.consents(refs: [mark + "-user"], in: demo).isEmpty, try tx.delivery(id, in: demo) != nil,
            try tx.userLink(id, in: demo) != nil, try !tx.usage(of: .customer(ref: mark + "-user"), in: demo).isEmpty,
            try !tx.usage(of: .transaction(id), in: demo).isEmpty, try tx.setting(.tags, refs: [mark + "-user"], in: demo) != nil,
            try tx.refundRevision(id.rawValue, in: demo) != nil,
            try tx.outboxRow(.answer, subject: id.rawValue, key: "1", in: demo) != nil,
            try tx.outboxRow(.turn, subject: "\(customer)", key: "", in: demo) != nil,
            try tx.outboxRow(.forward, subject: mark + "-identity", key: "0", in: demo) != nil,
            try tx.outboxRow(.webhook, subject: "evt-" + mark, key: "0", in: demo) != nil,
        ]
        return found.count { $0 }
    }

    @Test(arguments: engines) func onePersonGoesAndTheOtherStays(_ engine: Engine) async throws {
        try await engine.use { store in
            try await store.write { tx throws(StoreError) in
                let gone = try Self.people(tx, "ann")
                let here = try Self.people(tx, "bob")
                #expect(try Self.kept(gone, "ann", tx) == 19)
                try tx.removeFolded(gone, identities: ["ann-identity"])
                #expect(try Self.kept(gone, "ann", tx) == 0)
                #expect(try Self.kept(here, "bob", tx) == 19)
            }
        }
    }

    @Test(arguments: engines) func anEntryIsRewrittenAndItsLinkLosesTheSalt(_ engine: Engine) async throws {
        try await engine.use { store in
            try await store.write { tx throws(StoreError) in
                var entry = LogEntry(kind: .consent, identity: "x", ledger: demo, source: .owner, receivedAt: at(1), body: [1, 2])
                guard let sequence = try tx.append(entry) else { return }
                let seal = AuditSeal(position: 1, entry: sequence, actor: nil, salt: [9], contentSHA256: [1], sha256: [2])
                try tx.put(seal, in: demo)
                (entry.sequence, entry.identity, entry.body, entry.reason) = (sequence, nil, [3], "forgotten")
                entry.transactionID = TransactionID("forgotten-1")
                try tx.rewrite(entry)
                #expect(try tx.logEntry(sequence: sequence) == entry)
                #expect(try tx.seal(ofEntry: sequence)?.salt == nil)
            }
        }
    }
}
