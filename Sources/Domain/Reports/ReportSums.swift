/// One row of the other counters.
package struct ReportSumKey: Hashable, Comparable, Sendable {
    package enum Series: String, Sendable, CaseIterable {
        /// Purchases, on the day of their `purchaseDate`.
        case sale
        /// Rounds, on the day of their request.
        case round
        /// First rounds under a rule, on either side of its holdout; on the day of the request.
        case arm
        /// Decided rounds by how long the decision took, on the day of the request.
        case time
        /// Refunds, reversed or not, on the day of their `revocationDate`.
        case refund
        /// What refunds that stand cost, on the same day.
        case cost
        /// Requests by what could have prevented them, on the day of the request.
        case start
    }
    package var series: Series
    package var dimension: String
    package var tier = ReportTier.day
    package var day: ReportDay
    package var value: String
    package var outcome: String
    package var currency: String

    package init(_ series: Series, _ dimension: String, _ day: ReportDay, value: String, outcome: String = "", currency: String = "") {
        self.series = series
        self.dimension = dimension
        self.day = day
        self.value = value
        self.outcome = outcome
        self.currency = currency
    }

    package static func < (a: ReportSumKey, b: ReportSumKey) -> Bool {
        if (a.series, a.dimension, a.tier) != (b.series, b.dimension, b.tier) {
            return (a.series.rawValue, a.dimension, a.tier.rawValue) < (b.series.rawValue, b.dimension, b.tier.rawValue)
        }
        return (a.day, a.value, a.outcome, a.currency) < (b.day, b.value, b.outcome, b.currency)
    }
}

package struct ReportSums: Hashable, Sendable {
    package var count: Int64
    /// Units of quantity; of costs, see ``CostOutcome``.
    package var units: Int64
    /// Milliunits of the key's currency.
    package var amount: Int64

    package init(count: Int64 = 0, units: Int64 = 0, amount: Int64 = 0) {
        self.count = count
        self.units = units
        self.amount = amount
    }

    package static func += (sums: inout ReportSums, more: ReportSums) {
        sums.count += more.count
        sums.units += more.units
        sums.amount += more.amount
    }
    package static func -= (sums: inout ReportSums, less: ReportSums) {
        sums.count -= less.count
        sums.units -= less.units
        sums.amount -= less.amount
    }
}

/// What something adds to the counters. The difference of two is what a change of it adds.
package struct ReportContribution: Hashable, Sendable {
    package var cases: [CaseSumKey: CaseSums] = [:]
    package var sums: [ReportSumKey: ReportSums] = [:]

    package init() {}

    package mutating func add(_ more: ReportContribution) {
        for (key, value) in more.cases { cases[key, default: CaseSums()] += value }
        for (key, value) in more.sums { sums[key, default: ReportSums()] += value }
    }

    package mutating func subtract(_ less: ReportContribution) {
        for (key, value) in less.cases { cases[key, default: CaseSums()] -= value }
        for (key, value) in less.sums { sums[key, default: ReportSums()] -= value }
    }

    /// Without what changes nothing.
    package var changes: ReportContribution {
        var changes = self
        changes.cases = cases.filter { $0.value != CaseSums() }
        changes.sums = sums.filter { $0.value != ReportSums() }
        return changes
    }

    /// The same, counted by day and by month.
    package var inAllTiers: ReportContribution {
        var all = self
        for (key, value) in cases {
            var month = key
            (month.tier, month.day) = (.month, key.day.month)
            all.cases[month, default: CaseSums()] += value
        }
        for (key, value) in sums {
            var month = key
            (month.tier, month.day) = (.month, key.day.month)
            all.sums[month, default: ReportSums()] += value
        }
        return all
    }

    mutating func count(_ key: ReportSumKey, units: Int64 = 0, amount: Int64 = 0) {
        sums[key, default: ReportSums()] += ReportSums(count: 1, units: units, amount: amount)
    }
}
