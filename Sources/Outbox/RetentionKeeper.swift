import Domain
import Ingest
import Store

/// Takes away what is kept no longer, in the background: bodies and usage as each app's `retention` says, and rows of the outbox whose work
/// ended long ago.
///
/// Each step is one small transaction with a pause behind it, so that intake never waits long. Nothing has to outlive the process: what is
/// done is done, and a round that was cut off begins anew.
package final class RetentionKeeper: Service {
    package let name = "retention"
    private let store: any Store
    private let apps: [AppSettings]
    private let time: any Time
    private let metrics: Metrics
    private let report: @Sendable (Note) -> Void

    /// What is worth a line in the log.
    package enum Note: Sendable, Hashable {
        /// A round ended that did something.
        case round(Counts)
        /// What the database made ready or gave back.
        case tidied(String)
        case storeFault(String)
    }
    package struct Counts: Sendable, Hashable {
        package var bodies = 0
        package var usage = 0
        package var outbox = 0
    }

    /// Between two rounds.
    package static let interval = Span.hours(1)
    /// Between two batches.
    package static let pause = Span.milliseconds(50)
    /// How long rows of the outbox are kept whose work is done.
    package static let outboxSpan = Span.days(30)

    /// - Parameter report: Told what happened.
    package init(
        store: any Store, apps: [AppSettings], time: any Time, metrics: Metrics, report: @escaping @Sendable (Note) -> Void
    ) {
        self.store = store
        self.apps = apps
        self.time = time
        self.metrics = metrics
        self.report = report
    }

    package func run() async throws {
        var round = Round()
        while !Task.isCancelled {
            let next: Timestamp
            do throws(StoreError) { next = try await step(at: time.now(), &round) } catch {
                report(.storeFault("\(error)"))
                next = time.now() + .seconds(30)
            }
            do { try await time.sleep(until: next) } catch { return }
        }
    }

    /// How far a round has come.
    package struct Round: Sendable {
        fileprivate enum Work: Sendable { case tidying, bodies(AppSettings, Ledger), usage(AppSettings, Ledger), outbox }
        /// What is still to be done, the next last; nil before the round begins.
        fileprivate var left: [Work]?
        fileprivate var place: UsagePlace?
        fileprivate var counts = Counts()

        package init() {}
    }

    /// One batch.
    ///
    /// - Returns: When to come back.
    package func step(at now: Timestamp, _ round: inout Round) async throws(StoreError) -> Timestamp {
        // Of several desks on one database one does it.
        guard await store.isLeader() else {
            round = Round()
            return now + .seconds(15)
        }
        var left = round.left ?? works
        if let work = left.last, try await perform(work, &round, at: now) {
            left.removeLast()
            round.place = nil
        }
        round.left = left
        guard left.isEmpty else { return now + RetentionKeeper.pause }
        if round.counts != Counts() { report(.round(round.counts)) }
        metrics.set("refund_desk_retention_round_ended_milliseconds", to: now.milliseconds)
        round = Round()
        return now + RetentionKeeper.interval
    }

    /// In the order in which they are taken from the end.
    private var works: [Round.Work] {
        let ledgers = apps.flatMap { app in
            app.environments.sorted { $0.rawValue < $1.rawValue }.map { (app, Ledger(app: app.id, environment: $0)) }
        }
        return [.outbox] + ledgers.filter { $0.0.retention.usage != nil }.map { .usage($0, $1) }
            + ledgers.filter { $0.0.retention.bodies != nil }.map { .bodies($0, $1) } + [.tidying]
    }

    /// - Returns: Whether nothing of it is left.
    private func perform(_ work: Round.Work, _ round: inout Round, at now: Timestamp) async throws(StoreError) -> Bool {
        switch work {
        case .tidying:
            await tidy(at: now)
            return true
        case .bodies(let app, let ledger):
            let progress = try await store.write(touching: ledger.touchingOldEntries) { tx throws(StoreError) in
                try RetentionDesk(app: app, ledger: ledger, tx: tx, now: now).reduceBodies()
            }
            round.counts.bodies += count("bodies", progress.count)
            return progress.isAtEnd
        case .usage(let app, let ledger):
            let place = round.place
            let progress = try await store.write(touching: ledger.touchingOldEntries) { tx throws(StoreError) in
                try RetentionDesk(app: app, ledger: ledger, tx: tx, now: now).removeUsage(behind: place)
            }
            round.counts.usage += count("usage", progress.count)
            round.place = progress.place
            return progress.isAtEnd
        case .outbox:
            let purged = try await store.write { tx throws(StoreError) in
                try tx.purgeOutbox(endedBefore: now - RetentionKeeper.outboxSpan, limit: RetentionDesk.batch)
            }
            round.counts.outbox += count("outbox", purged)
            return purged < RetentionDesk.batch
        }
    }

    private func count(_ what: String, _ number: Int) -> Int {
        if number > 0 { metrics.count("refund_desk_retention_total", "what=\"\(what)\"", by: Int64(number)) }
        return number
    }

    /// Where something is in the way the next round tries again; the rest of this one need not wait.
    private func tidy(at now: Timestamp) async {
        do throws(StoreError) {
            for line in try await store.tidy(at: now) { report(.tidied(line)) }
        } catch { report(.storeFault("\(error)")) }
    }
}
