import Domain
import Foundation
import HTTPClient

/// Notifications posted over HTTP, each acknowledged only after its commit; the load generator shares the cores.
struct IntakeBench {
    let sample: Sample
    private static let inFlight = 64

    func run(_ report: Report) async throws {
        let running = try await RunningDesk(sample.identity, app: sample.app)
        let client = HTTPClient(userAgent: "bench", maximumConnections: IntakeBench.inFlight, perHostConnections: IntakeBench.inFlight)
        defer { client.close() }
        let start = ContinuousClock.now
        let latencies = try await post(sample.bodies, to: running.url, client)
        let elapsed = start.duration(to: .now).seconds
        report.add("durable intake over HTTP, \(IntakeBench.inFlight) in flight", Double(sample.bodies.count) / elapsed, "notifications/s")
        report.add("acknowledgement at that load, median", latencies.quantile(0.5) * 1e3, "ms")
        report.add("acknowledgement at that load, p99", latencies.quantile(0.99) * 1e3, "ms")
        try await running.stop()
    }

    private func post(_ bodies: [[UInt8]], to url: String, _ client: HTTPClient) async throws -> [Double] {
        try await withThrowingTaskGroup(of: Double.self) { group in
            var latencies: [Double] = []
            for (index, body) in bodies.enumerated() {
                if index >= IntakeBench.inFlight, let latency = try await group.next() { latencies.append(latency) }
                group.addTask {
                    let start = ContinuousClock.now
                    let response = try await client.send(
                        HTTPClientRequest(
                            method: "POST", url: url, headers: [(name: "Content-Type", value: "application/json")], body: body,
                            allowsPrivateTargets: true))
                    guard response.status == 200 else { throw BenchFault("the desk answered \(response.status)") }
                    return start.duration(to: .now).seconds
                }
            }
            for try await latency in group { latencies.append(latency) }
            return latencies
        }
    }
}
