import Domain
import HTTPServer
import Reports
import Store

extension DeskAPI {
    static let reportRoutes: [Route] = [
        report(.refunds, "/v1/apps/{app}/reports/refunds", "How often refunds were asked for, what came of it, and the sales beside it."),
        report(.outcomes, "/v1/apps/{app}/reports/outcomes", "What Apple decided by what was sent, by rule and by holdout, and how fast."),
        report(.costs, "/v1/apps/{app}/reports/costs", "What refunds cost: proceeds (an estimate), recorded unit costs, payments lost."),
        report(.customers, "/v1/apps/{app}/reports/customers", "Who came back for refunds, and for how much."),
        report(
            .prevention, "/v1/apps/{app}/reports/prevention",
            "Unintended purchases soon after trials and renewals, and the rate of requests."),
    ]

    private static func report(_ kind: ReportKind, _ path: PathPattern, _ summary: String) -> Route {
        .get(
            path,
            Operation(
                id: "report\(kind.rawValue.prefix(1).uppercased())\(kind.rawValue.dropFirst())", summary: summary,
                query: [.environment, .from, .to, .zone] + (kind.groupings.isEmpty ? [] : [.by(kind.groupings)])
                    + [.format, .table(kind.tables)],
                answer: .table(Schema.report(kind))),
            { desk in { call throws(Problem) in try await desk.report(kind, call) } })
    }

    private func report(_ kind: ReportKind, _ call: Call) async throws(Problem) -> HTTPResponse {
        let app = try call.app().id
        let bounds = repeatRefundBounds(app)
        let request = ReportRequest(
            ledger: try call.ledger(), span: try call.reportSpan(kind == .customers ? Int64(bounds.days) : 30),
            by: try call.grouping(of: kind), isSmallBusiness: isInSmallBusinessProgram(app), granted: bounds.granted,
            requested: bounds.requested)
        let (format, table) = (try call.choice("format", of: ServedFormat.self) ?? .json, try call.table(of: kind))
        var document = try await read { tx throws(StoreError) in try kind.document(request, tx) }
        if let table { document.tables = document.tables.filter { $0.name == table } }
        return document.response(format)
    }
}

private enum ServedFormat: String, CaseIterable {
    case json, csv
}

extension ReportDocument {
    /// CSV holds one table, the first.
    fileprivate func response(_ format: ServedFormat) -> HTTPResponse {
        guard format == .csv, let first = tables.first else {
            return HTTPResponse(JSON.verbatim(Array(JSONRendering.text(self).utf8)))
        }
        let text = CSVRendering.text(self, table: first) + "\n"
        return HTTPResponse(
            headers: [("Content-Type", "text/csv; charset=utf-8"), ("Cache-Control", "no-store")], body: Array(text.utf8))
    }
}

extension Call {
    /// The days `[from, to)`; without them the last ones, today included.
    fileprivate func reportSpan(_ usual: Int64) throws(Problem) -> ReportSpan {
        let zone = try choice("zone", of: ReportZone.self) ?? .utc
        let today = ReportDay(now)
        let to = try day("to") ?? (zone == .utc ? today.utc : today.pacific) + 1
        let from = try day("from") ?? to - usual
        guard from < to else { throw .invalid("from", "must be a day before `to`, which does not belong to the report any more.") }
        return ReportSpan(from: from, to: to, zone: zone)
    }

    private func day(_ name: String) throws(Problem) -> Int64? {
        guard let text = try text(name) else { return nil }
        let instant = Timestamp(utc: text + "T00:00Z") ?? Int64(text).flatMap(Timestamp.init(plausible:))
        guard let instant else { throw .invalid(name, "must be a day such as 2026-11-01, or milliseconds since the epoch.") }
        return ReportDay(instant).utc
    }

    /// The one table that is wanted; nil for all.
    fileprivate func table(of kind: ReportKind) throws(Problem) -> String? {
        guard let name = try text("table") else { return nil }
        guard kind.tables.contains(name) else { throw .invalid("table", "must be one of: \(kind.tables.joined(separator: ", ")).") }
        return name
    }

    fileprivate func grouping(of kind: ReportKind) throws(Problem) -> ReportGrouping {
        guard let usual = kind.groupings.first else { return .product }
        guard let wanted = try choice("by", of: ReportGrouping.self) else { return usual }
        guard kind.groupings.contains(wanted) else {
            throw .invalid("by", "must be one of: \(kind.groupings.map(\.rawValue).joined(separator: ", ")).")
        }
        return wanted
    }
}

extension Operation.QueryParameter {
    fileprivate static let from = Self(name: "from", schema: .day, text: "First day, such as 2026-11-01; else 30 days before `to`.")
    fileprivate static let to = Self(name: "to", schema: .day, text: "The day after the last; else tomorrow.")
    fileprivate static let zone = Self(
        name: "zone", schema: .word(ReportZone.self), text: "In which zone days are counted; UTC without it. Apple's reports use the other."
    )

    fileprivate static let format = Self(
        name: "format", schema: .word(ServedFormat.self), text: "`json` without it; `csv` gives one table, the first where none is named.")

    /// - Parameter names: Not empty.
    fileprivate static func table(_ names: [String]) -> Self {
        Self(name: "table", schema: .word(names), text: "Only this table; all of them without it.")
    }

    /// - Parameter groupings: Not empty.
    fileprivate static func by(_ groupings: [ReportGrouping]) -> Self {
        let words = groupings.map(\.rawValue)
        return Self(name: "by", schema: .word(words), text: "The breakdown; `\(words[0])` without it.")
    }
}

extension Schema {
    /// - Source: docs/reports.md defines each figure.
    fileprivate static func report(_ kind: ReportKind) -> Schema {
        let row = Schema(json: ["type": "object"])
        let head: [(name: String, schema: Schema)] = [
            ("report", .word([kind.rawValue])), ("app", .string), ("environment", .word(Environment.self)),
            ("from", .string.described("First day.")), ("to", .string.described("The day after the last.")),
            ("zone", .word(ReportZone.self)), ("notes", .array(of: .string).described("What the figures mean, in sentences.")),
        ]
        let tables = kind.tables.map { (name: $0, schema: Schema.array(of: row)) }
        return .object(members: head + tables, optional: Set(kind.tables))
    }
}
