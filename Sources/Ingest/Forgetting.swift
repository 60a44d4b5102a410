import AppStore
import Crypto
import Domain
import Foundation
import Store

/// Takes a person out of one ledger for good: out of every folded table, the outbox, and the raw log.
///
/// Ids of purchases become pseudonyms, so that counts and amounts stay; names, consents, settings and usage are gone. What is folded from
/// the rewritten log is what is kept: `replay --check` finds no difference, and the audit trail still holds.
package struct Forgetting: Sendable {
    let ledger: Ledger
    let ref: String

    package struct Report: Sendable, Hashable {
        package var purchases = 0
        package var logEntries = 0
    }

    /// - Parameter ref: Any of the person's names.
    package init(_ ref: String, in ledger: Ledger) {
        self.ledger = ledger
        self.ref = ref
    }

    /// - Parameter progress: Told of each page of the log that was searched.
    /// - Returns: nil where nobody is known by that name.
    package func run(
        on store: any Store, at now: Timestamp, progress: @Sendable (Int) -> Void = { _ in }
    ) async throws(StoreError) -> Report? {
        let person = try await store.read { tx throws(StoreError) in try known(tx) }
        var found: [Int64] = []
        var last: Int64 = 0
        while true {
            let after = last
            let page = try await store.read { tx throws(StoreError) in
                let entries = try tx.logEntries(after: after, limit: 1_000)
                var concerned: [Int64] = []
                for entry in entries where try concerns(person, entry, tx) { concerned.append(entry.sequence) }
                return (concerned: concerned, last: entries.last?.sequence)
            }
            found += page.concerned
            progress(page.concerned.count)
            guard let newest = page.last else { break }
            last = newest
        }
        let (searched, concerned) = (last, found)
        let names = ledger.touching(Array(person.refs.union(person.transactions.map(\.rawValue)))) + ledger.touchingOldEntries
        return try await store.write(touching: names) { tx throws(StoreError) in try forget(tx, searched: searched, concerned, at: now) }
    }

    /// Looks once more, at what came in meanwhile, and does it all in one transaction.
    private func forget(
        _ tx: any WriteTransaction, searched: Int64, _ found: [Int64], at now: Timestamp
    ) throws(StoreError) -> Report? {
        let person = try known(tx)
        var entries: [LogEntry] = []
        for sequence in found { if let entry = try tx.logEntry(sequence: sequence) { entries.append(entry) } }
        for entry in try tx.logEntries(after: searched, limit: .max) where try concerns(person, entry, tx) { entries.append(entry) }
        guard person.customer != nil || !entries.isEmpty else { return nil }
        let refusedNames = try hasRefused(person, tx) ? person.refs : []
        let eraser = Eraser(person)
        var rewritten: [LogEntry] = []
        for entry in entries { rewritten.append(try eraser.erase(entry, tx)) }
        try uncount(person, tx)
        try tx.removeFolded(person, identities: Set(entries.compactMap(\.identity)))
        for entry in rewritten { try tx.rewrite(entry) }
        for entry in rewritten { try foldLogEntry(entry, tx) }
        for name in refusedNames {
            let refusal = ConsentFact(
                ref: keptRefusalRef(name, in: ledger), consented: false, source: "kept when the person was forgotten", textVersion: nil,
                at: now)
            let sequence = try DeskLog(ledger: ledger, tx: tx, now: now).append(.consent, refusal, about: nil, source: .owner)
            try tx.put(refusal, sequence: sequence, in: ledger)
        }
        // The trail cannot vouch for rewritten entries by their own links any more; it does by this one.
        var proofs: [String: String] = [:]
        for entry in rewritten where entry.kind.isAudited {
            let actor = try tx.seal(ofEntry: entry.sequence)?.actor
            proofs["\(entry.sequence)"] = hexadecimal(AuditTrail.contentHash(entry, by: actor, salt: []))
        }
        try AdministratorDesk(ledger: ledger, tx: tx, now: now, actor: "command line")
            .note(Act("person forgotten", "", rewritten: proofs))
        return Report(purchases: person.transactions.count, logEntries: rewritten.count)
    }

    /// Takes out of the counters what folding the rewritten entries brings back under pseudonyms.
    private func uncount(_ person: KnownPerson, _ tx: any WriteTransaction) throws(StoreError) {
        for id in person.transactions {
            tx.noteCase(id, in: ledger)
            guard let purchase = try tx.purchase(id, in: ledger) else { continue }
            tx.note(.purchase(ledger, before: purchase.transaction, after: nil))
        }
    }

    /// A no outlives the person's names, so that an attestation for everybody does not speak for who refused.
    private func hasRefused(_ person: KnownPerson, _ tx: any ReadTransaction) throws(StoreError) -> Bool {
        let said = try tx.consents(refs: Array(person.refs), in: ledger).map(\.fact)
        return consentStanding(said, mode: .blanket(attestation: ""), minimumTextVersion: nil).isGiven == false
    }

    private func known(_ tx: any ReadTransaction) throws(StoreError) -> KnownPerson {
        guard let customer = try resolve(ref, in: ledger, tx) else {
            return KnownPerson(ledger: ledger, customer: nil, refs: [ref], originals: [], transactions: [])
        }
        let aliases = try tx.aliases(of: customer)
        let originals = aliases.filter { $0.kind == .originalTransactionID }.map { TransactionID($0.value) }
        var transactions = Set(try tx.purchases(of: customer).map(\.transaction.transactionID))
        var page = PageRequest(limit: 1_000)
        repeat {
            let cases = try tx.cases(CaseQuery(ledger: ledger, customer: customer, page: page))
            transactions.formUnion(cases.items.map(\.transactionID))
            page.cursor = cases.nextCursor
        } while page.cursor != nil
        return KnownPerson(
            ledger: ledger, customer: customer, refs: Set(aliases.map(\.value) + [ref]), originals: Set(originals),
            transactions: transactions.union(originals))
    }

    /// Whether an entry is about the person.
    private func concerns(_ person: KnownPerson, _ entry: LogEntry, _ tx: any LogReading) throws(StoreError) -> Bool {
        guard entry.ledger == ledger, entry.reason != LogEntry.forgotten else { return false }
        if let id = entry.transactionID, person.transactions.contains(id) { return true }
        switch entry.kind {
        case .notification, .transaction, .status:
            // What was folded is known by its transaction; what was not may carry a name in any of its parts.
            let isFolded = entry.result == .accepted && entry.rawNotificationType.map { NotificationType(rawValue: $0) != nil } ?? true
            guard entry.transactionID == nil || !isFolded else { return false }
            return SignedNames(body: try StoredBody.decode(entry, tx)).contains(anyOf: person)
        case .consent: return person.refs.contains(try FactCodec.decode(ConsentFact.self, entry).ref)
        case .preference, .tags: return person.refs.contains(try FactCodec.decode(CustomerSetting.self, entry).ref)
        case .usage:
            switch try FactCodec.decode(UsageFact.self, entry).subject {
            case .customer(let ref): return person.refs.contains(ref)
            case .transaction(let id): return person.transactions.contains(id)
            }
        case .userLink: return person.refs.contains(try FactCodec.decode(UserLinkFact.self, entry).userID.rawValue)
        case .delivery, .outages, .decision, .answer, .attempt, .statusConfirmation, .act: return false
        }
    }
}

extension LogEntry {
    /// The reason of an entry whose text was taken out.
    static let forgotten = "forgotten"
}

/// Rewrites entries about one person.
private struct Eraser {
    let person: KnownPerson
    private let pseudonyms: [String: String]
    private let redaction: PayloadRedaction

    init(_ person: KnownPerson) {
        self.person = person
        let names = person.transactions.map { ($0.rawValue, "forgotten-" + hexadecimal(randomBytes(8))) }
        pseudonyms = Dictionary(uniqueKeysWithValues: names)
        redaction = PayloadRedaction(pseudonyms: pseudonyms)
    }

    func erase(_ entry: LogEntry, _ tx: any WriteTransaction) throws(StoreError) -> LogEntry {
        var erased = entry
        erased.transactionID = entry.transactionID.map(pseudonym)
        switch entry.kind {
        case .notification: erased.body = try redacted(entry, tx) { redaction.notification($0) }
        case .transaction: erased.body = try redacted(entry, tx) { redaction.transaction($0) }
        case .status: erased.body = try redacted(entry, tx) { redaction.status($0) }
        case .consent, .preference, .tags, .usage, .userLink:
            erased.body = Array("{}".utf8)
            // The owner's id of a usage event may be made of the person's.
            erased.identity = nil
            erased.reason = LogEntry.forgotten
        case .delivery: erased.body = try renamed(DeliveryFact.self, entry, \.transactionID)
        case .decision: erased.body = try renamed(DecisionRecord.self, entry, \.transactionID)
        case .answer: erased.body = try renamed(AnswerRecord.self, entry, \.transactionID)
        case .attempt: erased.body = try renamed(AttemptRecord.self, entry, \.transactionID)
        case .statusConfirmation: erased.body = try renamed(StatusConfirmation.self, entry, \.originalTransactionID)
        case .act, .outages: break
        }
        return erased
    }

    private func pseudonym(_ id: TransactionID) -> TransactionID { pseudonyms[id.rawValue].map { TransactionID($0) } ?? id }

    private func redacted(
        _ entry: LogEntry, _ tx: any WriteTransaction, _ redact: ([UInt8]) -> [UInt8]?
    ) throws(StoreError) -> [UInt8] {
        guard let body = redact(try StoredBody.decode(entry, tx)) else {
            throw StoreError(code: .corrupt, operation: "forget", detail: "log entry \(entry.sequence) is damaged: restore a backup")
        }
        return try StoredBody.encode(PackedBody.pack(body), tx)
    }

    private func renamed<Fact: Codable>(
        _ type: Fact.Type, _ entry: LogEntry, _ id: WritableKeyPath<Fact, TransactionID>
    ) throws(StoreError) -> [UInt8] {
        var fact = try FactCodec.decode(type, entry)
        fact[keyPath: id] = pseudonym(fact[keyPath: id])
        return try FactCodec.encode(fact)
    }
}

/// The texts in a stored message and in the signed parts inside it.
private struct SignedNames {
    private var texts: Set<String> = []

    init(body: [UInt8]) {
        if let object = try? JSONSerialization.jsonObject(with: Data(body)) {
            gather(object)
        } else {
            gather(String(decoding: body, as: UTF8.self))
        }
    }

    func contains(anyOf person: KnownPerson) -> Bool {
        texts.contains {
            person.refs.contains($0) || person.refs.contains($0.lowercased()) || person.transactions.contains(TransactionID($0))
        }
    }

    private mutating func gather(_ value: Any) {
        switch value {
        case let object as [String: Any]: for member in object.values { gather(member) }
        case let array as [Any]: for element in array { gather(element) }
        case let text as String:
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            if parts.count == 3, let payload = Base64URL.decode(Array(parts[1].utf8).span),
                let object = try? JSONSerialization.jsonObject(with: Data(payload))
            {
                gather(object)
            } else {
                texts.insert(text)
            }
        default: break
        }
    }
}
