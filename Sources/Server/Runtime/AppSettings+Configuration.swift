import Domain
import Ingest

extension AppSettings {
    /// What intake and deciding need of an app's configuration.
    init(_ app: AppConfiguration) {
        self.init(
            id: app.id, name: app.name, bundleID: app.bundleID, appAppleID: app.appAppleID, environments: app.environments,
            consentMode: app.consent.mode, minimumTextVersion: app.consent.minimumTextVersion,
            products: ProductCatalogue(
                byID: app.products.named.mapValues(ProductStatement.init), rest: ProductStatement(app.products.others)),
            policy: app.policy, alerts: AlertTarget.targets(app))
    }
}

extension AlertTarget {
    /// One per configured channel, named by its place in the list.
    static func targets(_ app: AppConfiguration) -> [AlertTarget] {
        app.alerts.enumerated().map { index, alert in
            AlertTarget(id: name(index), events: alert.events, environments: alert.environments)
        }
    }
    static func name(_ index: Int) -> String { "\(index)" }
}

extension ProductStatement {
    init(_ product: ProductConfiguration) {
        self.init(
            sampleContentProvided: product.sampleContentProvided, delivery: product.delivery, meter: product.meter,
            usageIsComplete: product.usageComplete, terms: ProductTerms(granted: product.granted, duration: product.duration),
            outages: product.outages.map { Outage(from: $0.from, to: $0.to, status: $0.status) },
            costs: product.costs.mapValues { UnitCost(millionths: $0.milliunits.scaled(byPowerOfTen: 3), currency: $0.currency) })
    }
}

extension ExactDecimal {
    /// The number times a power of ten, rounded down to a whole one and kept within 64 bits.
    fileprivate func scaled(byPowerOfTen power: Int) -> Int64 {
        var value = Int128(significand)
        var places = exponent + power
        while places > 0, value.magnitude < 1 << 96 {
            value *= 10
            places -= 1
        }
        while places < 0, value != 0 {
            value = value >= 0 ? value / 10 : (value - 9) / 10
            places += 1
        }
        return Int64(clamping: value)
    }
}
