import AppStore
import Domain
import Ingest
import Outbox
import Store

/// `reconcile`: asks Apple for the status of subscriptions whose truth may be stale, and takes the answers in.
package struct ReconcileTask: Sendable {
    let configFile: String
    let app: String
    let json: Bool

    package init(configFile: String, app: String, json: Bool) {
        self.configFile = configFile
        self.app = app
        self.json = json
    }

    package func run(_ console: Console) async throws -> ExitCode {
        let configuration = try Configuration.load(configFile, console)
        let settings = try configuration.app(named: app)
        let core: DeskCore
        do { core = try await DeskCore(configuration, time: SystemTime()) } catch { throw CommandFault("\(configFile): \(error)") }
        var outcome = Outcome()
        for environment in settings.environments.sorted(by: { $0.rawValue < $1.rawValue }) {
            do { try await reconcile(Ledger(app: settings.id, environment: environment), core, &outcome, console) } catch {
                await core.close()
                throw error
            }
        }
        await core.close()
        if json {
            try console.print(json: outcome)
        } else {
            console.print("\(outcome.asked) subscriptions asked about, \(outcome.failed) without an answer")
        }
        return outcome.failed == 0 ? .done : .notSo
    }

    private struct Outcome: Encodable {
        var asked = 0
        var failed = 0
    }

    private func reconcile(_ ledger: Ledger, _ core: DeskCore, _ outcome: inout Outcome, _ console: Console) async throws {
        guard let api = core.apis[ledger], let app = core.apps[ledger.app] else { return }
        var page = PageRequest(limit: 200)
        let progress = ProgressCount("subscriptions asked about")
        defer { progress.finish() }
        repeat {
            let request = page
            let now = core.time.now()
            let found = try await core.store.read { tx throws(StoreError) in
                try staleChains(of: app, in: ledger, page: request, at: now, tx)
            }
            for original in found.items {
                outcome.asked += 1
                progress.advance()
                if !(await ask(original, ledger, api, core, console)) { outcome.failed += 1 }
            }
            page.cursor = found.nextCursor
        } while page.cursor != nil
    }

    private func ask(_ original: TransactionID, _ ledger: Ledger, _ api: AppStoreServerAPI, _ core: DeskCore, _ console: Console) async
        -> Bool
    {
        let asked = core.time.now()
        do {
            let statuses = try await statuses(of: original, api, core)
            try await core.intake.receiveStatuses(statuses.signedRows, of: original, in: ledger, askedAt: asked)
            return true
        } catch {
            console.error("\(original): \((error as? AppStoreServerAPIError)?.explanation ?? "\(error)")")
            return false
        }
    }

    /// Asks once more where Apple's limit stands in the way for a while.
    private func statuses(
        of original: TransactionID, _ api: AppStoreServerAPI, _ core: DeskCore
    ) async throws -> StatusResponse {
        do throws(AppStoreServerAPIError) { return try await api.getAllSubscriptionStatuses(anyTransactionID: original.rawValue) } catch {
            guard let end = error.retryAfter, end - core.time.now() < .minutes(10) else { throw error }
            try await core.time.sleep(until: end)
            return try await api.getAllSubscriptionStatuses(anyTransactionID: original.rawValue)
        }
    }
}
