import Domain
import Reports
import Store

/// What a visitor wants to know, read from the query. What cannot be read is as if it were not there.
struct ReportQuestion: Sendable {
    var kind: ReportKind
    var by: ReportGrouping
    var span: ReportSpan

    init(_ visit: Visit) {
        let kind = visit.query("report").flatMap(ReportKind.init(rawValue:)) ?? .refunds
        let zone = visit.query("zone").flatMap(ReportZone.init(rawValue:)) ?? .utc
        let today = zone == .utc ? ReportDay(visit.now).utc : ReportDay(visit.now).pacific
        let last = min(ReportQuestion.day(visit.query("last")) ?? today, today)
        let from = ReportQuestion.day(visit.query("from")) ?? last - 29
        let by = visit.query("by").flatMap(ReportGrouping.init(rawValue:)).flatMap { kind.groupings.contains($0) ? $0 : nil }
        self.kind = kind
        // Over time first, where that can be told: it is what a page is looked at for.
        self.by = by ?? (kind == .refunds ? .day : kind.groupings.first ?? .product)
        span = ReportSpan(from: min(from, last), to: last + 1, zone: zone)
    }

    private static func day(_ text: String?) -> Int64? {
        text.flatMap { Timestamp(utc: $0 + "T00:00Z") }.map { CivilDate($0).daysSinceEpoch }
    }

    /// The same question in a query.
    func asked(on link: Link) -> Link {
        link.adding("report", kind.rawValue).adding("by", kind.groupings.isEmpty ? nil : by.rawValue)
            .adding("from", CivilDate(daysSinceEpoch: span.from).text).adding("last", CivilDate(daysSinceEpoch: span.to - 1).text)
            .adding("zone", span.zone == .utc ? nil : span.zone.rawValue)
    }
}

/// One report with its figures as the charts need them, and as tables.
struct ReportModel: Sendable {
    enum Figures: Sendable {
        case refunds(RefundsReport)
        case outcomes(OutcomesReport)
        case costs(CostsReport)
        case customers(CustomersReport)
        case prevention(PreventionReport)
    }
    let question: ReportQuestion
    let figures: Figures
    let document: ReportDocument

    init(_ question: ReportQuestion, _ request: ReportRequest, _ tx: any ReadTransaction) throws(StoreError) {
        self.question = question
        switch question.kind {
        case .refunds:
            let report = try RefundsReport(request, tx)
            (figures, document) = (.refunds(report), report.document)
        case .outcomes:
            let report = try OutcomesReport(request, tx)
            (figures, document) = (.outcomes(report), report.document)
        case .costs:
            let report = try CostsReport(request, tx)
            (figures, document) = (.costs(report), report.document)
        case .customers:
            let report = try CustomersReport(request, tx)
            (figures, document) = (.customers(report), report.document)
        case .prevention:
            let report = try PreventionReport(request, tx)
            (figures, document) = (.prevention(report), report.document)
        }
    }
}
