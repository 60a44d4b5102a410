import Domain

/// How the simulated Apple makes up its mind.
package enum DecisionStyle: Sendable {
    /// As the sandbox: everything is granted, but for the words `DECLINE` and `GRANT_PRORATED` in the customer's text.
    case sandbox
    /// Roughly as Apple: drawn from the seed, with the developer's wish as one factor.
    case lifelike
}

/// A customer's request, as the store keeps it.
package struct RefundRequest: Hashable, Sendable {
    package var transactionID: String
    package var reason: ConsumptionRequestReason
    /// What the customer wrote with the reason `OTHER`.
    package var text: String?
    package var requestedAt: Timestamp
    /// Counts the requests for one transaction, from 1.
    package var round: Int
    package var outcome: RefundOutcome?
}

/// What comes of a request.
package enum RefundOutcome: Hashable, Sendable {
    case declined
    case granted
    /// The share given back, in thousandths of a percent.
    case prorated(Int32)
}

/// Decides one request.
struct RefundDecision {
    var request: RefundRequest
    var transaction: TransactionPayload
    /// The developer's answer, if one came within the window.
    var receipt: ConsumptionReceipt?
    var now: Timestamp

    func outcome(_ style: DecisionStyle, seed: UInt64) -> RefundOutcome {
        let outcome =
            switch style {
            case .sandbox: sandboxOutcome
            case .lifelike: lifelikeOutcome(seed: seed)
            }
        return switch outcome {
        case .prorated(let share) where share <= 0: .declined
        case .prorated(let share) where share >= 100_000: .granted
        default: outcome
        }
    }

    /// - Source: Testing refund requests.
    private var sandboxOutcome: RefundOutcome {
        if let share = receiptShare { return .prorated(share) }
        guard request.reason == .other else { return .granted }
        return switch request.text {
        case "DECLINE": .declined
        case "GRANT_PRORATED": .prorated(transaction.isAutoRenewable ? remainingShare : 50_000)
        default: .granted
        }
    }

    /// What an answer of `GRANT_PRORATED` leads to.
    private var receiptShare: Int32? {
        guard let receipt, receipt.refundPreference == .grantProrated else { return nil }
        return transaction.isAutoRenewable ? remainingShare : 100_000 - (receipt.consumptionPercentage ?? 50_000)
    }

    /// The part of the period that is left.
    var remainingShare: Int32 {
        guard let end = transaction.expiresDate, end > transaction.purchaseDate else { return 0 }
        let left = min(max(end - now.milliseconds, 0), end - transaction.purchaseDate)
        return Int32(left * 100_000 / (end - transaction.purchaseDate))
    }

    private func lifelikeOutcome(seed: UInt64) -> RefundOutcome {
        var draw = SplitMix64(seed: seed ^ (UInt64(transaction.transactionId) ?? 0) &+ UInt64(request.round) &* 0x1_0001)
        guard draw.chance(grantChance) else { return .declined }
        guard let share = receiptShare, draw.chance(80) else { return .granted }
        return .prorated(share)
    }

    /// In percent: what is undelivered goes back, a wish to decline is mostly honoured, a second request does better than a first.
    private var grantChance: Int {
        if let receipt, receipt.deliveryStatus != .delivered { return 97 }
        let base =
            switch receipt?.refundPreference {
            case .decline: 22
            case .grantFull: 95
            case .grantProrated: 85
            case nil: receipt == nil ? 74 : 66
            }
        return min(base + 12 * (request.round - 1), 98)
    }
}
