import Domain

/// What one environment of the simulated store knows: customers, purchases, subscriptions, and what it has told about them.
///
/// Nothing here reads a clock or draws from anything but the seed: equal calls give equal worlds.
package struct StoreWorld: Sendable {
    package let environment: Environment
    package internal(set) var apps: [SimulatedApp]
    package internal(set) var customers: [String: StoreCustomer] = [:]
    package internal(set) var purchases: [String: StorePurchase] = [:]
    /// By `originalTransactionId`.
    package internal(set) var chains: [String: SubscriptionChain] = [:]
    var random: SplitMix64
    private var nextID: Int64
    /// Notifications not yet taken, oldest first.
    private var emitted: [StoreNotification] = []

    /// - Parameter firstID: What ids count from. Apple's are numbers of sixteen digits.
    package init(environment: Environment, apps: [SimulatedApp], seed: UInt64, firstID: Int64 = 2_000_000_100_000_000) {
        self.environment = environment
        self.apps = apps
        random = SplitMix64(seed: seed ^ (environment == .sandbox ? 0x5A5A : 0))
        nextID = firstID
    }

    /// What happened since the last call, in order.
    package mutating func takeNotifications() -> [StoreNotification] {
        defer { emitted = [] }
        return emitted
    }

    mutating func makeID() -> String {
        nextID += 1
        return String(nextID)
    }
}

/// One Apple account in one app.
package struct StoreCustomer: Hashable, Sendable {
    package var appTransactionID: String
    package var bundleID: String
    package var appAccountToken: String?
    package var storefront: Storefront
    package var firstSeen: Timestamp
    /// Of the newest payload signed for this customer: the next is later, so that no two compete.
    var lastSigned: Int64 = 0
}

/// A transaction with what the store keeps beside it.
package struct StorePurchase: Hashable, Sendable {
    package var transaction: TransactionPayload
    package var modifiedAt: Int64
    package var orderID: String
    /// The transactions of family members that hang on this one.
    package var familyTransactionIDs: [String] = []
}

/// An auto-renewable subscription with its periods.
package struct SubscriptionChain: Hashable, Sendable {
    package var renewal: RenewalPayload
    /// Oldest first.
    package var transactionIDs: [String]
    package var isCommitment: Bool
    /// The day of the month that periods begin on.
    var anchorDay: Int64

    /// Every chain begins with a purchase.
    package var newestTransactionID: String { transactionIDs[transactionIDs.count - 1] }
}

extension StoreWorld {
    package func app(_ bundleID: String) -> SimulatedApp? { apps.first { $0.bundleID == bundleID } }

    package func purchase(_ transactionID: String) throws(SimulatorError) -> StorePurchase {
        guard let purchase = purchases[transactionID] else {
            throw SimulatorError("No transaction \(transactionID) in \(environment.rawValue).")
        }
        return purchase
    }

    package func chain(_ originalTransactionID: String) throws(SimulatorError) -> SubscriptionChain {
        guard let chain = chains[originalTransactionID] else {
            throw SimulatorError("No subscription \(originalTransactionID) in \(environment.rawValue).")
        }
        return chain
    }

    func product(_ id: String, in bundleID: String) throws(SimulatorError) -> SimulatedProduct {
        guard let product = app(bundleID)?.product(id) else { throw SimulatorError("\(bundleID) sells no \(id).") }
        return product
    }

    /// Apple's `status` of a subscription at an instant.
    package func status(of chain: SubscriptionChain, at now: Timestamp) -> Int32 {
        guard let newest = purchases[chain.newestTransactionID]?.transaction else { return 2 }
        if newest.revocationDate != nil { return 5 }
        if chain.renewal.isInBillingRetryPeriod == true {
            return (chain.renewal.gracePeriodExpiresDate ?? 0) > now.milliseconds ? 4 : 3
        }
        return (newest.expiresDate ?? 0) > now.milliseconds ? 1 : 2
    }

    /// An instant for signing: `now`, or just after the customer's last one.
    mutating func stamp(_ appTransactionID: String?, at now: Timestamp) -> Int64 {
        guard let id = appTransactionID, var customer = customers[id] else { return now.milliseconds }
        customer.lastSigned = max(now.milliseconds, customer.lastSigned + 1)
        customers[id] = customer
        return customer.lastSigned
    }

    /// Changes a transaction and remembers when.
    mutating func modify(_ transactionID: String, at now: Timestamp, _ change: (inout TransactionPayload) -> Void) {
        guard var purchase = purchases[transactionID] else { return }
        change(&purchase.transaction)
        purchase.modifiedAt = now.milliseconds
        purchases[transactionID] = purchase
    }

    /// Notes a notification about a transaction, with copies of transaction and renewal info signed now.
    mutating func emit(
        _ type: NotificationType, _ subtype: NotificationSubtype? = nil, about transactionID: String, at now: Timestamp,
        reason: ConsumptionRequestReason? = nil
    ) {
        guard var transaction = purchases[transactionID]?.transaction, let app = app(transaction.bundleId) else { return }
        let signed = stamp(transaction.appTransactionId, at: now)
        transaction.signedDate = signed
        let chain = chains[transaction.originalTransactionId]
        var renewal = chain?.renewal
        renewal?.signedDate = signed
        emitted.append(
            StoreNotification(
                notificationUUID: random.uuid(), notificationType: type.rawValue, subtype: subtype?.rawValue, signedDate: signed,
                environment: environment, bundleID: app.bundleID, appAppleID: app.appAppleID, transaction: transaction,
                renewal: renewal, status: chain.map { status(of: $0, at: Timestamp(milliseconds: signed)) },
                consumptionRequestReason: reason?.rawValue))
    }

    /// Makes a test notification; it is not among ``takeNotifications()``.
    mutating func testNotification(for app: SimulatedApp, at now: Timestamp) -> StoreNotification {
        StoreNotification(
            notificationUUID: random.uuid(), notificationType: NotificationType.test.rawValue, signedDate: now.milliseconds,
            environment: environment, bundleID: app.bundleID, appAppleID: app.appAppleID)
    }
}
