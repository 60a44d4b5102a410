import API
import AppStore
import Crypto
import Domain
import Foundation
import HTTPClient
import HTTPServer
import Ingest
import Outbox
import Store
import StoreSQLite

/// A running desk: everything wired from one configuration.
package final class Desk: Sendable {
    package let server: HTTPServer
    package let store: any Store
    private let services: ServiceGroup
    private let client: HTTPClient

    /// Opens the database, reads the keys and binds the port; nothing runs yet.
    ///
    /// - Throws: ``DeskFault`` with what is wrong and what to do.
    package init(_ configuration: Configuration, listen: ListenAddress? = nil, time: any Domain.Time, log: Log) async throws(DeskFault) {
        let store = try await Desk.openStore(configuration.database)
        let client = HTTPClient(userAgent: "refund-desk/\(Version.current)", maximumConnections: 128, perHostConnections: 32)
        let shared = Shared(
            store: store, apps: AppDirectory(configuration.apps.map(AppSettings.init)), time: time, metrics: Metrics())
        let intake = Intake(
            store: store, verifiers: try Desk.verifiers(configuration), apps: shared.apps, time: time, metrics: shared.metrics)
        let api = DeskAPI(apps: shared.apps, store: store, intake: intake, time: time, metrics: shared.metrics)
        server = try Desk.bind(configuration, listen: listen) { await api.handle($0) }
        let apis = try Desk.serverAPIs(configuration, client: client, time: time)
        let lanes = Desk.lanes(configuration, shared, intake: intake, apis: apis, client: client, log: log)
        services = ServiceGroup(lanes + [HTTPService(server: server)])
        self.store = store
        self.client = client
    }

    /// Serves until the task is cancelled; finishes what is in flight, then closes the database.
    package func run() async throws {
        defer { client.close() }
        do {
            try await services.run()
        } catch {
            await store.close()
            throw error
        }
        await store.close()
    }
}

/// Why a desk cannot start.
package struct DeskFault: Error, CustomStringConvertible {
    package var description: String
    init(_ description: String) { self.description = description }
}

private struct HTTPService: Service {
    let name = "http"
    let server: HTTPServer
    func run() async { await server.run() }
}

extension Desk {
    package static func openStore(_ location: DatabaseLocation) async throws(DeskFault) -> any Store {
        switch location {
        case .sqlite(let path):
            do { return try await SQLiteStore.open(path: path, now: SystemTime().now()) } catch { throw DeskFault("database: \(error)") }
        case .postgres: throw DeskFault("database: PostgreSQL is not supported by this version: use sqlite:FILE")
        }
    }

    /// Apple's root for every app, or its own roots in a simulated instance.
    private static func verifiers(_ configuration: Configuration) throws(DeskFault) -> VerifierDirectory {
        var byApp: [AppID: SignedPayloadVerifier] = [:]
        for app in configuration.apps {
            guard !app.trustedRoots.isEmpty else {
                byApp[app.id] = SignedPayloadVerifier()
                continue
            }
            var roots: [Certificate] = []
            for file in app.trustedRoots {
                do { roots += try Certificate.fromPEMorDER(Array(Data(contentsOf: URL(filePath: file)))) } catch {
                    throw DeskFault("trustedRoots: \(file) is no certificate: \(error)")
                }
            }
            byApp[app.id] = SignedPayloadVerifier(roots: roots)
        }
        return VerifierDirectory(byApp)
    }

    private static func serverAPIs(
        _ configuration: Configuration, client: HTTPClient, time: any Domain.Time
    ) throws(DeskFault) -> ServerAPIDirectory {
        var byLedger: [Ledger: AppStoreServerAPI] = [:]
        for app in configuration.apps {
            let key = try privateKey(app)
            let credentials = ServerAPICredentials(
                issuerID: app.serverAPI.issuerID, keyID: app.serverAPI.keyID, privateKey: key, bundleID: app.bundleID)
            for environment in app.environments {
                let url = environment == .production ? app.serverAPI.productionURL : app.serverAPI.sandboxURL
                byLedger[Ledger(app: app.id, environment: environment)] = AppStoreServerAPI(
                    credentials: credentials, environment: environment, baseURL: url, client: client,
                    allowsPrivateTargets: configuration.simulated, now: { time.now() })
            }
        }
        return ServerAPIDirectory(byLedger)
    }

    private static func privateKey(_ app: AppConfiguration) throws(DeskFault) -> P256PrivateKey {
        do {
            return try P256PrivateKey(pem: String(contentsOf: URL(filePath: app.serverAPI.privateKeyFile), encoding: .utf8))
        } catch {
            throw DeskFault(
                "apps[\(app.id)].serverAPI.privateKeyFile: \(app.serverAPI.privateKeyFile) is no In-App Purchase key (.p8): \(error)")
        }
    }

    private static func bind(
        _ configuration: Configuration, listen: ListenAddress?, handler: @escaping @Sendable (HTTPRequest) async -> HTTPResponse
    ) throws(DeskFault) -> HTTPServer {
        let address = listen ?? configuration.listen
        var settings = HTTPServerConfiguration()
        settings.host = address.host
        settings.port = address.port
        if let tls = configuration.tls {
            do {
                settings.tls = HTTPServerConfiguration.TLS(
                    certificatePEM: try String(contentsOf: URL(filePath: tls.certificateFile), encoding: .utf8),
                    privateKeyPEM: try String(contentsOf: URL(filePath: tls.privateKeyFile), encoding: .utf8))
            } catch { throw DeskFault("tls: the certificate or its key cannot be read: \(error.localizedDescription)") }
        }
        do { return try HTTPServer(configuration: settings, handler: handler) } catch {
            throw DeskFault("listen: \(error.message)")
        }
    }

    private static func lanes(
        _ configuration: Configuration, _ shared: Shared, intake: Intake, apis: ServerAPIDirectory, client: HTTPClient, log: Log
    ) -> [any Service] {
        let jitter: @Sendable () -> Double = { Double.random(in: -1...1) }
        let keeper = RoundKeeper(store: shared.store, apps: shared.apps, time: shared.time)
        let answers = AnswerSender(
            store: shared.store, apps: shared.apps, apis: apis, time: shared.time, metrics: shared.metrics, jitter: jitter)
        let alerts = AlertSender(
            store: shared.store, apps: shared.apps, channels: AlertChannels(configuration).byTarget, client: client,
            allowsPrivateTargets: configuration.allowPrivateTargets, time: shared.time, metrics: shared.metrics, jitter: jitter)
        let webhooks = WebhookSender(
            store: shared.store, receivers: WebhookTarget.receivers(configuration), client: client,
            allowsPrivateTargets: configuration.allowPrivateTargets, time: shared.time, metrics: shared.metrics, jitter: jitter)
        let asker = StatusAsker(
            store: shared.store, intake: intake, apis: apis, time: shared.time, jitter: jitter,
            report: { log(.warning, "subscription-statuses", ["detail": $0]) })
        let turns = TurnKeeper(store: shared.store, apps: shared.apps, time: shared.time)
        func lane(_ name: String, _ handlers: [OutboxRow.Kind: any OutboxHandler], _ concurrency: Int) -> OutboxLane {
            OutboxLane(
                name: name, store: shared.store, handlers: handlers, time: shared.time, concurrency: concurrency,
                report: { log(.error, "store", ["error": "\($0)"]) })
        }
        return [
            lane("alerts", [.alert: alerts], 8),
            lane("webhooks", [.webhook: webhooks], 32),
            lane("statuses", [.confirmStatus: asker], 4),
            lane("rounds", [.decide: keeper, .deadlineNear: keeper, .windowCloses: keeper, .turn: turns], 16),
            lane("answers", [.answer: answers], 64),
        ]
    }
}

/// What all parts of a desk share.
private struct Shared {
    let store: any Store
    let apps: AppDirectory
    let time: any Domain.Time
    let metrics: Metrics
}
