import Domain
import Store

/// What happened about one case, of both sides, in order of time.
struct CaseTimeline: Sendable {
    enum Side: String, Sendable { case customer, apple, desk }
    enum Happening: Sendable {
        case bought
        case requested(rawReason: String?)
        case refunded(Revocation?)
        case seatsRefunded(Int32)
        case declined, reversed
        case consented(ConsentFact)
        case delivery(DeliveryStatus)
        case decided(Decision)
        case attempted(AttemptRecord)
        case windowClosed
    }
    struct Item: Sendable {
        var at: Timestamp
        var side: Side
        var happening: Happening
    }
    var items: [Item] = []

    init(_ model: CaseModel, at now: Timestamp) {
        if let bought = model.file.purchase?.transaction.purchaseDate { add(bought, .customer, .bought) }
        for event in model.events { add(event) }
        addUnannouncedRefund(model)
        for consent in model.consents { add(consent.fact.at, .customer, .consented(consent.fact)) }
        if let delivery = model.delivery { add(delivery.at, .desk, .delivery(delivery.status)) }
        for record in model.file.decisions { add(record.at, .desk, .decided(record.decision)) }
        for attempt in model.file.attempts { add(attempt.at, .desk, .attempted(attempt)) }
        for round in model.file.folded.rounds where round.outcome.map({ $0.at > round.deadline }) ?? (now >= round.deadline) {
            add(round.deadline, .apple, .windowClosed)
        }
        // Of one instant those come first that were put in first: what is asked before what is decided.
        let order = items.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
        items = order.map(\.element)
    }

    private mutating func add(_ at: Timestamp, _ side: Side, _ happening: Happening) {
        items.append(Item(at: at, side: side, happening: happening))
    }

    private mutating func add(_ event: CaseEvent) {
        switch event.kind {
        case .requested: add(event.signedDate, .customer, .requested(rawReason: event.rawReason))
        case .refunded: add(event.signedDate, .apple, .refunded(event.revocation))
        case .seatsRefunded: add(event.signedDate, .apple, .seatsRefunded(event.revokedSeats ?? 0))
        case .declined: add(event.signedDate, .apple, .declined)
        case .reversed: add(event.signedDate, .apple, .reversed)
        }
    }

    /// A refund that only the transaction shows.
    private mutating func addUnannouncedRefund(_ model: CaseModel) {
        guard let refund = model.file.folded.refund, let revocation = refund.revocation,
            !model.events.contains(where: { $0.kind == .refunded && $0.revocation?.date == revocation.date })
        else { return }
        add(refund.toldAt, .apple, .refunded(revocation))
    }
}
