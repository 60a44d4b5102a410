/// What reports count of one case: a pure function of its folded state.
///
/// It is kept beside the case, so that a late fact that changes the case takes back exactly what the case had contributed. Short names on
/// the way into the database: there may be millions.
package struct CaseFacts: Hashable, Sendable, Codable {
    package enum Outcome: String, Sendable, Codable, CaseIterable {
        case undecided = "open"
        case declined
        case full
        case prorated
        case seats
        case reversed
    }
    /// The first request; where nobody asked, the first word of the decision.
    package var openedAt: Timestamp
    package var purchasedAt: Timestamp?
    package var isAsked: Bool
    package var productID: String
    /// The customer's reason in the first round.
    package var reason: String
    package var storefront: String
    package var offer: String
    package var daysSincePurchase: String
    package var commitmentMonth: String
    package var currency: String
    /// The list price, in milliunits; nothing in the sandbox.
    package var price: Int64
    package var outcome: Outcome
    package var rounds: [RoundFacts]
    package var refund: RefundFacts?
    /// How the disputed period began, where that matters for what could have prevented the request.
    package var start: PeriodStart?
    /// The trial's offer, where a trial's conversion was unintended.
    package var startOffer: String?

    private enum CodingKeys: String, CodingKey {
        case openedAt = "t"
        case purchasedAt = "p"
        case isAsked = "a"
        case productID = "i"
        case reason = "w"
        case storefront = "s"
        case offer = "f"
        case daysSincePurchase = "d"
        case commitmentMonth = "m"
        case currency = "c"
        case price = "x"
        case outcome = "o"
        case rounds = "r"
        case refund = "b"
        case start = "g"
        case startOffer = "h"
    }
}

/// One round as reports count it.
package struct RoundFacts: Hashable, Sendable, Codable {
    /// Where a rule lets a share of cases go without an answer: on which side the case is.
    package enum Arm: String, Sendable, Codable, CaseIterable {
        case answered
        case heldOut = "held-out"
    }
    package var requestedAt: Timestamp
    /// A preference, ``dataOnly`` or ``nothing``: what Apple had accepted.
    package var sent: String
    /// Whose word counted; ``noRule`` where no rule was asked.
    package var rule: String
    package var arm: Arm?
    /// nil while undecided.
    package var outcome: Round.Outcome.Kind?
    package var secondsToDecision: Int64?

    package static let dataOnly = "data-only"
    package static let nothing = "nothing"
    package static let noRule = "(none)"

    private enum CodingKeys: String, CodingKey {
        case requestedAt = "t"
        case sent = "s"
        case rule = "r"
        case arm = "h"
        case outcome = "o"
        case secondsToDecision = "d"
    }
}

extension Round.Outcome.Kind: Codable {}

/// A refund as reports count it, reversed or not.
package struct RefundFacts: Hashable, Sendable, Codable {
    /// The day on which Apple's own reports have it.
    package var date: Timestamp
    package var kind: CaseFacts.Outcome
    package var isReversed: Bool
    package var units: Int64
    /// Whether an auto-renewable subscription was refunded.
    package var isSubscription: Bool
    /// Of the list price, in milliunits.
    package var amount: Int64
    /// Whether the customer had paid for more than a year, as far as dates tell.
    package var isAfterFirstYear: Bool
    /// What the owner's unit costs of the refunded period were when its case was decided; nil where that was not recorded.
    package var unitCost: Int64?
    /// Payments of a commitment that will not come any more.
    package var paymentsLost: Int64

    private enum CodingKeys: String, CodingKey {
        case date = "t"
        case kind = "k"
        case isReversed = "v"
        case units = "u"
        case isSubscription = "n"
        case amount = "x"
        case isAfterFirstYear = "y"
        case unitCost = "c"
        case paymentsLost = "l"
    }
}

/// What the customer was charged for shortly before asking.
package enum PeriodStart: String, Sendable, Codable, CaseIterable {
    /// UNINTENDED_PURCHASE within 48 hours of the first payment after a free trial.
    case conversion
    /// UNINTENDED_PURCHASE within 48 hours of any other renewal.
    case renewal
    /// Anything else.
    case other
}
