/// One stretch of asking: a `CONSUMPTION_REQUEST` and its repeats, until Apple decides or the window closes.
package struct Round: Hashable, Sendable {
    package struct Outcome: Hashable, Sendable {
        package enum Kind: String, Sendable { case refunded, declined }
        package var kind: Kind
        package var at: Timestamp
    }
    package var number: Int
    /// `signedDate` of the first request.
    package var requestedAt: Timestamp
    /// The first instant at which no answer may be sent any more.
    package var deadline: Timestamp
    package var rawReason: String?
    /// The requests of the round, oldest first.
    package var notificationUUIDs: [NotificationUUID]
    package var outcome: Outcome?

    init(number: Int, request: CaseEvent, window: Span) {
        self.number = number
        requestedAt = request.signedDate
        deadline = request.signedDate + window
        rawReason = request.rawReason
        notificationUUIDs = [request.notificationUUID]
    }

    package var reason: ConsumptionRequestReason? { rawReason.flatMap(ConsumptionRequestReason.init) }
}

extension Round {
    /// Whether Apple still waits: undecided and inside the window.
    package func isOpen(at now: Timestamp) -> Bool { outcome == nil && now < deadline }

    /// Whether something said about this request belongs to the round.
    package func contains(_ anchor: NotificationUUID) -> Bool { notificationUUIDs.contains(anchor) }
}
