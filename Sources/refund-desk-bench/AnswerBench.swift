import AppStoreSimulator
import Domain
import Foundation
import Server
import Synchronization

/// A burst of refund requests: how long from the post of each to its answer at the App Store.
struct AnswerBench {
    let options: Options
    let requests: Int

    func run(_ report: Report) async throws {
        let sample = try Sample(count: 1)
        defer { sample.remove() }
        let simulator = try simulator(sample)
        let work = Task { await simulator.run() }
        let folder = try DeskFolder(sample, simulator: simulator)
        defer { folder.remove() }
        let desk = try ChildDesk(folder, options: options)
        let latencies = try await burst(sample, simulator.production, to: desk)
        report.add("request to answer at the App Store, burst of \(requests), median", latencies.quantile(0.5), "ms")
        report.add("request to answer at the App Store, burst of \(requests), p99", latencies.quantile(0.99), "ms")
        desk.stop()
        work.cancel()
        await work.value
    }

    /// Decides nothing while the burst lasts.
    private func simulator(_ sample: Sample) throws -> AppStoreSimulator {
        var settings = AppStoreSimulator.Configuration()
        settings.decisionTiming = .after(3_600_000...3_600_001)
        return try AppStoreSimulator(identity: sample.identity, configuration: settings, time: SystemTime())
    }

    /// Signs all requests before the first is posted, so that signing is not measured.
    private func burst(_ sample: Sample, _ store: EnvironmentHost, to desk: ChildDesk) async throws -> [Double] {
        let (ids, bodies) = try requestBodies(sample, store)
        let postedAt = PostTimes(count: bodies.count)
        _ = try await Load(ports: [desk.port]).run(bodies.count) { index in
            postedAt.note(index)
            return RawConnection.post(notificationsPath, bodies[index])
        }
        let end = Date().addingTimeInterval(120)
        while Date() < end {
            let receipts = ids.map { id in store.receipts(for: id).first?.receivedAt.milliseconds }
            if receipts.allSatisfy({ $0 != nil }) { return zip(receipts, postedAt.values).map { Double(($0 ?? 0) - $1) } }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw BenchFault("not every request of the burst was answered within two minutes")
    }

    private func requestBodies(_ sample: Sample, _ store: EnvironmentHost) throws -> (ids: [String], bodies: [[UInt8]]) {
        let ids = try store.happen { world, now throws(SimulatorError) in
            var ids: [String] = []
            for _ in 0..<requests {
                let customer = world.newCustomer(of: sample.app.bundleID, at: now)
                ids.append(try world.buy(sample.app.product(.proMonthly).id, by: customer, at: now))
            }
            return ids
        }
        let before = store.notifications.count
        for id in ids { try store.requestRefund(of: id, .unintendedPurchase) }
        return (ids, store.notifications[before...].map { $0.body(sample.identity.signer) })
    }
}

/// When each request was posted, in milliseconds since the epoch.
private final class PostTimes: Sendable {
    private let times: Mutex<[Int64]>

    init(count: Int) { times = Mutex(Array(repeating: 0, count: count)) }

    func note(_ index: Int) { times.withLock { $0[index] = Int64(Date().timeIntervalSince1970 * 1_000) } }
    var values: [Int64] { times.withLock { $0 } }
}
