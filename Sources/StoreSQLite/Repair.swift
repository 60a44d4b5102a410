import SQLite
import Store

private enum SQL {
    static let attach: StaticString = "ATTACH DATABASE ?1 AS rebuilt"
    static let detach: StaticString = "DETACH DATABASE rebuilt"
    static let lastSequence: StaticString = "SELECT coalesce(max(sequence), 0), count(*) FROM main.log"
}

extension SQLiteSession {
    /// Puts rebuilt tables in place of the kept ones, in one transaction.
    ///
    /// Runs on the writer, so that nothing is written meanwhile; what came in since the rebuild is folded first.
    ///
    /// - Throws: `busy` where another process wrote in the very moment.
    func repair(_ tables: Set<String>, from scratch: ScratchFile, after finding: Replayer.Finding, _ fold: Fold) throws(StoreError) {
        let (entries, last) = try catchUp(scratch, after: finding.lastSequence, fold)
        try sqlite { try $0.run("repair.attach", SQL.attach, scratch.path) }
        defer { _ = try? sqlite { try $0.run("repair.detach", SQL.detach) } }
        try transaction("repair") {
            let newest = try connection.first("repair.last", SQL.lastSequence) { (try $0.int64(0), try $0.int64(1)) }
            // Nor may an entry have gone since it was folded.
            guard let newest, newest == (last, finding.entries + entries) else {
                throw StoreError(code: .busy, operation: "repair", detail: "another process is writing to \(database): try again")
            }
            try connection.executeScript("repair.replace", SQLiteSession.replacement(of: tables))
        }
    }

    /// - Returns: How many entries were folded, and the last that is folded now.
    private func catchUp(
        _ scratch: ScratchFile, after sequence: Int64, _ fold: Fold
    ) throws(StoreError) -> (entries: Int64, last: Int64) {
        let rebuilt = try scratch.open(migrations, headersFrom: self)
        return try rebuilt.foldLog(of: self, after: sequence, fold)
    }

    /// Aliases refer to customers, so these two go together.
    private static func replacement(of tables: Set<String>) -> String {
        let namesCustomers = !tables.isDisjoint(with: ["aliases", "customers"])
        let emptied = foldedTables.filter(tables.contains) + (namesCustomers ? ["aliases", "customers"] : [])
        let deletions = emptied.map { "DELETE FROM main.\($0);" }
        let insertions = emptied.reversed().map { "INSERT INTO main.\($0) SELECT * FROM rebuilt.\($0);" }
        return (deletions + insertions).joined(separator: "\n")
    }
}
