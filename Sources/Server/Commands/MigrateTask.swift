import Crypto
import Foundation
import Ingest
import Store
import StorePostgres
import StoreSQLite
import Synchronization

/// `migrate`: brings the configured database's schema up to date, or copies a SQLite desk into an empty PostgreSQL database.
package struct MigrateTask: Sendable {
    let configFile: String
    let from: String?
    let to: String?
    let json: Bool

    package init(configFile: String, from: String?, to: String?, json: Bool) {
        self.configFile = configFile
        self.from = from
        self.to = to
        self.json = json
    }

    package func run(_ console: Console) async throws -> ExitCode {
        let configuration = try Configuration.load(configFile, console)
        guard from != nil || to != nil else {
            try await open(configuration.database).close()
            let schema = migrations.map(\.number).max() ?? 0
            if json { try console.print(json: Schema(schema: schema)) } else { console.print("the schema is up to date: \(schema)") }
            return .done
        }
        guard let from = from.flatMap(sqlitePath), let to = try target(console), to.hasPrefix("postgres") else {
            throw CommandFault("a copy goes from one engine to the other: --from sqlite:FILE --to postgres://user:password@host/db")
        }
        return try await copy(from, to, console)
    }

    /// Arguments of a process can be read by everybody on the machine.
    private func target(_ console: Console) throws(CommandFault) -> String? {
        guard let to else { return nil }
        if !to.contains("${"), URLComponents(string: to)?.password != nil {
            console.error("note: the password stands in the list of processes while this runs; '${NAME}' is taken from the environment")
        }
        do throws(VariableText.Fault) { return try VariableText(raw: to).filled(ProcessInfo.processInfo.environment) } catch {
            throw CommandFault("--to: \(error.text)")
        }
    }

    private func sqlitePath(_ text: String) -> String? {
        guard text.hasPrefix("sqlite:"), text != "sqlite:" else { return nil }
        return URL(filePath: String(text.dropFirst("sqlite:".count))).path(percentEncoded: false)
    }

    private func copy(_ path: String, _ url: String, _ console: Console) async throws -> ExitCode {
        guard FileManager.default.fileExists(atPath: path) else { throw CommandFault("--from: there is no \(path)") }
        let source = try await open(.sqlite(path: path))
        let target = try await open(.postgres(url: url))
        do {
            let rows = try await copyRows(path, url)
            let outcome = try await compare(source, target, rows: rows)
            await source.close()
            await target.close()
            if json { try console.print(json: outcome) } else { console.print(outcome.text) }
            return outcome.differences.isEmpty ? .done : .notSo
        } catch {
            await source.close()
            await target.close()
            throw CommandFault("\(error)", .notSo)
        }
    }

    private func copyRows(_ path: String, _ url: String) async throws(StoreError) -> Int64 {
        let bar = Mutex<ProgressBar?>(nil)
        let total = Mutex<Int64>(0)
        try await SQLiteStore.copy(path: path) { count in
            total.withLock { $0 = count }
            bar.withLock { $0 = ProgressBar("copying", total: Int(count)) }
        } into: { (copyAll: (PostgresSink) throws(StoreError) -> Void) throws(StoreError) in
            try PostgresSink.fill(url: url) { count in
                bar.withLock { bar in for _ in 0..<count { bar?.advance() } }
            } _: { sink throws(StoreError) in
                try copyAll(sink)
            }
        }
        bar.withLock { $0?.finish() }
        return total.withLock { $0 }
    }

    /// Both must hold the same folded state, and the copied log must fold to it.
    private func compare(_ source: any Store, _ target: any Store, rows: Int64) async throws(StoreError) -> Copied {
        let (a, b) = (try await FoldedDigest.of(source), try await FoldedDigest.of(target))
        let unequal = Set(a.keys).union(b.keys).sorted().filter { a[$0] != b[$0] }.map { "\($0): differs" }
        let progress = ProgressCount("log entries folded")
        defer { progress.finish() }
        let report = try await target.replay(repair: false) { entry, tx throws(StoreError) in
            progress.advance()
            try foldLogEntry(entry, tx)
        }
        return Copied(rows: rows, entries: report.entries, differences: unequal + report.differences)
    }

    private struct Schema: Encodable {
        var schema: Int
    }
    private struct Copied: Encodable {
        var rows: Int64
        var entries: Int64
        var differences: [String]

        var text: String {
            let verdict = differences.isEmpty ? "both databases hold the same" : "the databases differ"
            return (["\(rows) rows copied"] + differences + ["\(entries) log entries folded: \(verdict)"]).joined(separator: "\n")
        }
    }

    private func open(_ location: DatabaseLocation) async throws(CommandFault) -> any Store {
        do { return try await DeskCore.openStore(location) } catch { throw CommandFault("\(error)") }
    }
}

/// What a database's folded state comes to: a hash for each table of each ledger.
package enum FoldedDigest {
    package static func of(_ store: any Store) async throws(StoreError) -> [String: [UInt8]] {
        let digests = Mutex<[String: [UInt8]]>([:])
        try await store.exportFolded { line in
            digests.withLock { digests in
                // Each hash covers the one before it, so that order and number count.
                let key = "\(line.ledger) \(line.table)"
                digests[key] = SHA256Digest.hash((digests[key] ?? []) + Array(line.text.utf8))
            }
        }
        return digests.withLock { $0 }
    }
}
