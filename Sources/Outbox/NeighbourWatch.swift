import Domain
import Store

/// Notices within a second what another process scheduled in the same database: a `backfill`, a `reconcile`.
package struct NeighbourWatch: Service {
    package let name = "neighbours"
    private let store: any Store
    private let time: any Time

    package init(store: any Store, time: any Time) {
        self.store = store
        self.time = time
    }

    package func run() async throws {
        while !Task.isCancelled {
            await store.noticeOtherWriters()
            do { try await time.sleep(until: time.now() + .seconds(1)) } catch { return }
        }
    }
}
