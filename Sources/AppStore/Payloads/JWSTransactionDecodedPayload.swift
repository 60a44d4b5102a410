import Domain

/// A signed purchase, renewal or restore. Money in milliunits of `currency`, dates in milliseconds since the epoch.
///
/// - Source: JWSTransactionDecodedPayload, API 1.23.
package struct JWSTransactionDecodedPayload: WireObject, Equatable, Sendable {
    package var transactionId: String?
    package var originalTransactionId: String?
    package var webOrderLineItemId: String?
    package var appTransactionId: String?
    package var bundleId: String?
    package var productId: String?
    package var subscriptionGroupIdentifier: String?
    package var rawType: String?
    package var quantity: Int32?
    package var purchaseDate: Int64?
    package var originalPurchaseDate: Int64?
    package var expiresDate: Int64?
    package var signedDate: Int64?
    package var rawEnvironment: String?
    package var storefront: String?
    package var storefrontId: String?
    package var currency: String?
    /// For the whole `quantity`.
    package var price: Int64?
    package var rawTransactionReason: String?
    package var additionalTransactionReason: String?
    /// As sent, but absent where it is empty.
    package var appAccountToken: String?
    package var rawInAppOwnershipType: String?
    package var isUpgraded: Bool?
    package var rawOfferType: Int32?
    package var offerIdentifier: String?
    package var rawOfferDiscountType: String?
    package var offerPeriod: String?
    /// Its presence alone says that the transaction was refunded or revoked.
    package var revocationDate: Int64?
    package var rawRevocationReason: Int32?
    package var rawRevocationType: String?
    /// Thousandths of a percent.
    package var revocationPercentage: Int32?
    package var rawBillingPlanType: String?
    package var commitmentInfo: TransactionCommitmentInfo?
    package var advancedCommerceInfo: JSONValue?
    package var previousOriginalTransactionId: String?
    package var multiSeatInfo: MultiSeatInfo?

    private enum CodingKeys: String, CodingKey {
        case transactionId, originalTransactionId, webOrderLineItemId, appTransactionId, bundleId, productId
        case subscriptionGroupIdentifier, quantity, purchaseDate, originalPurchaseDate, expiresDate, signedDate, storefront
        case storefrontId, currency, price, additionalTransactionReason, appAccountToken, isUpgraded, offerIdentifier, offerPeriod
        case revocationDate, revocationPercentage, commitmentInfo, advancedCommerceInfo, previousOriginalTransactionId, multiSeatInfo
        case rawType = "type"
        case rawEnvironment = "environment"
        case rawTransactionReason = "transactionReason"
        case rawInAppOwnershipType = "inAppOwnershipType"
        case rawOfferType = "offerType"
        case rawOfferDiscountType = "offerDiscountType"
        case rawRevocationReason = "revocationReason"
        case rawRevocationType = "revocationType"
        case rawBillingPlanType = "billingPlanType"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        transactionId = try container.id(.transactionId)
        originalTransactionId = try container.id(.originalTransactionId)
        webOrderLineItemId = try container.id(.webOrderLineItemId)
        appTransactionId = try container.id(.appTransactionId)
        bundleId = try container.text(.bundleId)
        productId = try container.text(.productId)
        subscriptionGroupIdentifier = try container.id(.subscriptionGroupIdentifier)
        rawType = try container.text(.rawType)
        quantity = try container.int32(.quantity)
        purchaseDate = try container.milliseconds(.purchaseDate)
        originalPurchaseDate = try container.milliseconds(.originalPurchaseDate)
        expiresDate = try container.milliseconds(.expiresDate)
        signedDate = try container.milliseconds(.signedDate)
        rawEnvironment = try container.text(.rawEnvironment)
        storefront = try container.text(.storefront)
        storefrontId = try container.id(.storefrontId)
        currency = try container.text(.currency)
        price = try container.int64(.price)
        rawTransactionReason = try container.text(.rawTransactionReason)
        additionalTransactionReason = try container.text(.additionalTransactionReason)
        appAccountToken = try container.nonEmptyText(.appAccountToken)
        rawInAppOwnershipType = try container.text(.rawInAppOwnershipType)
        isUpgraded = try container.bool(.isUpgraded)
        rawOfferType = try container.int32(.rawOfferType)
        offerIdentifier = try container.text(.offerIdentifier)
        rawOfferDiscountType = try container.text(.rawOfferDiscountType)
        offerPeriod = try container.text(.offerPeriod)
        revocationDate = try container.milliseconds(.revocationDate)
        rawRevocationReason = try container.int32(.rawRevocationReason)
        rawRevocationType = try container.text(.rawRevocationType)
        revocationPercentage = try container.int32(.revocationPercentage)
        rawBillingPlanType = try container.text(.rawBillingPlanType)
        commitmentInfo = try container.nested(.commitmentInfo)
        advancedCommerceInfo = try container.nested(.advancedCommerceInfo)
        previousOriginalTransactionId = try container.id(.previousOriginalTransactionId)
        multiSeatInfo = try container.nested(.multiSeatInfo)
    }
}

extension JWSTransactionDecodedPayload {
    package var type: ProductType? { rawType.flatMap(ProductType.init(rawValue:)) }
    package var environment: Environment? { rawEnvironment.flatMap(Environment.init(rawValue:)) }
    package var transactionReason: TransactionReason? { rawTransactionReason.flatMap(TransactionReason.init(rawValue:)) }
    package var inAppOwnershipType: InAppOwnershipType? { rawInAppOwnershipType.flatMap(InAppOwnershipType.init(rawValue:)) }
    package var offerType: OfferType? { rawOfferType.flatMap(OfferType.init(rawValue:)) }
    package var offerDiscountType: OfferDiscountType? { rawOfferDiscountType.flatMap(OfferDiscountType.init(rawValue:)) }
    package var revocationReason: RevocationReason? { rawRevocationReason.flatMap(RevocationReason.init(rawValue:)) }
    package var revocationType: RevocationType? { rawRevocationType.flatMap(RevocationType.init(rawValue:)) }
    package var billingPlanType: BillingPlanType? { rawBillingPlanType.flatMap(BillingPlanType.init(rawValue:)) }
}
