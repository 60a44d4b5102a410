import Domain
import Foundation
import Reports
import Store

/// How a report is printed.
enum ReportFormat: String, CaseIterable {
    case table, csv, json
}

/// `report refunds` and its neighbours: figures from the counters of the database.
package struct ReportTask: Sendable {
    /// What stands on the command line, besides the kind.
    package struct Options: Sendable {
        package var configFile: String
        package var app: String
        package var environment: String?
        package var from: String?
        package var to: String?
        package var by: String?
        package var zone: String?
        package var format: String?
        package var table: String?

        package init(
            configFile: String, app: String, environment: String?, from: String?, to: String?, by: String?, zone: String?, format: String?,
            table: String?
        ) {
            self.configFile = configFile
            self.app = app
            self.environment = environment
            self.from = from
            self.to = to
            self.by = by
            self.zone = zone
            self.format = format
            self.table = table
        }
    }
    let kind: ReportKind
    let options: Options

    /// - Parameter kind: One of ``names``.
    package init(_ kind: String, _ options: Options) {
        self.kind = ReportKind(rawValue: kind) ?? .refunds
        self.options = options
    }

    package static let names = ReportKind.allCases.map(\.rawValue)
    /// What `--by` takes; empty where there is no choice.
    package static func groupings(of kind: String) -> [String] { ReportKind(rawValue: kind)?.groupings.map(\.rawValue) ?? [] }

    package func run(_ console: Console) async throws -> ExitCode {
        let configuration = try Configuration.load(options.configFile, console)
        let app = try configuration.app(named: options.app)
        let request = try request(app)
        let printing = try ReportPrinting(format: options.format, table: options.table, of: kind)
        let store: any Store
        do { store = try await DeskCore.openExistingStore(configuration.database) } catch {
            throw CommandFault("\(options.configFile): \(error)")
        }
        let document: ReportDocument
        do { document = try await store.read { [kind] tx throws(StoreError) in try kind.document(request, tx) } } catch {
            await store.close()
            throw CommandFault("the figures cannot be read: \(error)", .notSo)
        }
        await store.close()
        printing.print(document, console)
        return .done
    }

    private func request(_ app: AppConfiguration) throws(CommandFault) -> ReportRequest {
        let bounds = app.repeatRefunder
        let usual = kind == .customers ? Int64(bounds.days) : 30
        return ReportRequest(
            ledger: Ledger(app: app.id, environment: try CommandLineEnvironment(options.environment).one),
            span: try CommandLineDays(from: options.from, to: options.to, zone: options.zone, usual: usual).span,
            by: try grouping(), isSmallBusiness: app.economics.smallBusinessProgram, granted: bounds.granted, requested: bounds.requested)
    }

    private func grouping() throws(CommandFault) -> ReportGrouping {
        guard let text = options.by else { return kind.groupings.first ?? .product }
        guard let wanted = ReportGrouping(rawValue: text), kind.groupings.contains(wanted) else {
            throw CommandFault("--by takes \(kind.groupings.map(\.rawValue).joined(separator: ", ")), not \"\(text)\"")
        }
        return wanted
    }
}

/// `--from`, `--to` and `--zone`.
struct CommandLineDays {
    let span: ReportSpan

    /// - Parameter usual: How many days where no first one is given.
    init(from: String?, to: String?, zone: String?, usual: Int64) throws(CommandFault) {
        let zone = try CommandLineDays.zone(zone)
        let today = ReportDay(SystemTime().now())
        let end =
            try to.map { text throws(CommandFault) in ReportDay(try CommandLineDate(text, option: "to").instant).utc }
            ?? (zone == .utc ? today.utc : today.pacific) + 1
        let start =
            try from.map { text throws(CommandFault) in ReportDay(try CommandLineDate(text, option: "from").instant).utc }
            ?? end - usual
        guard start < end else { throw CommandFault("--from must be a day before --to, which does not belong to the report any more") }
        span = ReportSpan(from: start, to: end, zone: zone)
    }

    private static func zone(_ text: String?) throws(CommandFault) -> ReportZone {
        switch text?.lowercased() {
        case nil, "utc": return .utc
        case "pacific", "america/los_angeles": return .pacific
        default: throw CommandFault("--zone is UTC or Pacific, not \"\(text ?? "")\"")
        }
    }
}

/// Prints a report in the wanted form.
struct ReportPrinting {
    private let format: ReportFormat
    private let table: String?

    init(format: String?, table: String?, of kind: ReportKind) throws(CommandFault) {
        try self.init(format: format, table: table, tables: kind.tables)
    }

    /// - Parameter tables: The names of the report's tables.
    init(format: String?, table: String?, tables: [String]) throws(CommandFault) {
        guard let wanted = ReportFormat(rawValue: format ?? "table") else {
            throw CommandFault("--format is table, csv or json, not \"\(format ?? "")\"")
        }
        if let table, !tables.contains(table) {
            throw CommandFault("--table takes \(tables.joined(separator: ", ")), not \"\(table)\"")
        }
        self.format = wanted
        self.table = table
    }

    func print(_ document: ReportDocument, _ console: Console) {
        var document = document
        if let table { document.tables = document.tables.filter { $0.name == table } }
        switch format {
        case .table: console.print(TextRendering.text(document))
        case .json: console.print(JSONRendering.text(document))
        case .csv: if let first = document.tables.first { console.print(CSVRendering.text(document, table: first)) }
        }
    }
}
