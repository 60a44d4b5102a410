import AppStore
import Crypto
import Domain
import Foundation
import HTTPClient
import Reports
import Store

/// `sales fetch`: fetches daily sales files through App Store Connect and takes them in.
package struct SalesFetchTask: Sendable {
    package struct Options: Sendable {
        var configFile: String
        var app: String
        var kind: String?
        var from: String?
        var to: String?
        var sku: String?
        var again: Bool
        var json: Bool

        package init(
            configFile: String, app: String, kind: String?, from: String?, to: String?, sku: String?, again: Bool, json: Bool
        ) {
            self.configFile = configFile
            self.app = app
            self.kind = kind
            self.from = from
            self.to = to
            self.sku = sku
            self.again = again
            self.json = json
        }
    }
    let options: Options

    package init(_ options: Options) { self.options = options }

    /// Days that were imported before are not asked for again; today has no file yet.
    package func run(_ console: Console) async throws -> ExitCode {
        let configuration = try Configuration.load(options.configFile, console)
        let app = try configuration.app(named: options.app)
        guard let settings = app.salesReports else {
            throw CommandFault(
                "the app has no salesReports: { vendorNumber, issuerId, keyId, privateKeyFile } of a Team key of App Store Connect")
        }
        guard let kind = SalesFileKind(rawValue: options.kind ?? "summary") else {
            throw CommandFault("--kind is summary, event or subscriber, not \"\(options.kind ?? "")\"")
        }
        let today = ReportDay(SystemTime().now()).pacific
        let span = try CommandLineDays(
            from: options.from, to: options.to ?? CivilDate(daysSinceEpoch: today).text, zone: "Pacific", usual: 30
        )
        .span
        let credentials = try credentials(settings)
        let store: any Store
        do { store = try await DeskCore.openExistingStore(configuration.database) } catch {
            throw CommandFault("\(options.configFile): \(error)")
        }
        let client = HTTPClient(userAgent: "refund-desk/\(Version.current)")
        let api = SalesReportsAPI(
            credentials, baseURL: settings.url, client: client, allowsPrivateTargets: configuration.simulated, time: SystemTime())
        let fetch = Fetch(api: api, app: app, kind: kind, vendor: settings.vendorNumber, sku: options.sku, store: store)
        let outcomes: [SalesOutcome]
        do { outcomes = try await fetch.run(from: span.from, to: min(span.to, today), again: options.again) } catch {
            await store.close()
            throw CommandFault("the imported days cannot be read: \(error)", .notSo)
        }
        await store.close()
        client.close()
        return try console.print(outcomes, json: options.json)
    }

    private func credentials(_ settings: SalesReportsConfiguration) throws(CommandFault) -> SalesReportsCredentials {
        do {
            let key = try P256PrivateKey(pem: String(contentsOf: URL(filePath: settings.privateKeyFile), encoding: .utf8))
            return SalesReportsCredentials(
                issuerID: settings.issuerID, keyID: settings.keyID, privateKey: key, vendorNumber: settings.vendorNumber)
        } catch {
            throw CommandFault("salesReports.privateKeyFile: \(settings.privateKeyFile) is no key of App Store Connect (.p8): \(error)")
        }
    }
}

private struct Fetch {
    let api: SalesReportsAPI
    let app: AppConfiguration
    let kind: SalesFileKind
    let vendor: String
    let sku: String?
    let store: any Store

    /// One day after the other; what Apple refuses once it refuses for all days.
    func run(from: Int64, to: Int64, again: Bool) async throws(StoreError) -> [SalesOutcome] {
        let (id, kind) = (app.id, kind)
        let known = try await store.read { tx throws(StoreError) in Set(try tx.salesDays(id, kind, from: from, to: to)) }
        var outcomes: [SalesOutcome] = []
        for day in from..<max(from, to) where again || !known.contains(day) {
            outcomes.append(await fetch(day))
            if outcomes.last?.error != nil { break }
        }
        return outcomes
    }

    private func fetch(_ day: Int64) async -> SalesOutcome {
        let date = CivilDate(daysSinceEpoch: day).text
        let name = "\(kind.filePrefix)_\(vendor)_\(date.filter { $0 != "-" }).txt.gz"
        var outcome = SalesOutcome(file: name)
        switch await api.report(kind.report, of: date) {
        case .none: outcome.result = "none"
        case .failed(let words): outcome.error = words
        case .file(let bytes):
            do {
                let file = try SalesFile(bytes, name: name, of: SalesApp(appleID: app.appAppleID, sku: sku))
                guard file.kind == kind else { throw CommandFault("Apple sent a \(file.kind.rawValue) file") }
                let (id, now) = (app.id, SystemTime().now())
                let result = try await store.write { tx throws(StoreError) in try SalesDesk(id, tx, at: now).take(file) }
                outcome.describe(file, result)
            } catch let fault as CommandFault { outcome.error = fault.message } catch { outcome.error = "\(error)" }
        }
        return outcome
    }
}

extension SalesFileKind {
    fileprivate var report: SalesReportsAPI.Report {
        switch self {
        case .summary: .sales
        case .event: .subscriptionEvent
        case .subscriber: .subscriber
        }
    }

    /// As App Store Connect names its files.
    fileprivate var filePrefix: String {
        switch self {
        case .summary: "S_D"
        case .event: "Subscription_Event"
        case .subscriber: "Subscriber"
        }
    }
}
