/// An amount in milliunits of one currency: USD 10.99 is 10990. Amounts of different currencies are never added.
///
/// - Source: Apple's `price`: the total for the whole quantity, the list price, not proceeds.
package struct Money: Hashable, Sendable {
    package var amount: Int64
    package var currency: String

    package init(amount: Int64, currency: String) {
        self.amount = amount
        self.currency = currency
    }

    /// The share in thousandths of a percent, rounded down to whole milliunits.
    package func share(thousandthsOfPercent share: Int32) -> Money {
        let parts = Int64(min(max(share, 0), 100_000))
        let (whole, rest) = amount.quotientAndRemainder(dividingBy: 100_000)
        return Money(amount: whole * parts + rest * parts / 100_000, currency: currency)
    }
}
