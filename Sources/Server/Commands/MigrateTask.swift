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

    package init(configFile: String, from: String?, to: String?) {
        self.configFile = configFile
        self.from = from
        self.to = to
    }

    package func run(_ console: Console) async throws -> ExitCode {
        let configuration = try Configuration.load(configFile, console)
        guard from != nil || to != nil else {
            try await open(configuration.database).close()
            console.print("the schema is up to date: \(migrations.map(\.number).max() ?? 0)")
            return .done
        }
        guard let from = from.flatMap(sqlitePath), let to, to.hasPrefix("postgres") else {
            throw CommandFault("a copy goes from one engine to the other: --from sqlite:FILE --to postgres://user:password@host/db")
        }
        return try await copy(from, to, console)
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
            console.print("\(rows) rows copied")
            let isSame = try await check(source, target, console)
            await source.close()
            await target.close()
            return isSame ? .done : .notSo
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
    private func check(_ source: any Store, _ target: any Store, _ console: Console) async throws(StoreError) -> Bool {
        let (a, b) = (try await FoldedDigest.of(source), try await FoldedDigest.of(target))
        for key in Set(a.keys).union(b.keys).sorted() where a[key] != b[key] { console.print("\(key): differs") }
        let report = try await target.replay(repair: false) { entry, tx throws(StoreError) in try foldLogEntry(entry, tx) }
        for difference in report.differences { console.print(difference) }
        let isSame = a == b && report.differences.isEmpty
        console.print("\(report.entries) log entries folded: \(isSame ? "both databases hold the same" : "the databases differ")")
        return isSame
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
