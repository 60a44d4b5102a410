import Domain
import Foundation
import Reports
import Store

/// `sales import`: takes Apple's Summary Sales, Subscription Event and Subscriber files in.
package struct SalesImportTask: Sendable {
    let configFile: String
    let app: String
    let sku: String?
    let files: [String]
    let json: Bool

    package init(configFile: String, app: String, sku: String?, files: [String], json: Bool) {
        self.configFile = configFile
        self.app = app
        self.sku = sku
        self.files = files
        self.json = json
    }

    /// Every file that can be read is imported, whatever comes of the others.
    package func run(_ console: Console) async throws -> ExitCode {
        guard !files.isEmpty else { throw CommandFault("name the files to import: .txt or .txt.gz, as App Store Connect gives them") }
        let configuration = try Configuration.load(configFile, console)
        let settings = try configuration.app(named: app)
        let store: any Store
        do { store = try await DeskCore.openExistingStore(configuration.database) } catch { throw CommandFault("\(configFile): \(error)") }
        var outcomes: [SalesOutcome] = []
        for file in files { outcomes.append(await take(file, settings, store)) }
        await store.close()
        return try console.print(outcomes, json: json)
    }

    private func take(_ name: String, _ app: AppConfiguration, _ store: any Store) async -> SalesOutcome {
        var outcome = SalesOutcome(file: name)
        do {
            guard let data = try? Data(contentsOf: URL(filePath: name)) else { throw CommandFault("it cannot be read") }
            let file = try SalesFile(Array(data), name: name, of: SalesApp(appleID: app.appAppleID, sku: sku))
            let (id, now) = (app.id, SystemTime().now())
            let result = try await store.write { tx throws(StoreError) in try SalesDesk(id, tx, at: now).take(file) }
            outcome.describe(file, result)
        } catch let fault as CommandFault { outcome.error = fault.message } catch { outcome.error = "\(error)" }
        return outcome
    }
}

/// `sales check`: compares imported files with the refunds received.
package struct SalesCheckTask: Sendable {
    let configFile: String
    let app: String
    let kind: String?
    let from: String?
    let to: String?
    let format: String?
    let table: String?

    package init(configFile: String, app: String, kind: String?, from: String?, to: String?, format: String?, table: String?) {
        self.configFile = configFile
        self.app = app
        self.kind = kind
        self.from = from
        self.to = to
        self.format = format
        self.table = table
    }

    package func run(_ console: Console) async throws -> ExitCode {
        let configuration = try Configuration.load(configFile, console)
        let ledger = Ledger(app: try configuration.app(named: app).id, environment: .production)
        guard let wanted = SalesFileKind(rawValue: kind ?? "summary") else {
            throw CommandFault("--kind is summary, event or subscriber, not \"\(kind ?? "")\"")
        }
        let span = try CommandLineDays(from: from, to: to, zone: "Pacific", usual: 30).span
        let printing = try ReportPrinting(format: format, table: table, tables: SalesCheck.tables)
        let store: any Store
        do { store = try await DeskCore.openExistingStore(configuration.database) } catch { throw CommandFault("\(configFile): \(error)") }
        let check: SalesCheck
        do { check = try await store.read { tx throws(StoreError) in try SalesCheck(wanted, ledger, span, tx) } } catch {
            await store.close()
            throw CommandFault("the figures cannot be read: \(error)", .notSo)
        }
        await store.close()
        printing.print(check.document, console)
        return check.isClean ? .done : .notSo
    }
}
