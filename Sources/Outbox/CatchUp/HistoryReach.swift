import Domain
import Store

/// How far back, how often and with what margins the notification history of an environment is read.
package struct HistoryReach: Sendable, Hashable {
    /// How old the start of a window may be.
    ///
    /// - Source: Get Notification History: 180 days; the sandbox keeps 30.
    package var oldest: Span
    /// A window begins so long before the last good contact: Apple's list may lag behind what was sent, and clocks differ.
    package var margin: Span
    /// What a desk without a contact looks back at: every request that can still be answered. More is for `backfill`.
    package var first: Span
    /// Between two looks. Apple tries again in Production after an hour; in the sandbox never, and the window is five minutes.
    package var interval: Span

    package init(_ environment: Environment) {
        switch environment {
        case .production:
            self.init(oldest: .hours(180 * 24 - 1), margin: .hours(1), first: .hours(24), interval: .minutes(15))
        case .sandbox:
            self.init(oldest: .hours(30 * 24 - 1), margin: .minutes(15), first: .hours(1), interval: .minutes(2))
        }
    }

    private init(oldest: Span, margin: Span, first: Span, interval: Span) {
        self.oldest = oldest
        self.margin = margin
        self.first = first
        self.interval = interval
    }
}

extension HistoryRead {
    /// A contact that is no older than this needs no full look at the start.
    package static let freshContact = Span.minutes(5)
    /// After a longer silence refunds and statuses are asked for as well.
    package static let outage = Span.minutes(10)

    /// So often a window is begun again since its token was not taken.
    static let restartLimit: Int64 = 3

    /// Whether there is anything to go on with.
    package var canGoOn: Bool { endedAt == nil && restarts < Self.restartLimit }

    /// The server's next look: at everything where it was away, else at what Apple could not deliver.
    ///
    /// What Apple delivered with success is in the log, as success is only told after the commit. So both kinds complete the ledger.
    ///
    /// - Parameters:
    ///   - now: By Apple's clock.
    ///   - isStart: Whether the server has just started.
    package static func byServer(_ ledger: Ledger, after contact: LedgerContact?, at now: Timestamp, isStart: Bool) -> HistoryRead {
        let reach = HistoryReach(ledger.environment)
        let known = contact?.knownUntil(at: now)
        let silence = known.map { now - $0 }
        let isFull = known == nil || (isStart && silence.map { $0 > freshContact } ?? true)
        let from = known.map { $0 - reach.margin } ?? now - reach.first
        return HistoryRead(
            ledger: ledger, reader: .server, from: max(from, now - reach.oldest), to: now, onlyFailures: !isFull, completes: true,
            failuresAfter: contact?.newestSendFailure?.at,
            outageBegan: isFull ? known.flatMap { now - $0 > outage ? $0 : nil } : nil)
    }

    /// A look that the owner asks for.
    ///
    /// - Parameter since: nil goes back to the last good contact, or 30 days where there was none.
    package static func byCommand(
        _ ledger: Ledger, since: Timestamp?, onlyFailures: Bool, after contact: LedgerContact?, at now: Timestamp
    ) -> HistoryRead {
        let reach = HistoryReach(ledger.environment)
        let known = contact?.knownUntil(at: now)
        let from = since ?? known.map { $0 - reach.margin } ?? now - .days(30)
        // It leaves no gap behind where it begins before the contact; only a full look can begin to make a ledger complete.
        let completes = known.map { from <= $0 || $0 < now - reach.oldest } ?? !onlyFailures
        return HistoryRead(
            ledger: ledger, reader: .command, from: max(from, now - reach.oldest), to: now, onlyFailures: onlyFailures,
            completes: completes, failuresAfter: contact?.newestSendFailure?.at, outageBegan: nil)
    }
}

extension LedgerContact {
    /// The last good contact; nil also for one that lies ahead, as a clock that was wrong leaves it behind: it tells nothing.
    ///
    /// - Parameter now: By Apple's clock.
    func knownUntil(at now: Timestamp) -> Timestamp? { completeUntil.flatMap { $0 <= now + .minutes(1) ? $0 : nil } }

    /// A look without a gap has come to its end.
    ///
    /// - Parameters:
    ///   - end: Of its window, by the clock of whoever began it.
    ///   - now: By Apple's clock, as is known by then; `offset` is that clock less ours.
    mutating func complete(until end: Timestamp, at now: Timestamp, offset: Span) {
        // A window that ends ahead was begun by a clock that is: Apple told what it had until then.
        let reached = end > now ? min(end + offset, now) : end
        completeUntil = knownUntil(at: now).map { max($0, reached) } ?? reached
    }
}
