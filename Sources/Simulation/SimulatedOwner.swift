import API
import AppStoreSimulator
import Domain
import Ingest

/// Who runs the desk: one app, sold in both environments.
enum SimulatedOwner {
    static let app = AppID("acme")
    static let bundleID = "com.example.acme"
    static let appAppleID: Int64 = 1_234_567_890

    /// What is on sale. Periods are days, so that renewals, grace and upgrades fit into a short world.
    static let goods: SimulatedApp = {
        var app = SimulatedApp.standard(bundleID: bundleID, appAppleID: appAppleID, name: "Acme")
        for index in app.products.indices where app.products[index].period == .months(1) {
            app.products[index].period = .days(2)
            app.products[index].graceDays = app.products[index].level == 3 ? 1 : nil
        }
        return app
    }()

    /// What the owner states: of `coins1000` nothing about the delivery.
    static let products = ProductCatalogue(
        byID: [
            ProductID(goods.product(.coins100).id): ProductStatement(
                sampleContentProvided: true, delivery: .delivered, meter: "coins", terms: ProductTerms(granted: 100)),
            ProductID(goods.product(.coins1000).id): ProductStatement(sampleContentProvided: false, terms: ProductTerms(granted: 1_000)),
            ProductID(goods.product(.season).id): ProductStatement(
                sampleContentProvided: false, delivery: .delivered, terms: ProductTerms(duration: CalendarPeriod(days: 30))),
        ], rest: ProductStatement(sampleContentProvided: true, delivery: .delivered))

    /// Packs with fewer units, and a season that never seems to end.
    private static let misread: ProductCatalogue = {
        var products = SimulatedOwner.products
        products.byID[ProductID(goods.product(.coins100).id)]?.terms.granted = 90
        products.byID[ProductID(goods.product(.season).id)]?.terms.duration = CalendarPeriod(days: 3_000)
        return products
    }()

    /// Whether an answer about the product can be given without another word of the owner's.
    static func statesDelivery(of product: String) -> Bool { products[ProductID(product)]?.delivery != nil }

    /// The rules of one world.
    static func policies() -> [Policy] {
        [
            Policy(), Policy(default: PolicyOutcome(.prefer(.decline))), Policy(default: PolicyOutcome(.prefer(.grantProrated))),
            Policy(default: PolicyOutcome(.dataOnly, after: .hours(1))),
        ]
    }

    static func settings(
        policy: Policy, receivers: [Receiver], alerts: Sink, forwards: Sink, sabotage: Sabotage?, makeID: @escaping @Sendable () -> String
    ) -> AppSettings {
        let targets = receivers.map { WebhookTarget(id: $0.name, url: $0.url, events: $0.events, environments: Set(Environment.allCases)) }
        let render: @Sendable (DeskEvent) -> [UInt8] = { event in
            var event = event
            if sabotage == .numbersWebhooksAlike { event.sequence = 1 }
            if sabotage == .tellsNoEntitlements { event.customer = nil }
            return eventBody(event)
        }
        return AppSettings(
            id: app, name: "Acme", bundleID: bundleID, appAppleID: appAppleID,
            environments: sabotage == .turnsAwayTheSandbox ? [.production] : Set(Environment.allCases),
            consentMode: sabotage == .skipsTheConsentCheck ? .blanket(attestation: "a canary") : .perCustomer,
            products: sabotage == .misreadsTheCatalogue ? misread : products, policy: policy, alerts: [AlertTarget(id: alerts.name)],
            events: EventSettings(targets: targets, render: render, makeID: makeID),
            forwards: [forwards.name])
    }
}
