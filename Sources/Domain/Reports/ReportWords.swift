/// Words that stand for what a purchase or a case does not have.
package enum ReportWord {
    package static let none = "(none)"
    package static let unknown = "(unknown)"
    package static let notAsked = "(not asked)"
    /// The line of all groups.
    package static let all = "(all)"
}

/// Amounts in reports.
enum ReportAmount {
    /// Far above any price; sums of nine million of these still fit.
    private static let bound: Int64 = 1_000_000_000_000

    /// The sandbox is worth nothing.
    static func bounded(_ milliunits: Int64?, _ environment: Environment) -> Int64 {
        guard environment == .production, let milliunits else { return 0 }
        return min(max(milliunits, 0), bound)
    }
}

/// How long after the purchase something happened, in whole days.
package enum DayBucket: String, Sendable, CaseIterable {
    case sameDay = "0"
    case first = "1"
    case second = "2"
    case week = "3-6"
    case fortnight = "7-13"
    case month = "14-29"
    case twoMonths = "30-59"
    case quarter = "60-89"
    case later = "90+"
    case unknown = "(unknown)"

    init(since purchase: Timestamp?, until instant: Timestamp) {
        guard let purchase else {
            self = .unknown
            return
        }
        self =
            switch (instant - purchase).milliseconds / Span.days(1).milliseconds {
            case ..<1: .sameDay
            case 1: .first
            case 2: .second
            case 3...6: .week
            case 7...13: .fortnight
            case 14...29: .month
            case 30...59: .twoMonths
            case 60...89: .quarter
            default: .later
            }
    }
}

extension Transaction {
    /// The offer as one word and its identifier; nil where the purchase used none.
    package var reportedOffer: String? {
        let kind: String? =
            switch offerType {
            case nil: rawOfferDiscountType.map { _ in "offer" }
            case 1: "introductory"
            case 2: "promotional"
            case 3: "offer code"
            case 4: "win-back"
            case let other?: "offer type \(other)"
            }
        let words = [kind, offerIdentifier, rawOfferDiscountType].compactMap(\.self)
        return words.isEmpty ? nil : words.joined(separator: " ")
    }

    /// The month of a 12-month commitment; nil for any other purchase.
    package var reportedCommitmentMonth: String? {
        guard isMonthlyCommitment else { return nil }
        return commitment?.billingPeriodNumber.map { "\($0)" } ?? ReportWord.unknown
    }

    /// How many monthly payments a commitment has after this one; nil for any other purchase.
    var paymentsAfterThis: Int64? {
        guard isMonthlyCommitment, let commitment, commitment.isPlausible else { return nil }
        return commitment.billingPeriodNumber.map { 12 - Int64($0) }
    }

    /// Whether the chain began more than 365 days before this period. Days without service count as well, so this is an estimate.
    var isAfterFirstYear: Bool {
        guard isAutoRenewable, let originalPurchaseDate else { return false }
        return purchaseDate - originalPurchaseDate >= .days(365)
    }
}

/// What reports take from a purchase: where two copies of a transaction agree in this, no figure changes.
package struct ReportedPurchase: Hashable, Sendable {
    private let texts: [String?]
    private let numbers: [Int64?]

    package init(_ transaction: Transaction) {
        let commitment = transaction.commitment
        texts = [
            transaction.originalTransactionID.rawValue, transaction.productID.rawValue, transaction.rawType, transaction.storefront,
            transaction.currency, transaction.rawTransactionReason, transaction.rawOwnershipType, transaction.offerIdentifier,
            transaction.rawOfferDiscountType, transaction.rawBillingPlanType,
        ]
        numbers = [
            transaction.purchaseDate.milliseconds, transaction.originalPurchaseDate?.milliseconds, transaction.expiresDate?.milliseconds,
            transaction.price, Int64(transaction.quantity), transaction.offerType.map(Int64.init),
            commitment.map { Int64($0.billingPeriodNumber ?? -1) }, commitment.map { Int64($0.totalBillingPeriods ?? -1) },
        ]
    }
}

extension ExactDecimal {
    /// As money in milliunits, what is less left out; nil beyond 64 bits.
    var milliunits: Int64? {
        var (value, power) = (significand, exponent + 3)
        while power < 0, value != 0 {
            value /= 10
            power += 1
        }
        return ExactDecimal(significand: value, exponent: max(power, 0)).wholeNumber
    }
}
