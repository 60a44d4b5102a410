/// One signed word about the refund of one transaction. Events are never dropped for being old.
package struct CaseEvent: Hashable, Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        case requested, declined, refunded, seatsRefunded, reversed
    }
    package var kind: Kind
    package var notificationUUID: NotificationUUID
    package var signedDate: Timestamp
    /// The customer's reason, on requests.
    package var rawReason: String?
    /// What was taken back, on refunds.
    package var revocation: Revocation?
    package var revokedSeats: Int32?

    package init(kind: Kind, notificationUUID: NotificationUUID, signedDate: Timestamp) {
        self.kind = kind
        self.notificationUUID = notificationUUID
        self.signedDate = signedDate
    }
}

extension CaseEvent: Comparable {
    /// By `signedDate`; of events signed in one instant a request comes before what decides it, and a refund before its reversal.
    package static func < (a: CaseEvent, b: CaseEvent) -> Bool {
        (a.signedDate.milliseconds, a.kind.rank, a.notificationUUID.rawValue)
            < (b.signedDate.milliseconds, b.kind.rank, b.notificationUUID.rawValue)
    }
}

extension CaseEvent.Kind {
    fileprivate var rank: Int {
        switch self {
        case .requested: 0
        case .declined: 1
        case .refunded, .seatsRefunded: 2
        case .reversed: 3
        }
    }
}
