import AppStoreSimulator
import Domain
import Foundation

/// A burst of refund requests: how long from the post of each to its answer at the App Store.
struct AnswerBench {
    let requests: Int

    func run(_ report: Report) async throws {
        let sample = try Sample(count: 1)
        let running = try await RunningDesk(sample.identity, app: sample.app)
        let store = running.simulator.production
        store.setNotificationURL(running.url, for: sample.app.bundleID)
        let ids = try store.happen { world, now throws(SimulatorError) in
            var ids: [String] = []
            for _ in 0..<requests {
                let customer = world.newCustomer(of: sample.app.bundleID, at: now)
                ids.append(try world.buy(sample.app.product(.proMonthly).id, by: customer, at: now))
            }
            return ids
        }
        var askedAt: [String: Int64] = [:]
        for id in ids {
            askedAt[id] = milliseconds()
            try store.requestRefund(of: id, .unintendedPurchase)
        }
        let latencies = try await waitForAnswers(ids, askedAt, store)
        report.add("request to answer at the App Store, burst of \(requests), median", latencies.quantile(0.5), "ms")
        report.add("request to answer at the App Store, burst of \(requests), p99", latencies.quantile(0.99), "ms")
        try await running.stop()
    }

    private func waitForAnswers(_ ids: [String], _ askedAt: [String: Int64], _ store: EnvironmentHost) async throws -> [Double] {
        let end = milliseconds() + 120_000
        while milliseconds() < end {
            let receipts = ids.compactMap { id in store.receipts(for: id).first.map { (id, $0.receivedAt.milliseconds) } }
            if receipts.count == ids.count { return receipts.map { id, at in Double(at - (askedAt[id] ?? at)) } }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw BenchFault("not every request of the burst was answered within two minutes")
    }

    private func milliseconds() -> Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }
}
