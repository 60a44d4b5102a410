/// The body of one Send Consumption Information call, V2. Consent is implied: without it there is no answer to build.
package struct ConsumptionAnswer: Hashable, Sendable {
    package var deliveryStatus: DeliveryStatus
    package var sampleContentProvided: Bool
    /// Thousandths of a percent, 0...100_000; nil is left out of the body.
    package var consumptionPercentage: Int32?
    package var refundPreference: RefundPreference?
}

/// How much of a purchase was used, and how that is known.
package struct Consumed: Hashable, Sendable, Codable {
    package enum Source: String, Sendable, Codable { case usage, elapsedTime }
    /// Thousandths of a percent, 0...100_000.
    package var thousandths: Int32
    package var source: Source

    package init(thousandths: Int32, source: Source) {
        self.thousandths = min(max(thousandths, 0), 100_000)
        self.source = source
    }
}

/// What the owner knows of a purchase, as it is told to Apple.
package struct PurchaseTruth: Hashable, Sendable {
    package var type: ProductType?
    package var deliveryStatus: DeliveryStatus
    package var sampleContentProvided: Bool
    package var consumed: Consumed?

    package init(type: ProductType?, deliveryStatus: DeliveryStatus, sampleContentProvided: Bool, consumed: Consumed?) {
        self.type = type
        self.deliveryStatus = deliveryStatus
        self.sampleContentProvided = sampleContentProvided
        self.consumed = consumed
    }
}

extension ConsumptionAnswer {
    /// Builds the answer that says the truth and breaks none of Apple's rules between fields.
    ///
    /// - Parameter preference: Dropped where it would be illegal; see ``mayPreferProrated(_:)``.
    /// - Source: consumptionPercentage: never for auto-renewables, 0 for what was not delivered; refundPreference.
    package init(_ truth: PurchaseTruth, preferring preference: RefundPreference?) {
        deliveryStatus = truth.deliveryStatus
        sampleContentProvided = truth.sampleContentProvided
        consumptionPercentage = ConsumptionAnswer.percentage(truth)
        let isLegal = preference != .grantProrated || ConsumptionAnswer.mayPreferProrated(truth)
        refundPreference = isLegal ? preference : nil
    }

    /// Whether `GRANT_PRORATED` may be asked for: on auto-renewables Apple prorates by time; on everything else it needs a
    /// delivered purchase and a known share strictly between nothing and all.
    package static func mayPreferProrated(_ truth: PurchaseTruth) -> Bool {
        if truth.type == .autoRenewableSubscription { return true }
        guard truth.deliveryStatus == .delivered, let share = percentage(truth) else { return false }
        return 0 < share && share < 100_000
    }

    private static func percentage(_ truth: PurchaseTruth) -> Int32? {
        switch (truth.type, truth.deliveryStatus) {
        case (.autoRenewableSubscription, _): nil
        case (nil, _): nil  // A product type we do not know might be one that Apple wants no percentage for.
        case (_, .delivered): truth.consumed?.thousandths
        default: 0
        }
    }
}
