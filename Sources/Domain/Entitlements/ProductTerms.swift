/// What the owner says of a product, as far as access and balances depend on it.
package struct ProductTerms: Hashable, Sendable {
    /// Units that one item of a consumable grants; nil: the item itself is the unit.
    package var granted: Int64?
    /// How long a non-renewing subscription grants access; Apple does not know it.
    package var duration: CalendarPeriod?

    package init(granted: Int64? = nil, duration: CalendarPeriod? = nil) {
        self.granted = granted
        self.duration = duration
    }
}
