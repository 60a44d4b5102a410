import Domain
import Foundation
import Ingest
import Store

/// `policy test`: what a policy would have done with the requests of the past, and whom it would change.
package struct PolicyTestTask: Sendable {
    let configFile: String
    let app: String
    let draft: String?
    let since: String?
    let environment: String?
    let json: Bool

    package init(configFile: String, app: String, draft: String?, since: String?, environment: String?, json: Bool) {
        self.configFile = configFile
        self.app = app
        self.draft = draft
        self.since = since
        self.environment = environment
        self.json = json
    }

    package func run(_ console: Console) async throws -> ExitCode {
        let configuration = try Configuration.load(configFile, console)
        let settings = try configuration.app(named: app)
        let policy = try draft.map { try readDraft($0) } ?? settings.policy
        let start = try since.map { try CommandLineDate($0, option: "since").instant } ?? Timestamp(milliseconds: 0)
        let ledger = Ledger(app: settings.id, environment: try CommandLineEnvironment(environment).one)
        let store: any Store
        do { store = try await DeskCore.openExistingStore(configuration.database) } catch { throw CommandFault("\(configFile): \(error)") }
        let report: PolicyTrialReport
        do { report = try await PolicyTrial(policy, in: ledger, at: SystemTime().now()).run(on: store, since: start) } catch {
            await store.close()
            throw CommandFault("the past requests cannot be read: \(error)", .notSo)
        }
        await store.close()
        try say(report, console)
        return .done
    }

    private func readDraft(_ file: String) throws -> Policy {
        guard let text = try? Data(contentsOf: URL(filePath: file)) else { throw CommandFault("--draft: \(file) cannot be read") }
        let reading = PolicyReading(of: Array(text), variables: ProcessInfo.processInfo.environment)
        guard let policy = reading.policy, reading.mistakes.isEmpty else {
            let first = reading.mistakes.first.map { "\($0)" } ?? "it is no policy"
            throw CommandFault("--draft \(file): \(first) (see: refund-desk policy check \(file))")
        }
        return policy
    }

    private func say(_ report: PolicyTrialReport, _ console: Console) throws {
        let outcome = Outcome(report)
        if json { return try console.print(json: outcome) }
        console.print("\(outcome.requests) requests, \(outcome.changed) of them would be decided otherwise")
        for rule in outcome.rules {
            let share = String(format: "%.1f", rule.shareOfCustomers * 100)
            console.print("  \(rule.name): \(rule.requests) requests, \(rule.customers) customers (\(share) %)")
        }
        for change in outcome.changes.prefix(20) {
            console.print("  \(change.transactionId): \(change.was.text) -> \(change.becomes.text)")
        }
        if outcome.changes.count > 20 { console.print("  and \(outcome.changes.count - 20) more (--json lists all)") }
        for warning in outcome.warnings { console.print("warning: \(warning)") }
    }
}

private struct Outcome: Encodable {
    struct Rule: Encodable {
        var name: String
        var requests: Int
        var customers: Int
        var shareOfCustomers: Double
    }
    struct Change: Encodable {
        var transactionId: String
        var requestedAt: Int64
        var was: Verdict
        var becomes: Verdict
    }
    struct Verdict: Encodable {
        var kind: String
        var rule: String?
        var preference: String?
        var because: [String]

        init(_ decision: Decision) {
            kind = decision.kind.rawValue
            rule = decision.rule
            preference = decision.preference?.rawValue
            because = decision.because.map(\.rawValue)
        }

        var text: String {
            let what = preference ?? (kind == "answer" ? "data only" : kind)
            return rule.map { "\(what) by \"\($0)\"" } ?? what
        }
    }
    var requests: Int
    var changed: Int
    var rules: [Rule]
    var changes: [Change]
    var warnings: [String]

    init(_ report: PolicyTrialReport) {
        requests = report.requests
        changed = report.changes.count
        let all = max(report.customers.count, 1)
        rules = report.rules.map {
            Rule(
                name: $0.name, requests: $0.requests, customers: $0.customers.count,
                shareOfCustomers: Double($0.customers.count) / Double(all))
        }
        changes = report.changes.map {
            Change(
                transactionId: $0.transactionID.rawValue, requestedAt: $0.requestedAt.milliseconds, was: Verdict($0.was),
                becomes: Verdict($0.becomes))
        }
        warnings = report.warnings
    }
}
