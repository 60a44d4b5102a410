/// What a condition of a policy looks at: a key of `when`.
package enum PolicyKey: Hashable, Sendable {
    case named(Name)
    /// `usage.METER`.
    case usage(meter: String)

    /// The keys of `when` with a fixed name, in the order of the documentation.
    package enum Name: String, CaseIterable, Sendable {
        case productId, productType, price, currency, storefront, reason, round, billingPlanType, currentPeriod, billingPeriodNumber
        case offerType, convertedFromTrial, ownership, hoursSincePurchase, daysSincePurchase, consumedPercentage, usageCost
        case refundsRequested, refundsGranted, customerDays, lifetimePaid, tag
    }

    /// The key as written in a rule; nil for an unknown one.
    package init?(_ text: String) {
        if text.hasPrefix(Self.usagePrefix), text != Self.usagePrefix {
            self = .usage(meter: String(text.dropFirst(Self.usagePrefix.count)))
        } else if let name = Name(rawValue: text) {
            self = .named(name)
        } else {
            return nil
        }
    }

    package var text: String {
        switch self {
        case .named(let name): name.rawValue
        case .usage(let meter): Self.usagePrefix + meter
        }
    }

    private static let usagePrefix = "usage."
}

extension PolicyKey {
    /// What values a key is compared with.
    package enum Kind: Hashable, Sendable { case text, flag, wholeNumber, percentage, decimal, money }

    package var kind: Kind {
        switch self {
        case .usage: .decimal
        case .named(let name): name.kind
        }
    }
}

extension PolicyKey.Name {
    fileprivate var kind: PolicyKey.Kind {
        switch self {
        case .productId, .productType, .currency, .storefront, .reason, .billingPlanType, .ownership, .tag: .text
        case .currentPeriod, .convertedFromTrial: .flag
        case .round, .billingPeriodNumber, .offerType, .hoursSincePurchase, .daysSincePurchase, .refundsRequested, .refundsGranted,
            .customerDays:
            .wholeNumber
        case .consumedPercentage: .percentage
        case .price, .usageCost, .lifetimePaid: .money
        }
    }
}
