import Postgres
import Store

typealias Fold = @Sendable (LogEntry, any WriteTransaction) throws(StoreError) -> Void

private enum SQL {
    static let ledgers: StaticString = "SELECT id, app, environment FROM ledgers"
    static let putLedger: StaticString = """
        INSERT INTO ledgers (id, app, environment) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING
        """
    static let schema: StaticString = "SELECT current_schema()::text"
    static let nameless: StaticString = """
        SELECT id FROM customers WHERE NOT EXISTS (SELECT 1 FROM aliases WHERE customer_id = customers.id) ORDER BY id LIMIT 100
        """
    static let noLimit: StaticString = """
        SELECT set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true),
            set_config('idle_in_transaction_session_timeout', '0', true)
        """
    // Writers wait from here on; readers do not.
    static let holdWriters: StaticString = "LOCK TABLE log IN EXCLUSIVE MODE"
    static let count: StaticString = "SELECT count(*) FROM log"
}

/// Folds the whole log anew in a schema beside the kept one and compares what came out with what is kept.
///
/// On a queue of its own, with the log as it stands in one snapshot. Its memory does not grow with the log.
actor PostgresReplayer {
    private let executor = SerialQueueExecutor(label: "store.replay")
    private let target: Target

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ target: Target) {
        self.target = target
    }

    /// What was found, and how far the log was read.
    struct Finding: Sendable {
        var folded = FoldedLog()
        var differences = Differences()
    }

    /// - Parameter repair: Whether to put the rebuilt state in place; writers wait only while what came in meanwhile is folded too and
    ///   tables are replaced.
    func replay(repair: Bool, _ fold: Fold) throws(StoreError) -> Finding {
        let scratch = try ScratchSchema(target)
        do throws(StoreError) {
            let finding = try compare(scratch, fold)
            if repair, !finding.differences.tables.isEmpty { try mend(finding, from: scratch, fold) }
            try scratch.drop()
            return finding
        } catch {
            try? scratch.drop()
            throw error
        }
    }

    private func compare(_ scratch: ScratchSchema, _ fold: Fold) throws(StoreError) -> Finding {
        let kept = PostgresSession(target)
        let rebuilt = scratch.session
        rebuilt.jwsHeaderSource = kept
        return try kept.ownTransaction("replay.read", .read) {
            try kept.postgres { try $0.queue("replay.limit", SQL.noLimit) }
            var finding = Finding()
            try rebuilt.foldLog(of: kept, &finding.folded, fold)
            try rebuilt.ownTransaction("replay.compare", .read) {
                try rebuilt.postgres { try $0.queue("replay.limit", SQL.noLimit) }
                for table in try kept.comparedTables() { try kept.compare(table, with: rebuilt, &finding.differences) }
            }
            try kept.findNamelessCustomers(&finding.differences)
            return finding
        }
    }

    private func mend(_ finding: Finding, from scratch: ScratchSchema, _ fold: Fold) throws(StoreError) {
        let kept = PostgresSession(target)
        scratch.session.jwsHeaderSource = kept
        try kept.ownTransaction("replay.mend") {
            try kept.postgres { try $0.queue("replay.limit", SQL.noLimit) }
            try kept.postgres { try $0.run("replay.hold", SQL.holdWriters) }
            var folded = finding.folded
            try scratch.session.foldMissed(of: kept, &folded, fold)
            try scratch.session.foldLog(of: kept, &folded, fold)
            // Usage that grew too old during the comparison is in what was rebuilt, and must not come back.
            guard try kept.postgres({ try $0.first("replay.count", SQL.count) { try $0.int64(0) } }) == folded.entries else {
                throw StoreError(
                    code: .busy, operation: "replay.mend", detail: "entries went out of the log of \(kept.database) meanwhile: run it again"
                )
            }
            try kept.replace(finding.differences.tables, from: scratch.name)
        }
    }

    func export(_ line: (FoldedLine) -> Void) throws(StoreError) {
        let kept = PostgresSession(target)
        try kept.ownTransaction("replay.export", .read) {
            try kept.postgres { try $0.queue("replay.limit", SQL.noLimit) }
            for table in try kept.comparedTables() { try kept.export(table, line) }
        }
    }
}

/// A schema of its own name that is thrown away: no promise is made of it.
private final class ScratchSchema {
    let name = "refund_desk_replay_\(UInt32.random(in: .min ... .max))"
    let session: PostgresSession
    private let outside: PostgresSession

    init(_ target: Target) throws(StoreError) {
        outside = PostgresSession(target)
        var inside = target
        inside.schema = name
        session = PostgresSession(inside)
        let name = name
        try outside.postgres { try $0.executeScript("replay.schema", "CREATE SCHEMA \(name)") }
        try session.migrate(by: migrations, at: .init(milliseconds: 0), isScratch: true)
    }

    func drop() throws(StoreError) {
        session.disconnect()
        let name = name
        try outside.postgres { try $0.executeScript("replay.schema", "DROP SCHEMA \(name) CASCADE") }
    }
}

extension PostgresSession {
    /// How many entries are folded in one transaction.
    private static let foldBatch = 256

    /// Folds into this schema what stands in another one's log behind what is folded already.
    fileprivate func foldLog(of source: PostgresSession, _ folded: inout FoldedLog, _ fold: Fold) throws(StoreError) {
        try takeLedgers(from: source)
        var statistics = StatisticsSchedule()
        while true {
            let batch = try source.logEntries(after: folded.last, limit: PostgresSession.foldBatch)
            guard !batch.isEmpty else { return }
            try ownTransaction("replay.fold") { for entry in batch { try fold(entry, self) } }
            for entry in batch { folded.note(entry.sequence) }
            folded.forgetOldGaps()
            if statistics.isDue(after: folded.entries) { try analyze() }
        }
    }

    /// Folds what was being written while the log was read: entries whose numbers were given out before, and which were committed after.
    fileprivate func foldMissed(of source: PostgresSession, _ folded: inout FoldedLog, _ fold: Fold) throws(StoreError) {
        try takeLedgers(from: source)
        for gap in folded.gaps {
            var last = gap.lowerBound - 1
            while last < gap.upperBound {
                let limit = min(PostgresSession.foldBatch, Int(gap.upperBound - last))
                let batch = try source.logEntries(after: last, limit: limit).filter { gap.contains($0.sequence) }
                guard let newest = batch.last else { break }
                try ownTransaction("replay.fold") { for entry in batch { try fold(entry, self) } }
                folded.entries += Int64(batch.count)
                last = newest.sequence
            }
        }
        folded.gaps = []
    }

    /// Gives the ledgers the numbers they have there, so that rows can be compared as they are.
    private func takeLedgers(from source: PostgresSession) throws(StoreError) {
        let ledgers = try source.postgres {
            try $0.rows("replay.ledgers", SQL.ledgers) { (try $0.int64(0), try $0.text(1), try $0.text(2)) }
        }
        try ownTransaction("replay.putLedger") {
            for (id, app, environment) in ledgers {
                try postgres { try $0.queue("replay.putLedger", SQL.putLedger, id, app, environment) }
            }
        }
    }

    /// Puts rebuilt tables in place of the kept ones. Aliases refer to customers, so these two go together.
    fileprivate func replace(_ tables: Set<String>, from scratch: String) throws(StoreError) {
        let schema = try postgres { try $0.first("replay.schema", SQL.schema) { try $0.text(0) } } ?? "public"
        let namesCustomers = !tables.isDisjoint(with: ["aliases", "customers"])
        let emptied = foldedTables.filter(tables.contains) + (namesCustomers ? ["aliases", "customers"] : [])
        let deletions = emptied.map { "DELETE FROM \"\(schema)\".\($0);" }
        let insertions = emptied.reversed().map { "INSERT INTO \"\(schema)\".\($0) SELECT * FROM \(scratch).\($0);" }
        // Numbers of customers go on after the greatest.
        let renumbered =
            namesCustomers
            ? [
                "SELECT setval(pg_get_serial_sequence('\"\(schema)\".customers', 'id'), (SELECT coalesce(max(id), 0) + 1 FROM \"\(schema)\".customers), false);"
            ] : []
        try postgres { try $0.executeScript("replay.replace", (deletions + insertions + renumbered).joined(separator: "\n")) }
    }

    fileprivate func findNamelessCustomers(_ differences: inout Differences) throws(StoreError) {
        for id in try postgres({ try $0.rows("replay.nameless", SQL.nameless) { try $0.int64(0) } }) {
            differences.add("customers", "\(id): kept, but has no name")
        }
    }
}

/// Which entries of a log are folded: those up to the last, but for some numbers that nothing stood under when it was read. Most of these stay
/// empty, since a repeat of a message uses up a number too; behind others a transaction was under way.
struct FoldedLog: Sendable {
    /// No transaction lasts for as long as it takes to give out so many numbers.
    private static let reach: Int64 = 500_000
    var entries: Int64 = 0
    private(set) var last: Int64 = 0
    var gaps: [ClosedRange<Int64>] = []

    mutating func note(_ sequence: Int64) {
        if sequence > last + 1 { gaps.append(last + 1...sequence - 1) }
        last = sequence
        entries += 1
    }

    mutating func forgetOldGaps() {
        let oldest = last - FoldedLog.reach
        if let first = gaps.first, first.upperBound < oldest { gaps.removeAll { $0.upperBound < oldest } }
    }
}
