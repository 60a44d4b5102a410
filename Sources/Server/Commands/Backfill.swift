import Domain
import Outbox
import Store

/// Reads the history of one ledger to its end, for a command.
struct Backfill: Sendable {
    let core: DeskCore
    let ledger: Ledger
    let console: Console

    /// So many times in a row Apple may have no answer before the command gives up; what was read is kept.
    private static let patience = 5
    /// A limit that lasts longer is not waited for.
    private static let longestWait = Span.minutes(10)

    func run(_ since: Timestamp?, onlyFailures: Bool) async throws -> BackfillOutcome {
        let (kept, contact) = try await core.store.read { [ledger] tx throws(StoreError) in
            (try tx.historyRead(.command, of: ledger), try tx.contact(of: ledger))
        }
        let fresh = HistoryRead.byCommand(ledger, since: since, onlyFailures: onlyFailures, after: contact, at: now)
        if let since, fresh.from > since { tell("Apple keeps no notifications from before \(fresh.from.milliseconds): reading from there") }
        guard let kept, kept.canGoOn, kept.onlyFailures == onlyFailures, since == nil || kept.from == fresh.from else {
            var outcome = BackfillOutcome(fresh)
            outcome.error = try await read(fresh, &outcome)
            return outcome
        }
        return try await resume(kept)
    }

    /// Goes on with a broken-off reading, then reads what came since that one began.
    private func resume(_ kept: HistoryRead) async throws -> BackfillOutcome {
        tell("going on with the reading that was broken off after \(kept.counts.seen) notifications")
        var outcome = BackfillOutcome(kept)
        outcome.resumed = true
        outcome.error = try await read(kept, &outcome)
        guard outcome.error == nil, now - kept.to > .minutes(1) else { return outcome }
        let contact = try await core.store.read { [ledger] tx throws(StoreError) in try tx.contact(of: ledger) }
        let since = kept.to - HistoryReach(ledger.environment).margin
        let rest = HistoryRead.byCommand(ledger, since: since, onlyFailures: kept.onlyFailures, after: contact, at: now)
        outcome.error = try await read(rest, &outcome)
        return outcome
    }

    private var now: Timestamp { core.apis[ledger]?.appleNow ?? core.time.now() }

    /// - Returns: Why it could not be read to its end.
    private func read(_ read: HistoryRead, _ outcome: inout BackfillOutcome) async throws -> String? {
        let progress = ProgressCount("\(ledger.environment.rawValue)")
        defer { progress.finish() }
        var (read, failures, why) = (read, 0, String?.none)
        while why == nil, read.endedAt == nil {
            switch try await core.history.go(on: read, pages: 1, told: { progress.show("\($0.counts.seen) seen, \($0.counts.new) new") }) {
            case .ended(let next), .more(let next): (read, failures) = (next, 0)
            case .stopped(let next, let obstacle):
                read = next
                failures += 1
                why = await hasWaited(after: failures, obstacle) ? nil : obstacle.text
            }
        }
        outcome.add(read)
        if let why { tell("\(why). What was read is kept: run the command again to go on") }
        return why
    }

    /// - Returns: false where waiting does not help or lasts too long.
    private func hasWaited(after failures: Int, _ obstacle: HistoryReader.Obstacle) async -> Bool {
        guard obstacle.isRetryable, failures < Self.patience else { return false }
        let now = core.time.now()
        let end = max(now + .seconds(1 << Int64(failures)), obstacle.retryAfter ?? now)
        guard end - now <= Self.longestWait else { return false }
        tell("\(obstacle.text). Trying again in \((end - now).milliseconds / 1_000) s")
        return (try? await core.time.sleep(until: end)) != nil
    }

    private func tell(_ text: String) { console.error("\(ledger.environment.rawValue): \(text)") }
}
