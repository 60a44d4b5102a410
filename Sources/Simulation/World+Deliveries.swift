import AppStoreSimulator
import Domain
import Ingest
import Store

// Apple's notifications on their way to the desk.
extension World {
    /// Something happens in the store; what it has to tell is sent, sooner or later.
    ///
    /// - Returns: nil where the store refuses, as for what is refunded already.
    @discardableResult
    func happen<Result: Sendable>(
        _ environment: Environment, _ what: String, _ change: (inout StoreEnvironment, Timestamp) throws(SimulatorError) -> Result
    ) -> Result? {
        do throws(SimulatorError) {
            let (result, notifications) = try apple.happen(environment, change)
            chronicle.note("\(environment.rawValue): \(what)")
            for notification in notifications { send(notification) }
            return result
        } catch { return nil }
    }

    private func send(_ notification: StoreNotification) {
        chronicle.note("apple has \(notification.notificationType) \(notification.notificationUUID)")
        chronicle.count("notifications")
        let (uuid, environment) = (notification.notificationUUID, notification.environment)
        schedule(in: deliveryDelay(environment)) { await $0.deliver(uuid, environment) }
        if dice.chance(10) { schedule(in: deliveryDelay(environment)) { await $0.deliver(uuid, environment) } }
    }

    /// Mostly at once; often enough behind what was signed later.
    private func deliveryDelay(_ environment: Environment) -> Span {
        let draw = dice.int(0...99)
        if draw < 70 { return dice.span(.milliseconds(30), .seconds(3)) }
        if draw < 90 { return environment == .production ? dice.span(.seconds(30), .minutes(20)) : dice.span(.seconds(1), .seconds(90)) }
        return environment == .production ? dice.span(.minutes(20), .hours(10)) : dice.span(.minutes(1), .hours(1))
    }

    /// One attempt, and the next where Apple saw it fail.
    private func deliver(_ uuid: String, _ environment: Environment) async {
        guard let notification = apple.see(environment, { $0[uuid]?.notification }) else { return }
        let isLost = time.now() < horizon && dice.chance(8)
        let isHeard = isLost ? false : await post(notification)
        let isReplyLost = isHeard && dice.chance(6)
        let isSuccess = isHeard && !isReplyLost
        chronicle.note("deliver \(uuid) \(isLost ? "lost" : isReplyLost ? "reply lost" : isHeard ? "acknowledged" : "refused")")
        chronicle.count("deliveries")
        let attempts = apple.record(isSuccess ? "SUCCESS" : "TIMED_OUT", of: uuid, environment)
        guard !isSuccess, let wait = NotificationSender.wait(after: attempts, in: environment) else { return }
        schedule(in: wait) { await $0.deliver(uuid, environment) }
    }

    /// - Returns: Whether the desk acknowledged it.
    private func post(_ notification: StoreNotification) async -> Bool {
        guard let desk else { return false }
        let uuid = notification.notificationUUID
        let body = notification.body(SimulatedApple.signer)
        posted[uuid, default: []].insert(body)
        do throws(IntakeFault) {
            let receipt = try await desk.intake.receiveNotification(body, postedTo: SimulatedOwner.app)
            if receipt == .accepted { accepted.insert(uuid) }
            if case .quarantined(let reason) = receipt { chronicle.breach(.workIsDone, "\(uuid) was quarantined: \(reason)") }
            if receipt == .accepted || receipt == .duplicate { judge.noteKnown(uuid) }
            acknowledged.insert(uuid)
            if await !logged([uuid], desk.store.inner).contains(uuid) { chronicle.breach(.noAcknowledgedNotificationIsLost, uuid) }
            return true
        } catch {
            if desk.store.lastWasCommitted { judge.noteKnown(uuid) }
            if case .store(let fault) = error, fault.isRetryable { return false }
            chronicle.breach(.workIsDone, "\(uuid) was refused: \(error)")
            return false
        }
    }

    /// The app hands in a copy of a transaction that it has kept for a while.
    func uploadOldCopy(_ environment: Environment) async {
        guard let desk else { return }
        let copies = apple.see(environment) { store in
            store.sent.map(\.notification).filter { $0.notificationType != World.inventedType }.compactMap(\.transaction)
        }
        guard !copies.isEmpty else { return }
        let copy = dice.pick(copies)
        do throws(IntakeFault) {
            let receipt = try await desk.intake.receiveTransaction(SimulatedApple.signer.sign(copy), postedTo: SimulatedOwner.app)
            chronicle.note("the app uploads \(copy.transactionId) of \(copy.signedDate): \(receipt)")
        } catch {
            if case .store(let fault) = error, fault.isRetryable { return chronicle.note("an upload fails") }
            chronicle.breach(.workIsDone, "an upload was refused: \(error)")
        }
    }
}
