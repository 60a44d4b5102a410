import Testing

@testable import Domain

/// One condition against facts: the value of the key, or nothing at all.
struct ConditionRow: CustomTestStringConvertible {
    var testDescription: String
    var condition: PolicyCondition
    var facts: PolicyFacts
    var holds: Bool

    init(_ name: String, _ key: PolicyKey.Name, _ tests: PolicyTest..., given set: (inout PolicyFacts) -> Void, holds: Bool) {
        self.init(name, PolicyCondition(.named(key), tests: tests), given: set, holds: holds)
    }

    init(_ name: String, _ condition: PolicyCondition, given set: (inout PolicyFacts) -> Void, holds: Bool) {
        testDescription = name
        self.condition = condition
        var facts = PolicyFacts()
        set(&facts)
        self.facts = facts
        self.holds = holds
    }
}

private func text(_ words: String...) -> PolicyTest { .anyOf(words.map(PolicyPattern.init(text:))) }
private func noText(_ words: String...) -> PolicyTest { .noneOf(words.map(PolicyPattern.init(text:))) }
private func number(_ numbers: Int...) -> PolicyTest { .anyOf(numbers.map { .exactly(.number(ExactDecimal($0))) }) }
private func noNumber(_ numbers: Int...) -> PolicyTest { .noneOf(numbers.map { .exactly(.number(ExactDecimal($0))) }) }
private func flag(_ value: Bool) -> PolicyTest { .anyOf([.exactly(.flag(value))]) }
private func cents(_ count: Int64) -> ExactDecimal { ExactDecimal(significand: count, exponent: -2) }

@Test(arguments: [
    ConditionRow("productId met", .productId, text("com.example.a"), given: { $0.productID = ProductID("com.example.a") }, holds: true),
    ConditionRow("productId by its start", .productId, text("com.ex*"), given: { $0.productID = ProductID("com.example.a") }, holds: true),
    ConditionRow("a start is not an end", .productId, text("a*"), given: { $0.productID = ProductID("com.example.a") }, holds: false),
    ConditionRow("a lone star meets all", .productId, text("*"), given: { $0.productID = ProductID("x") }, holds: true),
    ConditionRow("a lone star meets nothing missing", .productId, text("*"), given: { _ in }, holds: false),
    ConditionRow("case counts", .productId, text("COM.EXAMPLE.A"), given: { $0.productID = ProductID("com.example.a") }, holds: false),
    ConditionRow("productType", .productType, text("Consumable"), given: { $0.rawProductType = "Consumable" }, holds: true),
    ConditionRow("price at the bound", .price, .atLeast(cents(999)), given: { $0.price = ExactDecimal(milliunits: 9990) }, holds: true),
    ConditionRow(
        "price a thousandth below", .price, .atLeast(cents(999)), given: { $0.price = ExactDecimal(milliunits: 9989) }, holds: false),
    ConditionRow("price below", .price, .below(cents(999)), given: { $0.price = ExactDecimal(milliunits: 9989) }, holds: true),
    ConditionRow("price not below itself", .price, .below(cents(999)), given: { $0.price = ExactDecimal(milliunits: 9990) }, holds: false),
    ConditionRow("currency, any of", .currency, text("EUR", "USD"), given: { $0.currency = "USD" }, holds: true),
    ConditionRow("currency, none of", .currency, text("EUR", "USD"), given: { $0.currency = "JPY" }, holds: false),
    ConditionRow("storefront not", .storefront, noText("USA"), given: { $0.storefront = "DEU" }, holds: true),
    ConditionRow("storefront not, but is", .storefront, noText("USA"), given: { $0.storefront = "USA" }, holds: false),
    ConditionRow("reason", .reason, text("LEGAL", "OTHER"), given: { $0.rawReason = "OTHER" }, holds: true),
    ConditionRow("reason missing", .reason, text("LEGAL", "OTHER"), given: { _ in }, holds: false),
    ConditionRow("round", .round, .atLeast(ExactDecimal(2)), given: { $0.round = 2 }, holds: true),
    ConditionRow("first round", .round, .atLeast(ExactDecimal(2)), given: { $0.round = 1 }, holds: false),
    ConditionRow("billingPlanType", .billingPlanType, text("MONTHLY"), given: { $0.rawBillingPlanType = "MONTHLY" }, holds: true),
    ConditionRow("currentPeriod", .currentPeriod, flag(true), given: { $0.isCurrentPeriod = true }, holds: true),
    ConditionRow("an older period", .currentPeriod, flag(false), given: { $0.isCurrentPeriod = false }, holds: true),
    ConditionRow("currentPeriod differs", .currentPeriod, flag(false), given: { $0.isCurrentPeriod = true }, holds: false),
    ConditionRow("currentPeriod missing is not false", .currentPeriod, flag(false), given: { _ in }, holds: false),
    ConditionRow(
        "billingPeriodNumber between", .billingPeriodNumber, .atLeast(ExactDecimal(2)), .below(ExactDecimal(5)),
        given: { $0.billingPeriodNumber = 4 }, holds: true),
    ConditionRow(
        "billingPeriodNumber beyond", .billingPeriodNumber, .atLeast(ExactDecimal(2)), .below(ExactDecimal(5)),
        given: { $0.billingPeriodNumber = 5 }, holds: false),
    ConditionRow("offerType", .offerType, number(1, 4), given: { $0.offerType = 4 }, holds: true),
    ConditionRow("convertedFromTrial", .convertedFromTrial, flag(true), given: { $0.isConvertedFromTrial = true }, holds: true),
    ConditionRow("ownership not", .ownership, noText("FAMILY_SHARED", "ASSIGNED"), given: { $0.rawOwnership = "PURCHASED" }, holds: true),
    ConditionRow(
        "hoursSincePurchase", .hoursSincePurchase, .below(ExactDecimal(48)), given: { $0.sincePurchase = .hours(47) }, holds: true),
    ConditionRow("hours are whole", .hoursSincePurchase, number(47), given: { $0.sincePurchase = .minutes(47 * 60 + 59) }, holds: true),
    ConditionRow(
        "48 hours are not below", .hoursSincePurchase, .below(ExactDecimal(48)), given: { $0.sincePurchase = .days(2) }, holds: false),
    ConditionRow("daysSincePurchase", .daysSincePurchase, .atLeast(ExactDecimal(14)), given: { $0.sincePurchase = .days(14) }, holds: true),
    ConditionRow("days are whole", .daysSincePurchase, .atLeast(ExactDecimal(14)), given: { $0.sincePurchase = .hours(335) }, holds: false),
    ConditionRow(
        "consumedPercentage at the bound", .consumedPercentage, .atLeast(ExactDecimal(80)), given: { $0.consumedPercentage = 80_000 },
        holds: true),
    ConditionRow(
        "consumedPercentage a thousandth below", .consumedPercentage, .atLeast(ExactDecimal(80)), given: { $0.consumedPercentage = 79_999 },
        holds: false),
    ConditionRow("nothing consumed", .consumedPercentage, number(0), given: { $0.consumedPercentage = 0 }, holds: true),
    ConditionRow("unknown is not nothing consumed", .consumedPercentage, number(0), given: { _ in }, holds: false),
    ConditionRow(
        "usage.METER", PolicyCondition(.usage(meter: "coins"), .atLeast(cents(250))),
        given: { $0.usage = ["coins": cents(250), "gems": cents(1)] },
        holds: true),
    ConditionRow(
        "another meter", PolicyCondition(.usage(meter: "coins"), .atLeast(cents(0))), given: { $0.usage = ["gems": cents(1)] }, holds: false
    ),
    ConditionRow("meter not", PolicyCondition(.usage(meter: "coins"), noNumber(0)), given: { _ in }, holds: true),
    ConditionRow("usageCost", .usageCost, .atLeast(ExactDecimal(2)), given: { $0.usageCost = cents(201) }, holds: true),
    ConditionRow("refundsRequested", .refundsRequested, .below(ExactDecimal(3)), given: { $0.refundsRequested = 2 }, holds: true),
    ConditionRow("refundsGranted", .refundsGranted, .below(ExactDecimal(1)), given: { $0.refundsGranted = 0 }, holds: true),
    ConditionRow("refundsGranted, one", .refundsGranted, .below(ExactDecimal(1)), given: { $0.refundsGranted = 1 }, holds: false),
    ConditionRow("customerDays", .customerDays, .atLeast(ExactDecimal(365)), given: { $0.sinceFirstPurchase = .days(400) }, holds: true),
    ConditionRow(
        "lifetimePaid", .lifetimePaid, .atLeast(ExactDecimal(100)), given: { $0.lifetimePaid = ExactDecimal(milliunits: 100_000) },
        holds: true),
    ConditionRow("lifetimePaid below nought", .lifetimePaid, .below(ExactDecimal(0)), given: { $0.lifetimePaid = cents(-1) }, holds: true),
    ConditionRow("one of several tags", .tag, text("vip"), given: { $0.tags = ["new", "vip"] }, holds: true),
    ConditionRow("tag by its start", .tag, text("tier-*"), given: { $0.tags = ["tier-2"] }, holds: true),
    ConditionRow("not this tag", .tag, noText("vip"), given: { $0.tags = ["new"] }, holds: true),
    ConditionRow("not this tag, among others", .tag, noText("vip"), given: { $0.tags = ["new", "vip"] }, holds: false),
    ConditionRow("none of these tags", .tag, noText("vip", "new"), given: { $0.tags = ["new"] }, holds: false),
    ConditionRow("not, without tags", .tag, noText("vip"), given: { _ in }, holds: true),
    ConditionRow("a tag, without tags", .tag, text("vip"), given: { _ in }, holds: false),
    ConditionRow("not and a bound", .round, .atLeast(ExactDecimal(1)), noNumber(2), given: { $0.round = 2 }, holds: false),
    ConditionRow("a bound never meets text", .productId, .atLeast(ExactDecimal(0)), given: { $0.productID = ProductID("1") }, holds: false),
])
func condition(_ row: ConditionRow) {
    #expect(row.condition.holds(for: row.facts) == row.holds)
}

@Test func onAMissingValueOnlyNotHolds() {
    let keys = PolicyKey.Name.allCases.map(PolicyKey.named) + [.usage(meter: "coins")]
    for key in keys {
        let value = PolicyPattern.exactly(.number(ExactDecimal(0)))
        let forms: [(PolicyTest, Bool)] = [
            (.anyOf([value, .prefix("")]), false), (.atLeast(ExactDecimal(-9)), false), (.below(ExactDecimal(9)), false),
            (.noneOf([value]), true),
        ]
        for (form, holds) in forms { #expect(PolicyCondition(key, form).holds(for: PolicyFacts()) == holds, "\(key.text) \(form)") }
    }
}

@Test func keysAreWrittenAsDocumented() {
    let documented = """
        productId productType price currency storefront reason round billingPlanType currentPeriod billingPeriodNumber offerType \
        convertedFromTrial ownership hoursSincePurchase daysSincePurchase consumedPercentage usageCost refundsRequested refundsGranted \
        customerDays lifetimePaid tag
        """
    #expect(PolicyKey.Name.allCases.map(\.rawValue) == documented.split(separator: " ").map(String.init))
    for text in documented.split(separator: " ") { #expect(PolicyKey(String(text))?.text == String(text)) }
    #expect(PolicyKey("usage.coins") == .usage(meter: "coins"))
    #expect(PolicyKey("usage.coins")?.text == "usage.coins")
    #expect(PolicyKey("usage.") == nil && PolicyKey("usage") == nil && PolicyKey("Price") == nil)
}
