import AppStoreSimulator
import Domain
import Foundation
import Server

/// A desk on a fresh SQLite file (`synchronous=FULL`), and the simulator it answers to, in this process.
struct RunningDesk {
    let desk: Desk
    let simulator: AppStoreSimulator
    let url: String
    private let work: Task<Void, any Error>
    private let folder: String

    init(_ identity: SimulatorIdentity, app: SimulatedApp) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "refund-desk-bench-\(UUID().uuidString)").path(
            percentEncoded: false)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let time = SystemTime()
        var settings = AppStoreSimulator.Configuration()
        settings.decisionTiming = .after(3_600_000...3_600_001)
        let simulator = try AppStoreSimulator(identity: identity, configuration: settings, time: time)
        let text = """
            {
              listen: "127.0.0.1:0", database: "sqlite:desk.db", simulated: true,
              apps: [{
                id: "bench", bundleId: "\(app.bundleID)", appAppleId: \(app.appAppleID),
                serverAPI: {
                  issuerId: "\(identity.description.issuerId)", keyId: "\(identity.description.keyId)",
                  privateKeyFile: "\(identity.path)/AuthKey_SIM.p8",
                  productionURL: "\(simulator.productionURL)", sandboxURL: "\(simulator.sandboxURL)",
                },
                trustedRoots: ["\(identity.path)/root.pem"],
                consent: { mode: "blanket", attestation: "The customers of the benchmark agreed." },
                products: { "*": { sampleContentProvided: true, delivery: "DELIVERED" } },
              }],
            }
            """
        try text.write(toFile: folder + "/desk.json5", atomically: true, encoding: .utf8)
        let reading = ConfigurationReading(file: folder + "/desk.json5", variables: [:])
        guard let configuration = reading.configuration else { throw BenchFault("\(reading.mistakes)") }
        let desk = try await Desk(configuration, time: time, log: Log(time: time))
        self.desk = desk
        self.simulator = simulator
        self.folder = folder
        url = "http://127.0.0.1:\(desk.server.port)/v1/apps/bench/notifications"
        work = Task {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await desk.run() }
                group.addTask { await simulator.run() }
                try await group.waitForAll()
            }
        }
    }

    func stop() async throws {
        work.cancel()
        _ = await work.result
        try FileManager.default.removeItem(atPath: folder)
    }
}

struct BenchFault: Error, CustomStringConvertible {
    var description: String
    init(_ description: String) { self.description = description }
}
