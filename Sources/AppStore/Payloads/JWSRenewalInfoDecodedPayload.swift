import Domain

/// What Apple will do when a subscription's period ends. It has no bundle id: the transaction beside it has.
///
/// - Source: JWSRenewalInfoDecodedPayload, API 1.23.
package struct JWSRenewalInfoDecodedPayload: WireObject, Equatable, Sendable {
    package var originalTransactionId: String?
    package var productId: String?
    package var autoRenewProductId: String?
    package var rawAutoRenewStatus: Int32?
    package var renewalDate: Int64?
    package var renewalPrice: Int64?
    package var renewalQuantity: Int32?
    package var currency: String?
    package var rawExpirationIntent: Int32?
    package var isInBillingRetryPeriod: Bool?
    package var gracePeriodExpiresDate: Int64?
    package var rawPriceIncreaseStatus: Int32?
    package var rawOfferType: Int32?
    package var offerIdentifier: String?
    package var rawOfferDiscountType: String?
    package var offerPeriod: String?
    package var eligibleWinBackOfferIds: [String]?
    package var recentSubscriptionStartDate: Int64?
    /// As sent, but absent where it is empty.
    package var appAccountToken: String?
    package var appTransactionId: String?
    package var rawEnvironment: String?
    package var signedDate: Int64?
    package var rawRenewalBillingPlanType: String?
    package var commitmentInfo: RenewalCommitmentInfo?
    package var advancedCommerceInfo: JSONValue?
    package var multiSeatInfo: MultiSeatInfo?

    private enum CodingKeys: String, CodingKey {
        case originalTransactionId, productId, autoRenewProductId, renewalDate, renewalPrice, renewalQuantity, currency
        case isInBillingRetryPeriod, gracePeriodExpiresDate, offerIdentifier, offerPeriod, eligibleWinBackOfferIds
        case recentSubscriptionStartDate, appAccountToken, appTransactionId, signedDate, commitmentInfo, advancedCommerceInfo
        case multiSeatInfo
        case rawAutoRenewStatus = "autoRenewStatus"
        case rawExpirationIntent = "expirationIntent"
        case rawPriceIncreaseStatus = "priceIncreaseStatus"
        case rawOfferType = "offerType"
        case rawOfferDiscountType = "offerDiscountType"
        case rawEnvironment = "environment"
        case rawRenewalBillingPlanType = "renewalBillingPlanType"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        originalTransactionId = try container.id(.originalTransactionId)
        productId = try container.text(.productId)
        autoRenewProductId = try container.text(.autoRenewProductId)
        rawAutoRenewStatus = try container.int32(.rawAutoRenewStatus)
        renewalDate = try container.milliseconds(.renewalDate)
        renewalPrice = try container.int64(.renewalPrice)
        renewalQuantity = try container.int32(.renewalQuantity)
        currency = try container.text(.currency)
        rawExpirationIntent = try container.int32(.rawExpirationIntent)
        isInBillingRetryPeriod = try container.bool(.isInBillingRetryPeriod)
        gracePeriodExpiresDate = try container.milliseconds(.gracePeriodExpiresDate)
        rawPriceIncreaseStatus = try container.int32(.rawPriceIncreaseStatus)
        rawOfferType = try container.int32(.rawOfferType)
        offerIdentifier = try container.text(.offerIdentifier)
        rawOfferDiscountType = try container.text(.rawOfferDiscountType)
        offerPeriod = try container.text(.offerPeriod)
        eligibleWinBackOfferIds = try container.nested(.eligibleWinBackOfferIds)
        recentSubscriptionStartDate = try container.milliseconds(.recentSubscriptionStartDate)
        appAccountToken = try container.nonEmptyText(.appAccountToken)
        appTransactionId = try container.id(.appTransactionId)
        rawEnvironment = try container.text(.rawEnvironment)
        signedDate = try container.milliseconds(.signedDate)
        rawRenewalBillingPlanType = try container.text(.rawRenewalBillingPlanType)
        commitmentInfo = try container.nested(.commitmentInfo)
        advancedCommerceInfo = try container.nested(.advancedCommerceInfo)
        multiSeatInfo = try container.nested(.multiSeatInfo)
    }
}

extension JWSRenewalInfoDecodedPayload {
    package var autoRenewStatus: AutoRenewStatus? { rawAutoRenewStatus.flatMap(AutoRenewStatus.init(rawValue:)) }
    package var expirationIntent: ExpirationIntent? { rawExpirationIntent.flatMap(ExpirationIntent.init(rawValue:)) }
    package var priceIncreaseStatus: PriceIncreaseStatus? { rawPriceIncreaseStatus.flatMap(PriceIncreaseStatus.init(rawValue:)) }
    package var offerType: OfferType? { rawOfferType.flatMap(OfferType.init(rawValue:)) }
    package var offerDiscountType: OfferDiscountType? { rawOfferDiscountType.flatMap(OfferDiscountType.init(rawValue:)) }
    package var environment: Environment? { rawEnvironment.flatMap(Environment.init(rawValue:)) }
    package var renewalBillingPlanType: BillingPlanType? { rawRenewalBillingPlanType.flatMap(BillingPlanType.init(rawValue:)) }
}
