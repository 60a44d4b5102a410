import Domain

extension StoreEnvironment {
    /// Opens a round of a request.
    /// - Returns: Its number.
    package mutating func request(
        _ transactionID: String, _ reason: ConsumptionRequestReason, text: String?, switchesRenewalOff: Bool, at now: Timestamp
    ) throws(SimulatorError) -> Int {
        let transaction = try world.purchase(transactionID).transaction
        guard transaction.isPurchased else { throw SimulatorError("Only the purchaser of \(transactionID) can ask for a refund.") }
        guard transaction.revocationDate == nil else { throw SimulatorError("Transaction \(transactionID) is refunded already.") }
        if requests[transactionID]?.last?.outcome == nil, requests[transactionID] != nil {
            throw SimulatorError("A request for transaction \(transactionID) is undecided yet.")
        }
        let round = (requests[transactionID]?.count ?? 0) + 1
        requests[transactionID, default: []].append(
            RefundRequest(transactionID: transactionID, reason: reason, text: text, requestedAt: now, round: round))
        try world.askForRefund(of: transactionID, reason, at: now)
        if switchesRenewalOff, world.chains[transaction.originalTransactionId] != nil {
            try world.setAutoRenew(false, of: transaction.originalTransactionId, at: now)
        }
        return round
    }

    /// Decides a round that is undecided yet, by what was answered in its window.
    package mutating func decide(
        _ transactionID: String, round: Int, _ style: DecisionStyle, seed: UInt64, at now: Timestamp
    ) throws(SimulatorError) {
        guard let request = requests[transactionID]?.last, request.round == round, request.outcome == nil else { return }
        let transaction = try world.purchase(transactionID).transaction
        let decision = RefundDecision(request: request, transaction: transaction, receipt: receipt(for: request), now: now)
        let outcome = decision.outcome(style, seed: seed)
        requests[transactionID]?[round - 1].outcome = outcome
        let reason: Int32 = request.reason == .fulfillmentIssue || request.reason == .unsatisfiedWithPurchase ? 1 : 0
        switch outcome {
        case .declined: try world.declineRefund(of: transactionID, at: now)
        case .granted: try world.refund(transactionID, reason: reason, at: now)
        case .prorated(let share): try world.refund(transactionID, percentage: share, reason: reason, at: now)
        }
    }

    /// The last answer within the window of a request. What comes later is accepted, and changes nothing.
    private func receipt(for request: RefundRequest) -> ConsumptionReceipt? {
        let end = request.requestedAt + world.environment.answerWindow
        return receipts[request.transactionID]?.last { request.requestedAt <= $0.receivedAt && $0.receivedAt <= end }
    }
}
