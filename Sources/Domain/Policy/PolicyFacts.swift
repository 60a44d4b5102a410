/// What the conditions of a policy may look at: one disputed purchase and its customer at the instant of deciding.
///
/// nil is missing: on it only `not` holds. Money is in whole units of `currency`.
package struct PolicyFacts: Hashable, Sendable, Codable {
    package var productID: ProductID?
    package var rawProductType: String?
    package var price: ExactDecimal?
    package var currency: String?
    package var storefront: String?
    package var rawReason: String?
    /// The first request is round 1.
    package var round: Int?
    package var rawBillingPlanType: String?
    /// Whether the disputed period is the newest of its chain.
    package var isCurrentPeriod: Bool?
    package var billingPeriodNumber: Int32?
    package var offerType: Int32?
    /// Whether this is the first paid period after a free trial.
    package var isConvertedFromTrial: Bool?
    package var rawOwnership: String?
    package var sincePurchase: Span?
    /// In thousandths of a percent; for auto-renewables the elapsed share of the period, 0 for undelivered purchases.
    package var consumedPercentage: Int32?
    /// By meter, in the disputed period. A meter is absent where nothing was ever reported and the product does not say `usageComplete`.
    package var usage: [String: ExactDecimal] = [:]
    /// Only costs in the transaction's currency.
    package var usageCost: ExactDecimal?
    /// The customer's earlier cases with a request, without this one.
    package var refundsRequested: Int?
    /// Earlier refunds that stand, without this case.
    package var refundsGranted: Int?
    /// Since the customer's first purchase.
    package var sinceFirstPurchase: Span?
    /// What was paid less what was refunded, in the transaction's currency.
    package var lifetimePaid: ExactDecimal?
    package var tags: [String] = []

    package init() {}
}

/// One value that a condition compares with.
package enum PolicyValue: Hashable, Sendable {
    case text(String)
    case number(ExactDecimal)
    case flag(Bool)
}

extension PolicyFacts {
    /// The values under a key: none where it is missing, several only for `tag`.
    func values(of key: PolicyKey) -> [PolicyValue] {
        switch key {
        case .usage(let meter): usage[meter].map { [.number($0)] } ?? []
        case .named(.tag): tags.map(PolicyValue.text)
        case .named(let name): value(of: name).map { [$0] } ?? []
        }
    }

    private func value(of name: PolicyKey.Name) -> PolicyValue? {
        switch name {
        case .productId: productID.map { .text($0.rawValue) }
        case .productType: rawProductType.map(PolicyValue.text)
        case .price: price.map(PolicyValue.number)
        case .currency: currency.map(PolicyValue.text)
        case .storefront: storefront.map(PolicyValue.text)
        case .reason: rawReason.map(PolicyValue.text)
        case .round: round.map { .number(ExactDecimal($0)) }
        case .billingPlanType: rawBillingPlanType.map(PolicyValue.text)
        case .currentPeriod: isCurrentPeriod.map(PolicyValue.flag)
        case .billingPeriodNumber: billingPeriodNumber.map { .number(ExactDecimal($0)) }
        case .offerType: offerType.map { .number(ExactDecimal($0)) }
        case .convertedFromTrial: isConvertedFromTrial.map(PolicyValue.flag)
        case .ownership: rawOwnership.map(PolicyValue.text)
        case .hoursSincePurchase: sincePurchase.map { .number($0.whole(.hours(1))) }
        case .daysSincePurchase: sincePurchase.map { .number($0.whole(.days(1))) }
        case .consumedPercentage: consumedPercentage.map { .number(ExactDecimal(significand: Int64($0), exponent: -3)) }
        case .usageCost: usageCost.map(PolicyValue.number)
        case .refundsRequested: refundsRequested.map { .number(ExactDecimal($0)) }
        case .refundsGranted: refundsGranted.map { .number(ExactDecimal($0)) }
        case .customerDays: sinceFirstPurchase.map { .number($0.whole(.days(1))) }
        case .lifetimePaid: lifetimePaid.map(PolicyValue.number)
        case .tag: nil  // several values: see `values`
        }
    }
}

extension Span {
    /// How many whole units have passed.
    fileprivate func whole(_ unit: Span) -> ExactDecimal { ExactDecimal(milliseconds / unit.milliseconds) }
}
