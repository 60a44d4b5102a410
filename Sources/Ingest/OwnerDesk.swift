import Domain
import Store

/// Takes in what the owner's backend says, and does at once what follows from it.
package struct OwnerDesk {
    let app: AppSettings
    let ledger: Ledger
    let tx: any WriteTransaction
    let now: Timestamp
    let actor: String?

    /// - Parameter actor: The name of the token whose holder speaks, for the trail.
    package init(app: AppSettings, ledger: Ledger, tx: any WriteTransaction, now: Timestamp, actor: String? = nil) {
        self.app = app
        self.ledger = ledger
        self.tx = tx
        self.now = now
        self.actor = actor
    }

    private var fold: LedgerFold { LedgerFold(ledger: ledger, tx: tx) }
    private var log: DeskLog { DeskLog(ledger: ledger, tx: tx, now: now, actor: actor) }

    /// Records a consent or its withdrawal; open requests of that customer are looked at again.
    ///
    /// - Returns: The number of its entry in the log.
    @discardableResult
    package func record(_ fact: ConsentFact) throws(StoreError) -> Int64 {
        var fact = fact
        fact.ref = normalizedRef(fact.ref)
        let sequence = try log.append(.consent, fact, about: nil, source: .owner)
        try fold.apply(fact, sequence: sequence)
        try reconsiderCases(ofCustomer: fact.ref)
        return sequence
    }

    package func record(_ fact: DeliveryFact) throws(StoreError) {
        _ = try log.append(.delivery, fact, about: fact.transactionID, source: .owner)
        try tx.put(fact, in: ledger)
        try CaseDesk(app: app, ledger: ledger, tx: tx, now: now).reconsider(fact.transactionID)
    }

    /// Records a product's outages in place of those recorded before; open requests about purchases of it are looked at again, and
    /// what waits to be sent will say the new truth.
    package func record(_ fact: OutagesFact) throws(StoreError) {
        _ = try log.append(.outages, fact, about: nil, source: .owner)
        try tx.put(fact, in: ledger)
        let desk = CaseDesk(app: app, ledger: ledger, tx: tx, now: now)
        for row in try tx.casesInWindow(at: now, in: ledger) {
            guard let product = row.productID, app.products.outageNames(of: product).contains(fact.productID) else { continue }
            try desk.reconsider(row.transactionID)
        }
    }

    package func record(_ fact: UserLinkFact) throws(StoreError) {
        _ = try log.append(.userLink, fact, about: fact.originalTransactionID, source: .owner)
        let before = try tx.userLink(fact.originalTransactionID, in: ledger)
        try fold.apply(fact)
        try reconsiderCases(ofCustomer: fact.originalTransactionID.rawValue)
        // What this chain's customer agreed to no longer speaks for the one it was linked to.
        if let before, before.alias != fact.alias { try reconsiderCases(ofCustomer: before.userID.rawValue) }
    }

    /// Records what was used. What is older than usage is kept counts no more, unless an open request needs it: its subject's usage of that
    /// time is unknown from then on.
    package func record(_ fact: UsageFact) throws(StoreError) -> UsageReceipt {
        var fact = fact
        if case .customer(let ref) = fact.subject { fact.subject = .customer(ref: normalizedRef(ref)) }
        var entry = LogEntry(kind: .usage, ledger: ledger, source: .owner, receivedAt: now, body: try FactCodec.encode(fact))
        entry.identity = "usage:\(ledger.app)/\(ledger.environment.rawValue)/\(fact.id)"
        entry.place = UsagePlace(fact)
        if app.retention.isPast(fact, at: now) {
            if let identity = entry.identity, try tx.logEntry(identity: identity) != nil { return .duplicate }
            guard try OpenRounds(ledger: ledger, tx: tx, now: now).need(fact.subject) else {
                try tx.noteUsageRemoved(of: fact.subject, before: fact.at + .milliseconds(1), in: ledger)
                return .expired
            }
        }
        guard try tx.append(entry) != nil else { return .duplicate }
        try tx.add(fact, in: ledger)
        return .accepted
    }

    package func record(_ setting: CustomerSetting) throws(StoreError) {
        var setting = setting
        setting.ref = normalizedRef(setting.ref)
        let kind: LogEntry.Kind = setting.kind == .preference ? .preference : .tags
        let sequence = try log.append(kind, setting, about: nil, source: .owner)
        try tx.put(setting, sequence: sequence, in: ledger)
    }

    private func reconsiderCases(ofCustomer ref: String) throws(StoreError) {
        try tx.hold(Alias.Kind.allCases.map { Alias($0, normalizedRef(ref)) }, in: ledger)
        guard let customer = try resolve(ref, in: ledger, tx) else { return }
        let desk = CaseDesk(app: app, ledger: ledger, tx: tx, now: now)
        var page = PageRequest(limit: 200)
        repeat {
            let cases = try tx.cases(CaseQuery(ledger: ledger, state: .open, customer: customer, page: page))
            for row in cases.items { try desk.reconsider(row.transactionID) }
            page.cursor = cases.nextCursor
        } while page.cursor != nil
    }
}

/// What became of a reported event.
package enum UsageReceipt: Sendable {
    case accepted, duplicate
    /// Older than usage is kept: it counts for nothing.
    case expired
}

/// Why a person's decision was not taken.
package enum PersonRefusal: Error, Sendable {
    case noSuchCase, alreadyAnswered, windowClosed, noConsent, deliveryUnknown, illegalPreference
    /// No answer is possible in this round at all, and why.
    case unanswerable([Because])
}

extension OwnerDesk {
    /// A person decides the newest round: an answer with or without a preference.
    package func answer(_ id: TransactionID, preferring preference: RefundPreference?) throws(StoreError) -> Result<Void, PersonRefusal> {
        try decide(id, by: .person(preference))
    }

    /// A person decides that nothing is sent.
    package func abstain(_ id: TransactionID) throws(StoreError) -> Result<Void, PersonRefusal> { try decide(id, by: .personAbstains) }

    private func decide(_ id: TransactionID, by authority: DecisionAuthority) throws(StoreError) -> Result<Void, PersonRefusal> {
        guard let file = try CaseFile.held(id, in: ledger, tx) else { return .failure(.noSuchCase) }
        let judge = CaseJudge(app: app, tx: tx, now: now)
        guard let round = file.folded.rounds.last, let context = try judge.context(file, round) else { return .failure(.windowClosed) }
        if let refusal = judge.refusal(context, file, round, authority) { return .failure(refusal) }
        let desk = CaseDesk(app: app, ledger: ledger, tx: tx, now: now, actor: actor)
        try desk.cancelAnswer(of: round, file)
        try tx.cancel(.decide, subject: id.rawValue, in: ledger, at: now)
        try desk.keep(Judgement(decision: decision(context, by: authority, in: ledger)), round, file)
        return .success(())
    }
}
