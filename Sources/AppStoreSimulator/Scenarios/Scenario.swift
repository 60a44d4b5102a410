import Domain
import HTTPClient

/// A named story, told to a desk as signed notifications.
package struct Scenario: Sendable {
    package let name: String
    /// One line, for the list.
    package let summary: String
    let environment: Environment
    let script: @Sendable (inout ScenarioStage) async throws -> Void

    init(
        _ name: String, _ summary: String, in environment: Environment = .production,
        _ script: @escaping @Sendable (inout ScenarioStage) async throws -> Void
    ) {
        self.name = name
        self.summary = summary
        self.environment = environment
        self.script = script
    }

    package static let all: [Scenario] = requests + ledger + deliveries

    package static func named(_ name: String) -> Scenario? { all.first { $0.name == name } }

    /// Plays the story.
    /// - Returns: Whether the desk answered every message as it should. What went wrong was reported.
    package func run(_ setting: ScenarioSetting) async -> Bool {
        var stage = ScenarioStage(setting, environment: environment)
        await stage.meetSimulator()
        do {
            try await script(&stage)
            setting.report("\(name): done, \(stage.postCount) messages sent.")
            return true
        } catch {
            setting.report("\(name): FAILED: \(error)")
            return false
        }
    }
}

/// Where and for whom a scenario is played.
package struct ScenarioSetting: Sendable {
    package var identity: SimulatorIdentity
    /// The desk's notification URL.
    package var url: String
    /// The app that the desk is configured for.
    package var app: SimulatedApp
    /// Gives the story its ids: another seed for each run, or the desk knows them already.
    package var seed: UInt64
    package var time: any Time
    /// Takes one line for people.
    package var report: @Sendable (String) -> Void
    package var sender: NotificationSender
    /// How many messages a load is.
    package var loadCount = 2_000
    /// How long to wait for an answer at the running simulator.
    package var answerPatience: Span = .seconds(5)
    let client: HTTPClient

    /// The app is the first of the identity's `simulator.json`.
    package init(
        identity: SimulatorIdentity, url: String, seed: UInt64, time: any Time, client: HTTPClient,
        report: @escaping @Sendable (String) -> Void
    ) {
        self.identity = identity
        self.url = url
        app = identity.apps.first ?? SimulatedApp.samples[0]
        self.seed = seed
        self.time = time
        self.report = report
        self.client = client
        sender = NotificationSender(client: client)
    }
}

/// What a desk did that it should not have.
struct ScenarioFailure: Error, CustomStringConvertible {
    var description: String
    init(_ description: String) { self.description = description }
}
