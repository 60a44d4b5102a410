import AppStore
import Crypto
import Domain
import Foundation
import HTTPClient
import Ingest
import Outbox
import Store
import StorePostgres
import StoreSQLite

/// What the server and the commands that work beside it have in common: the database, the apps, intake, and Apple's API.
package struct DeskCore: Sendable {
    package let store: any Store
    let apps: AppDirectory
    let intake: Intake
    let apis: ServerAPIDirectory
    let history: HistoryReader
    let client: HTTPClient
    /// For all calls of Apple's API but answers.
    private let lookups: HTTPClient
    let time: any Domain.Time
    let metrics = Metrics()
    /// nil where no app wants them.
    let revocations: RevocationChecks?

    /// Opens the database and reads the keys.
    ///
    /// - Throws: ``DeskFault`` with what is wrong and what to do.
    init(_ configuration: Configuration, time: any Domain.Time) async throws(DeskFault) {
        let verifiers = try DeskCore.verifiers(configuration)
        client = HTTPClient(userAgent: "refund-desk/\(Version.current)", maximumConnections: 128, perHostConnections: 32)
        lookups = HTTPClient(userAgent: "refund-desk/\(Version.current)", maximumConnections: 32, perHostConnections: 8)
        // Nothing is made on the disk for a configuration that cannot be used.
        if let fault = DeskCore.faultyFiles(of: configuration).first { throw fault }
        apps = AppDirectory(configuration.apps.map(AppSettings.init))
        let store = try await DeskCore.openStore(configuration.database)
        apis = try DeskCore.serverAPIs(configuration, client: client, lookups: lookups, store: store, time: time)
        self.store = store
        revocations = configuration.apps.contains(where: \.onlineChecks) ? DeskCore.revocations(configuration, client, time) : nil
        intake = Intake(
            store: store, verifiers: verifiers, apps: apps, time: time, metrics: metrics, revocations: revocations)
        self.time = time
        history = HistoryReader(store: store, intake: intake, apis: apis, time: time, metrics: metrics)
        for ledger in apis.ledgers {
            let labels = ["app=\"\(ledger.app)\"", "environment=\"\(ledger.environment.rawValue)\""]
            metrics.gauge("refund_desk_clock_offset_milliseconds", labels[0], labels[1]) { [apis] in
                apis[ledger]?.clockOffset?.milliseconds
            }
        }
    }

    /// What in the files that a configuration names cannot be used: keys that are none, certificates that are none.
    static func faultyFiles(of configuration: Configuration) -> [DeskFault] {
        var faults: [DeskFault] = []
        do throws(DeskFault) { _ = try verifiers(configuration) } catch { faults.append(error) }
        for app in configuration.apps { do throws(DeskFault) { _ = try privateKey(app) } catch { faults.append(error) } }
        return faults
    }

    /// Asks the responders that certificates name, over plain HTTP as OCSP is.
    private static func revocations(
        _ configuration: Configuration, _ client: HTTPClient, _ time: any Domain.Time
    ) -> RevocationChecks {
        let isPrivateAllowed = configuration.simulated
        return RevocationChecks(now: { time.now() }) { url, body in
            let request = HTTPClientRequest(
                method: "POST", url: url, headers: [(name: "Content-Type", value: "application/ocsp-request")], body: body,
                timeout: .seconds(10), maximumResponseSize: 64 << 10, allowsPrivateTargets: isPrivateAllowed)
            guard let response = try? await client.send(request), response.status == 200 else { return nil }
            return response.body
        }
    }

    func close() async {
        client.close()
        lookups.close()
        await store.close()
    }
}

/// Why a desk cannot start.
package struct DeskFault: Error, CustomStringConvertible {
    package var description: String
    /// Whether a start may succeed later with the configuration as it is: a database that is away, a port that is taken.
    package var mayPass: Bool

    init(_ description: String, mayPass: Bool = false) {
        self.description = description
        self.mayPass = mayPass
    }
    init(database error: StoreError) {
        // What is wrong with the URL itself stays wrong.
        self.init("database: \(error)", mayPass: error.isRetryable && error.operation != "postgres.url")
    }
}

extension DeskCore {
    package static func openStore(_ location: DatabaseLocation) async throws(DeskFault) -> any Store {
        switch location {
        case .sqlite(let path):
            do { return try await SQLiteStore.open(path: path, now: SystemTime().now()) } catch { throw DeskFault(database: error) }
        case .postgres(let url):
            do { return try await PostgresStore.open(url: url, now: SystemTime().now()) } catch { throw DeskFault(database: error) }
        }
    }

    /// Opens the database of a command that only looks or takes away: one that is not there is a mistake in the path, not an empty one.
    static func openExistingStore(_ location: DatabaseLocation) async throws(DeskFault) -> any Store {
        if case .sqlite(let path) = location, !FileManager.default.fileExists(atPath: path) {
            throw DeskFault("database: there is no file \(path): check the path, or start `serve`, which makes it")
        }
        return try await openStore(location)
    }

    /// Apple's root for every app, or its own roots in a simulated instance.
    fileprivate static func verifiers(_ configuration: Configuration) throws(DeskFault) -> VerifierDirectory {
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

    /// - Parameter store: Where Apple's limits are shared; nil for a handful of calls that count by themselves.
    static func serverAPIs(
        _ configuration: Configuration, client: HTTPClient, lookups: HTTPClient, store: (any Store)? = nil, time: any Domain.Time
    ) throws(DeskFault) -> ServerAPIDirectory {
        var byLedger: [Ledger: AppStoreServerAPI] = [:]
        for app in configuration.apps {
            let key = try privateKey(app)
            let credentials = ServerAPICredentials(
                issuerID: app.serverAPI.issuerID, keyID: app.serverAPI.keyID, privateKey: key, bundleID: app.bundleID)
            for environment in app.environments {
                let url = environment == .production ? app.serverAPI.productionURL : app.serverAPI.sandboxURL
                let ledger = Ledger(app: app.id, environment: environment)
                byLedger[ledger] = AppStoreServerAPI(
                    credentials: credentials, environment: environment, baseURL: url, client: client, lookups: lookups,
                    allowance: store.map { SharedAllowance(ledger, in: $0) },
                    allowsPrivateTargets: configuration.simulated, now: { time.now() }, sleep: { try await time.sleep(until: $0) })
            }
        }
        return ServerAPIDirectory(byLedger)
    }

    fileprivate static func privateKey(_ app: AppConfiguration) throws(DeskFault) -> P256PrivateKey {
        do {
            return try P256PrivateKey(pem: String(contentsOf: URL(filePath: app.serverAPI.privateKeyFile), encoding: .utf8))
        } catch {
            throw DeskFault(
                "apps[\(app.id)].serverAPI.privateKeyFile: \(app.serverAPI.privateKeyFile) is no In-App Purchase key (.p8): \(error)")
        }
    }
}
