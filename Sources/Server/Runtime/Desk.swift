import API
import Dashboard
import Domain
import Foundation
import HTTPServer
import Ingest
import Outbox
import Store
import Synchronization

/// A running desk: everything wired from one configuration.
package final class Desk: Sendable {
    package let server: HTTPServer
    package var store: any Store { core.store }
    private let core: DeskCore
    private let services: ServiceGroup
    /// Held until the desk is gone.
    private let lock: ServingLock?

    /// Binds the port, takes the database for its own, opens it and reads the keys; nothing runs yet.
    ///
    /// - Throws: ``DeskFault`` with what is wrong and what to do.
    package init(
        _ configuration: Configuration, listen: ListenAddress? = nil, sendsAnswers: Bool = true, time: any Domain.Time, log: Log
    ) async throws(DeskFault) {
        // Nothing of the database is touched where this cannot become its server.
        let door = Door()
        server = try Desk.bind(configuration, listen: listen) { await door.handle($0) }
        lock = try Desk.lock(configuration.database)
        let core = try await DeskCore(configuration, time: time)
        if lock != nil { try await Desk.releaseLeases(core, log) }
        let bounds = Dictionary(uniqueKeysWithValues: configuration.apps.map { ($0.id, RepeatRefundBounds($0.repeatRefunder)) })
        let small = Set(configuration.apps.filter(\.economics.smallBusinessProgram).map(\.id))
        let api = DeskAPI(
            apps: core.apps, store: core.store, intake: core.intake, time: time, metrics: core.metrics,
            repeatRefundBounds: { bounds[$0] ?? RepeatRefundBounds() }, isInSmallBusinessProgram: { small.contains($0) },
            reportFault: Desk.sparingly(time, log))
        door.open(to: api, Desk.dashboard(configuration, core, listen: listen, port: server.port))
        services = ServiceGroup(try Desk.workers(configuration, core, sendsAnswers: sendsAnswers, log: log) + [HTTPService(server: server)])
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

extension Desk {
    private static func lock(_ location: DatabaseLocation) throws(DeskFault) -> ServingLock? {
        switch location {
        case .sqlite(let path): try ServingLock(database: path)
        case .postgres: nil
        }
    }

    /// What a server that was killed held is taken up at once: no other can hold anything, as the lock shows.
    private static func releaseLeases(_ core: DeskCore, _ log: Log) async throws(DeskFault) {
        let now = core.time.now()
        do {
            let count = try await core.store.write { tx throws(StoreError) in try tx.releaseLeases(at: now) }
            if count > 0 { log(.info, "leases-released", ["count": "\(count)"]) }
        } catch { throw DeskFault(database: error) }
    }
}

extension RepeatRefundBounds {
    fileprivate init(_ configured: RepeatRefunder) {
        self.init(granted: configured.granted, requested: configured.requested, days: configured.days)
    }
}

/// Stands where API and dashboard will be: the port is bound before there is either, and nobody is answered before ``Desk/run()``.
private final class Door: Sendable {
    private let rooms = Mutex<(api: DeskAPI, dashboard: Dashboard)?>(nil)
    func open(to api: DeskAPI, _ dashboard: Dashboard) { rooms.withLock { $0 = (api, dashboard) } }
    func handle(_ request: HTTPRequest) async -> HTTPResponse {
        guard let (api, dashboard) = rooms.withLock({ $0 }) else { return HTTPResponse(status: 503) }
        if let page = await dashboard.handle(request) { return page }
        return await api.handle(request)
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
            throw DeskFault("listen: \(error.message)", mayPass: error.mayPass)
        }
    }

    private static func workers(
        _ configuration: Configuration, _ core: DeskCore, sendsAnswers: Bool, log: Log
    ) throws(DeskFault) -> [any Service] {
        let outbox = OutboxDesk(
            store: core.store, apps: core.apps, client: core.client, allowsPrivateTargets: configuration.allowPrivateTargets,
            time: core.time, metrics: core.metrics, jitter: { Double.random(in: -1...1) })
        let rounds = RoundKeeper(outbox)
        let statuses = StatusAsker(
            outbox, intake: core.intake, apis: core.apis, report: { log(.warning, "subscription-statuses", ["detail": $0]) })
        let refunds = RefundAsker(
            outbox, intake: core.intake, apis: core.apis, report: { log(.warning, "refund-history", ["detail": $0]) })
        func worker(_ name: String, _ handlers: [OutboxRow.Lane: any OutboxHandler], _ concurrency: Int) -> OutboxWorker {
            OutboxWorker(
                name: name, store: core.store, handlers: handlers, time: core.time, concurrency: concurrency,
                report: { log(.error, "store", ["error": "\($0)"]) })
        }
        // Each receiver of the owner's has a worker of its own: one that hangs holds up no other.
        func workers(_ kind: OutboxRow.Kind, _ handler: any OutboxHandler, _ receivers: [AppID: [String]]) -> [OutboxWorker] {
            receivers.sorted { $0.key < $1.key }.flatMap { app, names in
                names.sorted().map { name in
                    let lane = OutboxRow.Lane(kind, app: app, receiver: name)
                    return worker(lane.rawValue, [lane: handler], 8)
                }
            }
        }
        let alerts = try AlertChannels(configuration).byTarget
        let webhooks = WebhookTarget.receivers(configuration)
        let forwards = configuration.forwardURLs
        let clockwork = [OutboxRow.Kind.decide, .deadlineNear, .windowCloses, .turn].map {
            (OutboxRow.Lane($0), rounds as any OutboxHandler)
        }
        return workers(.alert, AlertSender(outbox, channels: alerts), alerts.mapValues { Array($0.keys) })
            + workers(.webhook, WebhookSender(outbox, receivers: webhooks), webhooks.mapValues { Array($0.keys) })
            + workers(.forward, Forwarder(outbox, urls: forwards), forwards.mapValues { Array($0.keys) })
            + [Desk.watchman(configuration, core, outbox, log)]
            + (core.revocations.map { [RevocationKeeper(checks: $0, time: core.time)] } ?? [])
            + [
                NeighbourWatch(store: core.store, time: core.time),
                Desk.clockWatch(core, log),
                CatchUpKeeper(core.history, apps: core.apps, ledgers: core.apis.ledgers, report: { log.catchUp($0, $1) }),
                RetentionKeeper(
                    store: core.store, apps: core.apps.all, time: core.time, metrics: core.metrics, report: { log.retention($0) }),
                worker("refunds", [OutboxRow.Lane(.refundHistory): refunds], 2),
                worker("statuses", [OutboxRow.Lane(.confirmStatus): statuses], 4),
                worker("rounds", Dictionary(uniqueKeysWithValues: clockwork), 16),
            ] + (sendsAnswers ? [worker("answers", [OutboxRow.Lane(.answer): AnswerSender(outbox, apis: core.apis)], 64)] : [])
    }
}

extension Desk {
    private static func watchman(_ configuration: Configuration, _ core: DeskCore, _ outbox: OutboxDesk, _ log: Log) -> Watchman {
        let probe = configuration.database.diskProbe
        return Watchman(
            outbox, apps: core.apps.all, measureDisk: { probe?.measure() }, report: { log(.error, "watch", ["error": "\($0)"]) })
    }
}

extension Desk {
    /// A fault that every request meets is logged every ten seconds, not with each.
    private static func sparingly(_ time: any Domain.Time, _ log: Log) -> @Sendable (StoreError) -> Void {
        let last = Mutex<(at: Timestamp, words: String)?>(nil)
        return { error in
            let (now, words) = (time.now(), "\(error)")
            let isNews = last.withLock { last in
                if let last, last.words == words, (.milliseconds(0)..<Span.seconds(10)).contains(now - last.at) { return false }
                last = (now, words)
                return true
            }
            if isNews { log(.error, "store", ["error": words]) }
        }
    }

    private static func clockWatch(_ core: DeskCore, _ log: Log) -> ClockWatch {
        let began = ContinuousClock.now
        return ClockWatch(
            store: core.store, time: core.time, elapsed: { Span(milliseconds: Int64((ContinuousClock.now - began) / .milliseconds(1))) },
            forgetClocks: { [apis = core.apis] in apis.forgetClocks() }
        ) { note in
            switch note {
            case .setBack(let span, let count):
                log(.warning, "clock-set-back", ["seconds": "\(span.milliseconds / 1_000)", "hastened": "\(count)"])
            case .storeFault(let error): log(.error, "store", ["error": "\(error)"])
            }
        }
    }
}

extension HTTPServerError {
    /// A port may be given up, and an address or a name may come with the network.
    fileprivate var mayPass: Bool {
        switch code {
        case .addressInUse, .badAddress, .system: true
        case .permission, .tls: false
        }
    }
}

extension Configuration {
    /// Where Apple's bodies go on to, by app and by the name the place has in the outbox.
    fileprivate var forwardURLs: [AppID: [String: String]] {
        var urls: [AppID: [String: String]] = [:]
        for app in apps {
            for (index, forward) in app.forward.enumerated() { urls[app.id, default: [:]]["\(index)"] = forward.url }
        }
        return urls
    }
}

extension Log {
    fileprivate func retention(_ note: RetentionKeeper.Note) {
        switch note {
        case .round(let counts):
            self(.info, "retention", ["bodies": "\(counts.bodies)", "usage": "\(counts.usage)", "outbox": "\(counts.outbox)"])
        case .tidied(let what): self(.info, "database-tidied", ["detail": what])
        case .storeFault(let why): self(.error, "store", ["error": why])
        }
    }

    fileprivate func catchUp(_ ledger: Ledger, _ note: CatchUpKeeper.Note) {
        var fields = ["app": ledger.app.rawValue, "environment": ledger.environment.rawValue]
        switch note {
        case .ended(let read):
            let counts = read.counts
            fields["from"] = "\(read.from.milliseconds)"
            fields["to"] = "\(read.to.milliseconds)"
            fields["seen"] = "\(counts.seen)"
            fields["new"] = "\(counts.new)"
            fields["failedSends"] = "\(counts.failedSends)"
            self(.info, "catch-up", fields)
        case .progress(let read):
            fields["pages"] = "\(read.pages)"
            fields["seen"] = "\(read.counts.seen)"
            self(.info, "catch-up-progress", fields)
        case .stopped(let why):
            fields["detail"] = why
            self(.warning, "catch-up-stopped", fields)
        case .storeFault(let why):
            fields["error"] = why
            self(.error, "store", fields)
        }
    }
}
