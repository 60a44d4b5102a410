import Domain

extension JWSTransactionDecodedPayload {
    /// The transaction as the ledger takes it; nil where a member is missing without which it is none.
    package var transaction: Transaction? {
        guard let transactionId, let productId, let purchaseDate, let signedDate else { return nil }
        var transaction = Transaction(
            transactionID: TransactionID(transactionId), originalTransactionID: TransactionID(originalTransactionId ?? transactionId),
            productID: ProductID(productId), rawType: rawType ?? "", purchaseDate: Timestamp(milliseconds: purchaseDate),
            signedDate: Timestamp(milliseconds: signedDate))
        setPurchase(of: &transaction)
        setOffer(of: &transaction)
        setRevocation(of: &transaction)
        return transaction
    }

    private func setPurchase(of transaction: inout Transaction) {
        transaction.appTransactionID = appTransactionId.map(AppTransactionID.init(_:))
        transaction.appAccountToken = AppAccountToken(wire: appAccountToken)
        transaction.webOrderLineItemID = webOrderLineItemId
        transaction.subscriptionGroupIdentifier = subscriptionGroupIdentifier
        transaction.quantity = quantity ?? 1
        transaction.originalPurchaseDate = originalPurchaseDate.map(Timestamp.init(milliseconds:))
        transaction.expiresDate = expiresDate.map(Timestamp.init(milliseconds:))
        transaction.storefront = storefront
        transaction.price = price
        transaction.currency = currency
        transaction.rawTransactionReason = rawTransactionReason
        transaction.rawOwnershipType = rawInAppOwnershipType
        transaction.isUpgraded = isUpgraded ?? false
        transaction.rawBillingPlanType = rawBillingPlanType
        transaction.commitment = commitmentInfo?.commitment
        transaction.isAdvancedCommerce = advancedCommerceInfo != nil
        transaction.previousOriginalTransactionID = previousOriginalTransactionId.map(TransactionID.init(_:))
        transaction.rawInvitationManagement = multiSeatInfo?.rawInvitationManagement
    }

    private func setOffer(of transaction: inout Transaction) {
        transaction.offerType = rawOfferType
        transaction.offerIdentifier = offerIdentifier
        transaction.rawOfferDiscountType = rawOfferDiscountType
        transaction.offerPeriod = offerPeriod
    }

    private func setRevocation(of transaction: inout Transaction) {
        transaction.revocationDate = revocationDate.map(Timestamp.init(milliseconds:))
        transaction.revocationReason = rawRevocationReason
        transaction.rawRevocationType = rawRevocationType
        transaction.revocationPercentage = revocationPercentage
        transaction.revokedSeatQuantity = multiSeatInfo?.revokedSeatQuantity
    }
}

extension TransactionCommitmentInfo {
    package var commitment: TransactionCommitment {
        TransactionCommitment(
            billingPeriodNumber: billingPeriodNumber, totalBillingPeriods: totalBillingPeriods,
            commitmentExpiresDate: commitmentExpiresDate.map(Timestamp.init(milliseconds:)), commitmentPrice: commitmentPrice)
    }
}

extension JWSRenewalInfoDecodedPayload {
    /// The renewal info as the ledger takes it; nil where a member is missing without which it is none.
    package var renewalInfo: RenewalInfo? {
        guard let originalTransactionId, let signedDate else { return nil }
        var info = RenewalInfo(
            originalTransactionID: TransactionID(originalTransactionId), signedDate: Timestamp(milliseconds: signedDate))
        info.productID = productId.map(ProductID.init(_:))
        info.autoRenewProductID = autoRenewProductId.map(ProductID.init(_:))
        info.autoRenewStatus = rawAutoRenewStatus
        info.renewalDate = renewalDate.map(Timestamp.init(milliseconds:))
        info.renewalPrice = renewalPrice
        info.currency = currency
        info.expirationIntent = rawExpirationIntent
        info.isInBillingRetryPeriod = isInBillingRetryPeriod
        info.gracePeriodExpiresDate = gracePeriodExpiresDate.map(Timestamp.init(milliseconds:))
        info.priceIncreaseStatus = rawPriceIncreaseStatus
        info.offerType = rawOfferType
        info.offerIdentifier = offerIdentifier
        info.appTransactionID = appTransactionId.map(AppTransactionID.init(_:))
        info.appAccountToken = AppAccountToken(wire: appAccountToken)
        info.recentSubscriptionStartDate = recentSubscriptionStartDate.map(Timestamp.init(milliseconds:))
        info.rawRenewalBillingPlanType = rawRenewalBillingPlanType
        info.commitment = commitmentInfo?.commitment
        return info
    }
}

extension RenewalCommitmentInfo {
    package var commitment: RenewalCommitment {
        RenewalCommitment(
            commitmentAutoRenewProductID: commitmentAutoRenewProductId.map(ProductID.init(_:)),
            commitmentAutoRenewStatus: rawCommitmentAutoRenewStatus,
            rawCommitmentRenewalBillingPlanType: rawCommitmentRenewalBillingPlanType,
            commitmentRenewalDate: commitmentRenewalDate.map(Timestamp.init(milliseconds:)),
            commitmentRenewalPrice: commitmentRenewalPrice)
    }
}
