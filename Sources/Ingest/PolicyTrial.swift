import Domain
import Store

/// Tries a policy on all requests that a policy has decided, each by the facts as they were then.
package struct PolicyTrial: Sendable {
    let policy: Policy
    let ledger: Ledger
    let now: Timestamp

    package init(_ policy: Policy, in ledger: Ledger, at now: Timestamp) {
        self.policy = policy
        self.ledger = ledger
        self.now = now
    }

    /// - Parameter progress: Told after each page how many decisions were looked at.
    package func run(
        on store: any Store, since: Timestamp, progress: @Sendable (Int) -> Void = { _ in }
    ) async throws(StoreError) -> PolicyTrialReport {
        var report = PolicyTrialReport(policy)
        var page = PageRequest(limit: 500)
        repeat {
            let request = page
            let judged = try await store.read { tx throws(StoreError) in
                let records = try tx.judgedDecisions(in: ledger, since: since, page: request)
                var trials: [Trial] = []
                for record in records.items { if let trial = try trial(record, tx) { trials.append(trial) } }
                return (trials: trials, cursor: records.nextCursor, count: records.items.count)
            }
            for trial in judged.trials { report.count(trial, isRecent: now - trial.requestedAt < .days(90)) }
            progress(judged.count)
            page.cursor = judged.cursor
        } while page.cursor != nil
        return report
    }

    /// The same on the newest decisions alone, so that nobody waits long however many there are.
    package func run(on store: any Store, newest count: Int) async throws(StoreError) -> PolicyTrialReport {
        let records = try await store.read { tx throws(StoreError) in try tx.judgedDecisions(in: ledger, newest: count + 1) }
        var report = PolicyTrialReport(policy)
        report.isCut = records.count > count
        var rest = records.prefix(count).reversed()[...]
        report.since = rest.first?.at
        while !rest.isEmpty {
            let some = rest.prefix(250)
            rest = rest.dropFirst(250)
            let trials = try await store.read { tx throws(StoreError) in
                var trials: [Trial] = []
                for record in some { if let trial = try trial(record, tx) { trials.append(trial) } }
                return trials
            }
            for trial in trials { report.count(trial, isRecent: now - trial.requestedAt < .days(90)) }
        }
        return report
    }

    private func trial(_ record: DecisionRecord, _ tx: any ReadTransaction) throws(StoreError) -> Trial? {
        guard let basis = record.basis, let purchase = try tx.purchase(record.transactionID, in: ledger) else { return nil }
        let events = try tx.caseEvents(record.transactionID, in: ledger)
        let folded = RefundCase(folding: events, purchase: purchase, window: ledger.environment.answerWindow)
        guard var round = folded?.rounds.first(where: { $0.contains(record.anchor) }) else { return nil }
        // What Apple decided since was not known then.
        round.outcome = nil
        let context = DecisionContext(
            round: round, purchase: purchase, environment: ledger.environment, now: record.at, consent: record.decision.consent ?? .given,
            delivery: basis.delivery, sampleContentProvided: basis.sampleContentProvided, consumed: basis.consumed,
            isCurrentPeriod: basis.facts.isCurrentPeriod, isConvertedFromTrial: basis.facts.isConvertedFromTrial)
        let original = purchase.transaction.originalTransactionID
        let customer = try tx.customer(Alias(.originalTransactionID, original.rawValue), in: ledger)
        return Trial(
            transactionID: record.transactionID, round: round.notificationUUIDs[0],  // a round begins with its first request
            requestedAt: round.requestedAt, customer: customer, was: record.decision,
            becomes: decision(context, by: .policy(policy, facts: basis.facts), in: ledger))
    }
}

/// One request under the tried policy.
package struct Trial: Sendable {
    package var transactionID: TransactionID
    package var round: NotificationUUID
    package var requestedAt: Timestamp
    package var customer: CustomerID?
    package var was: Decision
    package var becomes: Decision

    /// Whether something else would be done; another rule that does the same changes nothing.
    package var isChanged: Bool {
        was.kind != becomes.kind || was.preference != becomes.preference
            || was.because.contains(.holdout) != becomes.because.contains(.holdout)
    }
}

/// What a policy would have done.
package struct PolicyTrialReport: Sendable {
    package struct RuleCount: Sendable {
        package var name: String
        package var requests = 0
        package var customers: Set<CustomerID> = []
    }
    package private(set) var requests = 0
    package private(set) var customers: Set<CustomerID> = []
    /// Whether there are older decisions that were not looked at, and when the oldest was made that was; of the newest decisions alone.
    package fileprivate(set) var isCut = false
    package fileprivate(set) var since: Timestamp?
    /// In the policy's order, `default` last.
    package private(set) var rules: [RuleCount]
    package private(set) var changes: [Trial] = []
    private var rounds: Set<NotificationUUID> = []
    private var recentCustomers: Set<CustomerID> = []
    private var recentDeclined: Set<CustomerID> = []
    private var warned: [GuidelineWarning: Int] = [:]

    init(_ policy: Policy) { rules = (policy.rules.map(\.name) + [Policy.defaultName]).map { RuleCount(name: $0) } }

    /// A round counts once, by its first decision: what was decided after a hold rests on the same rules.
    mutating func count(_ trial: Trial, isRecent: Bool) {
        guard rounds.insert(trial.round).inserted else { return }
        requests += 1
        if let customer = trial.customer { customers.insert(customer) }
        if let index = rules.firstIndex(where: { $0.name == trial.becomes.rule }) {
            rules[index].requests += 1
            if let customer = trial.customer { rules[index].customers.insert(customer) }
        }
        if trial.isChanged { changes.append(trial) }
        for warning in trial.becomes.warnings { warned[warning, default: 0] += 1 }
        guard isRecent, let customer = trial.customer else { return }
        recentCustomers.insert(customer)
        if trial.becomes.preference == .decline { recentDeclined.insert(customer) }
    }

    /// What a person should think about before this policy is used.
    package var warnings: [String] {
        var texts: [String] = []
        if recentDeclined.count * 2 > recentCustomers.count {
            texts.append(
                "Guideline 5.6: \(recentDeclined.count) of \(recentCustomers.count) customers of the last 90 days would get DECLINE. "
                    + "A preference that ignores the case loses weight with Apple and drives people to chargebacks: "
                    + "decline where the facts speak for it, and send the data alone otherwise.")
        }
        for warning in GuidelineWarning.allCases {
            if let count = warned[warning] { texts.append("\(warning.text) (\(count) of \(requests) requests)") }
        }
        return texts
    }
}
