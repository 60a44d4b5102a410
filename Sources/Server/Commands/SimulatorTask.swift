import AppStoreSimulator
import Domain
import Foundation
import HTTPClient

/// `simulator`: an App Store to talk to, alone.
package struct SimulatorTask: Sendable {
    let listen: String?
    let folder: String

    package init(listen: String?, folder: String) {
        self.listen = listen
        self.folder = folder
    }

    package func run(_ console: Console) async throws -> ExitCode {
        let termination = Termination()
        let address = try listenAddress(listen) ?? ListenAddress(host: "127.0.0.1", port: 0)
        let time = SystemTime()
        var settings = AppStoreSimulator.Configuration()
        settings.host = address.host
        settings.port = address.port
        let simulator: AppStoreSimulator
        do {
            let identity = try SimulatorDirectory.prepare(at: folder, now: time.now())
            // A desk that outlives a simulator must meet no id twice.
            settings.seed = UInt64(time.now().milliseconds)
            settings.apps = identity.apps
            simulator = try AppStoreSimulator(identity: identity, configuration: settings, time: time)
        } catch { throw CommandFault("\(error)") }
        console.print("App Store simulator: production \(simulator.productionURL), sandbox \(simulator.sandboxURL), folder \(folder)")
        try await termination.end { await simulator.run() }
        return .done
    }
}

/// `simulate`: signs and posts a named scenario.
package struct SimulateTask: Sendable {
    let scenario: String
    let to: String?
    let folder: String?
    let json: Bool

    package init(scenario: String, to: String?, folder: String?, json: Bool) {
        self.scenario = scenario
        self.to = to
        self.folder = folder
        self.json = json
    }

    package func run(_ console: Console) async throws -> ExitCode {
        if scenario == "list" { return try list(console) }
        guard let story = Scenario.named(scenario) else {
            throw CommandFault("there is no scenario \"\(scenario)\": `refund-desk simulate list` shows them")
        }
        guard let to, let folder else {
            throw CommandFault("--to URL (the desk's notification URL) and --data DIR (the simulator's folder) are required")
        }
        let time = SystemTime()
        let identity: SimulatorIdentity
        do { identity = try SimulatorDirectory.prepare(at: folder, now: time.now()) } catch { throw CommandFault("\(error)") }
        let client = HTTPClient(userAgent: "App Store Simulator", maximumConnections: 64, perHostConnections: 32)
        defer { client.close() }
        let quiet = json
        let setting = ScenarioSetting(
            identity: identity, url: to, seed: UInt64.random(in: 0..<(1 << 40)), time: time, client: client,
            report: { line in quiet ? console.error(line) : console.print(line) })
        let isGood = await story.run(setting)
        if json { try console.print(json: Outcome(scenario: scenario, succeeded: isGood)) }
        return isGood ? .done : .notSo
    }

    private func list(_ console: Console) throws -> ExitCode {
        if json {
            try console.print(json: Scenario.all.map { Listing(name: $0.name, summary: $0.summary) })
            return .done
        }
        let width = Scenario.all.map(\.name.count).max() ?? 0
        for story in Scenario.all {
            console.print("\(story.name)\(String(repeating: " ", count: width - story.name.count))  \(story.summary)")
        }
        return .done
    }

    private struct Listing: Encodable {
        var name: String
        var summary: String
    }
    private struct Outcome: Encodable {
        var scenario: String
        var succeeded: Bool
    }
}
