import Domain
import Foundation
import Outbox
import Store

/// `backfill`: reads Apple's notification history into the ordinary intake, and goes on where an earlier one was broken off.
package struct BackfillTask: Sendable {
    let configFile: String
    let app: String
    let since: String?
    let onlyFailures: Bool
    let environment: String?
    let json: Bool

    package init(configFile: String, app: String, since: String?, onlyFailures: Bool, environment: String?, json: Bool) {
        self.configFile = configFile
        self.app = app
        self.since = since
        self.onlyFailures = onlyFailures
        self.environment = environment
        self.json = json
    }

    package func run(_ console: Console) async throws -> ExitCode {
        let configuration = try Configuration.load(configFile, console)
        let ledgers = try ledgers(configuration)
        let since = try since.map { text throws(CommandFault) in try CommandLineDate(text, option: "since").instant }
        if let since, since >= SystemTime().now() { throw CommandFault("--since lies in the future") }
        let core: DeskCore
        do { core = try await DeskCore(configuration, time: SystemTime()) } catch { throw CommandFault("\(configFile): \(error)") }
        var outcome = Outcome(app: app)
        do {
            for ledger in ledgers {
                outcome.ledgers.append(
                    try await Backfill(core: core, ledger: ledger, console: console).run(since, onlyFailures: onlyFailures))
            }
        } catch {
            await core.close()
            throw error
        }
        await core.close()
        if json { try console.print(json: outcome) } else { for each in outcome.ledgers { console.print(each.line) } }
        return outcome.ledgers.allSatisfy { $0.error == nil } ? .done : .notSo
    }

    private func ledgers(_ configuration: Configuration) throws(CommandFault) -> [Ledger] {
        let settings = try configuration.app(named: app)
        let all = settings.environments.sorted { $0.rawValue < $1.rawValue }
        guard let environment else { return all.map { Ledger(app: settings.id, environment: $0) } }
        guard let one = all.first(where: { $0.rawValue == environment }) else {
            throw CommandFault("--environment: the app is configured for \(all.map(\.rawValue).joined(separator: " and "))")
        }
        return [Ledger(app: settings.id, environment: one)]
    }

    private struct Outcome: Encodable {
        var app: String
        var ledgers: [BackfillOutcome] = []
    }
}

/// What was read of one ledger's history.
struct BackfillOutcome: Encodable {
    var environment: String
    var from: Int64
    var to: Int64
    var onlyFailures: Bool
    /// Whether an earlier reading was gone on with.
    var resumed = false
    var seen: Int64 = 0
    var new: Int64 = 0
    var duplicates: Int64 = 0
    var quarantined: Int64 = 0
    var refused: Int64 = 0
    var failedSends: Int64 = 0
    /// Why it is not complete; nil where it is.
    var error: String?

    init(_ read: HistoryRead) {
        environment = read.ledger.environment.rawValue
        from = read.from.milliseconds
        to = read.to.milliseconds
        onlyFailures = read.onlyFailures
    }

    mutating func add(_ read: HistoryRead) {
        from = min(from, read.from.milliseconds)
        to = max(to, read.to.milliseconds)
        seen += read.counts.seen
        new += read.counts.new
        duplicates += read.counts.duplicates
        quarantined += read.counts.quarantined
        refused += read.counts.refused
        failedSends += read.counts.failedSends
    }

    var line: String {
        let span = "\(Self.text(from)) to \(Self.text(to))"
        let counts = "\(seen) seen, \(new) new, \(duplicates) duplicates, \(quarantined) quarantined, \(refused) refused, "
        return "\(environment), \(span): \(counts)\(failedSends) failed sends\(error == nil ? "" : "; not complete")"
    }

    private static func text(_ milliseconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(milliseconds) / 1_000).formatted(.iso8601)
    }
}
