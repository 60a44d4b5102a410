import Domain
import HTTPClient
import HTTPServer

/// An App Store to talk to: signs, posts notifications, answers the Server API, decides about refunds.
///
/// Production listens at one port, the sandbox at the next. Both also take ``ControlAPI`` calls, with no token: for tests and demos.
package final class AppStoreSimulator: Sendable {
    package struct Configuration: Sendable {
        package var host = "127.0.0.1"
        /// Of production; the sandbox takes the next. 0 lets the system choose both.
        package var port: UInt16 = 0
        package var apps = SimulatedApp.samples
        /// Where notifications go, by `bundleId`. An app without an entry gets none.
        package var notificationURLs: [String: String] = [:]
        /// Gives ids, UUIDs and decisions. Another for each run, where a desk outlives the simulator and must meet no id twice.
        package var seed: UInt64 = 1
        /// Of production; the sandbox decides as Apple's.
        package var decisionStyle = DecisionStyle.sandbox
        package var decisionTiming = DecisionTiming.whenAnswered(.seconds(1))
        /// How long a notification may take to be acknowledged.
        package var deliveryTimeout: Duration = .seconds(15)

        package init() {}

        /// What ids count from: the seed and the environment set them apart.
        func firstID(_ environment: Environment) -> Int64 {
            (environment == .production ? 2_100_000_000_000_000 : 2_200_000_000_000_000) + Int64(seed % 1_000_000) * 100_000
        }
    }

    /// When requests are decided.
    package enum DecisionTiming: Sendable {
        /// So long after the answer, or without one at the end of the window.
        case whenAnswered(Span)
        /// So long after the request, drawn from the seed, whatever was answered.
        case after(ClosedRange<Int64>)  // milliseconds
    }

    package let production: EnvironmentHost
    package let sandbox: EnvironmentHost
    private let listeners: [Environment: StoreListener]
    private let jobs: AsyncStream<StoreJob>
    private let time: any Time

    /// Binds both ports and tells them in the identity's `simulator.json`. Calls wait until ``run()``.
    package init(
        identity: SimulatorIdentity, configuration: Configuration = Configuration(), time: any Time,
        client: HTTPClient = HTTPClient(userAgent: "App Store Simulator", maximumConnections: 64, perHostConnections: 32)
    ) throws(SimulatorError) {
        let (jobs, schedule) = AsyncStream.makeStream(of: StoreJob.self)
        let sender = NotificationSender(client: client, timeout: configuration.deliveryTimeout)
        func host(_ environment: Environment) -> EnvironmentHost {
            EnvironmentHost(
                environment, identity: identity, configuration: configuration, time: time, sender: sender, schedule: schedule)
        }
        production = host(.production)
        sandbox = host(.sandbox)
        listeners = [
            .production: try StoreListener(production, host: configuration.host, port: configuration.port),
            .sandbox: try StoreListener(sandbox, host: configuration.host, port: configuration.port == 0 ? 0 : configuration.port + 1),
        ]
        self.jobs = jobs
        self.time = time
        var identity = identity
        try identity.announce(productionURL: productionURL, sandboxURL: sandboxURL)
    }

    package subscript(environment: Environment) -> EnvironmentHost {
        switch environment {
        case .production: production
        case .sandbox: sandbox
        }
    }

    package var productionURL: String { listeners[.production]?.url ?? "" }
    package var sandboxURL: String { listeners[.sandbox]?.url ?? "" }

    /// Serves until cancelled. Once only.
    package func run() async {
        await withDiscardingTaskGroup { group in
            for listener in listeners.values {
                group.addTask { await listener.run() }
            }
            for await job in jobs {
                group.addTask { await self.perform(job) }
            }
            group.cancelAll()
        }
    }

    private func perform(_ job: StoreJob) async {
        do { try await time.sleep(until: job.due) } catch { return }
        switch job.work {
        case .deliver(let notificationUUID): await self[job.environment].deliver(notificationUUID)
        case .decide(let transactionID, let round): self[job.environment].decide(transactionID, round: round)
        case .shut: listeners[job.environment]?.shut()
        case .open: listeners[job.environment]?.open()
        }
    }
}

/// Something that the store does at an instant.
struct StoreJob: Sendable {
    enum Work: Sendable {
        case deliver(notificationUUID: String)
        case decide(transactionID: String, round: Int)
        /// Connections are refused from here on.
        case shut
        case open
    }
    var due: Timestamp
    var environment: Environment
    var work: Work
}

/// Where one environment listens: an HTTP server behind a door that can fail.
struct StoreListener: Sendable {
    let url: String
    private let server: HTTPServer
    private let door: FaultyDoor

    init(_ host: EnvironmentHost, host address: String, port: UInt16) throws(SimulatorError) {
        var configuration = HTTPServerConfiguration()
        configuration.handlerDeadline = .seconds(300)  // Slow answers are among the faults.
        do {
            server = try HTTPServer(configuration: configuration) { await host.respond(to: $0) }
        } catch { throw SimulatorError(error.message) }
        door = try FaultyDoor(host: address, port: port, serverPort: server.port)
        url = "http://\(address == "0.0.0.0" ? "127.0.0.1" : address):\(door.port)"
    }

    func run() async {
        await server.run()
        door.shut()
    }

    func shut() { door.shut() }

    /// The port was ours a moment ago; if another took it, connections stay refused.
    func open() { try? door.open() }
}
