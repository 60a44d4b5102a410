import Domain
import Store

/// Something that is not as usual in one ledger.
package struct WatchFinding: Sendable, Hashable {
    package var ledger: Ledger
    package var notice: AlertNotice
    /// Of two findings with the same words here the owner hears once.
    package var once: String

    package init(ledger: Ledger, event: AlertEvent, detail: String, once: String) {
        self.ledger = ledger
        notice = AlertNotice(event: event, detail: detail)
        self.once = once
    }

    /// Tells every place that wants to hear of it, unless it was told before.
    package func tell(_ app: AppSettings, _ tx: any WriteTransaction, at now: Timestamp) throws(StoreError) {
        try AlertDesk(app: app, ledger: ledger, tx: tx, now: now).tell(notice, once: once)
    }
}

/// Looks at what came in of late and compares it with what is usual.
package struct WatchDesk {
    let ledger: Ledger
    let tx: any ReadTransaction
    let now: Timestamp

    package init(ledger: Ledger, tx: any ReadTransaction, now: Timestamp) {
        self.ledger = ledger
        self.tx = tx
        self.now = now
    }

    /// More requests for refunds than usual; at most once a day.
    package func spike() throws(StoreError) -> WatchFinding? {
        let dayAgo = now - .days(1)
        let lastDay = try tx.requestedPurchases(in: ledger, from: dayAgo, to: now)
        guard lastDay >= RequestSpike.least, let first = try tx.firstRequest(in: ledger) else { return nil }
        let lastHour = try tx.requestedPurchases(in: ledger, from: now - .hours(1), to: now)
        var daysBefore: [Int64] = []
        while daysBefore.count < RequestSpike.days {
            let end = dayAgo - .days(Int64(daysBefore.count))
            guard first <= end - .days(1) else { break }
            daysBefore.append(try tx.requestedPurchases(in: ledger, from: end - .days(1), to: end))
        }
        guard let spike = RequestSpike.judge(lastDay: lastDay, lastHour: lastHour, daysBefore: daysBefore) else { return nil }
        return WatchFinding(ledger: ledger, event: .spike, detail: spike.text, once: "spike-\(dayNumber(now))")
    }

    /// Apple tried in vain while the desk was listening, and nothing got through since; once until something does.
    package func failedSend(since begun: Timestamp) throws(StoreError) -> WatchFinding? {
        guard let failure = try failureSinceLastArrival(), failure.at > begun else { return nil }
        let last = try tx.lastArrival(in: ledger)
        return WatchFinding(
            ledger: ledger, event: .silence,
            detail: "Apple tried to deliver notifications in vain, last with the result \(failure.rawResult); nothing got through since.",
            once: "failed-sends-\(last?.milliseconds ?? 0)")
    }

    /// Apple's newest failed try, where nothing came after it.
    package func failureSinceLastArrival() throws(StoreError) -> LedgerContact.SendFailure? {
        guard let failure = try tx.contact(of: ledger)?.newestSendFailure else { return nil }
        guard let last = try tx.lastArrival(in: ledger), last >= failure.at else { return failure }
        return nil
    }

    /// No word from Apple for longer than usual; once per silence.
    package func silence() throws(StoreError) -> WatchFinding? {
        guard let last = try tx.lastArrival(in: ledger), now - last >= ArrivalRhythm.shortestSilence,
            let rhythm = ArrivalRhythm(
                try tx.arrivals(in: ledger, since: last - ArrivalRhythm.reach, apart: ArrivalRhythm.grain)), now - last > rhythm.alarmAfter
        else { return nil }
        let hours = { (span: Span) in span.milliseconds / Span.hours(1).milliseconds }
        return WatchFinding(
            ledger: ledger, event: .silence,
            detail:
                "Nothing came from Apple for \(hours(now - last)) hours; pauses of up to \(max(hours(rhythm.usualPause), 1)) hours are usual.",
            once: "silence-\(last.milliseconds)")
    }
}

/// Days since the epoch, UTC.
package func dayNumber(_ instant: Timestamp) -> Int64 { instant.milliseconds / Span.days(1).milliseconds }
