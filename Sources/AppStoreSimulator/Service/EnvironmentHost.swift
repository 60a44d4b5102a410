import Domain
import HTTPServer
import Synchronization

/// One environment of a running simulator: what it answers, sends and decides.
package final class EnvironmentHost: Sendable {
    package let environment: Environment
    let time: any Time
    let signer: SimulatorSigner
    let state: Mutex<StoreEnvironment>
    private let api: StoreAPI
    private let configuration: AppStoreSimulator.Configuration
    private let sender: NotificationSender
    private let schedule: AsyncStream<StoreJob>.Continuation

    init(
        _ environment: Environment, identity: SimulatorIdentity, configuration: AppStoreSimulator.Configuration,
        time: any Time, sender: NotificationSender, schedule: AsyncStream<StoreJob>.Continuation
    ) {
        self.environment = environment
        self.time = time
        self.configuration = configuration
        self.sender = sender
        self.schedule = schedule
        signer = identity.signer
        let world = StoreWorld(
            environment: environment, apps: configuration.apps, seed: configuration.seed, firstID: configuration.firstID(environment))
        var store = StoreEnvironment(world: world)
        store.notificationURLs = configuration.notificationURLs
        state = Mutex(store)
        api = StoreAPI(
            signer: signer,
            tokens: TokenCheck(
                issuerID: identity.description.issuerId, keyID: identity.description.keyId, key: identity.apiKey.publicKey,
                bundleIDs: Set(configuration.apps.map(\.bundleID))))
    }

    // MARK: Calls

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        if request.pathSegments.first == "control" { return ControlAPI(host: self).respond(to: request) }
        guard let fault = state.withLock({ $0.takeFault(path: request.path) }) else { return answer(request) }
        return await suffer(fault, request)
    }

    private func answer(_ request: HTTPRequest) -> HTTPResponse {
        let now = time.now()
        return change { store in api.respond(to: request, in: &store, at: now) }
    }

    private func suffer(_ fault: Fault, _ request: HTTPRequest) async -> HTTPResponse {
        let now = time.now()
        switch fault.kind {
        case .slow:
            try? await time.sleep(until: now + .milliseconds(fault.milliseconds))
            return answer(request)
        case .tooManyRequests:
            let end = (now + .milliseconds(fault.milliseconds)).milliseconds
            return HTTPResponse(.rateLimitExceeded, headers: [("Retry-After", String(end))])
        case .serverError:
            return HTTPResponse(status: fault.status)
        case .loseReply:
            var response = answer(request)
            response.headers.append((FaultyDoor.closingHeader, "1"))
            return response
        case .refuse:
            refuseConnections(for: .milliseconds(fault.milliseconds))
            return HTTPResponse(status: 503, headers: [(FaultyDoor.closingHeader, "1")])
        }
    }

    /// Closes every connection and takes no new one for a while.
    package func refuseConnections(for span: Span) {
        let now = time.now()
        schedule.yield(StoreJob(due: now, environment: environment, work: .shut))
        schedule.yield(StoreJob(due: now + span, environment: environment, work: .open))
    }

    package func add(_ fault: Fault) {
        if fault.kind == .refuse, fault.remaining == nil { return refuseConnections(for: .milliseconds(fault.milliseconds)) }
        state.withLock { $0.faults.append(fault) }
    }

    package func clearFaults() {
        state.withLock { store in
            store.faults = []
            store.deliveryFaults = DeliveryFaults()
        }
    }

    package func set(_ faults: DeliveryFaults) { state.withLock { $0.deliveryFaults = faults } }

    package func setNotificationURL(_ url: String?, for bundleID: String) { state.withLock { $0.notificationURLs[bundleID] = url } }

    /// What was answered about a transaction, oldest first.
    package func receipts(for transactionID: String) -> [ConsumptionReceipt] { state.withLock { $0.receipts[transactionID] ?? [] } }

    package func requests(for transactionID: String) -> [RefundRequest] { state.withLock { $0.requests[transactionID] ?? [] } }

    /// All that was ever to be told, oldest first.
    package var notifications: [StoreNotification] { state.withLock { $0.sent.map(\.notification) } }

    // MARK: Changes

    /// Changes the world and sends what came of it.
    @discardableResult
    package func happen<Result>(
        _ change: (inout StoreWorld, Timestamp) throws(SimulatorError) -> Result
    ) throws(SimulatorError) -> Result where Result: Sendable {
        let now = time.now()
        return try self.change { store throws(SimulatorError) in try change(&store.world, now) }
    }

    /// Changes the environment, then schedules what is new: deliveries, and decisions about answers.
    private func change<Result: Sendable, Failure: Error>(
        _ body: (inout StoreEnvironment) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let now = time.now()
        let outcome: (result: Swift.Result<Result, Failure>, jobs: [StoreJob]) = state.withLock { store in
            let result = Swift.Result { () throws(Failure) in try body(&store) }
            return (result, newJobs(&store, at: now))
        }
        for job in outcome.jobs { schedule.yield(job) }
        return try outcome.result.get()
    }

    private func newJobs(_ store: inout StoreEnvironment, at now: Timestamp) -> [StoreJob] {
        for notification in store.world.takeNotifications() { store.add(notification) }
        var jobs: [StoreJob] = []
        for notification in store.takeUnscheduled() where store.notificationURLs[notification.bundleID] != nil {
            let delay = store.deliveryDelay()
            let work = StoreJob.Work.deliver(notificationUUID: notification.notificationUUID)
            jobs.append(StoreJob(due: now + delay, environment: environment, work: work))
            if store.deliveryFaults.duplicates {
                jobs.append(StoreJob(due: now + delay + store.deliveryDelay(), environment: environment, work: work))
            }
        }
        for (transactionID, round) in store.takeAnswered() {
            guard case .whenAnswered(let delay) = configuration.decisionTiming else { continue }
            jobs.append(StoreJob(due: now + delay, environment: environment, work: .decide(transactionID: transactionID, round: round)))
        }
        return jobs
    }

    // MARK: Refunds

    /// A customer asks for a refund: the desk is asked, and the store decides later.
    ///
    /// - Parameters:
    ///   - text: What the customer writes; with the reason `OTHER`, `DECLINE` and `GRANT_PRORATED` decide in the sandbox.
    ///   - switchesRenewalOff: As the store does after some requests made in the app.
    package func requestRefund(
        of transactionID: String, _ reason: ConsumptionRequestReason, text: String? = nil, switchesRenewalOff: Bool = false
    ) throws(SimulatorError) {
        let now = time.now()
        let round = try change { store throws(SimulatorError) in
            try store.request(transactionID, reason, text: text, switchesRenewalOff: switchesRenewalOff, at: now)
        }
        scheduleDecision(of: RefundRequest(transactionID: transactionID, reason: reason, requestedAt: now, round: round))
    }

    func scheduleDecision(of request: RefundRequest) {
        let due = decisionDue(request.transactionID, round: request.round, at: request.requestedAt)
        let work = StoreJob.Work.decide(transactionID: request.transactionID, round: request.round)
        schedule.yield(StoreJob(due: due, environment: environment, work: work))
    }

    /// The store asks the desk again about an undecided request.
    package func repeatRequest(of transactionID: String) throws(SimulatorError) {
        let now = time.now()
        try change { store throws(SimulatorError) in
            guard let request = store.requests[transactionID]?.last, request.outcome == nil else {
                throw SimulatorError("No undecided request for transaction \(transactionID).")
            }
            try store.world.askForRefund(of: transactionID, request.reason, at: now)
        }
    }

    private func decisionDue(_ transactionID: String, round: Int, at now: Timestamp) -> Timestamp {
        switch configuration.decisionTiming {
        case .whenAnswered: now + environment.answerWindow
        case .after(let range):
            now + .milliseconds(drawn(in: range, salt: (UInt64(transactionID) ?? 0) &+ UInt64(round)))
        }
    }

    private func drawn(in range: ClosedRange<Int64>, salt: UInt64) -> Int64 {
        var random = SplitMix64(seed: configuration.seed ^ salt)
        return Int64.random(in: range, using: &random)
    }

    /// Decides a round, once.
    func decide(_ transactionID: String, round: Int) {
        let now = time.now()
        let style = environment == .sandbox ? .sandbox : configuration.decisionStyle
        // A request is only decided where its transaction is there.
        try? change { store throws(SimulatorError) in
            try store.decide(transactionID, round: round, style, seed: configuration.seed, at: now)
        }
    }

    // MARK: Deliveries

    /// Makes one attempt to deliver a notification, and schedules the next where it fails.
    func deliver(_ notificationUUID: String) async {
        let found = state.withLock { store in
            store[notificationUUID].map { ($0.notification, store.notificationURLs[$0.notification.bundleID]) }
        }
        guard case .some((let notification, let url?)) = found else { return }
        let began = time.now()
        let outcome = await sender.post(notification.body(signer), to: url)
        let (attempts, wasDelivered) = state.withLock { store in
            let count = store.record(SendAttempt(date: began.milliseconds, result: outcome.result), of: notificationUUID)
            return (count, store[notificationUUID]?.wasDelivered ?? true)
        }
        guard !wasDelivered, let wait = NotificationSender.wait(after: attempts, in: environment) else { return }
        schedule.yield(StoreJob(due: began + wait, environment: environment, work: .deliver(notificationUUID: notificationUUID)))
    }
}
