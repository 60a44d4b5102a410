import Dispatch
import Postgres
import Store
import Synchronization

/// Hears from other processes that they scheduled work, and wakes this one's workers.
///
/// On a thread of its own. While it hears nothing the workers look by their own clock, so a lost call only costs time.
final class NotificationEar: Sendable {
    private let target: Target
    private let sender: String
    private let signal: OutboxSignal
    private let isStopped = Atomic(false)

    /// - Parameter sender: What this process' own calls carry; they need not be heard.
    init(_ target: Target, sender: String, _ signal: OutboxSignal) {
        self.target = target
        self.sender = sender
        self.signal = signal
    }

    func start() {
        DispatchQueue(label: "store.listener").async { [self] in
            var wait: Int32 = 100
            while !isStopped.load(ordering: .acquiring) {
                do throws(PostgresError) {
                    let listener = try Listener(target, channel: "refund_desk_outbox")
                    signal.signal()  // Calls may have been missed meanwhile.
                    wait = 100
                    try listen(listener)
                } catch {
                    // The server is away; sooner or later it is back.
                    _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(Int(wait)))
                    wait = min(wait * 2, 5_000)
                }
            }
        }
    }

    private func listen(_ listener: Listener) throws(PostgresError) {
        while !isStopped.load(ordering: .acquiring) {
            if try listener.wait(milliseconds: 250).contains(where: { $0 != sender }) { signal.signal() }
        }
    }

    func stop() { isStopped.store(true, ordering: .releasing) }
}
