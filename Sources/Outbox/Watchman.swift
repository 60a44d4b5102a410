import Domain
import Ingest
import Store
import Synchronization

/// Watches for what nobody reports: too many requests, no notifications or none that get through, a disk that fills.
package final class Watchman: Service {
    package let name = "watch"
    private let desk: OutboxDesk
    private let apps: [AppSettings]
    private let measureDisk: @Sendable () -> DiskUsage?
    private let report: @Sendable (StoreError) -> Void
    private let state: Mutex<State>

    private struct State {
        /// When the desk began to listen: before that, silence is its own.
        var begunAt: Timestamp?
        /// What was found is not written again and again.
        var told: Set<WatchFinding> = []
        var forecast = DiskForecast()
    }

    /// How often it looks.
    package static let interval = Span.minutes(1)
    /// How long after its start the desk takes silence for Apple's: the tries that Apple repeats need a while to come.
    package static let grace = Span.hours(1)

    /// - Parameters:
    ///   - measureDisk: The file system of the database; nil where there is none of the desk's own.
    ///   - report: Told of faults of the store; the next look tries again.
    package init(
        _ desk: OutboxDesk, apps: [AppSettings], measureDisk: @escaping @Sendable () -> DiskUsage?,
        report: @escaping @Sendable (StoreError) -> Void
    ) {
        self.desk = desk
        self.apps = apps
        self.measureDisk = measureDisk
        self.report = report
        state = Mutex(State())
    }

    package func run() async throws {
        while !Task.isCancelled {
            let now = desk.time.now()
            do throws(StoreError) { try await step(at: now) } catch { report(error) }
            do { try await desk.time.sleep(until: now + Watchman.interval) } catch { return }
        }
    }

    /// One look at everything.
    package func step(at now: Timestamp) async throws(StoreError) {
        let begun = state.withLock { state in
            state.begunAt = state.begunAt ?? now
            return state.begunAt ?? now
        }
        let disk = diskFinding(at: now)
        for app in apps {
            var findings =
                disk.map { [WatchFinding(ledger: app.watchedLedger, event: .disk, detail: $0, once: "disk-\(dayNumber(now))")] } ?? []
            if app.environments.contains(.production) {
                findings += try await look(at: Ledger(app: app.id, environment: .production), since: begun, now)
            }
            for finding in findings { try await tell(finding, app, at: now) }
        }
    }

    private func look(at ledger: Ledger, since begun: Timestamp, _ now: Timestamp) async throws(StoreError) -> [WatchFinding] {
        let listensLongEnough = now - begun >= Watchman.grace
        return try await desk.store.read { tx throws(StoreError) in
            let watch = WatchDesk(ledger: ledger, tx: tx, now: now)
            let silence = listensLongEnough ? try watch.silence() : nil
            return [try watch.spike(), silence, try watch.failedSend(since: begun)].compactMap(\.self)
        }
    }

    private func diskFinding(at now: Timestamp) -> String? {
        guard let usage = measureDisk() else { return nil }
        desk.metrics.set("refund_desk_disk_free_bytes", to: usage.freeBytes)
        desk.metrics.set("refund_desk_database_bytes", to: usage.databaseBytes)
        let fills = state.withLock { $0.forecast.fills(usage, at: now) }
        if let shortage = usage.shortage { return shortage }
        return fills.map {
            "\(sizeText(usage.freeBytes)) free, and at the pace of the last day full in \($0.milliseconds / Span.hours(1).milliseconds) hours."
        }
    }

    private func tell(_ finding: WatchFinding, _ app: AppSettings, at now: Timestamp) async throws(StoreError) {
        // The words change from look to look; what counts is that the owner heard of it.
        var known = finding
        known.notice.detail = nil
        guard state.withLock({ !$0.told.contains(known) }) else { return }
        try await desk.store.write { tx throws(StoreError) in try finding.tell(app, tx, at: now) }
        let told = known
        state.withLock { _ = $0.told.insert(told) }
    }
}

extension AppSettings {
    /// Where what concerns the whole machine is told.
    fileprivate var watchedLedger: Ledger { Ledger(app: id, environment: environments.contains(.production) ? .production : .sandbox) }
}
