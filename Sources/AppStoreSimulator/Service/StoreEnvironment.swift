import Domain

/// One environment of the store with its correspondence: what was sent, asked and answered.
package struct StoreEnvironment: Sendable {
    package var world: StoreWorld
    /// Oldest first.
    package private(set) var sent: [SentNotification] = []
    private var sentIndex: [String: Int] = [:]
    /// By transaction, oldest first.
    package private(set) var receipts: [String: [ConsumptionReceipt]] = [:]
    /// By transaction, oldest first.
    package internal(set) var requests: [String: [RefundRequest]] = [:]
    /// The notification of each test token.
    var tests: [String: String] = [:]
    var faults: [Fault] = []
    var deliveryFaults = DeliveryFaults()
    /// Where notifications go, by `bundleId`.
    var notificationURLs: [String: String] = [:]
    /// How many of `sent` have been given to whoever delivers.
    private var scheduledCount = 0
    private var answered: [(transactionID: String, round: Int)] = []
    private var random: SplitMix64

    package init(world: StoreWorld, seed: UInt64 = 1) {
        self.world = world
        random = SplitMix64(seed: seed)
    }

    package subscript(notificationUUID: String) -> SentNotification? { sentIndex[notificationUUID].map { sent[$0] } }

    package mutating func add(_ notification: StoreNotification, attempts: [SendAttempt] = []) {
        sentIndex[notification.notificationUUID] = sent.count
        sent.append(SentNotification(notification: notification, attempts: attempts))
    }

    /// Begins with a past that was told already.
    mutating func adopt(_ history: DemoHistory) {
        world = history.world
        requests = history.requests
        for notification in history.notifications {
            add(notification, attempts: [SendAttempt(date: notification.signedDate, result: "SUCCESS")])
        }
        scheduledCount = sent.count
    }

    /// The notifications added since the last call.
    package mutating func takeUnscheduled() -> [StoreNotification] {
        defer { scheduledCount = sent.count }
        return sent[scheduledCount...].map(\.notification)
    }

    /// Keeps what a developer told, and notes the request that it answers.
    mutating func accept(_ receipt: ConsumptionReceipt) {
        receipts[receipt.transactionID, default: []].append(receipt)
        guard let request = requests[receipt.transactionID]?.last, request.outcome == nil else { return }
        answered.append((receipt.transactionID, request.round))
    }

    /// The requests answered since the last call.
    mutating func takeAnswered() -> [(transactionID: String, round: Int)] {
        defer { answered = [] }
        return answered
    }

    /// How long the next notification is held back.
    mutating func deliveryDelay() -> Span {
        guard deliveryFaults.shuffleMilliseconds > 0 else { return .milliseconds(0) }
        return .milliseconds(Int64.random(in: 0...deliveryFaults.shuffleMilliseconds, using: &random))
    }

    /// - Returns: How many attempts there were now.
    package mutating func record(_ attempt: SendAttempt, of notificationUUID: String) -> Int {
        guard let index = sentIndex[notificationUUID] else { return 0 }
        sent[index].attempts.append(attempt)
        return sent[index].attempts.count
    }

    /// The purchase that any id of a customer leads to: a `transactionId` or an `appTransactionId`.
    func customer(_ anyID: String, of bundleID: String) -> StoreCustomer? {
        let id = world.purchases[anyID]?.transaction.appTransactionId ?? anyID
        return world.customers[id].flatMap { $0.bundleID == bundleID ? $0 : nil }
    }

    /// A customer's transactions in one app.
    func purchases(of customer: StoreCustomer) -> [StorePurchase] {
        world.purchases.values.filter { $0.transaction.appTransactionId == customer.appTransactionID }
    }
}

/// A notification with what became of it.
package struct SentNotification: Sendable {
    package var notification: StoreNotification
    package var attempts: [SendAttempt]

    package var wasDelivered: Bool { attempts.contains { $0.result == "SUCCESS" } }
}

/// - Source: sendAttemptItem.
package struct SendAttempt: Hashable, Sendable {
    package var date: Int64
    package var result: String

    package init(date: Int64, result: String) {
        self.date = date
        self.result = result
    }
}

extension SendAttempt {
    var json: JSONValue { ["attemptDate": .integer(date), "sendAttemptResult": .string(result)] }
}
