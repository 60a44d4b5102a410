import Domain
import Ingest
import Store
import StoreSQLite
import Synchronization

/// Another desk, which folds the same signed facts in another order, some of them twice, and must come to the same state.
struct SecondDesk {
    let path: String
    let dice: Dice
    let time: VirtualTime

    /// What Apple signed or said when asked, and what joins customers.
    private static let kinds: Set<LogEntry.Kind> = [.notification, .transaction, .status, .statusConfirmation, .userLink]
    private static let tables: Set<String> = ["purchases", "chains", "case_events", "cases", "aliases", "user_links"]

    /// - Parameter entries: How long the log of the first desk is.
    /// - Returns: What differs.
    func differences(from first: any Store, entries: Int64) async throws(StoreError) -> [String] {
        let (log, headers) = try await read(first, entries)
        let facts = log.filter { Self.kinds.contains($0.kind) }
        let told = dice.shuffled(facts + facts.filter { _ in dice.chance(15) })
        let second = try await SQLiteStore.open(path: path, now: time.now())
        try await second.write { tx throws(StoreError) in
            // Bodies name their headers by number: in the same order these get the same.
            for header in headers { _ = try tx.jwsHeaderID(header) }
            for fact in told { try foldLogEntry(fact, tx) }
        }
        let (one, other) = (try await folded(first), try await folded(second))
        await second.close()
        return one.symmetricDifference(other).map { "\($0.ledger) \($0.table) \($0.text.prefix(80))" }.sorted()
    }

    /// What is folded from such facts alone, byte for byte.
    private func folded(_ store: any Store) async throws(StoreError) -> Set<FoldedLine> {
        let lines = Mutex<Set<FoldedLine>>([])
        try await store.exportFolded { line in
            if Self.tables.contains(line.table) { lines.withLock { _ = $0.insert(line) } }
        }
        return lines.withLock { $0 }
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
