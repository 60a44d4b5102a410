import Domain
import Store

/// By what a report is broken down.
package enum ReportGrouping: String, Sendable, CaseIterable {
    case day, week, month, product, reason, storefront, offer, daysSincePurchase, commitmentMonth, rule

    /// The dimension of cases; nil where days are told apart.
    var caseDimension: CaseDimension? {
        switch self {
        case .day, .week, .month: nil
        case .product: .product
        case .reason: .reason
        case .storefront: .storefront
        case .offer: .offer
        case .daysSincePurchase: .age
        case .commitmentMonth: .commitment
        case .rule: .rule
        }
    }

    var days: DayDetail {
        switch self {
        case .day, .week: .apart
        case .month: .byMonth
        case .product, .reason, .storefront, .offer, .daysSincePurchase, .commitmentMonth, .rule: .together
        }
    }

    /// Where sales are told apart in the same way, what they are told apart by. Where days are, storefronts have the fewest rows to add up.
    var saleDimension: String? {
        switch self {
        case .product: ReportDimension.product
        case .day, .week, .month, .storefront: ReportDimension.storefront
        case .offer: ReportDimension.offer
        case .commitmentMonth: ReportDimension.commitment
        case .reason, .daysSincePurchase, .rule: nil
        }
    }

    var heading: String {
        switch self {
        case .day: "day"
        case .week: "week of (Monday)"
        case .month: "month"
        case .product: "product"
        case .reason: "reason"
        case .storefront: "storefront"
        case .offer: "offer"
        case .daysSincePurchase: "days since purchase"
        case .commitmentMonth: "commitment month"
        case .rule: "rule"
        }
    }

    /// The group of a row.
    package func group(value: String, day: Int64?) -> String {
        guard let day else { return value }
        let date = CivilDate(daysSinceEpoch: day)
        switch self {
        case .week: return CivilDate(daysSinceEpoch: day - ((day + 3) % 7 + 7) % 7).text  // 1970-01-01 was a Thursday.
        case .month: return String(date.text.dropLast(3))
        default: return date.text
        }
    }

    /// Groups in the order in which people expect them.
    func isBefore(_ a: String, _ b: String) -> Bool {
        let order: [String]
        switch self {
        case .daysSincePurchase: order = DayBucket.allCases.map(\.rawValue)
        case .commitmentMonth: order = [ReportWord.none] + (1...12).map { "\($0)" }
        default: return a < b
        }
        let (first, second) = (order.firstIndex(of: a) ?? .max, order.firstIndex(of: b) ?? .max)
        return (first, a) < (second, b)
    }
}

/// What is wanted of a report.
package struct ReportRequest: Sendable {
    package var ledger: Ledger
    package var span: ReportSpan
    package var by: ReportGrouping
    /// Whether the owner is in the App Store Small Business Program.
    package var isSmallBusiness: Bool
    /// From how many refunds that stand, or requests, within the span on a customer is listed.
    package var granted: Int
    package var requested: Int

    package init(
        ledger: Ledger, span: ReportSpan, by: ReportGrouping = .product, isSmallBusiness: Bool = false, granted: Int = 2, requested: Int = 3
    ) {
        self.ledger = ledger
        self.span = span
        self.by = by
        self.isSmallBusiness = isSmallBusiness
        self.granted = granted
        self.requested = requested
    }

    var scope: ReportScope { ReportScope(ledger: ledger, span: span) }
}

/// The reports that are made from the counters.
package enum ReportKind: String, Sendable, CaseIterable {
    case refunds, outcomes, costs, customers, prevention

    /// How the breakdown may be chosen; the first is the default. Empty where there is no choice.
    package var groupings: [ReportGrouping] {
        switch self {
        case .refunds: [.product, .day, .week, .month, .reason, .storefront, .offer, .daysSincePurchase, .commitmentMonth, .rule]
        case .costs: [.product, .day, .week, .month, .reason, .storefront]
        case .outcomes, .customers, .prevention: []
        }
    }

    /// The names of its tables, the main one first.
    package var tables: [String] {
        switch self {
        case .refunds: ["byRequestDate", "byPurchaseDate", "amountsByRequestDate", "amountsByPurchaseDate"]
        case .outcomes: ["bySent", "byRule", "holdout", "course"]
        case .costs: ["costs"]
        case .customers: ["customers"]
        case .prevention: ["products", "offers", "rates"]
        }
    }

    /// Reads what the report needs, in one view, and makes it.
    package func document(_ request: ReportRequest, _ tx: any ReadTransaction) throws(StoreError) -> ReportDocument {
        switch self {
        case .refunds: try RefundsReport(request, tx).document
        case .outcomes: try OutcomesReport(request, tx).document
        case .costs: try CostsReport(request, tx).document
        case .customers: try CustomersReport(request, tx).document
        case .prevention: try PreventionReport(request, tx).document
        }
    }
}
