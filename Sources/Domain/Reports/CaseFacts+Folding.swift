/// Everything that the facts of a case depend on.
package struct CaseFactsBasis: Sendable {
    package var environment: Environment
    package var folded: RefundCase
    package var purchase: Purchase?
    /// When Apple signed the first word of the case.
    package var firstWordAt: Timestamp
    /// Of each round, in order: what was decided and what Apple accepted.
    package var handling: [RoundHandling]
    /// All transactions of the chain; needed where ``needsChain`` says so.
    package var chain: [Purchase]
    /// Of the newest decision by a policy: what was used cost the owner, in whole units of the transaction's currency.
    package var unitCost: ExactDecimal?

    package init(
        environment: Environment, folded: RefundCase, purchase: Purchase?, firstWordAt: Timestamp, handling: [RoundHandling],
        chain: [Purchase] = [], unitCost: ExactDecimal? = nil
    ) {
        self.environment = environment
        self.folded = folded
        self.purchase = purchase
        self.firstWordAt = firstWordAt
        self.handling = handling
        self.chain = chain
        self.unitCost = unitCost
    }

    /// Whether the facts depend on the other transactions of the chain.
    package static func needsChain(_ folded: RefundCase, _ purchase: Purchase?) -> Bool {
        guard let transaction = purchase?.transaction else { return false }
        return transaction.isMonthlyCommitment && folded.refund != nil || isSoonUnintended(folded, transaction)
    }

    /// Whether the customer asked for the refund of an unintended renewal within 48 hours.
    fileprivate static func isSoonUnintended(_ folded: RefundCase, _ transaction: Transaction) -> Bool {
        guard let round = folded.rounds.first, round.reason == .unintendedPurchase else { return false }
        return transaction.transactionReason == .renewal && round.requestedAt - transaction.purchaseDate <= .hours(48)
    }
}

/// What was done about one round.
package struct RoundHandling: Hashable, Sendable {
    /// The newest decision.
    package var decision: Decision?
    /// The body that Apple accepted, as JSON text.
    package var acceptedBody: String?

    package init(decision: Decision?, acceptedBody: String?) {
        self.decision = decision
        self.acceptedBody = acceptedBody
    }

    fileprivate var sent: String {
        guard let acceptedBody else { return RoundFacts.nothing }
        // The body is the desk's own, without white space.
        let preference = RefundPreference.allCases.first { acceptedBody.contains("\"refundPreference\":\"\($0.rawValue)\"") }
        return preference?.rawValue ?? RoundFacts.dataOnly
    }

    fileprivate var arm: RoundFacts.Arm? {
        guard let decision, decision.rule != nil, decision.rule != Decision.byPerson else { return nil }
        if decision.because.contains(.holdout) { return .heldOut }
        return decision.kind == .answer ? .answered : nil
    }
}

extension CaseFacts {
    package init(_ basis: CaseFactsBasis) {
        let transaction = basis.purchase?.transaction
        let first = basis.folded.rounds.first
        openedAt = first?.requestedAt ?? basis.firstWordAt
        purchasedAt = transaction?.purchaseDate
        isAsked = first != nil
        productID = transaction?.productID.rawValue ?? ReportWord.unknown
        reason = first.map { $0.rawReason ?? ReportWord.unknown } ?? ReportWord.notAsked
        storefront = transaction?.storefront ?? ReportWord.unknown
        offer = transaction?.reportedOffer ?? ReportWord.none
        daysSincePurchase = DayBucket(since: transaction?.purchaseDate, until: openedAt).rawValue
        commitmentMonth = transaction?.reportedCommitmentMonth ?? ReportWord.none
        currency = transaction?.currency ?? ""
        price = transaction.map { ReportAmount.bounded($0.price, basis.environment) } ?? 0
        outcome = CaseFacts.outcome(of: basis.folded)
        rounds = zip(basis.folded.rounds, basis.handling).map(RoundFacts.init)
        refund = basis.folded.refund.map { RefundFacts($0, basis) }
        start = first == nil ? nil : CaseFacts.start(of: basis)
        startOffer = start == .conversion ? basis.trialBefore?.reportedOffer : nil
    }

    private static func outcome(of folded: RefundCase) -> Outcome {
        switch folded.state {
        case .open: .undecided
        case .declined: .declined
        case .reversed: .reversed
        case .refunded: folded.refund.map(Outcome.init) ?? .full
        }
    }

    private static func start(of basis: CaseFactsBasis) -> PeriodStart {
        guard let transaction = basis.purchase?.transaction, CaseFactsBasis.isSoonUnintended(basis.folded, transaction) else {
            return .other
        }
        return !transaction.isFreeTrial && basis.trialBefore != nil ? .conversion : .renewal
    }

    /// Whether a round that Apple declined was followed by a refund that stands.
    package var isDeclinedThenRefunded: Bool {
        guard let refund, !refund.isReversed else { return false }
        return rounds.contains { $0.outcome == .declined }
    }
}

extension CaseFactsBasis {
    /// The free trial that ended where the disputed period began. Apple charges up to a day before the end, but dates the period by it.
    fileprivate var trialBefore: Transaction? {
        guard let start = purchase?.transaction.purchaseDate else { return nil }
        let slack: Span = environment == .production ? .hours(1) : .seconds(30)
        let trials = chain.map(\.transaction).filter { trial in
            guard trial.isFreeTrial, let end = trial.expiresDate else { return false }
            return max(end - start, start - end) <= slack
        }
        return trials.min { $0.transactionID < $1.transactionID }
    }

    /// Whether nothing came after the disputed period: then its refund ends the commitment.
    fileprivate var isNewestOfChain: Bool {
        guard let own = purchase?.transaction else { return false }
        return !chain.contains { ($0.transaction.purchaseDate, $0.transaction.transactionID) > (own.purchaseDate, own.transactionID) }
    }
}

extension CaseFacts.Outcome {
    fileprivate init(_ refund: Refund) {
        if refund.seats != nil { self = .seats } else { self = refund.revocation?.type == .refundProrated ? .prorated : .full }
    }
}

extension RoundFacts {
    fileprivate init(_ round: Round, _ handling: RoundHandling) {
        requestedAt = round.requestedAt
        sent = handling.sent
        rule = handling.decision?.rule ?? RoundFacts.noRule
        arm = handling.arm
        outcome = round.outcome?.kind
        secondsToDecision = round.outcome.map { max(($0.at - round.requestedAt).milliseconds / 1_000, 0) }
    }
}

extension RefundFacts {
    fileprivate init(_ refund: Refund, _ basis: CaseFactsBasis) {
        let transaction = basis.purchase?.transaction
        date = refund.revocation?.date ?? refund.toldAt
        kind = CaseFacts.Outcome(refund)
        isReversed = refund.reversedAt != nil
        units = refund.seats.map { Int64(clamping: $0) } ?? Int64(transaction?.quantity ?? 1)
        isSubscription = transaction?.isAutoRenewable ?? false
        amount = ReportAmount.bounded(transaction.flatMap(refund.amount)?.amount, basis.environment)
        isAfterFirstYear = transaction?.isAfterFirstYear ?? false
        unitCost = basis.unitCost.flatMap(\.milliunits).map { ReportAmount.bounded($0, basis.environment) }
        paymentsLost = basis.isNewestOfChain && refund.seats == nil ? transaction?.paymentsAfterThis ?? 0 : 0
    }
}
