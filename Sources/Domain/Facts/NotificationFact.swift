/// A verified App Store notification as far as the ledger reasons about it.
///
/// - Source: responseBodyV2DecodedPayload.
package struct NotificationFact: Hashable, Sendable {
    package var notificationUUID: NotificationUUID
    package var rawType: String
    package var rawSubtype: String?
    package var signedDate: Timestamp
    package var rawReason: String?
    package var status: Int32?
    package var transaction: Snapshot<Transaction>?
    package var renewal: Snapshot<RenewalInfo>?

    package init(
        notificationUUID: NotificationUUID, rawType: String, rawSubtype: String? = nil, signedDate: Timestamp,
        rawReason: String? = nil, status: Int32? = nil, transaction: Snapshot<Transaction>? = nil,
        renewal: Snapshot<RenewalInfo>? = nil
    ) {
        self.notificationUUID = notificationUUID
        self.rawType = rawType
        self.rawSubtype = rawSubtype
        self.signedDate = signedDate
        self.rawReason = rawReason
        self.status = status
        self.transaction = transaction
        self.renewal = renewal
        normalizeRevocation()
    }

    package var type: NotificationType? { NotificationType(rawValue: rawType) }
    package var subtype: NotificationSubtype? { rawSubtype.flatMap(NotificationSubtype.init) }

    /// Whether type and subtype, where present, are ones this version knows.
    package var isKnown: Bool { type != nil && (rawSubtype == nil || subtype != nil) }

    /// Makes the transaction say what the notification says.
    ///
    /// A `REFUND` or `REVOKE` without a `revocationDate` counts from the notification's own date; a `REFUND` of `SEATS` leaves
    /// the purchaser's transaction valid whatever dates it carries.
    private mutating func normalizeRevocation() {
        switch (type, subtype) {
        case (.refund, .seats):
            transaction?.value.revocationDate = nil
        case (.refund, _), (.revoke, _):
            guard let copy = transaction?.value, copy.revocationDate == nil else { return }
            transaction?.value.revocationDate = signedDate
            if type == .revoke, copy.rawRevocationType == nil {
                transaction?.value.rawRevocationType = RevocationType.familyRevoke.rawValue
            }
        default: return
        }
    }
}

extension NotificationFact {
    /// What the notification means for the case of its transaction; nil where it means nothing for a case.
    package var caseEvent: CaseEvent? {
        guard let transaction = transaction?.value else { return nil }
        let kind: CaseEvent.Kind
        switch type {
        case .consumptionRequest: kind = .requested
        case .refundDeclined: kind = .declined
        case .refundReversed: kind = .reversed
        case .refund: kind = subtype == .seats ? .seatsRefunded : .refunded
        default: return nil
        }
        var event = CaseEvent(kind: kind, notificationUUID: notificationUUID, signedDate: signedDate)
        event.rawReason = rawReason
        switch kind {
        case .refunded:
            event.revocation = Revocation(
                date: transaction.revocationDate ?? signedDate, reason: transaction.revocationReason,
                rawType: transaction.rawRevocationType, percentage: transaction.revocationPercentage)
        case .seatsRefunded:
            event.revocation = Revocation(date: signedDate, percentage: transaction.revocationPercentage)
            event.revokedSeats = transaction.revokedSeatQuantity
        default: break
        }
        return event
    }
}
