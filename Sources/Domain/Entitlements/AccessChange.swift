/// One change of a customer's access that a follower must hear of.
package struct AccessChange: Hashable, Sendable {
    package var kind: Kind
    package var originalTransactionID: TransactionID
    /// Of the period the change is about.
    package var transactionID: TransactionID
    package var productID: ProductID
    package var subscriptionGroupIdentifier: String?
    /// By everything under the original transaction id: what a follower keeps under that id.
    package var access: Access
    package var commitment: CommitmentProgress?
    package var seats: Seats?

    /// The raw value is the webhook's type.
    package enum Kind: String, Sendable, CaseIterable {
        case granted = "access.granted"
        case revoked = "access.revoked"
        case changed = "access.changed"
        case commitmentStarted = "commitment.started"
        case commitmentEnding = "commitment.ending"
        case commitmentEnded = "commitment.ended"
        case seatsChanged = "seats.changed"
    }
}

extension CustomerAccess {
    /// What a follower must be told, who was told everything up to `before` as it was at `then`.
    ///
    /// The follower keeps, under each original transaction id, the access of the last event and reads it by the clock; so
    /// access that runs out by itself is no change, and after these events his table equals this one at `now`. A fact that
    /// changes nothing gives nothing. Where access begins or a commitment ends by the clock alone, the change is found when
    /// this is asked at ``nextTurn(after:)``.
    ///
    /// - Parameters:
    ///   - before: What was known when the follower was last told.
    ///   - then: When that was; `now` where nothing can have turned in between.
    package func changes(since before: CustomerAccess, at then: Timestamp, now: Timestamp) -> [AccessChange] {
        let was = before.holdings
        return holdings.sorted { $0.key < $1.key }.flatMap { original, holding -> [AccessChange] in
            let earlier = was[original]
            if then == now, earlier == holding { return [] }
            return holding.changes(since: earlier, at: then, now: now)
        }
    }

    /// The first instant after this one at which the clock alone may change something a follower must be told.
    package func nextTurn(after instant: Timestamp) -> Timestamp? {
        let turns = subscriptions.lazy.flatMap(\.turns).filter { $0 > instant }.min()
        let starts = singles.lazy.map(\.start).filter { $0 > instant }.min()
        return [turns, starts].compactMap { $0 }.min()
    }

    /// Access to what a transaction belongs to: its subscription group, else its product.
    package func access(group: String?, product: ProductID, at instant: Timestamp) -> Access {
        entitlements(at: instant).lazy
            .filter { group == nil ? $0.productID == product : $0.subscriptionGroupIdentifier == group }
            .reduce(.none) { $0.joined($1.access) }
    }

    private var holdings: [TransactionID: Holding] {
        var holdings: [TransactionID: Holding] = [:]
        for subscription in subscriptions { holdings[subscription.originalTransactionID, default: Holding()].subscription = subscription }
        for single in singles { holdings[single.originalTransactionID, default: Holding()].singles.append(single) }
        return holdings
    }
}

/// Everything under one original transaction id.
private struct Holding: Hashable {
    var subscription: SubscriptionAccess?
    var singles: [SinglePurchase] = []

    /// The row that grants access longest, with the access of all.
    func entitlement(at instant: Timestamp) -> Entitlement? {
        let rows = (subscription.map { [$0.entitlement(at: instant)] } ?? []) + singles.map { $0.entitlement(at: instant) }
        return rows.dropFirst().reduce(rows.first) { best, row in
            guard let best else { return row }
            let access = best.access.joined(row.access)
            var chosen = access == best.access ? best : row
            chosen.access = access
            return chosen
        }
    }

    func changes(since before: Holding?, at then: Timestamp, now: Timestamp) -> [AccessChange] {
        guard let row = entitlement(at: now) else { return [] }
        let told = before?.entitlement(at: then)
        var changes: [AccessChange] = []
        if let kind = AccessChange.Kind(from: told, at: now, to: row) { changes.append(AccessChange(kind, row)) }
        if let subscription {
            changes += subscription.commitmentChanges(since: before?.subscription, at: then, now: now, access: row.access)
        }
        if row.seats != told?.seats, told != nil || (row.seats?.revokedSeatQuantity ?? 0) > 0 {
            changes.append(AccessChange(.seatsChanged, row))
        }
        return changes
    }
}

extension AccessChange {
    fileprivate init(_ kind: Kind, _ row: Entitlement) {
        self.init(
            kind: kind, originalTransactionID: row.originalTransactionID, transactionID: row.transactionID, productID: row.productID,
            subscriptionGroupIdentifier: row.subscriptionGroupIdentifier, access: row.access, commitment: row.commitment, seats: row.seats)
    }
}

extension AccessChange.Kind {
    /// How access changed for one who reads what he was told by the clock; nil where he needs no word.
    fileprivate init?(from told: Entitlement?, at now: Timestamp, to row: Entitlement) {
        let earlier = told?.access.read(at: now) ?? .none
        switch (earlier.active, row.access.active) {
        case (false, true): self = .granted
        case (true, false): self = .revoked
        case (true, true) where earlier.until != row.access.until || told?.productID != row.productID: self = .changed
        default: return nil
        }
    }
}

extension SubscriptionAccess {
    /// When the clock may change access or a commitment: a period begins, a commitment's term or billing retry runs out.
    fileprivate var turns: [Timestamp] {
        let newest = periods[periods.count - 1]
        let ends = newest.isMonthlyCommitment ? [newest.expires, newest.termEnd, newest.billingRetryEnds] : []
        return periods.map(\.start) + ends.compactMap { $0 }
    }

    /// Started, ending and ended, commitment by commitment.
    ///
    /// A commitment was known if one known before began within it, so that each is told once whichever of its months came first.
    fileprivate func commitmentChanges(
        since before: SubscriptionAccess?, at then: Timestamp, now: Timestamp, access: Access
    ) -> [AccessChange] {
        var known: [Int: CommitmentProgress] = [:]
        for run in before?.commitments ?? [] {
            guard let before else { break }
            let start = before.periods[run.lowerBound].start
            let place = commitments.lastIndex { periods[$0.lowerBound].start <= start } ?? 0
            known[place] = before.progress(of: run, month: run.upperBound - 1, at: then)
        }
        return commitments.indices.flatMap { place -> [AccessChange] in
            let run = commitments[place]
            let month = run.last { periods[$0].start <= now } ?? run.lowerBound
            let progress = progress(of: run, month: month, at: now)
            return AccessChange.Kind.commitment(from: known[place], to: progress).map { kind in
                AccessChange(
                    kind: kind, originalTransactionID: originalTransactionID, transactionID: periods[month].transactionID,
                    productID: periods[month].productID, subscriptionGroupIdentifier: periods[month].subscriptionGroupIdentifier,
                    access: access, commitment: progress, seats: periods[month].seats)
            }
        }
    }
}

extension AccessChange.Kind {
    fileprivate static func commitment(from earlier: CommitmentProgress?, to progress: CommitmentProgress) -> [Self] {
        var kinds: [Self] = earlier == nil ? [.commitmentStarted] : []
        let isRunning = progress.state == .running
        if isRunning, progress.endsAfterTerm, earlier?.endsAfterTerm != true { kinds.append(.commitmentEnding) }
        if !isRunning, earlier?.state ?? .running == .running { kinds.append(.commitmentEnded) }
        return kinds
    }
}
