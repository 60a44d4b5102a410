import Domain

/// What the desk must know of one app to judge its messages, from the configuration.
package struct AppSettings: Sendable {
    package var id: AppID
    package var name: String
    package var bundleID: String
    /// nil only where Production is not configured.
    package var appAppleID: Int64?
    package var environments: Set<Environment>
    package var consentMode: ConsentMode
    package var minimumTextVersion: String?
    package var products: ProductCatalogue
    package var policy: Policy
    package var alerts: [AlertTarget]
    /// nil where nobody follows.
    package var events: EventSettings?
    /// Whether revoked certificates are asked for (`onlineChecks`).
    package var checksRevocation: Bool
    /// Names of the places that get Apple's bodies as they came.
    package var forwards: [String]
    package var retention: Retention

    package init(
        id: AppID, name: String, bundleID: String, appAppleID: Int64?, environments: Set<Environment>,
        consentMode: ConsentMode = .perCustomer, minimumTextVersion: String? = nil, products: ProductCatalogue = ProductCatalogue(),
        policy: Policy = Policy(), alerts: [AlertTarget] = [], events: EventSettings? = nil,
        forwards: [String] = [], checksRevocation: Bool = false, retention: Retention = Retention()
    ) {
        self.id = id
        self.name = name
        self.bundleID = bundleID
        self.appAppleID = appAppleID
        self.environments = environments
        self.consentMode = consentMode
        self.minimumTextVersion = minimumTextVersion
        self.products = products
        self.policy = policy
        self.alerts = alerts
        self.events = events
        self.forwards = forwards
        self.checksRevocation = checksRevocation
        self.retention = retention
    }
}

/// How long things are kept; nil is for ever.
package struct Retention: Hashable, Sendable {
    package var usage: Span?
    package var bodies: Span?

    package init(usage: Span? = nil, bodies: Span? = nil) {
        self.usage = usage
        self.bodies = bodies
    }
}

/// What the owner states of each product; `*` is the rest.
package struct ProductCatalogue: Sendable {
    package var byID: [ProductID: ProductStatement]
    package var rest: ProductStatement?

    package init(byID: [ProductID: ProductStatement] = [:], rest: ProductStatement? = nil) {
        self.byID = byID
        self.rest = rest
    }

    /// nil: the owner states nothing, so nothing can be told to Apple.
    package subscript(_ id: ProductID) -> ProductStatement? { byID[id] ?? rest }

    /// Under which names outages of a product may be recorded: its own, and `*` where the owner states nothing of it by name.
    package func outageNames(of id: ProductID) -> [ProductID] { byID[id] == nil && id != .rest ? [id, .rest] : [id] }
}

extension ProductID {
    /// Every product that is not named in the configuration.
    package static let rest = ProductID("*")
}

/// What the owner states of one product.
package struct ProductStatement: Sendable {
    package struct UnitCost: Sendable, Hashable {
        /// Milliunits of the currency for one unit of the meter.
        package var unit: Int64
        package var currency: String
        package init(unit: Int64, currency: String) {
            self.unit = unit
            self.currency = currency
        }
    }
    package var sampleContentProvided: Bool
    package var delivery: DeliveryStatus?
    package var meter: String?
    package var usageIsComplete: Bool
    package var terms: ProductTerms
    package var outages: [Outage]
    package var costs: [String: UnitCost]

    package init(
        sampleContentProvided: Bool, delivery: DeliveryStatus? = nil, meter: String? = nil, usageIsComplete: Bool = false,
        terms: ProductTerms = ProductTerms(), outages: [Outage] = [], costs: [String: UnitCost] = [:]
    ) {
        self.sampleContentProvided = sampleContentProvided
        self.delivery = delivery
        self.meter = meter
        self.usageIsComplete = usageIsComplete
        self.terms = terms
        self.outages = outages
        self.costs = costs
    }
}

/// One place where the owner is told.
package struct AlertTarget: Sendable, Hashable {
    /// Names the target in the outbox; stable while the configuration is.
    package var id: String
    package var events: Set<AlertEvent>
    package var environments: Set<Environment>

    package init(id: String, events: Set<AlertEvent> = AlertEvent.usual, environments: Set<Environment> = Set(Environment.allCases)) {
        self.id = id
        self.events = events
        self.environments = environments
    }
}

/// What an owner can be told about.
package enum AlertEvent: String, Sendable, CaseIterable, Codable {
    case request
    case secondAsk = "second-ask"
    case deadlineNear = "deadline-near"
    case answerFailed = "answer-failed"
    case answerExpired = "answer-expired"
    case decision, spike, silence
    case keyRejected = "key-rejected"
    case unknown, quarantined, disk

    package static let usual = Set(allCases).subtracting([.decision])
}

/// The configured apps, by name and by what messages say of them.
package struct AppDirectory: Sendable {
    private let byID: [AppID: AppSettings]
    private let byBundleID: [String: AppSettings]

    package init(_ apps: [AppSettings]) {
        byID = Dictionary(apps.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        byBundleID = Dictionary(apps.map { ($0.bundleID, $0) }, uniquingKeysWith: { first, _ in first })
    }

    package subscript(_ id: AppID) -> AppSettings? { byID[id] }
    package subscript(bundleID bundleID: String) -> AppSettings? { byBundleID[bundleID] }
    package var all: [AppSettings] { byID.values.sorted { $0.id < $1.id } }
}
