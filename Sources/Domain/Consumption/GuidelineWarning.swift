/// What in a decision a reviewer of Apple's could hold against the owner, with the guideline it is about. A warning stops nothing.
///
/// - Source: App Review Guidelines 5.6 (Developer Code of Conduct), 5.6.4 (App Quality), 3.1.2(c) (Subscription Information).
package enum GuidelineWarning: String, Sendable, Hashable, Codable, CaseIterable {
    /// A decline is preferred for what the records say was never delivered.
    case declineOfUndelivered = "5.6 decline-of-undelivered"
    /// The records say both that the purchase was not delivered and that it was used.
    case usedButUndelivered = "5.6 used-but-undelivered"
    /// A decline is preferred within two days of a trial's first charge that the customer did not mean to pay.
    case declineAfterTrial = "3.1.2(c) decline-after-trial"

    package var guideline: String { String(rawValue.prefix { $0 != " " }) }

    /// What is wrong and what to do.
    package var text: String {
        switch self {
        case .declineOfUndelivered:
            "Guideline 5.6: a decline is preferred although the purchase was not delivered. Prefer GRANT_FULL, or send the data alone."
        case .usedButUndelivered:
            "Guideline 5.6: usage is recorded for a purchase that is said not to be delivered. Correct the delivery or the usage."
        case .declineAfterTrial:
            "Guideline 3.1.2(c): a decline is preferred right after a free trial's first charge, which the customer did not intend. "
                + "State price, first charge date and how to cancel where the trial is offered."
        }
    }

    static func of(_ decision: Decision, _ context: DecisionContext) -> [GuidelineWarning] {
        guard decision.kind != .abstain else { return [] }
        var warnings: [GuidelineWarning] = []
        let isUndelivered = context.delivery.map { $0 != .delivered } ?? false
        if isUndelivered, decision.preference == .decline { warnings.append(.declineOfUndelivered) }
        if isUndelivered, context.consumed.map({ $0.source == .usage && $0.thousandths > 0 }) ?? false {
            warnings.append(.usedButUndelivered)
        }
        if decision.preference == .decline, context.isUnintendedTrialConversion { warnings.append(.declineAfterTrial) }
        return warnings
    }
}

extension DecisionContext {
    /// Whether the customer says within two days of a trial's first charge that the purchase was not meant.
    fileprivate var isUnintendedTrialConversion: Bool {
        isConvertedFromTrial == true && round.rawReason == "UNINTENDED_PURCHASE"
            && round.requestedAt - purchase.transaction.purchaseDate < .hours(48)
    }
}
