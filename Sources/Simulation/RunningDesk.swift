import AppStore
import Domain
import HTTPClient
import Ingest
import Outbox
import Store
import StoreSQLite

/// The production code on one database, from its start to its end: wired as the server wires it, driven step by step.
final class RunningDesk: Sendable {
    let life = Life()
    let store: FaultyStore
    let app: AppSettings
    let intake: Intake
    let workers: [OutboxWorker]
    let keeper: CatchUpKeeper
    let ledgers: [Ledger]
    let clockWatch: ClockWatch

    /// What a desk stands in.
    struct Surroundings: Sendable {
        var path: String
        var app: AppSettings
        var internet: Internet
        var weather: Weather
        var time: VirtualTime
        var clock: DeskClock
        var dice: Dice
        var chronicle: Chronicle
        var receivers: [Receiver]
        var alerts: Sink
        var forwards: Sink
        var sabotage: Sabotage?
        var transactions: @Sendable (Environment) -> [TransactionID]
    }

    /// Opens the database and makes everything anew, as a start of the server does.
    init(_ world: Surroundings) async throws(StoreError) {
        let (life, time, chronicle) = (life, world.clock, world.chronicle)
        let inner = try await SQLiteStore.open(path: world.path, now: time.now())
        let sabotage = StoreSabotage(world.sabotage, dice: world.dice, transactions: world.transactions)
        let store = FaultyStore(inner, life: life, weather: world.weather, sabotage: sabotage)
        let soundTransport = DeskTransport(life: life, internet: world.internet)
        let transport: any Transport =
            switch world.sabotage {
            case .sendsIllegalBodies: CarelessTransport(sound: soundTransport)
            case .changesForwards: RewritingTransport(sound: soundTransport, url: world.forwards.url)
            default: soundTransport
            }
        let apps = AppDirectory([world.app])
        let metrics = Metrics()
        let verifiers = VerifierDirectory([world.app.id: SimulatedApple.verifier])
        let intake = Intake(store: store, verifiers: verifiers, apps: apps, time: time, metrics: metrics)
        let apis = RunningDesk.apis(transport, time, isMixed: world.sabotage == .mixesEnvironments)
        let outbox = OutboxDesk(
            store: store, apps: apps, client: transport, allowsPrivateTargets: true, time: time, metrics: metrics,
            jitter: { [dice = world.dice] in dice.jitter() })
        workers = RunningDesk.handlers(outbox, intake, apis, world).map { name, handlers in
            OutboxWorker(
                name: name, store: store, handlers: handlers, time: time, concurrency: 1,
                report: { chronicle.note("fault in \(name): \($0)") })
        }
        let reader = HistoryReader(store: store, intake: intake, apis: apis, time: time, metrics: metrics, itemsACommit: 1)
        keeper = CatchUpKeeper(reader, apps: apps, ledgers: apis.ledgers) { ledger, note in
            if case .ended(let read) = note { chronicle.note("history \(ledger.environment.rawValue): \(read.counts.new) new") }
        }
        clockWatch = ClockWatch(
            store: store, time: time, elapsed: { [time = world.time] in time.now() - World.start }, forgetClocks: { apis.forgetClocks() }
        ) { note in
            chronicle.note("clock watch: \(note)")
        }
        self.store = store
        self.intake = intake
        app = world.app
        ledgers = apis.ledgers
        let now = time.now()
        _ = try await inner.write { tx throws(StoreError) in try tx.releaseLeases(at: now) }
    }

    private static func apis(_ transport: any Transport, _ time: DeskClock, isMixed: Bool) -> ServerAPIDirectory {
        let pairs = Environment.allCases.map { environment in
            let host = isMixed ? (environment == .production ? Environment.sandbox : .production) : environment
            let api = AppStoreServerAPI(
                credentials: SimulatedApple.credentials, environment: environment, baseURL: Internet.appleURL(host),
                client: transport, allowsPrivateTargets: true, now: { time.now() }, sleep: { try await time.sleep(until: $0) })
            return (Ledger(app: SimulatedOwner.app, environment: environment), api)
        }
        return ServerAPIDirectory(Dictionary(uniqueKeysWithValues: pairs))
    }

    private static func handlers(
        _ outbox: OutboxDesk, _ intake: Intake, _ apis: ServerAPIDirectory, _ world: Surroundings
    ) -> [(String, [OutboxRow.Lane: any OutboxHandler])] {
        let soundRounds = RoundKeeper(outbox)
        let rounds: any OutboxHandler =
            world.sabotage == .answersAfterTheWindow ? LateSender(sound: soundRounds, store: outbox.store, apis: apis) : soundRounds
        let soundAnswers = AnswerSender(outbox, apis: apis)
        let answers: any OutboxHandler =
            switch world.sabotage {
            case .rebuildsBodiesInDoubt: ForgetfulSender(sound: soundAnswers, store: outbox.store)
            case .givesUpAfterOneTry: HastySender(sound: soundAnswers, store: outbox.store, time: world.clock)
            default: soundAnswers
            }
        let addresses = world.receivers.map { ($0.name, WebhookReceiver(url: $0.url, secret: [UInt8](repeating: 7, count: 32))) }
        let soundWebhooks = WebhookSender(outbox, receivers: [world.app.id: Dictionary(uniqueKeysWithValues: addresses)])
        let webhooks: any OutboxHandler =
            switch world.sabotage {
            case .renamesRepeatedWebhooks: RenamingSender(sound: soundWebhooks)
            case .sendsWebhooksOnce: HastySender(sound: soundWebhooks, store: outbox.store, time: world.clock)
            default: soundWebhooks
            }
        let note: @Sendable (String) -> Void = { [chronicle = world.chronicle] in chronicle.note($0) }
        let clockwork = [OutboxRow.Kind.decide, .deadlineNear, .windowCloses, .turn].map { (OutboxRow.Lane($0), rounds) }
        let soundAlerts = AlertSender(outbox, channels: [world.app.id: [world.alerts.name: world.alertChannel]])
        let alerts: any OutboxHandler =
            world.sabotage == .sendsAlertsOnce ? HastySender(sound: soundAlerts, store: outbox.store, time: world.clock) : soundAlerts
        let forwards = Forwarder(outbox, urls: [world.app.id: [world.forwards.name: world.forwards.url]])
        return [
            ("alerts", [OutboxRow.Lane(.alert, app: world.app.id, receiver: world.alerts.name): alerts]),
            ("forwards", [OutboxRow.Lane(.forward, app: world.app.id, receiver: world.forwards.name): forwards]),
            ("answers", [OutboxRow.Lane(.answer): answers]),
            ("rounds", Dictionary(uniqueKeysWithValues: clockwork)),
            ("statuses", [OutboxRow.Lane(.confirmStatus): StatusAsker(outbox, intake: intake, apis: apis, report: note)]),
            ("refunds", [OutboxRow.Lane(.refundHistory): RefundAsker(outbox, intake: intake, apis: apis, report: note)]),
        ]
            + world.receivers.map { receiver in
                ("webhook \(receiver.name)", [OutboxRow.Lane(.webhook, app: world.app.id, receiver: receiver.name): webhooks])
            }
    }
}

extension RunningDesk.Surroundings {
    fileprivate var alertChannel: AlertChannel {
        AlertChannel(kind: .webhook(url: alerts.url), showsAmounts: false, publicURL: "https://desk.test", isSimulated: true)
    }
}
