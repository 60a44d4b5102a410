import AppStoreSimulator
import Foundation

/// The demo's temporary folder and the configuration in it.
struct DemoFolder: Sendable {
    let path: String

    static let apps: [(id: String, bundleID: String)] = SimulatedApp.samples.enumerated().map { index, app in
        (
            id: ["acme", "studio", "game"].indices.contains(index) ? ["acme", "studio", "game"][index] : "app\(index)",
            bundleID: app.bundleID
        )
    }

    static func make() throws(CommandFault) -> DemoFolder {
        let url = FileManager.default.temporaryDirectory.appending(path: "refund-desk-demo-\(UUID().uuidString)")
        do {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw CommandFault(
                "no temporary folder can be made in \(url.deletingLastPathComponent().path()): \(error.localizedDescription)")
        }
        return DemoFolder(path: url.path(percentEncoded: false))
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }

    /// Writes the configuration as an owner would, and reads it as the server does.
    func configure(
        _ simulator: AppStoreSimulator, _ identity: SimulatorIdentity, _ listen: ListenAddress, _ console: Console
    ) throws(CommandFault) -> Configuration {
        let apps = zip(DemoFolder.apps, SimulatedApp.samples).map { app, sample in
            """
            {
              id: "\(app.id)", name: "\(sample.name)", bundleId: "\(sample.bundleID)", appAppleId: \(sample.appAppleID),
              serverAPI: {
                issuerId: "\(identity.description.issuerId)", keyId: "\(identity.description.keyId)", privateKeyFile: "app-store/AuthKey_SIM.p8",
                productionURL: "\(simulator.productionURL)", sandboxURL: "\(simulator.sandboxURL)",
              },
              trustedRoots: ["app-store/root.pem"],
              consent: { mode: "perCustomer" },
              products: {
                "\(sample.product(.coins100).id)": { sampleContentProvided: true, delivery: "DELIVERED", meter: "coins", granted: 100 },
                "\(sample.product(.coins1000).id)": { sampleContentProvided: true, delivery: "DELIVERED", meter: "coins", granted: 1000 },
                "\(sample.product(.season).id)": { sampleContentProvided: true, delivery: "DELIVERED", duration: "P90D" },
                "*": { sampleContentProvided: true, delivery: "DELIVERED" },
              },
              policy: {
                rules: [
                  { name: "used up", when: { productType: "Consumable", consumedPercentage: { atLeast: 80 } }, then: { prefer: "DECLINE" } },
                  { name: "look at it", when: { price: { atLeast: 15 }, currency: ["USD", "EUR", "GBP"] }, then: { hold: "2h", otherwise: { answer: "data-only" } } },
                  { name: "second ask", when: { round: { atLeast: 2 }, refundsGranted: { below: 1 } }, then: { prefer: "GRANT_FULL" } },
                  { name: "running period", when: { productType: "Auto-Renewable Subscription", currentPeriod: true }, then: { prefer: "GRANT_PRORATED", holdout: 10 } },
                ],
                default: { answer: "data-only" },
              },
            }
            """
        }
        let text = """
            {
              listen: "\(listen)", database: "sqlite:desk.db", simulated: true,
              apps: [\(apps.joined(separator: ", "))],
            }
            """
        let file = path + "/desk.json5"
        guard FileManager.default.createFile(atPath: file, contents: Data(text.utf8)) else {
            throw CommandFault("\(file) cannot be written")
        }
        return try Configuration.load(file, console)
    }
}
