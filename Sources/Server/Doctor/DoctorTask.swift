import Domain
import Foundation
import HTTPClient

/// `doctor`: looks at everything that answering in time depends on, and says what to do about what is wrong.
package struct DoctorTask: Sendable {
    let configFile: String
    let app: String?
    let json: Bool

    package init(configFile: String, app: String?, json: Bool) {
        self.configFile = configFile
        self.app = app
        self.json = json
    }

    package func run(_ console: Console) async throws -> ExitCode {
        var configuration = try Configuration.load(configFile, console)
        if let fault = DeskCore.faultyFiles(of: configuration).first { throw CommandFault("\(configFile): \(fault)") }
        if let app {
            let known = configuration.apps.map(\.id.rawValue).joined(separator: ", ")
            configuration.apps.removeAll { $0.id != AppID(app) }
            guard !configuration.apps.isEmpty else { throw CommandFault("--app: no app \"\(app)\" is configured; there are \(known)") }
        }
        let client = HTTPClient(userAgent: "refund-desk/\(Version.current)")
        defer { client.close() }
        let report = HealthReport(try await checks(configuration, client))
        if json { try console.print(json: report) } else { console.print(report.table(coloured: console.hasColours)) }
        return report.healthy ? .done : .notSo
    }

    private func checks(_ configuration: Configuration, _ client: HTTPClient) async throws(CommandFault) -> [HealthCheck] {
        let time = SystemTime()
        // The longest part is waiting for Apple's test notification.
        let progress = ProgressCount("looking at")
        defer { progress.finish() }
        progress.show("database, files and configuration")
        let database = await DatabaseDoctor(configuration.database).examine(at: time.now())
        let statements = StatementDoctor(configuration: configuration)
        var checks = database.checks + FileDoctor(configuration: configuration, now: time.now()).checks
        progress.show("the public address, webhooks and forwards")
        checks += await PublicURLDoctor(configuration: configuration, client: client, now: time.now()).checks()
        checks += await ReceiverDoctor(configuration: configuration).checks() + statements.checks
        progress.show("key, clock and a test notification from Apple")
        do throws(DeskFault) {
            let apple = AppleDoctor(configuration: configuration, client: client, time: time, store: database.store)
            checks += try await apple.checks()
        } catch {
            await database.store?.close()
            throw CommandFault("\(configFile): \(error)")
        }
        if let store = database.store {
            checks += await TrafficDoctor(configuration: configuration, store: store, now: time.now()).checks()
            await store.close()
        }
        return checks
    }
}

extension Console {
    /// Colours only where a person looks and did not ask for none.
    ///
    /// - Source: no-color.org.
    fileprivate var hasColours: Bool {
        Terminal.isOn(STDOUT_FILENO) && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
    }
}
