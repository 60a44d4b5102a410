import Domain
import Store
import Synchronization

/// Performs one kind of due work, once it may be ended by calling the store.
package protocol OutboxHandler: Sendable {
    /// Performs a claimed row and records what came of it. A thrown error leaves the row to be claimed again when its lease ends.
    func perform(_ row: OutboxRow) async throws(StoreError)
}

/// Works on some lanes of the outbox: claims due rows and performs up to so many at once. Workers are apart, so that one hanging
/// receiver slows nothing else.
package final class OutboxWorker: Service {
    package let name: String
    private let store: any Store
    private let handlers: [OutboxRow.Lane: any OutboxHandler]
    private let time: any Time
    private let concurrency: Int
    private let report: @Sendable (StoreError) -> Void
    private let running = Mutex(0)

    /// What it works on, in a fixed order.
    package var lanes: [OutboxRow.Lane] { handlers.keys.sorted { $0.rawValue < $1.rawValue } }

    /// How long a claimed row is left alone. Longer than any try may take.
    package static let lease = Span.minutes(1)
    /// Looks at the clock at least this often, should a wake-up call be lost.
    private static let longestSleep = Span.seconds(30)
    /// After a fault of the store: a full disk is not asked again at once.
    private static let faultPause = Span.seconds(5)

    /// - Parameter report: Told of faults of the store; they are tried again.
    package init(
        name: String, store: any Store, handlers: [OutboxRow.Lane: any OutboxHandler], time: any Time, concurrency: Int,
        report: @escaping @Sendable (StoreError) -> Void
    ) {
        self.name = name
        self.store = store
        self.handlers = handlers
        self.time = time
        self.concurrency = concurrency
        self.report = report
    }

    package func run() async throws {
        let wakeUp = store.outboxSignal.subscribe()
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                do throws(StoreError) {
                    let claimed = try await claim()
                    for row in claimed {
                        group.addTask {
                            // What was begun is finished: a try whose end is not recorded would be in doubt for nothing.
                            await Task { await self.perform(row) }.value
                            self.running.withLock { $0 -= 1 }
                            wakeUp.call()
                        }
                    }
                    if claimed.isEmpty { await sleep(until: try await nextLook(), or: wakeUp) }
                } catch {
                    report(error)
                    await sleep(until: time.now() + Self.faultPause, or: wakeUp)
                }
            }
        }
    }

    /// One round without the concurrency of ``run()``: claims what is due and performs it, one row after the other.
    ///
    /// - Returns: When to come back; nil where nothing waits until a commit schedules something.
    package func step() async -> Timestamp? {
        do throws(StoreError) {
            for row in try await claim() {
                await perform(row)
                running.withLock { $0 -= 1 }
            }
            return try await nextDue()
        } catch {
            report(error)
            return time.now() + Self.faultPause
        }
    }

    private func claim() async throws(StoreError) -> [OutboxRow] {
        let free = concurrency - running.withLock { $0 }
        guard free > 0 else { return [] }
        let now = time.now()
        let lanes = lanes
        guard let due = try await store.read({ tx throws(StoreError) in try tx.nextDue(in: lanes) }), due <= now else { return [] }
        let rows = try await store.write { tx throws(StoreError) in
            try tx.claim(in: lanes, limit: free, at: now, leaseUntil: now + Self.lease)
        }
        running.withLock { $0 += rows.count }
        return rows
    }

    private func perform(_ row: OutboxRow) async {
        guard let handler = handlers[row.lane] else { return }
        do { try await handler.perform(row) } catch { report(error) }
    }

    /// When to look again: at the next due row, unless all hands are busy.
    private func nextLook() async throws(StoreError) -> Timestamp {
        let latest = time.now() + Self.longestSleep
        guard running.withLock({ $0 }) < concurrency, let due = try await nextDue() else { return latest }
        return min(due, latest)
    }

    /// When the next row falls due, a moment ahead at least.
    private func nextDue() async throws(StoreError) -> Timestamp? {
        let soon = time.now() + .milliseconds(5)
        let lanes = lanes
        return try await store.read { tx throws(StoreError) in try tx.nextDue(in: lanes) }.map { max($0, soon) }
    }

    private func sleep(until instant: Timestamp, or wakeUp: WakeUp) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await self.time.sleep(until: instant) }
            group.addTask { await wakeUp.sleep() }
            await group.next()
            group.cancelAll()
        }
    }
}
