/// What a customer may use at one instant: one subscription chain, one non-consumable, or one non-renewing purchase.
package struct Entitlement: Hashable, Sendable {
    /// For a subscription the product of the period that matters at the instant: the running one, else the last begun, else the first to come.
    package var productID: ProductID
    package var subscriptionGroupIdentifier: String?
    package var originalTransactionID: TransactionID
    package var transactionID: TransactionID
    package var access: Access
    package var state: State
    /// Apple's word; `PURCHASED` where Apple sent none.
    package var rawOwnershipType: String
    /// Whether the next period is known to follow; false also where no renewal info ever came.
    package var willRenew: Bool
    /// The product of the next renewal where it differs; in a commitment, of what follows the commitment.
    package var pendingProductID: ProductID?
    package var commitment: CommitmentProgress?
    package var seats: Seats?

    package init(
        productID: ProductID, subscriptionGroupIdentifier: String? = nil, originalTransactionID: TransactionID,
        transactionID: TransactionID, access: Access, state: State, rawOwnershipType: String, willRenew: Bool = false,
        pendingProductID: ProductID? = nil, commitment: CommitmentProgress? = nil, seats: Seats? = nil
    ) {
        self.productID = productID
        self.subscriptionGroupIdentifier = subscriptionGroupIdentifier
        self.originalTransactionID = originalTransactionID
        self.transactionID = transactionID
        self.access = access
        self.state = state
        self.rawOwnershipType = rawOwnershipType
        self.willRenew = willRenew
        self.pendingProductID = pendingProductID
        self.commitment = commitment
        self.seats = seats
    }

    package enum State: String, Sendable, CaseIterable {
        case active, grace, billingRetry, expired, revoked, upgraded, upcoming
    }
}

/// Whether there is access, and how long by everything known.
package struct Access: Hashable, Sendable {
    package var active: Bool
    /// Active: the end of the unbroken access, nil for ever. Not active: when it ended, for one to come when it will end;
    /// nil only where nothing is known.
    package var until: Timestamp?

    package init(active: Bool, until: Timestamp?) {
        self.active = active
        self.until = until
    }

    package static let none = Access(active: false, until: nil)

    /// The same word read later: access that has run out by the clock.
    package func read(at now: Timestamp) -> Access {
        Access(active: active && until.map { now < $0 } ?? true, until: until)
    }

    /// Access through either.
    func joined(_ other: Access) -> Access {
        guard active == other.active else { return active ? self : other }
        guard let until else { return active ? self : other }
        guard let otherUntil = other.until else { return active ? other : self }
        return Access(active: active, until: max(until, otherUntil))
    }
}

/// Where a 12-month commitment stands. It grants nothing: access goes by each month's own dates.
package struct CommitmentProgress: Hashable, Sendable {
    package var state: State
    /// As Apple sent it, also outside 1...12.
    package var billingPeriodNumber: Int32?
    package var totalBillingPeriods: Int32?
    /// Moves later when a failed month is paid late.
    package var expiresDate: Timestamp?
    /// The customer cancelled: months go on to the end of the term, and no new commitment follows.
    package var endsAfterTerm: Bool

    package init(
        state: State, billingPeriodNumber: Int32? = nil, totalBillingPeriods: Int32? = nil, expiresDate: Timestamp? = nil,
        endsAfterTerm: Bool = false
    ) {
        self.state = state
        self.billingPeriodNumber = billingPeriodNumber
        self.totalBillingPeriods = totalBillingPeriods
        self.expiresDate = expiresDate
        self.endsAfterTerm = endsAfterTerm
    }

    package enum State: String, Sendable, CaseIterable {
        case running, completed, endedByRefund, endedByUpgrade, endedByBilling
    }
}

/// The seats of a multi-seat subscription in one period.
///
/// - Source: multiSeatInfo, API 1.23. `DEVELOPER`: the developer hands the seats out; `APPLE`: nothing to do.
package struct Seats: Hashable, Sendable {
    package var quantity: Int32
    /// How many of them were refunded.
    package var revokedSeatQuantity: Int32
    package var rawInvitationManagement: String?

    package init(quantity: Int32, revokedSeatQuantity: Int32 = 0, rawInvitationManagement: String? = nil) {
        self.quantity = quantity
        self.revokedSeatQuantity = revokedSeatQuantity
        self.rawInvitationManagement = rawInvitationManagement
    }
}

/// Units of one consumable. Usage is not subtracted.
package struct Balance: Hashable, Sendable {
    package var productID: ProductID
    package var purchased: Int64
    package var refunded: Int64
    /// Never below zero: a refund takes at most what its own purchase gave.
    package var net: Int64 { purchased - refunded }

    package init(productID: ProductID, purchased: Int64 = 0, refunded: Int64 = 0) {
        self.productID = productID
        self.purchased = purchased
        self.refunded = refunded
    }
}
