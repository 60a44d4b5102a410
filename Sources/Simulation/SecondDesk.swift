import Domain
import Ingest
import Store
import StoreSQLite

/// Another desk, which folds the same signed facts in another order, some of them twice, and must come to the same state.
struct SecondDesk {
    let path: String
    let dice: Dice
    let time: VirtualTime

    /// What Apple signed or said when asked, and what joins customers.
    private static let kinds: Set<LogEntry.Kind> = [.notification, .transaction, .status, .statusConfirmation, .userLink]

    /// - Parameter entries: How long the log of the first desk is.
    /// - Returns: What differs.
    func differences(
        from first: any Store, entries: Int64, transactions: [Ledger: [TransactionID]]
    ) async throws(StoreError) -> [String] {
        let (log, headers) = try await read(first, entries)
        let facts = log.filter { Self.kinds.contains($0.kind) }
        let told = dice.shuffled(facts + facts.filter { _ in dice.chance(15) })
        let second = try await SQLiteStore.open(path: path, now: time.now())
        try await second.write { tx throws(StoreError) in
            // Bodies name their headers by number: in the same order these get the same.
            for header in headers { _ = try tx.jwsHeaderID(header) }
            for fact in told { try foldLogEntry(fact, tx) }
        }
        var differences: [String] = []
        for (ledger, ids) in transactions.sorted(by: { $0.key < $1.key }) {
            let one = try await FoldedState.read(ledger, ids, first)
            differences += one.differences(from: try await FoldedState.read(ledger, ids, second))
        }
        await second.close()
        return differences
    }

    private func read(_ store: any Store, _ count: Int64) async throws(StoreError) -> (log: [LogEntry], headers: [[UInt8]]) {
        try await store.read { tx throws(StoreError) in
            var (log, headers): ([LogEntry], [[UInt8]]) = ([], [])
            var sequence: Int64 = 0
            // What was taken for a repeat leaves a gap.
            while log.count < count {
                sequence += 1
                if let entry = try tx.logEntry(sequence: sequence) { log.append(entry) }
            }
            while let header = try tx.jwsHeader(id: Int64(headers.count) + 1) { headers.append(header) }
            return (log, headers)
        }
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
