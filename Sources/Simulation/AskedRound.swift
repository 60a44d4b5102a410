import AppStoreSimulator
import Domain

/// A round as Apple sees it: from a customer's asking to Apple's decision or the window's end.
struct AskedRound: Sendable {
    var transactionID: String
    var buyer: Buyer
    var askedAt: Timestamp
    var deadline: Timestamp { askedAt + buyer.environment.answerWindow }
    /// When Apple decided, or the window closed; nil while it is open.
    var closedAt: Timestamp?
}

// Whether every request that could be answered was answered.
extension World {
    /// The longest time between two tries is 36 minutes, of a refused burst 30; in the sandbox 72 seconds. Some is added for workers that
    /// are late and for leases.
    private func patience(_ environment: Environment) -> Span { environment == .production ? .minutes(50) : .seconds(200) }

    func watchRound(of id: String, _ buyer: Buyer) {
        let round = AskedRound(transactionID: id, buyer: buyer, askedAt: time.now())
        asked.append(round)
        schedule(at: round.deadline) { $0.closeRound(of: id, buyer.environment, askedAt: round.askedAt) }
    }

    /// To be called before Apple's decision is made, and at the end of the window.
    ///
    /// - Parameter askedAt: Which round; nil means the newest.
    func closeRound(of id: String, _ environment: Environment, askedAt: Timestamp? = nil) {
        let now = time.now()
        let index = asked.lastIndex {
            $0.transactionID == id && $0.buyer.environment == environment && $0.askedAt == askedAt ?? $0.askedAt
        }
        guard let index, asked[index].closedAt == nil else { return }
        asked[index].closedAt = now
        chronicle.count("rounds")
        judge(asked[index], until: min(now, asked[index].deadline))
    }

    private func judge(_ round: AskedRound, until end: Timestamp) {
        let environment = round.buyer.environment
        let isAnswered = judge.sendings(about: round.transactionID, environment).contains { $0.isTaken && $0.at >= round.askedAt }
        if isAnswered { chronicle.count("rounds answered") }
        // A clock that ran ahead may have closed the window early, and that is all it may do.
        guard clockAhead.longestOverlap(with: clockAhead, from: round.askedAt, to: end).milliseconds == 0 else { return }
        guard isAnswerable(round), let known = knownAt(round, until: end) else { return }
        expectedAlerts.insert("\(environment.rawValue)/\(round.transactionID)")
        guard !isAnswered else { return }
        let hold = policy.default.hold.map { round.askedAt + $0 } ?? round.askedAt
        let consents = judge.consents(of: round.buyer.customer.appTransactionID, environment)
        let chance = calm.longestOverlap(with: consents, from: max(known, hold), to: end)
        guard chance >= patience(environment) else { return }
        chronicle.breach(
            .everyAnswerableRequestIsAnswered,
            "\(round.transactionID) in \(environment.rawValue), asked \(round.askedAt): nothing stood in the way for \(chance)")
    }

    private func isAnswerable(_ round: AskedRound) -> Bool {
        let transaction = apple.see(round.buyer.environment) { $0.world.purchases[round.transactionID]?.transaction }
        guard let transaction, transaction.isPurchased, transaction.advancedCommerceInfo == nil else { return false }
        return SimulatedOwner.statesDelivery(of: transaction.productId)
    }

    /// When the desk had been told a request of the round and everything before it; nil where it never was.
    private func knownAt(_ round: AskedRound, until end: Timestamp) -> Timestamp? {
        let words = apple.see(round.buyer.environment) { store in
            store.sent.map(\.notification).filter { $0.transaction?.transactionId == round.transactionID }
        }
        let own = words.filter { $0.notificationType == "CONSUMPTION_REQUEST" && $0.signedDate >= round.askedAt.milliseconds }
        let earlier = words.filter { $0.signedDate < round.askedAt.milliseconds }
        guard let heard = own.compactMap({ judge.knownAt($0.notificationUUID) }).min() else { return nil }
        var known = heard
        for word in earlier {
            guard let at = judge.knownAt(word.notificationUUID) else { return nil }
            known = max(known, at)
        }
        return known < end ? known : nil
    }
}
