/// One period of a subscription chain and the access it grants: `[start, end)`.
struct SubscriptionPeriod: Hashable, Sendable {
    /// Of the transaction that carries the access longest.
    var transactionID: TransactionID
    var productID: ProductID
    var subscriptionGroupIdentifier: String?
    var rawOwnershipType: String
    var start: Timestamp
    /// The paid end; nil where Apple sent none, which grants nothing.
    var expires: Timestamp?
    /// Where access really ends: at `expires`, at its revocation, at the start of the next period or chain, or with the grace period.
    var end: Timestamp
    var revokedAt: Timestamp?
    var isUpgraded: Bool
    var isRenewal: Bool
    var isMonthlyCommitment: Bool
    var commitment: TransactionCommitment?
    var seats: Seats?

    /// The period of one transaction, before its neighbours cut it.
    ///
    /// A copy with `isUpgraded` ends access when it was signed at the latest: where the newer period is known, that one cuts earlier.
    init(_ transaction: Transaction, revokedAt: Timestamp?) {
        transactionID = transaction.transactionID
        productID = transaction.productID
        subscriptionGroupIdentifier = transaction.subscriptionGroupIdentifier
        rawOwnershipType = transaction.rawOwnershipType ?? InAppOwnershipType.purchased.rawValue
        start = transaction.purchaseDate
        expires = transaction.expiresDate
        self.revokedAt = revokedAt
        isUpgraded = transaction.isUpgraded
        isRenewal = transaction.transactionReason == .renewal
        isMonthlyCommitment = transaction.isMonthlyCommitment
        commitment = transaction.commitment
        seats = Seats(transaction, isRevoked: revokedAt != nil)
        end = expires ?? start
        if isUpgraded { cut(at: transaction.signedDate) }
        if let revokedAt { cut(at: revokedAt) }
    }

    mutating func cut(at instant: Timestamp) { end = max(start, min(end, instant)) }

    /// Takes in a transaction that begins later but pays for the same period: seats that were added to it.
    ///
    /// - Returns: False, and nothing changed, where it is a period of its own.
    mutating func absorb(_ later: SubscriptionPeriod) -> Bool {
        guard later.productID == productID, let expires, later.expires == expires, later.start <= end else { return false }
        let seats = Seats.sum(seats, later.seats)
        if later.end >= end {
            let start = start
            self = later
            self.start = start
        }
        self.seats = seats
        return true
    }
}

extension Seats {
    /// Nil for a subscription without seats. A transaction that is revoked itself has lost all of them.
    init?(_ transaction: Transaction, isRevoked: Bool) {
        guard transaction.rawInvitationManagement != nil || transaction.revokedSeatQuantity != nil else { return nil }
        self.init(
            quantity: transaction.quantity,
            revokedSeatQuantity: isRevoked ? transaction.quantity : transaction.revokedSeatQuantity ?? 0,
            rawInvitationManagement: transaction.rawInvitationManagement)
    }

    static func sum(_ a: Seats?, _ b: Seats?) -> Seats? {
        guard let a, let b else { return a ?? b }
        return Seats(
            quantity: a.quantity.addingSaturated(b.quantity),
            revokedSeatQuantity: a.revokedSeatQuantity.addingSaturated(b.revokedSeatQuantity),
            rawInvitationManagement: b.rawInvitationManagement ?? a.rawInvitationManagement)
    }
}

extension FixedWidthInteger {
    /// The sum, or the nearest value that fits: absurd numbers in signed data must not trap.
    func addingSaturated(_ other: Self) -> Self {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other > 0 ? .max : .min) : sum
    }
}

extension [SubscriptionPeriod] {
    /// The periods of one chain in order, each cut where the next one starts.
    ///
    /// Nothing before a period's start counts once it began: an upgrade closes the older period whether or not a copy with
    /// `isUpgraded` arrives, and its refund does not bring the older one back.
    init(chain transactions: [SubscriptionPeriod]) {
        self = []
        for period in transactions.sorted(by: { ($0.start, $0.end, $0.transactionID) < ($1.start, $1.end, $1.transactionID) }) {
            if let last = indices.last, self[last].absorb(period) { continue }
            if let last = indices.last { self[last].cut(at: period.start) }
            append(period)
        }
    }
}
