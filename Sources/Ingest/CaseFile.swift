import Domain
import Store

/// Everything known about one case, read in one transaction.
package struct CaseFile: Sendable {
    package let ledger: Ledger
    package let transactionID: TransactionID
    package let folded: RefundCase
    /// nil where only the case's events are known.
    package let purchase: Purchase?
    /// All periods of the chain, oldest first.
    package let periods: [Purchase]
    package let chain: Chain?
    package let customer: CustomerID?
    package let aliases: [Alias]
    package let userID: UserID?
    package let decisions: [DecisionRecord]
    package let answers: [AnswerRecord]
    package let attempts: [AttemptRecord]

    /// - Returns: nil where there is no such case.
    package init?(_ id: TransactionID, in ledger: Ledger, _ tx: any ReadTransaction) throws(StoreError) {
        let purchase = try tx.purchase(id, in: ledger)
        let events = try tx.caseEvents(id, in: ledger)
        guard let folded = RefundCase(folding: events, purchase: purchase, window: ledger.environment.answerWindow) else { return nil }
        let original = purchase?.transaction.originalTransactionID ?? id
        self.ledger = ledger
        transactionID = id
        self.folded = folded
        self.purchase = purchase
        periods = try tx.purchases(original: original, in: ledger)
        chain = try tx.chain(original, in: ledger)
        let customer = try tx.customer(Alias(.originalTransactionID, original.rawValue), in: ledger)
        self.customer = customer
        if let customer { aliases = try tx.aliases(of: customer) } else { aliases = [] }
        userID = try tx.userLink(original, in: ledger)?.userID ?? aliases.last { $0.kind == .userID }.map { UserID($0.value) }
        decisions = try tx.decisions(id, in: ledger)
        answers = try tx.answers(id, in: ledger)
        attempts = try tx.attempts(id, in: ledger)
    }

    /// The same, while nobody else decides, answers or tells anything about the customer until the transaction ends: for whoever does.
    ///
    /// - Returns: nil where there is no such case.
    package static func held(_ id: TransactionID, in ledger: Ledger, _ tx: any WriteTransaction) throws(StoreError) -> CaseFile? {
        let original = try tx.purchase(id, in: ledger)?.transaction.originalTransactionID ?? id
        try tx.hold([Alias(.originalTransactionID, original.rawValue)], in: ledger)
        return try CaseFile(id, in: ledger, tx)
    }

    /// The newest decision made for a round.
    package func decision(of round: Round) -> DecisionRecord? { decisions.last { round.contains($0.anchor) } }

    /// The answer of a round: where two stretches of asking turned out to be one, the one that Apple took, else the newest.
    package func answer(of round: Round) -> AnswerRecord? {
        let own = answers.filter { round.contains($0.anchor) }
        return own.first { $0.status == .accepted } ?? own.max { ($0.at, $0.anchor) < ($1.at, $1.anchor) }
    }

    package func attempts(of round: Round) -> [AttemptRecord] { attempts.filter { round.contains($0.anchor) } }

    /// What everything the desk does for a round hangs on: the request it first decided on, else the first.
    package func anchor(of round: Round) -> NotificationUUID {
        decisions.first { round.contains($0.anchor) }?.anchor ?? round.notificationUUIDs[0]  // a round begins with its first request
    }

    /// The round that holds this request.
    package func round(of anchor: NotificationUUID) -> Round? { folded.rounds.first { $0.contains(anchor) } }

    /// Whether the disputed period is the first paid one after a free trial; nil where that is unknown, and for what does not renew.
    package var isConvertedFromTrial: Bool? {
        guard let purchase, purchase.transaction.isAutoRenewable else { return nil }
        guard let index = periods.firstIndex(where: { $0.transaction.transactionID == transactionID }) else { return nil }
        // What came before the oldest known period is unknown, unless that is where the chain began.
        guard index > 0 else { return purchase.transaction.originalTransactionID == transactionID ? false : nil }
        return periods[index - 1].transaction.isFreeTrial && !purchase.transaction.isFreeTrial
    }

    /// Whether the disputed purchase is the newest of its chain and not over: a refund of it would end something.
    package func isCurrentPeriod(at instant: Timestamp) -> Bool? {
        guard let purchase else { return nil }
        guard periods.last?.transaction.transactionID == transactionID else { return false }
        guard let end = purchase.transaction.expiresDate else { return true }
        let renewal = chain?.renewal?.value
        return instant < end || renewal?.isInBillingRetryPeriod == true || renewal?.gracePeriodExpiresDate.map { instant < $0 } == true
    }
}

/// A customer's name as facts are kept under it: one that is a UUID in lower case, as an `appAccountToken` is.
package func normalizedRef(_ ref: String) -> String { AppAccountToken.looksLikeUUID(ref) ? ref.lowercased() : ref }

/// Finds the customer that a name means: a UUID is an `appAccountToken`, anything else the strongest alias that carries it.
package func resolve(_ ref: String, in ledger: Ledger, _ tx: any ReadTransaction) throws(StoreError) -> CustomerID? {
    let ref = normalizedRef(ref)
    if AppAccountToken.looksLikeUUID(ref) {
        if let found = try tx.customer(Alias(.appAccountToken, ref), in: ledger) { return found }
        return try tx.customer(Alias(.userID, ref), in: ledger)
    }
    for kind in [Alias.Kind.appTransactionID, .originalTransactionID, .userID] {
        if let found = try tx.customer(Alias(kind, ref), in: ledger) { return found }
    }
    return nil
}

/// The names under which the backend may have said something about a customer.
package func refs(of aliases: [Alias]) -> [String] {
    var seen: Set<String> = []
    return aliases.map(\.value).filter { seen.insert($0).inserted }
}
