import Dispatch
import Foundation

/// Hears SIGTERM and SIGINT from the moment it is made, so that none kills the process or is lost before the work it ends has begun.
final class Termination: Sendable {
    private let signals: AsyncStream<Void>
    // Never changed after `init`, and a source may be cancelled from any thread.
    private nonisolated(unsafe) let sources: [any DispatchSourceSignal]

    init() {
        let (signals, arrived) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingOldest(1))
        self.signals = signals
        signal(SIGPIPE, SIG_IGN)
        sources = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { arrived.yield() }
            source.resume()
            return source
        }
    }

    deinit { for source in sources { source.cancel() } }

    /// Runs the body, and cancels it when a signal arrives or has arrived.
    func end(_ body: @escaping @Sendable () async throws -> Void) async throws {
        let work = Task { try await body() }
        let watch = Task { [signals] in
            for await _ in signals { work.cancel() }
        }
        defer { watch.cancel() }
        do { try await work.value } catch is CancellationError {}
    }
}
