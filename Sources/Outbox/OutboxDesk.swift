import Domain
import HTTPClient
import Ingest
import Store

/// What every handler of the outbox needs, and how each ends a row or puts it off.
package struct OutboxDesk: Sendable {
    package let store: any Store
    package let apps: AppDirectory
    package let client: HTTPClient
    /// Whether the owner's own receivers may be on this machine or in a private network.
    package let allowsPrivateTargets: Bool
    package let time: any Time
    package let metrics: Metrics
    /// A random draw from -1...1.
    package let jitter: @Sendable () -> Double

    package init(
        store: any Store, apps: AppDirectory, client: HTTPClient, allowsPrivateTargets: Bool, time: any Time, metrics: Metrics,
        jitter: @escaping @Sendable () -> Double
    ) {
        self.store = store
        self.apps = apps
        self.client = client
        self.allowsPrivateTargets = allowsPrivateTargets
        self.time = time
        self.metrics = metrics
        self.jitter = jitter
    }

    /// Ends a row's work.
    func end(_ row: OutboxRow, _ state: OutboxRow.State) async throws(StoreError) {
        let now = time.now()
        try await store.write { tx throws(StoreError) in try tx.finish(row.id, state: state, at: now) }
    }

    /// When a row for the owner's receivers is tried again; nil once three days have passed.
    func next(_ row: OutboxRow) -> Timestamp? {
        DeliverySchedule.next(afterAttempts: Int(row.attempt), since: row.createdAt, at: time.now(), jitter: jitter())
    }

    /// Tries a row again later, or gives it up.
    ///
    /// - Parameter notBefore: What the other side asked for.
    func putOff(_ row: OutboxRow, notBefore: Timestamp? = nil) async throws(StoreError) {
        guard let next = next(row) else { return try await end(row, .dead) }
        let due = max(next, notBefore ?? next)
        try await store.write { tx throws(StoreError) in try tx.reschedule(row.id, at: due) }
    }

    /// Posts to a receiver of the owner's.
    ///
    /// - Parameter readsVerdict: As of ``ReceiverReply``.
    func post(_ request: HTTPClientRequest, readsVerdict: Bool = false) async -> ReceiverReply {
        do throws(HTTPClientError) {
            return ReceiverReply(try await client.send(request), at: time.now(), readsVerdict: readsVerdict)
        } catch {
            return ReceiverReply(error)
        }
    }

    /// Records a try at a receiver of the owner's, and ends the row or puts it off.
    func settle(_ row: OutboxRow, _ reply: ReceiverReply, begunAt: Timestamp) async throws(StoreError) {
        let attempt = DeliveryAttempt(
            outboxID: row.id, at: begunAt, httpStatus: reply.status.map(Int32.init(clamping:)), error: reply.error)
        let now = time.now()
        let due = reply.error == nil || reply.isFinal ? nil : next(row).map { max($0, reply.notBefore ?? $0) }
        try await store.write { tx throws(StoreError) in
            try tx.put(attempt)
            if let due {
                try tx.reschedule(row.id, at: due)
            } else {
                try tx.finish(row.id, state: attempt.error == nil ? .done : .dead, at: now)
            }
        }
    }
}
