import Domain

/// What is left of one of Apple's limits, as it was when it was last counted.
package struct CallAllowanceRow: Hashable, Sendable {
    /// The endpoints that are counted together.
    package var family: String
    /// Calls in millionths; below zero where more are promised already.
    package var leftMillionths: Int64
    package var asOf: Timestamp
    /// Apple lets nothing through before; nil where it never refused.
    package var closedUntil: Timestamp?

    package init(family: String, leftMillionths: Int64, asOf: Timestamp, closedUntil: Timestamp? = nil) {
        self.family = family
        self.leftMillionths = leftMillionths
        self.asOf = asOf
        self.closedUntil = closedUntil
    }
}

package protocol CallAllowanceReading {
    /// nil before the first call.
    func callAllowance(_ family: String, of ledger: Ledger) throws(StoreError) -> CallAllowanceRow?
}

package protocol CallAllowanceWriting {
    /// Replaces the row of that family. Whoever reads it first has to have announced to touch it.
    func put(_ row: CallAllowanceRow, of ledger: Ledger) throws(StoreError)
}
