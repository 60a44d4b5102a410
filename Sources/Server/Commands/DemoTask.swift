import AppStoreSimulator
import Domain
import Foundation
import HTTPClient
import Outbox
import Store

/// `demo`: desk and simulator in one process, on a temporary folder that goes when it ends.
package struct DemoTask: Sendable {
    let listen: String?
    /// How many times as fast as usual live traffic comes.
    let speed: Int64
    let json: Bool
    private static let seed: UInt64 = 2026

    package init(listen: String?, speed: Int64, json: Bool) {
        self.listen = listen
        self.speed = speed
        self.json = json
    }

    package func run(_ console: Console) async throws -> ExitCode {
        let termination = Termination()
        guard (1...1_000).contains(speed) else { throw CommandFault("--fast takes a number from 1 to 1000") }
        let address = try listenAddress(listen) ?? ListenAddress(host: "127.0.0.1", port: 0)
        let folder = try DemoFolder.make()
        defer { folder.remove() }
        let time = SystemTime()
        let identity = try SimulatorDirectory.prepare(at: folder.path + "/app-store", now: time.now())
        let history = try DemoWorld(seed: DemoTask.seed).history(endingAt: time.now())
        var settings = AppStoreSimulator.Configuration()
        settings.seed = DemoTask.seed
        // Long enough to be seen in the queue, and to be decided there.
        settings.decisionTiming = .after(max(15_000 / speed, 1_000)...max(120_000 / speed, 4_000))
        let simulator = try AppStoreSimulator(identity: identity, configuration: settings, time: time)
        simulator.adopt(history)
        let configuration = try folder.configure(simulator, identity, address, console)
        let desk: Desk
        do { desk = try await Desk(configuration, time: time, log: Log(time: time)) } catch { throw CommandFault("\(error)") }
        let visit = DemoVisit(desk: desk, host: address.host, token: APIToken.make())
        try await visit.admit(at: time.now())
        let story = DemoTelling(
            visit: visit, history: history, identity: identity, simulator: simulator, speed: speed, time: time, json: json,
            console: console)
        try await termination.end {
            try await ServiceGroup([DemoPart(name: "desk", body: desk.run), DemoPart(name: "simulator", body: simulator.run), story]).run()
        }
        return .done
    }
}

/// One part of the demo, as a service.
private struct DemoPart: Service {
    let name: String
    let body: @Sendable () async throws -> Void
    func run() async throws { try await body() }
}

/// Where the desk is, and the way in.
struct DemoVisit: Sendable {
    let desk: Desk
    let host: String
    let token: APIToken
    var url: String { "http://\(host):\(desk.server.port)" }

    func admit(at now: Timestamp) async throws {
        let row = TokenRow(name: "demo", scope: .admin, sha256: token.sha256, createdAt: now)
        _ = try await desk.store.write { tx throws(StoreError) in try tx.add(row) }
    }
}

/// Tells the desk a year of history, then lets life go on.
private struct DemoTelling: Service {
    let name = "demo"
    let visit: DemoVisit
    let history: DemoHistory
    let identity: SimulatorIdentity
    let simulator: AppStoreSimulator
    let speed: Int64
    let time: any Domain.Time
    let json: Bool
    let console: Console

    func run() async throws {
        let client = HTTPClient(userAgent: "App Store Simulator", maximumConnections: 32, perHostConnections: 16)
        defer { client.close() }
        let backend = DemoBackend(visit: visit, client: client)
        try await backend.tell(consents: history.customers)
        try await tellHistory(NotificationSender(client: client))
        try await backend.tell(usages: history.usages)
        for app in DemoFolder.apps {
            let url = "\(visit.url)/v1/apps/\(app.id)/notifications"
            simulator.production.setNotificationURL(url, for: app.bundleID)
            simulator.sandbox.setNotificationURL(url, for: app.bundleID)
        }
        try greet()
        var traffic = DemoTraffic(simulator, time: time, seed: 2026, pause: 1_500 / speed...6_000 / speed)
        await traffic.run()
    }

    private func tellHistory(_ sender: NotificationSender) async throws {
        let progress = ProgressBar("a year of history", total: history.notifications.count)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, notification) in history.notifications.enumerated() {
                if index >= 16 { try await group.next() }
                group.addTask {
                    let app = DemoFolder.apps.first { $0.bundleID == notification.bundleID }
                    let url = "\(visit.url)/v1/apps/\(app?.id ?? "acme")/notifications"
                    let outcome = await sender.post(notification.body(identity.signer), to: url)
                    guard outcome.status == 200 else {
                        throw CommandFault("the desk did not take a notification of the sample history: \(outcome.result)")
                    }
                    progress.advance()
                }
            }
            try await group.waitForAll()
        }
        progress.finish()
    }

    private func greet() throws {
        let apps = DemoFolder.apps.map(\.id)
        if json {
            let login = "\(visit.url)/login#\(visit.token.text)"
            return try console.print(
                json: Greeting(
                    url: visit.url, token: visit.token.text, login: login, apps: apps, notifications: history.notifications.count))
        }
        console.print(
            """
            Refund Desk demo: \(visit.url)
            login (API token, this run only): \(visit.token.text)
            dashboard, with the login filled in: \(visit.url)/login#\(visit.token.text)
            apps: \(apps.joined(separator: ", ")); \(history.notifications.count) notifications of the past year told, live traffic runs
            try: curl -H 'Authorization: Bearer \(visit.token.text)' '\(visit.url)/v1/apps/acme/cases?limit=3'
            """)
    }

    private struct Greeting: Encodable {
        var url: String
        var token: String
        var login: String
        var apps: [String]
        var notifications: Int
    }
}
