import AppStore
import Domain
import Ingest
import Store

/// Keeps each ledger complete: at the start everything since the last good contact, then again and again what Apple could not deliver.
///
/// It never stands in the way of messages and answers: it reads one page at a time, on a share of Apple's limits of its own.
package final class CatchUpKeeper: Service {
    package let name = "catch-up"
    private let reader: HistoryReader
    private let apps: AppDirectory
    private let ledgers: [Ledger]
    private let report: @Sendable (Ledger, Note) -> Void

    /// What is worth a line in the log.
    package enum Note: Sendable, Hashable {
        /// A reading ended that was a full one, or found something.
        case ended(HistoryRead)
        /// How far a long reading has come.
        case progress(HistoryRead)
        /// Why a reading stopped; told again only once it is another reason.
        case stopped(String)
        case storeFault(String)
    }
    /// Pages between two looks at the clock and at whether to stop.
    private static let pagesAStep = 10
    /// Pages between two words about a long reading: ten thousand notifications.
    private static let pagesAWord: Int64 = 500
    private static let shortestPause = Span.milliseconds(20)
    private static let firstRetry = Span.seconds(15)

    /// - Parameter report: Told what happened.
    package init(
        _ reader: HistoryReader, apps: AppDirectory, ledgers: [Ledger], report: @escaping @Sendable (Ledger, Note) -> Void
    ) {
        self.reader = reader
        self.apps = apps
        self.ledgers = ledgers
        self.report = report
    }

    package func run() async throws {
        await withDiscardingTaskGroup { group in
            for ledger in ledgers { group.addTask(priority: .background) { await self.keep(ledger) } }
            // With no app configured there is nothing to do, which is no reason to end.
            while !Task.isCancelled { try? await self.reader.time.sleep(until: self.reader.time.now() + .hours(1)) }
        }
    }

    private func keep(_ ledger: Ledger) async {
        var state = State()
        while !Task.isCancelled {
            let next = await step(ledger, &state)
            try? await reader.time.sleep(until: next)
        }
    }

    /// What one ledger's keeping remembers between steps; nothing that has to outlive the process.
    package struct State: Sendable {
        /// Whether a look that begins from the last good contact was begun since the start.
        var hasBegun = false
        var failures: Int64 = 0
        var lastObstacle: String?

        package init() {}
    }

    /// One piece of work.
    ///
    /// - Returns: When to come back.
    package func step(_ ledger: Ledger, _ state: inout State) async -> Timestamp {
        // Of several desks on one database one reads.
        guard await reader.store.isLeader() else { return reader.time.now() + .seconds(15) }
        do throws(StoreError) {
            guard let read = try await current(ledger, &state) else { return reader.time.now() + .hours(1) }
            if read.endedAt != nil { return try await followUp(read, state) }
            switch try await reader.go(on: read, pages: Self.pagesAStep) {
            case .more(let read):
                if read.pages > 0, read.pages.isMultiple(of: Self.pagesAWord) { report(ledger, .progress(read)) }
                return reader.time.now() + Self.shortestPause
            case .ended(let read): return ended(read, &state)
            case .stopped(_, let obstacle): return stopped(ledger, obstacle, &state)
            }
        } catch {
            report(ledger, .storeFault("\(error)"))
            return reader.time.now() + .seconds(30)
        }
    }

    /// The reading to go on with: one that is not ended, or has something to follow up, else a new one.
    private func current(_ ledger: Ledger, _ state: inout State) async throws(StoreError) -> HistoryRead? {
        guard let api = reader.apis[ledger] else { return nil }
        let (kept, contact) = try await reader.store.read { tx throws(StoreError) in
            (try tx.historyRead(.server, of: ledger), try tx.contact(of: ledger))
        }
        if let kept, kept.canGoOn || kept.followUp != nil { return kept }
        let read = HistoryRead.byServer(ledger, after: contact, at: api.appleNow, isStart: !state.hasBegun)
        // On record before the first page: a full look that Apple does not answer stays a full one.
        try await reader.store.write { tx throws(StoreError) in try tx.put(read) }
        state.hasBegun = true
        return read
    }

    private func ended(_ read: HistoryRead, _ state: inout State) -> Timestamp {
        state.failures = 0
        state.lastObstacle = nil
        if !read.onlyFailures || read.counts.new > 0 { report(read.ledger, .ended(read)) }
        return next(after: read, state)
    }

    /// What was found unfinished, or took long, leaves a part to be read at once.
    private func next(after read: HistoryRead, _ state: State) -> Timestamp {
        let (now, interval) = (reader.time.now(), HistoryReach(read.ledger.environment).interval)
        // The reading's end is by Apple's clock: by ours, where that runs ahead, it would never be recent.
        let apple = reader.apis[read.ledger]?.appleNow ?? now
        let isRecent = state.hasBegun && apple - read.to < interval
        return now + (isRecent && read.followUp == nil ? interval : Self.shortestPause)
    }

    /// Apple is asked again after growing waits, never in a hot loop: a refused key does not mend itself.
    private func stopped(_ ledger: Ledger, _ obstacle: HistoryReader.Obstacle, _ state: inout State) -> Timestamp {
        if state.lastObstacle != obstacle.text { report(ledger, .stopped(obstacle.text)) }
        state.lastObstacle = obstacle.text
        state.failures += 1
        let now = reader.time.now()
        let interval = HistoryReach(ledger.environment).interval
        guard obstacle.isRetryable else { return now + max(interval, .minutes(5)) }
        let wait = min((1 << min(state.failures - 1, 10)) * Self.firstRetry, interval)
        return max(now + wait, min(obstacle.retryAfter ?? now, now + .hours(1)))
    }

    private func followUp(_ read: HistoryRead, _ state: State) async throws(StoreError) -> Timestamp {
        let now = reader.time.now()
        var read = read
        let next: FollowUp?
        if let piece = FollowUp(read.followUp), let app = apps[read.ledger.app] {
            next = try await piece.perform(read, app: app, store: reader.store, at: now)
        } else {
            next = nil
        }
        read.followUp = next?.text
        let kept = read
        try await reader.store.write { tx throws(StoreError) in try tx.put(kept) }
        return next == nil ? self.next(after: read, state) : now + .milliseconds(200)
    }
}
