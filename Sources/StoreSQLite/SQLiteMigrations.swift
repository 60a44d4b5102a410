import Domain
import SQLite
import Store

private enum SQL {
    static let create: StaticString = """
        CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at_ms INTEGER NOT NULL) STRICT
        """
    static let newest: StaticString = "SELECT coalesce(max(number), 0) FROM migrations"
    static let isApplied: StaticString = "SELECT 1 FROM migrations WHERE number = ?1"
    static let record: StaticString = "INSERT INTO migrations (number, name, applied_at_ms) VALUES (?1, ?2, ?3)"
}

extension SQLiteSession {
    /// Brings the schema up to the newest of the given steps, each in a transaction of its own.
    ///
    /// - Throws: `schema` where the database is newer than the steps or no desk's at all; `busy`, where another process holds it.
    func migrate(by steps: [Migration], at now: Timestamp) throws(StoreError) {
        let tables = try sqlite { try $0.tables() }
        guard tables.isEmpty || tables.contains("migrations") else {
            throw StoreError(
                code: .schema, operation: "migrations.check",
                detail: "\(database) belongs to another program: name a file of the desk's own")
        }
        try transaction("migrations.create") {
            try sqlite { connection in try connection.run("migrations.create", SQL.create) }
        }
        try refuseNewer(than: steps)
        for step in steps { try apply(step, at: now) }
        try fillReports()
    }

    private func refuseNewer(than steps: [Migration]) throws(StoreError) {
        let known = steps.map(\.number).max() ?? 0
        let applied = try newestMigration()
        guard applied > known else { return }
        throw StoreError(
            code: .schema, operation: "migrations.check",
            detail: "\(database) has schema \(applied), but this version knows schemas up to \(known): run the newer version")
    }

    /// Does nothing where it is applied already, be it a moment ago by another process. Each step counts by itself: one may land later than
    /// the next.
    private func apply(_ step: Migration, at now: Timestamp) throws(StoreError) {
        try transaction("migrations.apply") {
            guard try !isApplied(step.number) else { return }
            try sqlite { connection in
                try connection.executeScript("migrations.apply", step.sqlite)
                try connection.run("migrations.record", SQL.record, step.number, step.name, now)
            }
        }
    }

    /// By its own number, not by the newest: two lines of work may land their steps in another order than they are numbered.
    private func isApplied(_ number: Int) throws(StoreError) -> Bool {
        try sqlite { try $0.first("migrations.isApplied", SQL.isApplied, number) { try $0.int(0) } } != nil
    }

    private func newestMigration() throws(StoreError) -> Int {
        try sqlite { try $0.first("migrations.newest", SQL.newest) { try $0.int(0) } } ?? 0
    }
}
