import Domain

/// In which zone a report counts its days.
package enum ReportZone: String, Sendable, CaseIterable {
    case utc = "UTC"
    /// That of Apple's sales reports.
    case pacific = "America/Los_Angeles"
}

/// Days `[from, to)` of a zone, counted since 1970-01-01.
package struct ReportSpan: Hashable, Sendable {
    package var from: Int64
    package var to: Int64
    package var zone: ReportZone

    package init(from: Int64, to: Int64, zone: ReportZone) {
        self.from = from
        self.to = to
        self.zone = zone
    }
}

/// How finely a query tells days apart.
package enum DayDetail: Sendable {
    case together
    /// The first day of a month stands for all its days.
    case byMonth
    case apart
}

/// Which counters of cases are wanted, and what is told apart in them.
package struct CaseSumQuery: Sendable {
    package var ledger: Ledger
    package var basis: CaseBasis
    package var dimension: CaseDimension
    package var span: ReportSpan
    /// Whether each value of the dimension has rows of its own.
    package var byValue: Bool
    package var days: DayDetail

    package init(
        ledger: Ledger, basis: CaseBasis, dimension: CaseDimension, span: ReportSpan, byValue: Bool = true,
        days: DayDetail = .together
    ) {
        self.ledger = ledger
        self.basis = basis
        self.dimension = dimension
        self.span = span
        self.byValue = byValue
        self.days = days
    }
}

package struct CaseSumRow: Hashable, Sendable {
    /// Empty where values are not told apart.
    package var value: String
    package var currency: String
    /// nil where days are not told apart.
    package var day: Int64?
    package var sums: CaseSums

    package init(value: String, currency: String, day: Int64?, sums: CaseSums) {
        self.value = value
        self.currency = currency
        self.day = day
        self.sums = sums
    }
}

/// Which of the other counters are wanted.
package struct ReportSumQuery: Sendable {
    package var ledger: Ledger
    package var series: ReportSumKey.Series
    package var dimension: String
    package var span: ReportSpan
    package var byValue: Bool
    package var days: DayDetail

    package init(
        ledger: Ledger, series: ReportSumKey.Series, dimension: String, span: ReportSpan, byValue: Bool = true,
        days: DayDetail = .together
    ) {
        self.ledger = ledger
        self.series = series
        self.dimension = dimension
        self.span = span
        self.byValue = byValue
        self.days = days
    }
}

package struct ReportSumRow: Hashable, Sendable {
    package var value: String
    package var outcome: String
    package var currency: String
    package var day: Int64?
    package var sums: ReportSums

    package init(value: String, outcome: String, currency: String, day: Int64?, sums: ReportSums) {
        self.value = value
        self.outcome = outcome
        self.currency = currency
        self.day = day
        self.sums = sums
    }
}

package protocol ReportReading {
    func caseFacts(_ id: TransactionID, in ledger: Ledger) throws(StoreError) -> CaseFacts?
    /// In the order of value, currency and day; nothing that sums up to nothing.
    func caseSums(_ query: CaseSumQuery) throws(StoreError) -> [CaseSumRow]
    /// In the order of value, outcome, currency and day; nothing that sums up to nothing.
    func reportSums(_ query: ReportSumQuery) throws(StoreError) -> [ReportSumRow]
    /// Cases of a chain.
    func caseIDs(original: TransactionID, in ledger: Ledger) throws(StoreError) -> [TransactionID]
    /// The basis of the newest decision about a case that a policy made.
    func newestBasis(_ id: TransactionID, in ledger: Ledger) throws(StoreError) -> DecisionBasis?

    func allLedgers() throws(StoreError) -> [Ledger]
    /// In the order of their ids, behind one.
    func purchases(after id: TransactionID, limit: Int, in ledger: Ledger) throws(StoreError) -> [Purchase]
    func caseIDs(after id: TransactionID, limit: Int, in ledger: Ledger) throws(StoreError) -> [TransactionID]
}

package protocol ReportWriting {
    /// What is to be counted when the transaction ends: see ``PendingReports``.
    func note(_ change: ReportChange)
    /// Waits until no other transaction counts any of these cases, and keeps others waiting until this one ends.
    func holdForCounting(_ cases: [LedgerCase]) throws(StoreError)
    /// - Parameter facts: nil where there is no such case any more.
    func put(_ facts: CaseFacts?, of id: TransactionID, in ledger: Ledger) throws(StoreError)
    /// Adds to counters, in the order of their keys.
    func add(_ contribution: ReportContribution, in ledger: Ledger) throws(StoreError)
}

/// One case, wherever it is.
package struct LedgerCase: Hashable, Comparable, Sendable {
    package var ledger: Ledger
    package var id: TransactionID

    package init(_ ledger: Ledger, _ id: TransactionID) {
        self.ledger = ledger
        self.id = id
    }

    package static func < (a: LedgerCase, b: LedgerCase) -> Bool { (a.ledger, a.id) < (b.ledger, b.id) }
}

/// Something that changes what reports count.
package enum ReportChange: Sendable {
    /// A case, or something that its facts depend on, may be another one now.
    case touched(LedgerCase)
    /// A purchase was one thing and is another; nil where there was, or is, none.
    case purchase(Ledger, before: Transaction?, after: Transaction?)
}
