import Domain

/// A year in the life of three small companies, the same for the same seed and end.
package struct DemoWorld: Sendable {
    private let seed: UInt64
    private let apps: [SimulatedApp]

    /// - Parameter apps: Each with the products of ``SimulatedApp/standard(bundleID:appAppleID:name:prefix:)``.
    package init(seed: UInt64, apps: [SimulatedApp] = SimulatedApp.samples) {
        self.seed = seed
        self.apps = apps
    }

    /// What happened in Production in the year before `now`: every kind of case at least once in each app, and daily life around it.
    ///
    /// - Parameter customers: How many in each app; each brings some ten notifications.
    package func history(endingAt now: Timestamp, customers: Int = 160) throws(SimulatorError) -> DemoHistory {
        let world = StoreWorld(environment: .production, apps: apps, seed: seed, firstID: 2_000_000_900_000_000)
        var story = DemoStory(world: world, seed: seed, now: now)
        for app in apps {
            for life in DemoLife.allCases { try story.play(life, in: app) }
            for _ in DemoLife.allCases.count..<max(customers, DemoLife.allCases.count) {
                try story.play(story.random.pick(DemoLife.usual), in: app)
            }
        }
        return story.history
    }
}

/// A past, ready to be told to a desk and to be lived on by a simulator.
package struct DemoHistory: Sendable {
    /// A customer with what the app's backend would know.
    package struct Customer: Hashable, Sendable {
        package var bundleID: String
        package var appTransactionID: String
        package var appAccountToken: String?
        package var since: Timestamp
        /// Whether they agreed that usage is told to Apple.
        package var hasConsented: Bool
    }

    /// A part of a pack of coins that was spent.
    package struct Usage: Hashable, Sendable {
        package var bundleID: String
        package var transactionID: String
        package var quantity: Int
        package var at: Timestamp
    }

    /// The store as it stands at the end.
    package var world: StoreWorld
    /// In the order of their `signedDate`.
    package var notifications: [StoreNotification]
    package var customers: [Customer]
    package var usages: [Usage]
    /// All requests by transaction; a few of the last day are undecided.
    package var requests: [String: [RefundRequest]]
}

/// What a customer's year is about.
enum DemoLife: CaseIterable, Sendable {
    case coins, season, lifetime, monthly, yearly, commitment
    case trial, family, grace, retry, neverPaid, priceIncrease, upgrade, downgrade
    case cancelledCommitment, currentMonthRefunded, pastMonthRefunded, reversed, seats, unasked

    /// Daily life, the commoner the more often.
    static let usual: [DemoLife] = [
        .coins, .coins, .coins, .coins, .monthly, .monthly, .monthly, .yearly, .commitment, .commitment, .lifetime, .season, .trial,
        .grace, .retry, .upgrade, .downgrade, .family, .cancelledCommitment,
    ]
}
