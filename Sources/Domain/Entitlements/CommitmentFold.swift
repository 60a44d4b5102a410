extension SubscriptionPeriod {
    /// Whether this month goes on with the commitment of the month before it.
    ///
    /// Its product stays, its number rises, and its end moves by less than a year (months between the two may be unknown).
    /// Where the numbers are not what Apple documents, the dates alone decide.
    fileprivate func continues(_ earlier: SubscriptionPeriod) -> Bool {
        guard isMonthlyCommitment, earlier.isMonthlyCommitment, productID == earlier.productID else { return false }
        let earlierEnd = earlier.commitment?.commitmentExpiresDate
        guard let number = plausibleNumber, let before = earlier.plausibleNumber else { return earlierEnd.map { start < $0 } ?? true }
        guard let end = commitment?.commitmentExpiresDate, let earlierEnd else { return number > before }
        return number > before && end - earlierEnd < .days(360)
    }

    fileprivate var plausibleNumber: Int32? {
        commitment.flatMap { $0.isPlausible ? $0.billingPeriodNumber : nil }
    }

    var hasImplausibleCommitment: Bool { isMonthlyCommitment && plausibleNumber == nil }

    /// The end of the commitment by this month's word; never before the month's own end. Nil where Apple did not say.
    var termEnd: Timestamp? {
        guard let expires else { return nil }
        if let end = commitment?.commitmentExpiresDate { return max(end, expires) }
        return plausibleNumber == 12 ? expires : nil
    }
}

extension [SubscriptionPeriod] {
    /// The periods of each 12-month commitment, in order. A month numbered no higher than the one before starts a new one.
    func commitmentRuns() -> [Range<Int>] {
        var runs: [Range<Int>] = []
        for index in indices where self[index].isMonthlyCommitment {
            if let last = runs.last, last.upperBound == index, self[index].continues(self[index - 1]) {
                runs[runs.count - 1] = last.lowerBound..<index + 1
            } else {
                runs.append(index..<index + 1)
            }
        }
        return runs
    }
}

extension SubscriptionAccess {
    /// Whether a commitment is over, and whether that may be said before Apple was asked.
    private enum Standing {
        case running
        /// By what we know it is over, but our newest transaction may be stale.
        case awaitsConfirmation
        case over(CommitmentProgress.State)
    }

    func progress(ofPeriod index: Int, at instant: Timestamp) -> CommitmentProgress? {
        guard periods[index].isMonthlyCommitment, let run = commitments.last(where: { $0.contains(index) }) else { return nil }
        return progress(of: run, month: index, at: instant)
    }

    /// - Parameter month: The period whose number is shown.
    func progress(of run: Range<Int>, month: Int, at instant: Timestamp) -> CommitmentProgress {
        let newest = periods[run.upperBound - 1]
        return CommitmentProgress(
            state: state(of: run, at: instant), billingPeriodNumber: periods[month].commitment?.billingPeriodNumber,
            totalBillingPeriods: periods[month].commitment?.totalBillingPeriods, expiresDate: newest.commitment?.commitmentExpiresDate,
            endsAfterTerm: endsAfterTerm(run))
    }

    /// Whether Apple must be asked for the chain's status before anyone is told that its commitment ended.
    func needsStatusConfirmation(at instant: Timestamp) -> Bool {
        guard let run = commitments.last, case .awaitsConfirmation = standing(of: run, at: instant) else { return false }
        return true
    }

    func state(of run: Range<Int>, at instant: Timestamp) -> CommitmentProgress.State {
        switch standing(of: run, at: instant) {
        case .running, .awaitsConfirmation: .running
        case .over(let state): state
        }
    }

    private func standing(of run: Range<Int>, at instant: Timestamp) -> Standing {
        let newest = periods[run.upperBound - 1]
        if newest.isUpgraded, newest.end <= instant { return .over(.endedByUpgrade) }
        guard run.upperBound == periods.count else { return standing(of: newest, before: periods[run.upperBound], at: instant) }
        if let revoked = newest.revokedAt, revoked <= instant, newest.termEnd.map({ revoked < $0 }) ?? true {
            return over(.endedByRefund, ifConfirmedSince: revoked)
        }
        return unpaid(newest, at: instant) ?? ranOut(newest, at: instant)
    }

    /// Of a commitment that another period of the chain followed: what ended it, told from how the next one began.
    private func standing(of newest: SubscriptionPeriod, before next: SubscriptionPeriod, at instant: Timestamp) -> Standing {
        if let revoked = newest.revokedAt, revoked <= min(instant, next.start) { return .over(.endedByRefund) }
        let term = newest.termEnd
        guard next.start <= instant else { return term.map { $0 <= instant } ?? false ? .over(.completed) : .running }
        if next.isRenewal || term.map({ $0 <= next.start }) ?? false { return .over(.completed) }
        return .over(newest.expires.map { next.start < $0 } ?? false ? .endedByUpgrade : .endedByBilling)
    }

    /// Of a commitment whose newest month ran out without a next one: nil while Apple has said nothing.
    private func unpaid(_ newest: SubscriptionPeriod, at instant: Timestamp) -> Standing? {
        guard let expires = newest.expires, expires <= instant, let renewal = renewal(of: periods.count - 1) else { return nil }
        if renewal.isInBillingRetryPeriod == true {
            guard let ends = newest.billingRetryEnds, ends <= instant else { return .running }
            return over(.endedByBilling, ifConfirmedSince: ends)
        }
        return renewal.expirationIntent.map { .over($0 == 2 ? .endedByBilling : .completed) }
    }

    /// Of a commitment that runs to its term. Where the last months are unknown to us, it may have gone on.
    private func ranOut(_ newest: SubscriptionPeriod, at instant: Timestamp) -> Standing {
        guard let term = newest.termEnd, term <= instant else { return .running }
        return newest.expires == term ? .over(.completed) : over(.completed, ifConfirmedSince: term)
    }

    private func over(_ state: CommitmentProgress.State, ifConfirmedSince instant: Timestamp) -> Standing {
        statusConfirmedAt.map { $0 >= instant } ?? false ? .over(state) : .awaitsConfirmation
    }

    private func endsAfterTerm(_ run: Range<Int>) -> Bool {
        guard run.upperBound == periods.count, let renewal, renewal.signedDate >= periods[run.lowerBound].start else { return false }
        return renewal.commitment?.commitmentAutoRenewStatus == 0
    }
}
