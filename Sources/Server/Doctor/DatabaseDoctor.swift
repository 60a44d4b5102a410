import Domain
import Foundation
import Ingest
import SQLite
import Store
import StorePostgres

/// Looks at the database without changing it: a running server's, or one that no server has opened yet.
struct DatabaseDoctor: Sendable {
    struct Finding: Sendable {
        var checks: [HealthCheck]
        /// Open where there is a database of this version's schema.
        var store: (any Store)?
    }
    private let location: DatabaseLocation
    /// Reading more than this whole would take minutes.
    private static let largestReadWhole: Int64 = 2_000_000_000

    init(_ location: DatabaseLocation) { self.location = location }

    func examine(at now: Timestamp) async -> Finding {
        switch location {
        case .sqlite(let path): await examineFile(path)
        case .postgres(let url): await examineServer(url)
        }
    }

    private func examineServer(_ url: String) async -> Finding {
        do {
            let seen = try await PostgresExamination(url: url)
            let words = "\(seen.name), PostgreSQL \(seen.serverVersion), \(sizeText(seen.bytes))"
            let database =
                seen.isReadOnly
                ? HealthCheck.failed("database", "\(words), follows another server", remedy: "name the primary under `database`")
                : HealthCheck.ok("database", words)
            let connections = HealthCheck.ok(
                "connections", "each desk has \(seen.connectionsWanted), the server takes \(seen.connectionLimit)")
            if seen.isForeign {
                let remedy = "name a database, or a role with a schema, of the desk's own"
                return Finding(checks: [database, .failed("schema", "this is no desk's database", remedy: remedy)])
            }
            guard let steps = seen.steps else {
                let missing = HealthCheck.warning("schema", "there is none yet", remedy: "`serve` makes it at its first start")
                return Finding(checks: [database, missing, connections])
            }
            let (schema, isCurrent) = schemaCheck(newest: steps.newest, count: steps.count)
            return Finding(checks: [database, schema, connections], store: isCurrent ? try await DeskCore.openStore(location) : nil)
        } catch {
            return Finding(checks: [.failed("database", "\(error)", remedy: "check the URL under `database`, and that the server runs")])
        }
    }

    private func examineFile(_ path: String) async -> Finding {
        let disk = location.diskProbe?.measure()
        guard FileManager.default.fileExists(atPath: path) else {
            let missing = HealthCheck.warning("database", "\(path) is not there yet", remedy: "`serve` makes it at its first start")
            return Finding(checks: [missing, diskCheck(disk)])
        }
        do {
            let connection = try Connection(path: path, mode: .readOnly)
            let (schema, isCurrent) = try schemaCheck(connection)
            var checks = [HealthCheck.ok("database", "\(path), \(sizeText(disk?.databaseBytes ?? 0))"), schema]
            checks += [try journalCheck(connection), try integrityCheck(connection, disk), diskCheck(disk)]
            return Finding(checks: checks, store: isCurrent ? try await DeskCore.openStore(location) : nil)
        } catch {
            let remedy = "give this user the right to read it; a damaged file is replaced by a backup"
            return Finding(checks: [.failed("database", "\(error)", remedy: remedy), diskCheck(disk)])
        }
    }

    private func schemaCheck(_ connection: Connection) throws(SQLiteError) -> (HealthCheck, isCurrent: Bool) {
        let tables = try connection.first(
            "doctor.tables", "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'migrations'"
        ) { try $0.int64(0) }
        guard tables == 1 else {
            let check = HealthCheck.failed("schema", "this is no desk's database", remedy: "name a file of the desk's own under `database`")
            return (check, false)
        }
        let newest = try connection.first("doctor.newest", "SELECT coalesce(max(number), 0) FROM migrations") { try $0.int(0) } ?? 0
        let count = try connection.first("doctor.steps", "SELECT count(*) FROM migrations") { try $0.int(0) } ?? 0
        return schemaCheck(newest: newest, count: count)
    }

    private func schemaCheck(newest: Int, count: Int) -> (HealthCheck, isCurrent: Bool) {
        let known = migrations.map(\.number).max() ?? 0
        guard newest <= known else {
            return (.failed("schema", "version \(newest), newer than this program's \(known)", remedy: "run the newer version"), false)
        }
        guard count == migrations.count else {
            let remedy = "start `serve` once: it brings the schema up to date"
            return (.warning("schema", "\(count) of this program's \(migrations.count) steps", remedy: remedy), false)
        }
        return (.ok("schema", "version \(newest)"), true)
    }

    private func journalCheck(_ connection: Connection) throws(SQLiteError) -> HealthCheck {
        let mode = try connection.first("doctor.journal", "PRAGMA journal_mode") { try $0.text(0) } ?? "unknown"
        return mode == "wal"
            ? .ok("journal-mode", "write-ahead log")
            : .warning("journal-mode", "\(mode) instead of a write-ahead log", remedy: "start `serve` once, on a local disk")
    }

    private func integrityCheck(_ connection: Connection, _ disk: DiskUsage?) throws(SQLiteError) -> HealthCheck {
        guard let size = disk?.databaseBytes, size <= DatabaseDoctor.largestReadWhole else {
            return .ok("integrity", "not read whole: larger than \(sizeText(DatabaseDoctor.largestReadWhole))")
        }
        let problems = try connection.integrityProblems()
        guard let first = problems.first else { return .ok("integrity", "every page is sound") }
        return .failed(
            "integrity", "\(problems.count) problems; the first: \(first)", remedy: "stop the server, keep the file, restore a backup")
    }

    private func diskCheck(_ usage: DiskUsage?) -> HealthCheck {
        guard let usage else { return .warning("disk", "free space cannot be measured", remedy: "check the folder of the database") }
        guard let shortage = usage.shortage else { return .ok("disk", "\(sizeText(usage.freeBytes)) free") }
        return .warning("disk", shortage, remedy: "free space or enlarge the disk: once it is full, nothing is acknowledged")
    }
}
