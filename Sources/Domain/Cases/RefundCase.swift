/// One transaction that was asked about or refunded, folded from all signed words about it.
///
/// The fold is total, and the same set of events gives the same case in whatever order it arrived.
package struct RefundCase: Hashable, Sendable {
    package enum State: String, Sendable, CaseIterable {
        case open, refunded, declined, reversed
    }
    package private(set) var state: State
    package private(set) var rounds: [Round] = []
    package private(set) var refund: Refund?
    /// How many words of declining counted: those that decided a round, and one nobody asked for after anything else.
    private(set) var declines = 0

    /// - Parameters:
    ///   - purchase: The transaction, nil where only its events are known.
    ///   - window: How long a request may be answered, from its `signedDate`.
    /// - Returns: nil where nobody asked and nothing was decided.
    package init?(folding events: some Sequence<CaseEvent>, purchase: Purchase?, window: Span) {
        let events = (Array(events) + RefundCase.unannounced(events, purchase)).sorted()
        guard !events.isEmpty else { return nil }
        state = .open
        for event in events { apply(event, window: window) }
        if let newest = purchase?.newest { noticeReversal(in: newest) }
        if let round = rounds.last, round.outcome == nil { state = .open }
    }

    private mutating func apply(_ event: CaseEvent, window: Span) {
        switch event.kind {
        case .requested: ask(event, window: window)
        case .declined:
            if decide(Round.Outcome(kind: .declined, at: event.signedDate)) || state != .declined { declines += 1 }
            state = .declined
        case .refunded, .seatsRefunded:
            decide(Round.Outcome(kind: .refunded, at: event.signedDate))
            refund = Refund(event)
            state = .refunded
        case .reversed:
            state = .reversed
            if refund == nil { refund = Refund(reversedAt: event.signedDate) }
            if refund?.reversedAt == nil { refund?.reversedAt = event.signedDate }
        }
    }

    /// A request joins the running round while that is undecided and its window open; otherwise it opens the next one.
    private mutating func ask(_ event: CaseEvent, window: Span) {
        if let round = rounds.last, round.outcome == nil, event.signedDate < round.deadline {
            guard !round.contains(event.notificationUUID) else { return }
            rounds[rounds.count - 1].notificationUUIDs.append(event.notificationUUID)
        } else {
            rounds.append(Round(number: rounds.count + 1, request: event, window: window))
        }
    }

    /// - Returns: Whether a round was undecided until now.
    @discardableResult
    private mutating func decide(_ outcome: Round.Outcome) -> Bool {
        guard let last = rounds.indices.last, rounds[last].outcome == nil else { return false }
        rounds[last].outcome = outcome
        return true
    }

    /// A copy signed after the refund that carries no revocation says that the refund was taken back, told or not.
    private mutating func noticeReversal(in newest: Snapshot<Transaction>) {
        guard let refund, refund.seats == nil, refund.reversedAt == nil, newest.value.revocationDate == nil else { return }
        guard newest.precedence.signedDate > refund.toldAt else { return }
        self.refund?.reversedAt = newest.precedence.signedDate
        if state == .refunded { state = .reversed }
    }

    /// A refund that is visible on the transaction although no `REFUND` told of it (client uploads, refund history).
    ///
    /// Family and seat revocations are no refunds, nor is the credit of an upgrade.
    private static func unannounced(_ events: some Sequence<CaseEvent>, _ purchase: Purchase?) -> [CaseEvent] {
        guard let purchase, let revocation = purchase.revocation, revocation.isRefund else { return [] }
        guard !purchase.transaction.isUpgraded || revocation.type != nil, purchase.transaction.ownership == .purchased else { return [] }
        let told = events.contains { $0.kind == .refunded && $0.revocation?.date == revocation.date }
        guard !told else { return [] }
        var event = CaseEvent(kind: .refunded, notificationUUID: NotificationUUID(""), signedDate: revocation.date)
        event.revocation = revocation
        return [event]
    }
}

/// What Apple gave back.
package struct Refund: Hashable, Sendable {
    package var revocation: Revocation?
    /// Seats taken by a `REFUND` with subtype `SEATS`.
    package var seats: Int32?
    /// When Apple signed the word of it.
    package var toldAt: Timestamp
    package var reversedAt: Timestamp?

    fileprivate init(_ event: CaseEvent) {
        revocation = event.revocation
        seats = event.kind == .seatsRefunded ? event.revokedSeats ?? 0 : nil
        toldAt = event.signedDate
    }
    /// A reversal of a refund never heard of.
    fileprivate init(reversedAt: Timestamp) {
        toldAt = reversedAt
        self.reversedAt = reversedAt
    }

    /// The amount given back of a transaction: all of the price where Apple sent no percentage, else that share, rounded down.
    package func amount(of transaction: Transaction) -> Money? {
        guard let paid = transaction.money else { return nil }
        if let percentage = revocation?.percentage { return paid.share(thousandthsOfPercent: percentage) }
        guard let seats else { return paid }
        let quantity = max(Int64(transaction.quantity), 1)
        return Money(amount: paid.amount / quantity * min(Int64(seats), quantity), currency: paid.currency)
    }
}
