import Outbox

/// Runs the long-running parts together: started in order, stopped in reverse, each only after those that depend on it have returned.
package struct ServiceGroup: Sendable {
    private let services: [any Service]

    /// - Parameter services: In the order of dependency: a part may use those before it.
    package init(_ services: [any Service]) { self.services = services }

    /// Runs until the task is cancelled or a part ends by itself, which is a failure.
    package func run() async throws {
        let (ends, report) = AsyncStream<ServiceEnded>.makeStream()
        let running = services.map { service in
            Task {
                do {
                    try await service.run()
                    report.yield(ServiceEnded(name: service.name, cause: nil))
                } catch { report.yield(ServiceEnded(name: service.name, cause: error)) }
            }
        }
        let failure = await withTaskCancellationHandler {
            await ends.first { _ in true }
        } onCancel: {
            report.finish()
        }
        for task in running.reversed() {
            task.cancel()
            await task.value
        }
        if let failure, !Task.isCancelled { throw failure }
    }
}

/// A part that should run for ever returned.
struct ServiceEnded: Error, CustomStringConvertible {
    var name: String
    var cause: (any Error)?
    var description: String { "\(name) ended\(cause.map { ": \($0)" } ?? " unexpectedly")" }
}
