import Domain

extension StoreWorld {
    /// A customer asks, or Apple asks again: `CONSUMPTION_REQUEST`.
    package mutating func askForRefund(
        of transactionID: String, _ reason: ConsumptionRequestReason, at now: Timestamp
    ) throws(SimulatorError) {
        _ = try purchase(transactionID)
        emit(.consumptionRequest, about: transactionID, at: now, reason: reason)
    }

    /// Apple refunds. What family members hold through the purchase is revoked with it.
    ///
    /// - Parameter percentage: The share given back, in thousandths of a percent; nil is all of it.
    package mutating func refund(
        _ transactionID: String, percentage: Int32? = nil, reason: Int32 = 0, at now: Timestamp
    ) throws(SimulatorError) {
        let purchase = try purchase(transactionID)
        let type = percentage == nil ? RevocationType.refundFull : .refundProrated
        revoke(transactionID, type, percentage: percentage ?? 100_000, reason: reason, at: now)
        emit(.refund, about: transactionID, at: now)
        for member in purchase.familyTransactionIDs where purchases[member]?.transaction.revocationDate == nil {
            revoke(member, .familyRevoke, percentage: nil, reason: reason, at: now)
            emit(.revoke, about: member, at: now)
        }
    }

    package mutating func declineRefund(of transactionID: String, at now: Timestamp) throws(SimulatorError) {
        _ = try purchase(transactionID)
        emit(.refundDeclined, about: transactionID, at: now)
    }

    /// A refund is undone after a dispute.
    /// - Parameter keepsDate: Whether copies go on carrying the old date; Apple documents only that the percentage is gone.
    package mutating func reverseRefund(
        of transactionID: String, keepsDate: Bool = false, at now: Timestamp
    ) throws(SimulatorError) {
        guard try purchase(transactionID).transaction.revocationDate != nil else {
            throw SimulatorError("Transaction \(transactionID) is not refunded.")
        }
        modify(transactionID, at: now) { transaction in
            transaction.revocationPercentage = nil
            guard !keepsDate else { return }
            transaction.revocationDate = nil
            transaction.revocationReason = nil
            transaction.revocationType = nil
        }
        emit(.refundReversed, about: transactionID, at: now)
    }

    /// Some seats of a purchase are refunded; the purchaser's own access stays.
    package mutating func refundSeats(_ count: Int32, of transactionID: String, at now: Timestamp) throws(SimulatorError) {
        _ = try purchase(transactionID)
        modify(transactionID, at: now) { $0.multiSeatInfo?.revokedSeatQuantity = count }
        emit(.refund, .seats, about: transactionID, at: now)
    }

    /// A member of the family gets what the purchaser shares.
    /// - Returns: The member's own `transactionId`.
    @discardableResult
    package mutating func share(
        _ transactionID: String, with member: StoreCustomer, at now: Timestamp
    ) throws(SimulatorError) -> String {
        let shared = try purchase(transactionID).transaction
        let product = try product(shared.productId, in: shared.bundleId)
        guard product.isFamilyShareable else { throw SimulatorError("\(product.id) cannot be shared.") }
        var copy = newTransaction(of: product, for: member, id: makeID(), at: now)
        copy.inAppOwnershipType = InAppOwnershipType.familyShared.rawValue
        copy.expiresDate = shared.expiresDate
        copy.price = nil
        copy.currency = nil
        insert(copy, at: now)
        purchases[transactionID]?.familyTransactionIDs.append(copy.transactionId)
        guard product.type == .autoRenewableSubscription else {
            emit(.oneTimeCharge, about: copy.transactionId, at: now)
            return copy.transactionId
        }
        chains[copy.originalTransactionId] = newChain(of: copy, product)
        emit(.subscribed, .initialBuy, about: copy.transactionId, at: now)
        return copy.transactionId
    }

    /// Sharing ends for one member.
    package mutating func stopSharing(_ memberTransactionID: String, at now: Timestamp) throws(SimulatorError) {
        _ = try purchase(memberTransactionID)
        revoke(memberTransactionID, .familyRevoke, percentage: nil, reason: 0, at: now)
        emit(.revoke, about: memberTransactionID, at: now)
    }

    private mutating func revoke(
        _ transactionID: String, _ type: RevocationType, percentage: Int32?, reason: Int32, at now: Timestamp
    ) {
        modify(transactionID, at: now) { transaction in
            transaction.revocationDate = now.milliseconds
            transaction.revocationReason = reason
            transaction.revocationType = type.rawValue
            transaction.revocationPercentage = percentage
        }
        guard let original = purchases[transactionID]?.transaction.originalTransactionId,
            chains[original]?.newestTransactionID == transactionID
        else { return }
        // The current period: nothing follows it, and a commitment ends with it.
        chains[original]?.renewal.autoRenewStatus = 0
        chains[original]?.renewal.expirationIntent = 5
        chains[original]?.renewal.commitmentInfo?.commitmentAutoRenewStatus = 0
    }
}
