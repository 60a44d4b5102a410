import Domain

extension StoreWorld {
    /// The next period begins where the last ended.
    @discardableResult
    package mutating func renew(_ originalTransactionID: String, at now: Timestamp) throws(SimulatorError) -> String {
        let end = try newestTransaction(of: originalTransactionID).expiresDate ?? now.milliseconds
        let id = try addPeriod(to: originalTransactionID, from: Timestamp(milliseconds: end), gap: 0, at: now)
        emit(.didRenew, about: id, at: now)
        return id
    }

    /// A failed renewal is paid after all: the period begins now, and a commitment ends later by the gap.
    @discardableResult
    package mutating func recover(_ originalTransactionID: String, at now: Timestamp) throws(SimulatorError) -> String {
        let chain = try chain(originalTransactionID)
        let end = try newestTransaction(of: originalTransactionID).expiresDate ?? now.milliseconds
        let isInGrace = (chain.renewal.gracePeriodExpiresDate ?? 0) > now.milliseconds
        let start = isInGrace ? Timestamp(milliseconds: end) : now
        chains[originalTransactionID]?.renewal.isInBillingRetryPeriod = false
        chains[originalTransactionID]?.renewal.gracePeriodExpiresDate = nil
        chains[originalTransactionID]?.renewal.expirationIntent = nil
        let id = try addPeriod(to: originalTransactionID, from: start, gap: start.milliseconds - end, at: now)
        emit(.didRenew, .billingRecovery, about: id, at: now)
        return id
    }

    /// A payment fails. A grace period follows where the product has one, but never in a commitment.
    package mutating func failRenewal(_ originalTransactionID: String, at now: Timestamp) throws(SimulatorError) {
        let chain = try chain(originalTransactionID)
        let newest = try newestTransaction(of: originalTransactionID)
        let graceDays = try product(newest.productId, in: newest.bundleId).graceDays
        chains[originalTransactionID]?.renewal.isInBillingRetryPeriod = true
        chains[originalTransactionID]?.renewal.expirationIntent = 2
        let hasGrace = graceDays != nil && !chain.isCommitment
        if hasGrace {
            chains[originalTransactionID]?.renewal.gracePeriodExpiresDate = (now + .days(graceDays ?? 0)).milliseconds
        }
        emit(.didFailToRenew, hasGrace ? .gracePeriod : nil, about: newest.transactionId, at: now)
    }

    package mutating func endGrace(_ originalTransactionID: String, at now: Timestamp) throws(SimulatorError) {
        let newest = try newestTransaction(of: originalTransactionID)
        emit(.gracePeriodExpired, about: newest.transactionId, at: now)
    }

    /// - Parameter reason: `VOLUNTARY`, `BILLING_RETRY`, `PRICE_INCREASE` or `PRODUCT_NOT_FOR_SALE`.
    package mutating func expire(
        _ originalTransactionID: String, _ reason: NotificationSubtype, at now: Timestamp
    ) throws(SimulatorError) {
        let newest = try newestTransaction(of: originalTransactionID)
        let intents: [NotificationSubtype: Int32] = [.voluntary: 1, .billingRetry: 2, .priceIncrease: 3, .productNotForSale: 4]
        chains[originalTransactionID]?.renewal.expirationIntent = intents[reason] ?? 5
        chains[originalTransactionID]?.renewal.autoRenewStatus = 0
        if chains[originalTransactionID]?.renewal.isInBillingRetryPeriod != nil {
            chains[originalTransactionID]?.renewal.isInBillingRetryPeriod = false
        }
        emit(.expired, reason, about: newest.transactionId, at: now)
    }

    /// The customer, or a refund request, switches renewal; within a commitment that means the next commitment only.
    package mutating func setAutoRenew(_ isOn: Bool, of originalTransactionID: String, at now: Timestamp) throws(SimulatorError) {
        let newest = try newestTransaction(of: originalTransactionID)
        if chains[originalTransactionID]?.isCommitment == true {
            chains[originalTransactionID]?.renewal.commitmentInfo?.commitmentAutoRenewStatus = isOn ? 1 : 0
        } else {
            chains[originalTransactionID]?.renewal.autoRenewStatus = isOn ? 1 : 0
        }
        emit(.didChangeRenewalStatus, isOn ? .autoRenewEnabled : .autoRenewDisabled, about: newest.transactionId, at: now)
    }

    /// A higher level at once: the running period ends as upgraded, and a new one begins in the same chain.
    @discardableResult
    package mutating func upgrade(
        _ originalTransactionID: String, to productID: String, at now: Timestamp
    ) throws(SimulatorError) -> String {
        let old = try newestTransaction(of: originalTransactionID)
        chains[originalTransactionID]?.renewal.autoRenewProductId = productID
        chains[originalTransactionID]?.renewal.commitmentInfo = nil
        let id = try addPeriod(to: originalTransactionID, from: now, gap: 0, isUpgrade: true, at: now)
        modify(old.transactionId, at: now) { $0.isUpgraded = true }
        emit(.didChangeRenewalPref, .upgrade, about: id, at: now)
        return id
    }

    /// A lower level from the next period on, in a commitment from the next commitment on.
    package mutating func downgrade(
        _ originalTransactionID: String, to productID: String, at now: Timestamp
    ) throws(SimulatorError) {
        let newest = try newestTransaction(of: originalTransactionID)
        _ = try product(productID, in: newest.bundleId)
        if chains[originalTransactionID]?.isCommitment == true {
            chains[originalTransactionID]?.renewal.commitmentInfo?.commitmentAutoRenewProductId = productID
        } else {
            chains[originalTransactionID]?.renewal.autoRenewProductId = productID
        }
        emit(.didChangeRenewalPref, .downgrade, about: newest.transactionId, at: now)
    }

    package func newestTransaction(of originalTransactionID: String) throws(SimulatorError) -> TransactionPayload {
        try purchase(try chain(originalTransactionID).newestTransactionID).transaction
    }

    /// Adds a period of the product that is next.
    /// - Parameter gap: Milliseconds that a commitment's end moves by.
    private mutating func addPeriod(
        to originalTransactionID: String, from start: Timestamp, gap: Int64, isUpgrade: Bool = false, at now: Timestamp
    ) throws(SimulatorError) -> String {
        var chain = try chain(originalTransactionID)
        let last = try newestTransaction(of: originalTransactionID)
        guard let customer = last.appTransactionId.flatMap({ customers[$0] }) else {
            throw SimulatorError("Nobody holds subscription \(originalTransactionID).")
        }
        let isNewCommitment = chain.isCommitment && (isUpgrade || last.commitmentInfo?.billingPeriodNumber == 12)
        let next = isNewCommitment && !isUpgrade ? chain.renewal.commitmentInfo?.commitmentAutoRenewProductId : nil
        let product = try product(next ?? chain.renewal.autoRenewProductId, in: last.bundleId)
        var period = newTransaction(of: product, for: customer, id: makeID(), at: start)
        period.originalTransactionId = originalTransactionID
        period.originalPurchaseDate = last.originalPurchaseDate
        period.transactionReason = isUpgrade ? "PURCHASE" : "RENEWAL"
        if isUpgrade || start.milliseconds != last.expiresDate { chain.anchorDay = CivilDate(start).day }
        period.expiresDate = product.period?.end(from: start, anchorDay: chain.anchorDay, in: environment).milliseconds
        if chain.isCommitment {
            let number = isNewCommitment ? 1 : (last.commitmentInfo?.billingPeriodNumber ?? 0) + 1
            let end = isNewCommitment ? nil : last.commitmentInfo.map { $0.commitmentExpiresDate + gap }
            commit(&period, to: product, period: number, end: end, anchorDay: chain.anchorDay)
        }
        insert(period, at: now)
        chain.transactionIDs.append(period.transactionId)
        chain.renewal.autoRenewProductId = product.id
        describeNextPeriod(of: &chain, after: period, product)
        chains[originalTransactionID] = chain
        return period.transactionId
    }
}
