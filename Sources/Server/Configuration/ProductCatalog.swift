import Domain

/// What the owner states about the products of an app.
package struct ProductCatalog: Hashable, Sendable {
    package var named: [ProductID: ProductConfiguration]
    /// `*`: holds for every product without an entry of its own. Entries take nothing over from it.
    package var others: ProductConfiguration

    package subscript(_ id: ProductID) -> ProductConfiguration { named[id] ?? others }
}

/// What the owner states about one product. Only what is stated here is ever told to Apple.
package struct ProductConfiguration: Hashable, Sendable {
    package var sampleContentProvided: Bool
    /// nil: nothing is known until a delivery is recorded for the transaction, and no answer is sent before.
    package var delivery: DeliveryStatus?
    /// The meter on which usage of this product is reported.
    package var meter: String?
    /// Units of the meter that one piece grants.
    package var granted: Int64?
    /// What a unit of a meter costs the owner.
    package var costs: [String: UnitCost]
    /// For non-renewing subscriptions, whose end Apple does not tell.
    package var duration: CalendarPeriod?
    package var outages: [Outage]
    /// Whether all usage is reported, so that none reported means none used.
    package var usageComplete: Bool
}

package struct UnitCost: Hashable, Sendable {
    /// May be a fraction.
    package var milliunits: ExactDecimal
    package var currency: String
}

/// A time in which purchases were not delivered: `from` inclusive, `to` exclusive.
package struct Outage: Hashable, Sendable {
    package var from: Timestamp
    package var to: Timestamp
    package var status: DeliveryStatus
}
