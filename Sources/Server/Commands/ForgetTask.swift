import Domain
import Ingest
import Store

/// `forget`: removes a person's identifiers and usage from every table and the raw log; totals stay.
package struct ForgetTask: Sendable {
    let configFile: String
    let app: String
    let customer: String
    let environment: String?
    let json: Bool

    package init(configFile: String, app: String, customer: String, environment: String?, json: Bool) {
        self.configFile = configFile
        self.app = app
        self.customer = customer
        self.environment = environment
        self.json = json
    }

    package func run(_ console: Console) async throws -> ExitCode {
        let configuration = try Configuration.load(configFile, console)
        let settings = try configuration.app(named: app)
        let environments = try CommandLineEnvironment(environment).all
        let ref = AppAccountToken.looksLikeUUID(customer) ? customer.lowercased() : customer
        let store: any Store
        do { store = try await DeskCore.openExistingStore(configuration.database) } catch { throw CommandFault("\(configFile): \(error)") }
        var reports: [Forgetting.Report] = []
        do {
            for environment in environments {
                let ledger = Ledger(app: settings.id, environment: environment)
                if let report = try await Forgetting(ref, in: ledger).run(on: store, at: SystemTime().now()) { reports.append(report) }
            }
        } catch {
            await store.close()
            throw CommandFault("nothing was removed: \(error)", .notSo)
        }
        await store.close()
        guard !reports.isEmpty else { throw CommandFault("--customer: nobody is known by this name in \(settings.id)", .notSo) }
        try say(Outcome(purchases: reports.map(\.purchases).reduce(0, +), logEntries: reports.map(\.logEntries).reduce(0, +)), console)
        return .done
    }

    private func say(_ outcome: Outcome, _ console: Console) throws {
        if json { return try console.print(json: outcome) }
        console.print(
            "forgotten: \(outcome.purchases) purchases now stand under pseudonyms, \(outcome.logEntries) log entries were rewritten")
    }

    private struct Outcome: Encodable {
        var purchases: Int
        var logEntries: Int
    }
}
