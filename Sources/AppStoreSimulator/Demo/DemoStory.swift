import Domain

/// Plays customers' lives, one after another, each in its own order of time.
struct DemoStory {
    var world: StoreWorld
    var random: SplitMix64
    let now: Timestamp
    private(set) var customers: [DemoHistory.Customer] = []
    private(set) var usages: [DemoHistory.Usage] = []
    private(set) var requests: [String: [RefundRequest]] = [:]

    init(world: StoreWorld, seed: UInt64, now: Timestamp) {
        self.world = world
        self.now = now
        random = SplitMix64(seed: seed ^ 0xD3_40)
    }

    var history: DemoHistory {
        var world = world
        let notifications = world.takeNotifications().sorted {
            ($0.signedDate, $0.notificationUUID) < ($1.signedDate, $1.notificationUUID)
        }
        return DemoHistory(world: world, notifications: notifications, customers: customers, usages: usages, requests: requests)
    }

    mutating func play(_ life: DemoLife, in app: SimulatedApp) throws(SimulatorError) {
        let start = firstDay(of: life)
        let customer = newCustomer(of: app, at: start)
        switch life {
        case .coins: try coins(customer, app, from: start)
        case .season: try single(.season, customer, app, at: start)
        case .lifetime: try single(.lifetime, customer, app, at: start)
        case .family: try family(customer, app, at: start)
        case .seats: try seats(customer, app, at: start)
        case .reversed: try reversed(customer, app, at: start)
        case .unasked: try unasked(customer, app, at: start)
        default: try subscribe(life, customer, app, from: start)
        }
    }

    /// Somewhere in the year; early where the life needs months.
    private mutating func firstDay(of life: DemoLife) -> Timestamp {
        let range: ClosedRange<Int64> =
            switch life {
            case .coins, .season, .lifetime, .monthly: 2...360
            case .trial, .yearly, .commitment: 20...360
            case .reversed, .unasked, .seats, .family: 60...300
            default: 200...360
            }
        return now - .milliseconds(Int64.random(in: range.lowerBound * 86_400_000...range.upperBound * 86_400_000, using: &random))
    }

    private mutating func newCustomer(of app: SimulatedApp, at start: Timestamp) -> StoreCustomer {
        let storefront = random.pick([Storefront.unitedStates] + Storefront.all)
        let customer = world.newCustomer(of: app.bundleID, storefront: storefront, hasAccountToken: random.chance(80), at: start)
        customers.append(
            DemoHistory.Customer(
                bundleID: app.bundleID, appTransactionID: customer.appTransactionID, appAccountToken: customer.appAccountToken,
                since: start, hasConsented: random.chance(75)))
        return customer
    }

    // MARK: Single purchases

    private mutating func coins(_ customer: StoreCustomer, _ app: SimulatedApp, from start: Timestamp) throws(SimulatorError) {
        var instant = start
        for _ in 0..<Int.random(in: 1...8, using: &random) where instant < now {
            let product = app.product(random.chance(80) ? .coins100 : .coins1000)
            let quantity = Int32(random.chance(15) ? 3 : 1)
            let id = try world.buy(product.id, by: customer, PurchaseOptions(quantity: quantity), at: instant)
            use(id, of: Int(quantity) * 100, in: app, from: instant)
            instant = try maybeAsk(about: id, percent: 14, from: instant) + days(1...30)
        }
    }

    private mutating func use(_ id: String, of units: Int, in app: SimulatedApp, from start: Timestamp) {
        let quantity = random.pick([0, units / 4, units / 2, units * 9 / 10, units])
        let instant = start + days(0...3)
        guard quantity > 0, instant < now else { return }
        usages.append(DemoHistory.Usage(bundleID: app.bundleID, transactionID: id, quantity: quantity, at: instant))
    }

    private mutating func single(
        _ product: SampleProduct, _ customer: StoreCustomer, _ app: SimulatedApp, at start: Timestamp
    ) throws(SimulatorError) {
        let id = try world.buy(app.product(product).id, by: customer, at: start)
        _ = try maybeAsk(about: id, percent: 12, from: start)
    }

    private mutating func family(_ customer: StoreCustomer, _ app: SimulatedApp, at start: Timestamp) throws(SimulatorError) {
        let id = try world.buy(app.product(.proYearly).id, by: customer, at: start)
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            try world.share(id, with: newCustomer(of: app, at: start), at: start + .hours(2))
        }
        _ = try ask(about: id, from: start + .days(9), outcome: random.chance(50) ? .granted : nil)
    }

    private mutating func seats(_ customer: StoreCustomer, _ app: SimulatedApp, at start: Timestamp) throws(SimulatorError) {
        var options = PurchaseOptions(quantity: 5)
        options.seatInvitations = random.pick(["APPLE", "DEVELOPER"])
        let id = try world.buy(app.product(.proYearly).id, by: customer, options, at: start)
        try world.refundSeats(2, of: id, at: start + .days(12))
    }

    private mutating func reversed(_ customer: StoreCustomer, _ app: SimulatedApp, at start: Timestamp) throws(SimulatorError) {
        let id = try world.buy(app.product(.coins1000).id, by: customer, at: start)
        let decided = try ask(about: id, from: start + .days(2), outcome: .granted)
        try world.reverseRefund(of: id, at: decided + .days(20))
    }

    private mutating func unasked(_ customer: StoreCustomer, _ app: SimulatedApp, at start: Timestamp) throws(SimulatorError) {
        let id = try world.buy(app.product(.coins100).id, by: customer, at: start)
        try world.refund(id, at: start + .days(25))
    }

    // MARK: Requests

    /// In that share of purchases, the customer asks after some days.
    /// - Returns: When the matter was over.
    mutating func maybeAsk(about id: String, percent: Int, from start: Timestamp) throws(SimulatorError) -> Timestamp {
        guard random.chance(percent) else { return start }
        return try ask(about: id, from: start + days(1...9))
    }

    /// A customer asks; Apple may ask again, decides within a day, and may be asked once more.
    ///
    /// - Parameter outcome: nil draws one.
    /// - Returns: When the last of it was over.
    mutating func ask(
        about id: String, from start: Timestamp, outcome fixed: RefundOutcome? = nil, round: Int = 1
    ) throws(SimulatorError) -> Timestamp {
        guard start < now else { return start }
        let reason = random.pick(ConsumptionRequestReason.allCases)
        var request = RefundRequest(transactionID: id, reason: reason, requestedAt: start, round: round)
        try world.askForRefund(of: id, reason, at: start)
        let decided = start + .minutes(Int64.random(in: 20...1_400, using: &random))
        if random.chance(10), start + .minutes(15) < now { try world.askForRefund(of: id, reason, at: start + .minutes(15)) }
        guard decided < now else {
            requests[id, default: []].append(request)
            return decided
        }
        let outcome = fixed ?? drawnOutcome(of: id)
        request.outcome = outcome
        requests[id, default: []].append(request)
        switch outcome {
        case .declined: try world.declineRefund(of: id, at: decided)
        case .granted: try world.refund(id, reason: reason == .fulfillmentIssue ? 1 : 0, at: decided)
        case .prorated(let share): try world.refund(id, percentage: share, at: decided)
        }
        guard outcome == .declined, round == 1, random.chance(35) else { return decided }
        return try ask(about: id, from: decided + days(1...4), round: 2)
    }

    private mutating func drawnOutcome(of id: String) -> RefundOutcome {
        switch Int.random(in: 0..<100, using: &random) {
        case ..<52: .granted
        case ..<66: .prorated(Int32.random(in: 5_000...95_000, using: &random))
        default: .declined
        }
    }

    mutating func days(_ range: ClosedRange<Int64>) -> Span {
        .milliseconds(Int64.random(in: range.lowerBound * 86_400_000...range.upperBound * 86_400_000, using: &random))
    }
}
