import Domain
import Store
import Synchronization

/// Whether the database can be written to: whoever met that it cannot counts for ten seconds, and then it is tried, at most once a second
/// however often somebody asks. A try is small: on a full disk it may fit where a notification does not.
final class Readiness: Sendable {
    private struct Finding {
        var at: Timestamp
        var isReady: Bool

        /// A clock that was set back makes a finding old.
        func holds(at now: Timestamp) -> Bool { (.milliseconds(0)..<(isReady ? .seconds(1) : .seconds(10))).contains(now - at) }
    }
    private let last = Mutex<Finding?>(nil)
    private let report: @Sendable (StoreError) -> Void

    init(report: @escaping @Sendable (StoreError) -> Void) { self.report = report }

    /// A request met a fault of the store.
    func note(_ error: StoreError, at now: Timestamp) {
        report(error)
        guard error.code == .unavailable else { return }
        last.withLock { $0 = Finding(at: now, isReady: false) }
    }

    func isReady(_ store: any Store, at now: Timestamp) async -> Bool {
        if let finding = last.withLock({ $0 }), finding.holds(at: now) { return finding.isReady }
        do {
            try await store.write { tx throws(StoreError) in try tx.touchDisk() }
            last.withLock { $0 = Finding(at: now, isReady: true) }
            return true
        } catch {
            report(error)
            return false
        }
    }
}
