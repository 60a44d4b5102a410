import Foundation
import Synchronization

/// What a load came to.
struct LoadResult {
    var elapsed: Double
    /// Seconds from when each request was due to its answer.
    var latencies: [Double]
    var perSecond: Double { Double(latencies.count) / elapsed }
}

/// Requests over as many connections as are in flight, each on a thread of its own.
struct Load {
    /// Of the servers that share the load.
    var ports: [UInt16]
    var inFlight = 64
    /// Requests a second, at even distances; nil sends the next when one is answered.
    var rate: Double?

    /// - Parameter request: The bytes of a number's request.
    func run(_ count: Int, _ request: @escaping @Sendable (Int) -> [UInt8]) async throws -> LoadResult {
        let shared = Shared(count: count)
        let begin = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<inFlight {
                let sender = Sender(port: ports[worker % ports.count], rate: rate, begin: begin, shared: shared, request: request)
                group.addTask { try await Load.onThread { try sender.run() } }
            }
            try await group.waitForAll()
        }
        return LoadResult(elapsed: begin.duration(to: .now).seconds, latencies: shared.latencies)
    }

    /// What one connection sends.
    private struct Sender: Sendable {
        let port: UInt16
        let rate: Double?
        let begin: ContinuousClock.Instant
        let shared: Shared
        let request: @Sendable (Int) -> [UInt8]

        func run() throws {
            let connection = try RawConnection(port: port)
            while let index = shared.next() {
                let bytes = request(index)
                let due = rate.map { begin + .seconds(Double(index) / $0) } ?? .now
                Load.wait(until: due)
                let status = try connection.perform(bytes)
                guard status == 200 else { throw BenchFault("the server answered \(status)") }
                shared.note(due.duration(to: .now).seconds)
            }
        }
    }

    private static func wait(until instant: ContinuousClock.Instant) {
        let left = ContinuousClock.now.duration(to: instant).seconds
        if left > 0 { usleep(UInt32(left * 1e6)) }
    }

    private static func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            Thread { continuation.resume(with: Result { try body() }) }.start()
        }
    }

    private final class Shared: Sendable {
        private let count: Int
        private let state = Mutex((next: 0, latencies: [Double]()))

        init(count: Int) { self.count = count }

        func next() -> Int? {
            state.withLock { state in
                guard state.next < count else { return nil }
                state.next += 1
                return state.next - 1
            }
        }

        func note(_ latency: Double) { state.withLock { $0.latencies.append(latency) } }
        var latencies: [Double] { state.withLock { $0.latencies } }
    }
}
