import Domain
import Postgres
import Store

private enum SQL {
    static let create: StaticString = """
        CREATE TABLE IF NOT EXISTS migrations (number BIGINT PRIMARY KEY, name TEXT NOT NULL, applied_at_ms BIGINT NOT NULL)
        """
    static let lock: StaticString = "SELECT pg_advisory_xact_lock($1)"
    static let noLimit: StaticString = "SELECT set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true)"
    static let applied: StaticString = "SELECT number FROM migrations"
    static let record: StaticString = "INSERT INTO migrations (number, name, applied_at_ms) VALUES ($1, $2, $3)"
    static let encoding: StaticString = "SELECT current_setting('server_encoding')"
}

extension PostgresSession {
    /// Brings the schema up to the newest of the given steps, all in one transaction; of several processes one does it, and the others
    /// wait.
    ///
    /// - Throws: `schema` where the database is newer than the steps or no desk's at all.
    func migrate(by steps: [Migration], at now: Timestamp, isScratch: Bool = false) throws(StoreError) {
        if !isScratch {
            let tables = try postgres { try $0.tables() }
            if try missing(of: steps, tables: tables).isEmpty { return }
        }
        try ownTransaction("migrations.apply") {
            try postgres { connection in
                try connection.queue("migrations.lock", SQL.lock, AdvisoryKey.migration.number)
                try connection.queue("migrations.limit", SQL.noLimit)
            }
            let tables = try postgres { try $0.tables() }
            let missing = try missing(of: steps, tables: tables)
            try postgres { try $0.run("migrations.create", SQL.create) }
            for step in missing {
                try postgres { connection in
                    try connection.executeScript("migrations.apply", step.forPostgres(isScratch: isScratch))
                    try connection.run("migrations.record", SQL.record, step.number, step.name, now)
                }
            }
            try fillReports()
        }
    }

    /// The steps that are not applied yet.
    private func missing(of steps: [Migration], tables: [String]) throws(StoreError) -> [Migration] {
        guard tables.contains("migrations") else {
            try checkIsOurs(tables)
            return steps
        }
        let applied = try postgres { try $0.rows("migrations.applied", SQL.applied) { try $0.int(0) } }
        let known = steps.map(\.number).max() ?? 0
        if let newest = applied.max(), newest > known {
            throw StoreError(
                code: .schema, operation: "migrations.check",
                detail: "\(database) has schema \(newest), but this version knows schemas up to \(known): run the newer version")
        }
        return steps.filter { !applied.contains($0.number) }
    }

    private func checkIsOurs(_ tables: [String]) throws(StoreError) {
        guard tables.isEmpty else {
            throw StoreError(
                code: .schema, operation: "migrations.check",
                detail: "\(database) belongs to another program: name a database, or a role with a schema, of the desk's own")
        }
        let encoding = try postgres { try $0.first("migrations.encoding", SQL.encoding) { try $0.text(0) } }
        guard encoding == "UTF8" else {
            throw StoreError(
                code: .schema, operation: "migrations.check",
                detail: "\(database) keeps text as \(encoding ?? "?"): make it with ENCODING 'UTF8'")
        }
    }
}

extension Migration {
    /// The step in PostgreSQL's words. Text is compared byte by byte, as SQLite does, whatever the database's language.
    ///
    /// - Parameter isScratch: Whether what it makes will be thrown away, and need not survive a crash.
    fileprivate func forPostgres(isScratch: Bool) -> String {
        let text = postgres.replacing(" TEXT", with: " TEXT COLLATE \"C\"")
        guard isScratch else { return text }
        // A table in parts is never unlogged.
        return text.replacing("CREATE TABLE ", with: "CREATE UNLOGGED TABLE ")
            .replacing("CREATE UNLOGGED TABLE log_bodies", with: "CREATE TABLE log_bodies")
    }
}
