import Domain
import Foundation
import Ingest
import Store

/// `export`: every fact of the log as JSON lines, oldest first.
package struct ExportTask: Sendable {
    let configFile: String
    let app: String?

    package init(configFile: String, app: String?) {
        self.configFile = configFile
        self.app = app
    }

    package func run(_ console: Console) async throws -> ExitCode {
        let configuration = try Configuration.load(configFile, console)
        let wanted = try app.map { try configuration.app(named: $0).id }
        let store: any Store
        do { store = try await DeskCore.openExistingStore(configuration.database) } catch { throw CommandFault("\(configFile): \(error)") }
        // On a terminal the lines themselves show how it goes on.
        let progress = isatty(STDOUT_FILENO) == 1 ? nil : ProgressCount("log entries written")
        defer { progress?.finish() }
        do {
            var last: Int64 = 0
            while !console.isCut {
                let after = last
                let page = try await store.read { tx throws(StoreError) in
                    let entries = try tx.logEntries(after: after, limit: 500)
                    var lines: [String] = []
                    for entry in entries where wanted == nil || entry.ledger.app == wanted { lines.append(try exportedLine(entry, tx)) }
                    return (lines: lines, last: entries.last?.sequence)
                }
                if !page.lines.isEmpty { console.print(page.lines.joined(separator: "\n")) }
                progress?.advance(by: page.lines.count)
                guard let newest = page.last else { break }
                last = newest
            }
        } catch {
            await store.close()
            throw CommandFault("the log cannot be read: \(error)", .notSo)
        }
        await store.close()
        return .done
    }
}
