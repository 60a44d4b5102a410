/// One transaction as folded from every signed fact about it: its newest copy, and the newest word that a refund was reversed.
package struct Purchase: Hashable, Sendable {
    package var newest: Snapshot<Transaction>
    /// `signedDate` of the newest `REFUND_REVERSED` about it.
    package var lastReversal: Timestamp?

    package init(newest: Snapshot<Transaction>, lastReversal: Timestamp? = nil) {
        self.newest = newest
        self.lastReversal = lastReversal
    }

    package var transaction: Transaction { newest.value }

    /// The revocation that stands, nil where there is none or a later `REFUND_REVERSED` took it back.
    ///
    /// A reversal cancels every revocation dated before it was signed, even if copies of the transaction go on carrying the
    /// old `revocationDate`. Presence is decided by `revocationDate` alone: reason 0 and no reason are different things.
    package var revocation: Revocation? {
        guard let date = transaction.revocationDate else { return nil }
        if let lastReversal, date < lastReversal { return nil }
        return Revocation(
            date: date, reason: transaction.revocationReason, rawType: transaction.rawRevocationType,
            percentage: transaction.revocationPercentage)
    }

    /// The standing revocation by which money went back; an upgrade's is none.
    package var refund: Revocation? { transaction.isUpgraded ? nil : revocation.flatMap { $0.isRefund ? $0 : nil } }
}

/// What Apple said when it took a transaction back.
package struct Revocation: Hashable, Sendable {
    package var date: Timestamp
    package var reason: Int32?
    package var rawType: String?
    /// Thousandths of a percent; nil where Apple sent none (older data: treat as full).
    package var percentage: Int32?

    package init(date: Timestamp, reason: Int32? = nil, rawType: String? = nil, percentage: Int32? = nil) {
        self.date = date
        self.reason = reason
        self.rawType = rawType
        self.percentage = percentage
    }

    package var type: RevocationType? { rawType.flatMap(RevocationType.init) }

    /// Whether money went back. Family and seat revocations end access without a refund.
    package var isRefund: Bool { type != .familyRevoke && type != .assignmentRevoke }
}

/// What is known about one subscription chain beside its transactions.
package struct Chain: Hashable, Sendable {
    package var originalTransactionID: TransactionID
    package var renewal: Snapshot<RenewalInfo>?
    /// When Apple was last asked for this chain's status (Get All Subscription Statuses) and answered: its newest
    /// transaction known then is truly the newest.
    package var statusConfirmedAt: Timestamp?

    package init(
        originalTransactionID: TransactionID, renewal: Snapshot<RenewalInfo>? = nil, statusConfirmedAt: Timestamp? = nil
    ) {
        self.originalTransactionID = originalTransactionID
        self.renewal = renewal
        self.statusConfirmedAt = statusConfirmedAt
    }
}
