import Domain

/// An instant so many hours into the story.
func hour(_ count: Int64) -> Timestamp { day(0) + .hours(count) }

func asked(_ uuid: String, _ at: Timestamp, reason: String? = nil) -> CaseEvent {
    var event = CaseEvent(kind: .requested, notificationUUID: NotificationUUID(uuid), signedDate: at)
    event.rawReason = reason
    return event
}

func declined(_ uuid: String, _ at: Timestamp) -> CaseEvent {
    CaseEvent(kind: .declined, notificationUUID: NotificationUUID(uuid), signedDate: at)
}

/// - Parameter date: The `revocationDate`; by default the instant of signing.
func refunded(_ uuid: String, _ at: Timestamp, date: Timestamp? = nil, percentage: Int32? = nil) -> CaseEvent {
    var event = CaseEvent(kind: .refunded, notificationUUID: NotificationUUID(uuid), signedDate: at)
    event.revocation = Revocation(date: date ?? at, rawType: "REFUND_FULL", percentage: percentage)
    return event
}

func seatsRefunded(_ uuid: String, _ at: Timestamp, seats: Int32?) -> CaseEvent {
    var event = CaseEvent(kind: .seatsRefunded, notificationUUID: NotificationUUID(uuid), signedDate: at)
    event.revocation = Revocation(date: at)
    event.revokedSeats = seats
    return event
}

func reversed(_ uuid: String, _ at: Timestamp) -> CaseEvent {
    CaseEvent(kind: .reversed, notificationUUID: NotificationUUID(uuid), signedDate: at)
}

/// The disputed purchase as its newest copy shows it.
func coins(_ signed: Timestamp = day(0), reversal: Timestamp? = nil, _ change: (inout Transaction) -> Void = { _ in }) -> Purchase {
    var transaction = oneTime("1", "Consumable", day(0), product: "coins", change)
    transaction.signedDate = signed
    let precedence = Precedence(signedDate: signed, notificationUUID: "", payloadSHA256: [])
    return Purchase(newest: Snapshot(transaction, precedence), lastReversal: reversal)
}

extension Timestamp {
    /// Hours into the story, with minutes where there are any.
    var inStory: String {
        let minutes = (self - day(0)).milliseconds / 60_000
        return minutes % 60 == 0 ? "\(minutes / 60)" : "\(minutes / 60):\(minutes % 60)"
    }
}

extension RefundCase {
    /// The case on one line: `declined [a,b declined@3] [c] refund@2 reversed@4`, instants in hours.
    var sketch: String {
        let rounds = rounds.map { round in
            let outcome = round.outcome.map { " \($0.kind.rawValue)@\($0.at.inStory)" } ?? ""
            return "[" + round.notificationUUIDs.map(\.rawValue).joined(separator: ",") + outcome + "]"
        }
        var parts = [state.rawValue] + rounds
        if let refund {
            parts.append("refund@\(refund.toldAt.inStory)")
            if let seats = refund.seats { parts.append("seats \(seats)") }
            if let reversed = refund.reversedAt { parts.append("reversed@\(reversed.inStory)") }
        }
        return parts.joined(separator: " ")
    }
}
