import API
import Domain
import Foundation
import HTTPServer
import Ingest
import Outbox
import Store

/// A running desk: everything wired from one configuration.
package final class Desk: Sendable {
    package let server: HTTPServer
    package var store: any Store { core.store }
    private let core: DeskCore
    private let services: ServiceGroup

    /// Opens the database, reads the keys and binds the port; nothing runs yet.
    ///
    /// - Throws: ``DeskFault`` with what is wrong and what to do.
    package init(_ configuration: Configuration, listen: ListenAddress? = nil, time: any Domain.Time, log: Log) async throws(DeskFault) {
        let core = try await DeskCore(configuration, time: time)
        let bounds = Dictionary(uniqueKeysWithValues: configuration.apps.map { ($0.id, RepeatRefundBounds($0.repeatRefunder)) })
        let api = DeskAPI(
            apps: core.apps, store: core.store, intake: core.intake, time: time, metrics: core.metrics,
            repeatRefundBounds: { bounds[$0] ?? RepeatRefundBounds() })
        server = try Desk.bind(configuration, listen: listen) { await api.handle($0) }
        services = ServiceGroup(Desk.lanes(configuration, core, log: log) + [HTTPService(server: server)])
        self.core = core
    }

    /// Serves until the task is cancelled; finishes what is in flight, then closes the database.
    package func run() async throws {
        do {
            try await services.run()
        } catch {
            await core.close()
            throw error
        }
        await core.close()
    }
}

extension RepeatRefundBounds {
    fileprivate init(_ configured: RepeatRefunder) {
        self.init(granted: configured.granted, requested: configured.requested, days: configured.days)
    }
}

private struct HTTPService: Service {
    let name = "http"
    let server: HTTPServer
    func run() async { await server.run() }
}

extension Desk {
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

    private static func lanes(_ configuration: Configuration, _ core: DeskCore, log: Log) -> [any Service] {
        let (store, apps, time, metrics) = (core.store, core.apps, core.time, core.metrics)
        let isPrivateAllowed = configuration.allowPrivateTargets
        let jitter: @Sendable () -> Double = { Double.random(in: -1...1) }
        let keeper = RoundKeeper(store: store, apps: apps, time: time)
        let answers = AnswerSender(store: store, apps: apps, apis: core.apis, time: time, metrics: metrics, jitter: jitter)
        let alerts = AlertSender(
            store: store, apps: apps, channels: AlertChannels(configuration).byTarget, client: core.client,
            allowsPrivateTargets: isPrivateAllowed, time: time, metrics: metrics, jitter: jitter)
        let webhooks = WebhookSender(
            store: store, receivers: WebhookTarget.receivers(configuration), client: core.client, allowsPrivateTargets: isPrivateAllowed,
            time: time, metrics: metrics, jitter: jitter)
        let forwards = Dictionary(
            uniqueKeysWithValues: configuration.apps.map { app in
                (app.id, Dictionary(uniqueKeysWithValues: app.forward.enumerated().map { ("\($0)", $1.url) }))
            })
        let forwarder = Forwarder(
            store: store, urls: forwards, client: core.client, allowsPrivateTargets: isPrivateAllowed, time: time, metrics: metrics,
            jitter: jitter)
        let asker = StatusAsker(
            store: store, intake: core.intake, apis: core.apis, time: time, jitter: jitter,
            report: { log(.warning, "subscription-statuses", ["detail": $0]) })
        let turns = TurnKeeper(store: store, apps: apps, time: time)
        func lane(_ name: String, _ handlers: [OutboxRow.Kind: any OutboxHandler], _ concurrency: Int) -> OutboxLane {
            OutboxLane(
                name: name, store: store, handlers: handlers, time: time, concurrency: concurrency,
                report: { log(.error, "store", ["error": "\($0)"]) })
        }
        return [
            lane("alerts", [.alert: alerts], 8),
            lane("webhooks", [.webhook: webhooks], 32),
            lane("forwards", [.forward: forwarder], 16),
            lane("statuses", [.confirmStatus: asker], 4),
            lane("rounds", [.decide: keeper, .deadlineNear: keeper, .windowCloses: keeper, .turn: turns], 16),
            lane("answers", [.answer: answers], 64),
        ]
    }
}
