import Domain

/// Anything a policy, its facts and a round may be, drawn from a seed: most of it nonsense that somebody could configure.
struct RandomPolicyWorld {
    var random: Seeded

    init(seed: UInt64) { random = Seeded(seed) }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    mutating func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &random)] }
    mutating func maybe<Value>(_ value: Value, _ percent: Int = 70) -> Value? { chance(percent) ? value : nil }

    // MARK: Policies

    mutating func policy() -> Policy {
        let rules = (0..<Int.random(in: 0...5, using: &random)).map { index in
            PolicyRule(
                name: "rule \(index)", conditions: (0..<Int.random(in: 0...3, using: &random)).map { _ in condition() }, outcome: outcome())
        }
        return Policy(rules: rules, default: outcome())
    }

    private mutating func outcome() -> PolicyOutcome {
        let holds: [Span] = [.seconds(1), .seconds(90), .minutes(4), .hours(2), .hours(11), .hours(12), .days(9), .days(1_000_000)]
        return PolicyOutcome(answer(), after: chance(30) ? pick(holds) : nil)
    }

    mutating func answer() -> PolicyAnswer {
        if chance(10) { return .abstain }
        return .send(preference: pick(RefundPreference.allCases.map { $0 } + [nil]), holdoutPercent: pick([0, 0, 0, 1, 10, 50, 99, 100]))
    }

    private mutating func condition() -> PolicyCondition {
        let named = pick(PolicyKey.Name.allCases)
        let key = chance(10) ? PolicyKey.usage(meter: pick(Self.words)) : .named(named)
        return PolicyCondition(key, tests: (0..<Int.random(in: 1...3, using: &random)).map { _ in test() })
    }

    private mutating func test() -> PolicyTest {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: .anyOf((0..<Int.random(in: 1...3, using: &random)).map { _ in pattern() })
        case 1: .noneOf((0..<Int.random(in: 1...3, using: &random)).map { _ in pattern() })
        case 2: .atLeast(number())
        default: .below(number())
        }
    }

    private mutating func pattern() -> PolicyPattern {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: .exactly(.text(pick(Self.words)))
        case 1: .prefix(String(pick(Self.words).prefix(Int.random(in: 0...3, using: &random))))
        case 2: .exactly(.flag(chance(50)))
        default: .exactly(.number(number()))
        }
    }

    private mutating func number() -> ExactDecimal {
        ExactDecimal(significand: .random(in: -3...120, using: &random), exponent: pick([0, 0, 0, -3, 1]))
    }

    private static let words = ["a", "ab", "Consumable", "USD", "LEGAL", "vip", "coins", "MONTHLY", "PURCHASED"]

    // MARK: Facts

    mutating func facts() -> PolicyFacts {
        var facts = PolicyFacts()
        facts.productID = maybe(ProductID(pick(Self.words)))
        facts.rawProductType = maybe(pick(Self.words))
        facts.price = maybe(number())
        facts.currency = maybe(pick(Self.words))
        facts.storefront = maybe(pick(Self.words))
        facts.rawReason = maybe(pick(Self.words))
        facts.round = maybe(.random(in: 1...4, using: &random))
        facts.rawBillingPlanType = maybe(pick(Self.words))
        facts.isCurrentPeriod = maybe(chance(50))
        facts.billingPeriodNumber = maybe(.random(in: 1...12, using: &random))
        facts.offerType = maybe(.random(in: 1...4, using: &random))
        facts.isConvertedFromTrial = maybe(chance(50))
        facts.rawOwnership = maybe(pick(Self.words))
        facts.sincePurchase = maybe(.hours(.random(in: -5...5_000, using: &random)))
        facts.consumedPercentage = maybe(.random(in: 0...100_000, using: &random))
        for meter in Self.words where chance(30) { facts.usage[meter] = number() }
        facts.usageCost = maybe(number())
        facts.refundsRequested = maybe(.random(in: 0...5, using: &random))
        facts.refundsGranted = maybe(.random(in: 0...5, using: &random))
        facts.sinceFirstPurchase = maybe(.days(.random(in: 0...4_000, using: &random)))
        facts.lifetimePaid = maybe(number())
        facts.tags = Self.words.filter { _ in chance(20) }
        return facts
    }

    // MARK: Rounds

    mutating func context(_ id: Int) -> DecisionContext {
        let environment = pick(Environment.allCases)
        let window = environment.answerWindow
        let events = [asked("ask", hour(0))] + (chance(10) ? [declined("no", hour(0) + .minutes(1))] : [])
        guard var round = RefundCase(folding: events, purchase: nil, window: window)?.rounds.first else { preconditionFailure("one asked") }
        round.number = .random(in: 1...3, using: &random)
        let now = hour(0) + Span(milliseconds: .random(in: 0...(window.milliseconds * 5 / 4), using: &random))
        return DecisionContext(
            round: round, purchase: purchase(id), environment: environment, now: chance(10) ? round.deadline : now,
            consent: consent().standing, delivery: delivery(), sampleContentProvided: chance(50), consumed: consumed(),
            isCurrentPeriod: maybe(chance(50)))
    }

    private mutating func purchase(_ id: Int) -> Purchase {
        let types = ProductType.allCases.map(\.rawValue) + ["Loot Box"]
        let (type, ownership) = (pick(types), chance(85) ? pick(["PURCHASED", nil]) : pick(["FAMILY_SHARED", "ASSIGNED", "BORROWED"]))
        let isAdvanced = chance(5)
        var purchase = coins {
            $0.transactionID = TransactionID("\(2_000_000_000 + id)")
            $0.rawType = type
            $0.rawOwnershipType = ownership
            $0.isAdvancedCommerce = isAdvanced
        }
        purchase.lastReversal = chance(10) ? hour(0) : nil
        return purchase
    }

    mutating func delivery() -> DeliveryStatus? { chance(60) ? .delivered : pick(DeliveryStatus.allCases + [nil]) }

    mutating func consumed() -> Consumed? {
        let shares: [Int32] = [.min, -1, 0, 1, 33_333, 50_000, 99_999, 100_000, 100_001, .max]
        return maybe(Consumed(thousandths: pick(shares), source: pick([.usage, .elapsedTime])))
    }

    /// What a customer said, with what it must come to by a rule written down once more.
    mutating func consent() -> (standing: ConsentStanding, isGiven: Bool) {
        let mode: ConsentMode = chance(30) ? .blanket(attestation: "the owner") : .perCustomer
        let minimum = chance(30) ? "2026-10" : nil
        let facts = (0..<pick([0, 1, 1, 1, 2, 3])).map { _ in
            ConsentFact(
                ref: "c", consented: chance(80), source: "dialog", textVersion: pick([nil, "2026-9", "2026-10", "2026-11"]),
                at: hour(.random(in: -9 ... -1, using: &random)))
        }
        let last = facts.enumerated().max { ($0.element.at.milliseconds, $0.offset) < ($1.element.at.milliseconds, $1.offset) }?.element
        let isOfTheText = minimum == nil || last?.textVersion == "2026-10" || last?.textVersion == "2026-11"
        return (
            consentStanding(facts, mode: mode, minimumTextVersion: minimum),
            last.map { $0.consented && isOfTheText } ?? (mode != .perCustomer)
        )
    }

    mutating func authority(_ policy: Policy, _ facts: PolicyFacts) -> DecisionAuthority {
        switch Int.random(in: 0..<10, using: &random) {
        case 0: .customerOverride(answer())
        case 1: .person(pick(RefundPreference.allCases.map { $0 } + [nil]))
        case 2: .personAbstains
        case 3, 4: .afterHold(policy, facts: facts)
        default: .policy(policy, facts: facts)
        }
    }
}
