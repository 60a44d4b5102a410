import Ingest
import Store

/// `replay`: rebuilds all folded state from the log, or only compares.
package struct ReplayTask: Sendable {
    let configFile: String
    let checkOnly: Bool
    let json: Bool

    package init(configFile: String, checkOnly: Bool, json: Bool) {
        self.configFile = configFile
        self.checkOnly = checkOnly
        self.json = json
    }

    package func run(_ console: Console) async throws -> ExitCode {
        let configuration = try Configuration.load(configFile, console)
        let store: any Store
        do { store = try await DeskCore.openExistingStore(configuration.database) } catch { throw CommandFault("\(configFile): \(error)") }
        let report: ReplayReport
        let progress = ProgressCount("log entries folded")
        do {
            report = try await store.replay(repair: !checkOnly) { entry, tx throws(StoreError) in
                progress.advance()
                try foldLogEntry(entry, tx)
            }
            progress.finish()
        } catch {
            progress.finish()
            await store.close()
            throw CommandFault("the log cannot be folded: \(error)", .notSo)
        }
        await store.close()
        try say(report, console)
        return report.differences.isEmpty || !checkOnly ? .done : .notSo
    }

    private func say(_ report: ReplayReport, _ console: Console) throws {
        if json { return try console.print(json: Outcome(entries: report.entries, differences: report.differences)) }
        for difference in report.differences { console.print(difference) }
        let verdict =
            report.differences.isEmpty ? "no difference" : "\(report.differences.count) differences\(checkOnly ? "" : ", mended")"
        console.print("\(report.entries) log entries folded: \(verdict)")
    }

    private struct Outcome: Encodable {
        var entries: Int64
        var differences: [String]
    }
}
