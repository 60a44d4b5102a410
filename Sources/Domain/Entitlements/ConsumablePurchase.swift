/// A purchase of a consumable: what it gave, and what its refund took.
struct ConsumablePurchase: Hashable, Sendable {
    let transactionID: TransactionID
    let productID: ProductID
    let purchaseDate: Timestamp
    let units: Int64
    let revokedAt: Timestamp?
    /// The refunded share in whole units, rounded down; all of them where Apple named no share.
    let revokedUnits: Int64

    init(_ purchase: Purchase, terms: ProductTerms) {
        let revocation = purchase.revocation
        let (units, overflow) = max(0, terms.granted ?? 1).multipliedReportingOverflow(by: Int64(max(0, purchase.newest.value.quantity)))
        transactionID = purchase.newest.value.transactionID
        productID = purchase.newest.value.productID
        purchaseDate = purchase.newest.value.purchaseDate
        self.units = overflow ? .max : units
        revokedAt = revocation?.date
        revokedUnits = revocation == nil ? 0 : self.units.share(thousandthsOfPercent: revocation?.percentage ?? 100_000)
    }
}

extension Int64 {
    fileprivate func share(thousandthsOfPercent share: Int32) -> Int64 {
        let parts = Int64(Swift.min(Swift.max(share, 0), 100_000))
        let (whole, rest) = quotientAndRemainder(dividingBy: 100_000)
        return whole * parts + rest * parts / 100_000
    }
}

extension Balance {
    mutating func add(_ purchase: ConsumablePurchase, at instant: Timestamp) {
        purchased = purchased.addingSaturated(purchase.units)
        guard let revokedAt = purchase.revokedAt, revokedAt <= instant else { return }
        refunded = refunded.addingSaturated(purchase.revokedUnits)
    }
}
