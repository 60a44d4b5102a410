import SQLite
import Store

typealias Fold = @Sendable (LogEntry, any WriteTransaction) throws(StoreError) -> Void

/// Folds the whole log anew in a scratch database and compares what came out with what is kept.
///
/// On a queue of its own, with the log as it stands at the start. Its memory does not grow with the log.
actor Replayer {
    private let executor = SerialQueueExecutor(label: "store.replay")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// What was found, and how far the log was read.
    struct Finding: Sendable {
        var entries: Int64 = 0
        var lastSequence: Int64 = 0
        var differences = Differences()
    }

    func export(_ path: String, _ line: (FoldedLine) -> Void) throws(StoreError) {
        let kept = try SQLiteSession.forReading(path)
        try kept.prepareComparison()
        try kept.transaction("replay.export", .read) {
            for table in try kept.comparedTables() { try kept.export(table, line) }
        }
    }

    func compare(_ path: String, with scratch: ScratchFile, _ fold: Fold) throws(StoreError) -> Finding {
        let kept = try SQLiteSession.forReading(path)
        let rebuilt = try scratch.open(migrations, headersFrom: kept)
        for session in [kept, rebuilt] { try session.prepareComparison() }
        return try kept.transaction("replay.read", .read) {
            var finding = Finding()
            (finding.entries, finding.lastSequence) = try rebuilt.foldLog(of: kept, after: 0, fold)
            for table in try kept.comparedTables() { try kept.compare(table, with: rebuilt, &finding.differences) }
            try kept.findNamelessCustomers(&finding.differences)
            return finding
        }
    }
}

private enum SQL {
    static let ledgers: StaticString = "SELECT id, app, environment FROM ledgers"
    static let putLedger: StaticString = "INSERT OR IGNORE INTO ledgers (id, app, environment) VALUES (?1, ?2, ?3)"
}

extension SQLiteSession {
    /// How many entries are folded in one transaction.
    private static let foldBatch = 256

    /// Folds into this database what stands in another one's log behind a sequence.
    ///
    /// - Returns: How many entries these were, and the last one's sequence.
    func foldLog(of source: SQLiteSession, after sequence: Int64, _ fold: Fold) throws(StoreError) -> (entries: Int64, last: Int64) {
        try takeLedgers(from: source)
        var (entries, last) = (Int64(0), sequence)
        while true {
            let batch = try source.logEntries(after: last, limit: SQLiteSession.foldBatch)
            guard let newest = batch.last else { return (entries, last) }
            try transaction("replay.fold") {
                for entry in batch { try fold(entry, self) }
            }
            entries += Int64(batch.count)
            last = newest.sequence
        }
    }

    /// Gives the ledgers the numbers they have there, so that rows can be compared as they are.
    private func takeLedgers(from source: SQLiteSession) throws(StoreError) {
        let ledgers = try source.sqlite {
            try $0.rows("replay.ledgers", SQL.ledgers) { (try $0.int64(0), try $0.text(1), try $0.text(2)) }
        }
        for (id, app, environment) in ledgers {
            try sqlite { try $0.run("replay.putLedger", SQL.putLedger, id, app, environment) }
        }
    }
}
