import AppStore
import Domain
import Foundation
import Ingest
import Store
import StoreSQLite

/// Another desk, which is told the same signed facts in another order, some of them twice, and must come to the same state.
struct SecondDesk {
    let path: String
    let app: AppSettings
    let dice: Dice
    let time: VirtualTime

    /// What one telling consists of.
    private enum Fact: Sendable {
        case notification([UInt8], LogEntry.Source)
        case transaction(String, LogEntry.Source)
        case statuses([SignedStatus], StatusConfirmation, Ledger)
        case link(UserLinkFact, Ledger)
    }

    /// - Parameter entries: How long the log of the first desk is.
    /// - Returns: What differs.
    func differences(from first: any Store, entries: Int64, transactions: [Ledger: [TransactionID]]) async throws -> [String] {
        var facts = try await facts(in: first, entries)
        facts = dice.shuffled(facts + facts.filter { _ in dice.chance(10) })
        let second = try await SQLiteStore.open(path: path, now: time.now())
        var settings = app
        settings.events = nil
        let intake = Intake(
            store: second, verifiers: VerifierDirectory([app.id: SimulatedApple.verifier]), apps: AppDirectory([settings]), time: time,
            metrics: Metrics())
        for fact in facts { try await tell(fact, intake, second, settings) }
        var differences: [String] = []
        for (ledger, ids) in transactions.sorted(by: { $0.key < $1.key }) {
            let one = try await FoldedState.read(ledger, ids, first)
            let other = try await FoldedState.read(ledger, ids, second)
            differences += one.differences(from: other)
        }
        await second.close()
        return differences
    }

    private func tell(_ fact: Fact, _ intake: Intake, _ store: any Store, _ app: AppSettings) async throws {
        switch fact {
        case .notification(let body, let source): _ = try await intake.receiveNotification(body, postedTo: app.id, source: source)
        case .transaction(let jws, let source): _ = try await intake.receiveTransaction(jws, postedTo: app.id, source: source)
        case .statuses(let rows, let word, let ledger):
            try await intake.receiveStatuses(rows, of: word.originalTransactionID, in: ledger, askedAt: word.at)
        case .link(let link, let ledger):
            let now = time.now()
            try await store.write { tx throws(StoreError) in try OwnerDesk(app: app, ledger: ledger, tx: tx, now: now).record(link) }
        }
    }

    /// What the log of the first desk holds of such facts. The rows of a status come just before the word that Apple was asked.
    private func facts(in store: any Store, _ count: Int64) async throws -> [Fact] {
        let entries = try await store.read { tx throws(StoreError) in
            var entries: [(LogEntry, [UInt8])] = []
            var sequence: Int64 = 0
            // What was taken for a repeat leaves a gap.
            while entries.count < count {
                sequence += 1
                guard let entry = try tx.logEntry(sequence: sequence) else { continue }
                let isSigned = [.notification, .transaction, .status].contains(entry.kind)
                entries.append((entry, isSigned ? try StoredBody.decode(entry, tx) : entry.body))
            }
            return entries
        }
        var facts: [Fact] = []
        var rows: [SignedStatus] = []
        let decoder = JSONDecoder()
        for (entry, body) in entries {
            switch entry.kind {
            case .notification: facts.append(.notification(body, entry.source))
            case .transaction: facts.append(.transaction(String(decoding: body, as: UTF8.self), entry.source))
            case .status: rows.append(try decoder.decode(SignedStatus.self, from: Data(body)))
            case .statusConfirmation:
                facts.append(.statuses(rows, try decoder.decode(StatusConfirmation.self, from: Data(body)), entry.ledger))
                rows = []
            case .userLink: facts.append(.link(try decoder.decode(UserLinkFact.self, from: Data(body)), entry.ledger))
            default: break
            }
        }
        return facts
    }
}

/// What is folded from signed facts, of one ledger.
struct FoldedState: Sendable {
    private struct Item: Hashable, Sendable {
        var purchase: Purchase?
        var chain: Chain?
        var row: CaseRow?
        var events: [CaseEvent]
        var names: [Alias]
    }
    private var items: [TransactionID: Item] = [:]

    static func read(_ ledger: Ledger, _ ids: [TransactionID], _ store: any Store) async throws(StoreError) -> FoldedState {
        try await store.read { tx throws(StoreError) in
            var state = FoldedState()
            for id in ids {
                let purchase = try tx.purchase(id, in: ledger)
                let original = purchase?.transaction.originalTransactionID ?? id
                let customer = try tx.customer(Alias(.originalTransactionID, original.rawValue), in: ledger)
                state.items[id] = Item(
                    purchase: purchase, chain: try tx.chain(original, in: ledger), row: try tx.caseRow(id, in: ledger),
                    events: try tx.caseEvents(id, in: ledger).sorted(),
                    names: try customer.map { customer throws(StoreError) in try tx.aliases(of: customer) } ?? [])
            }
            return state
        }
    }

    func differences(from other: FoldedState) -> [String] {
        items.keys.sorted().compactMap { id in
            guard let mine = items[id], let theirs = other.items[id], mine != theirs else { return nil }
            var parts: [String] = []
            if mine.purchase != theirs.purchase { parts.append("purchase") }
            if mine.chain != theirs.chain { parts.append("chain") }
            if mine.row != theirs.row || mine.events != theirs.events { parts.append("case") }
            if mine.names != theirs.names { parts.append("names") }
            return "\(id): \(parts.joined(separator: ", "))"
        }
    }
}
