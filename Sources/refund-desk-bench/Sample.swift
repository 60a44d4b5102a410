import AppStoreSimulator
import Crypto
import Domain
import Foundation

/// Notifications as the App Store sends them, signed under the simulator's chain.
struct Sample {
    let folder: String
    let identity: SimulatorIdentity
    let bodies: [[UInt8]]
    let app = SimulatedApp.samples[0]
    var bodyByteCount: Int { bodies.map(\.count).reduce(0, +) / max(bodies.count, 1) }

    init(count: Int) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "refund-desk-bench-\(UUID().uuidString)").path(
            percentEncoded: false)
        let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
        identity = try SimulatorDirectory.prepare(at: folder + "/app-store", now: now)
        var world = StoreWorld(environment: .production, apps: [app], seed: 7)
        for index in 0..<count {
            let at = now - .minutes(Int64(count - index))
            let customer = world.newCustomer(of: app.bundleID, at: at)
            try world.buy(app.product(.proMonthly).id, by: customer, at: at)
        }
        let signer = identity.signer
        bodies = world.takeNotifications().map { $0.body(signer) }
    }

    func remove() { try? FileManager.default.removeItem(atPath: folder) }

    /// Tells another server whose notifications these are, and under which root they are signed.
    func describe(in folder: String) throws {
        let root = try Data(contentsOf: URL(filePath: identity.path + "/root.pem"))
        try root.write(to: URL(filePath: folder + "/root.pem"))
        let text = "{\"bundleId\": \"\(app.bundleID)\", \"appAppleId\": \(app.appAppleID)}"
        try text.write(toFile: folder + "/app.json", atomically: true, encoding: .utf8)
    }
}
