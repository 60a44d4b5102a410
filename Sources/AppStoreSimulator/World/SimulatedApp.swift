import Domain

/// An app on sale in the simulated store.
package struct SimulatedApp: Hashable, Sendable {
    package var bundleID: String
    package var appAppleID: Int64
    package var name: String
    package var products: [SimulatedProduct]

    package init(bundleID: String, appAppleID: Int64, name: String, products: [SimulatedProduct]) {
        self.bundleID = bundleID
        self.appAppleID = appAppleID
        self.name = name
        self.products = products
    }

    /// One app on sale with a product of each kind, under ids that begin with the bundle id or `com.example`.
    package static func standard(bundleID: String, appAppleID: Int64, name: String, prefix: String? = nil) -> SimulatedApp {
        let prefix = prefix ?? bundleID
        let group = "2100" + String(appAppleID % 10_000)
        func subscription(_ id: String, _ price: Int64, _ months: Int64, level: Int) -> SimulatedProduct {
            var product = SimulatedProduct(id: "\(prefix).\(id)", type: .autoRenewableSubscription, price: price, period: .months(months))
            product.group = group
            product.level = level
            product.graceDays = 16
            return product
        }
        var yearly = subscription("pro.yearly", 59_990, 12, level: 2)
        yearly.commitmentPrice = 5_990
        yearly.isFamilyShareable = true
        var maximum = subscription("max.yearly", 99_990, 12, level: 1)
        maximum.commitmentPrice = 9_990
        var lifetime = SimulatedProduct(id: "\(prefix).lifetime", type: .nonConsumable, price: 149_990)
        lifetime.isFamilyShareable = true
        return SimulatedApp(
            bundleID: bundleID, appAppleID: appAppleID, name: name,
            products: [
                SimulatedProduct(id: "\(prefix).coins100", type: .consumable, price: 990),
                SimulatedProduct(id: "\(prefix).coins1000", type: .consumable, price: 7_990),
                lifetime,
                SimulatedProduct(id: "\(prefix).season", type: .nonRenewingSubscription, price: 19_990, period: .days(30)),
                subscription("basic.monthly", 4_990, 1, level: 3),
                subscription("pro.monthly", 9_990, 1, level: 2),
                yearly, maximum,
            ])
    }

    /// The three apps that a simulator knows when it is told of no others.
    package static let samples = [
        standard(bundleID: "com.example.acme", appAppleID: 1_234_567_890, name: "Acme", prefix: "com.example"),
        standard(bundleID: "com.example.birdsong", appAppleID: 1_234_567_891, name: "Birdsong"),
        standard(bundleID: "com.example.cartographer", appAppleID: 1_234_567_892, name: "Cartographer"),
    ]

    package func product(_ id: String) -> SimulatedProduct? { products.first { $0.id == id } }

    /// The product whose id ends in that word; each app made by ``standard(bundleID:appAppleID:name:prefix:)`` has one of each.
    package func product(_ kind: SampleProduct) -> SimulatedProduct {
        guard let product = products.first(where: { $0.id.hasSuffix("." + kind.rawValue) }) else {
            preconditionFailure("an app with the standard products")
        }
        return product
    }
}

/// The products of a standard app.
package enum SampleProduct: String, Sendable, CaseIterable {
    case coins100, coins1000, lifetime, season
    case basicMonthly = "basic.monthly"
    case proMonthly = "pro.monthly"
    case proYearly = "pro.yearly"
    case maxYearly = "max.yearly"
}

/// Something on sale.
package struct SimulatedProduct: Hashable, Sendable {
    package var id: String
    package var type: ProductType
    /// Milliunits in the United States.
    package var price: Int64
    /// Subscriptions of both kinds.
    package var period: BillingPeriod?
    package var group: String?
    /// Within the group; 1 is the highest.
    package var level = 0
    /// Of one month, where twelve may be committed to.
    package var commitmentPrice: Int64?
    package var graceDays: Int64?
    package var isFamilyShareable = false

    package init(id: String, type: ProductType, price: Int64, period: BillingPeriod? = nil) {
        self.id = id
        self.type = type
        self.price = price
        self.period = period
    }
}

/// A country's store.
package struct Storefront: Hashable, Sendable {
    package var code: String
    package var id: String
    package var currency: String
    /// What a thousandth of a US dollar is there, in thousandths of its own milliunit.
    package var rate: Int64

    package static let unitedStates = Storefront(code: "USA", id: "143441", currency: "USD", rate: 1_000)
    package static let all = [
        unitedStates,
        Storefront(code: "DEU", id: "143443", currency: "EUR", rate: 1_000),
        Storefront(code: "GBR", id: "143444", currency: "GBP", rate: 800),
        Storefront(code: "JPN", id: "143462", currency: "JPY", rate: 150_000),
    ]
}
