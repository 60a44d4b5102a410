/// By which of its dates a case is counted.
package enum CaseBasis: String, Sendable, CaseIterable {
    /// The first request; where nobody asked, the first word of the decision.
    case requested
    case purchased
}

/// By what cases are told apart.
package enum CaseDimension: String, Sendable, CaseIterable {
    case product, reason, storefront, offer, age, commitment, rule
}

/// One row of the counters of cases.
package struct CaseSumKey: Hashable, Comparable, Sendable {
    package var basis: CaseBasis
    package var dimension: CaseDimension
    package var tier = ReportTier.day
    package var day: ReportDay
    package var value: String
    package var currency: String

    package init(_ basis: CaseBasis, _ dimension: CaseDimension, _ day: ReportDay, value: String, currency: String) {
        self.basis = basis
        self.dimension = dimension
        self.day = day
        self.value = value
        self.currency = currency
    }

    package static func < (a: CaseSumKey, b: CaseSumKey) -> Bool {
        (a.basis.rawValue, a.dimension.rawValue, a.tier.rawValue, a.day, a.value, a.currency)
            < (b.basis.rawValue, b.dimension.rawValue, b.tier.rawValue, b.day, b.value, b.currency)
    }
}

/// What is counted of cases. Amounts are list prices in milliunits of the key's currency.
package struct CaseSums: Hashable, Sendable {
    /// Cases that were asked about.
    package var requests: Int64 = 0
    /// Refunds, declines and reversals that nobody asked about.
    package var unasked: Int64 = 0
    /// Rounds of asking.
    package var rounds: Int64 = 0
    package var undecided: Int64 = 0
    package var declined: Int64 = 0
    package var grantedFull: Int64 = 0
    package var grantedProrated: Int64 = 0
    package var grantedSeats: Int64 = 0
    package var reversed: Int64 = 0
    /// Cases with more than one round.
    package var askedAgain: Int64 = 0
    /// Cases that were declined and refunded later.
    package var declinedThenRefunded: Int64 = 0
    /// The price of what was asked about or decided.
    package var price: Int64 = 0
    /// What stands refunded.
    package var refundedAmount: Int64 = 0
    /// What was refunded and taken back.
    package var reversedAmount: Int64 = 0

    package init() {}

    package var granted: Int64 { grantedFull + grantedProrated + grantedSeats }

    /// All figures, in the order of the table's columns.
    package static let members: [WritableKeyPath<CaseSums, Int64> & Sendable] = [
        \.requests, \.unasked, \.rounds, \.undecided, \.declined, \.grantedFull, \.grantedProrated, \.grantedSeats, \.reversed,
        \.askedAgain, \.declinedThenRefunded, \.price, \.refundedAmount, \.reversedAmount,
    ]

    package static func += (sums: inout CaseSums, more: CaseSums) {
        for member in members { sums[keyPath: member] += more[keyPath: member] }
    }

    package static func -= (sums: inout CaseSums, less: CaseSums) {
        for member in members { sums[keyPath: member] -= less[keyPath: member] }
    }
}

extension CaseSums {
    init(_ facts: CaseFacts) {
        requests = facts.isAsked ? 1 : 0
        unasked = facts.isAsked ? 0 : 1
        rounds = Int64(facts.rounds.count)
        switch facts.outcome {
        case .undecided: undecided = 1
        case .declined: declined = 1
        case .full: grantedFull = 1
        case .prorated: grantedProrated = 1
        case .seats: grantedSeats = 1
        case .reversed: reversed = 1
        }
        askedAgain = facts.rounds.count > 1 ? 1 : 0
        declinedThenRefunded = facts.isDeclinedThenRefunded ? 1 : 0
        price = facts.price
        if let refund = facts.refund {
            if refund.isReversed { reversedAmount = refund.amount } else { refundedAmount = refund.amount }
        }
    }
}
