import Domain
import Testing

@testable import Server

private func read(_ text: String) -> PolicyReading { PolicyReading(of: Array(text.utf8), variables: [:]) }

private func rule(when: String, then: String = "{ prefer: 'GRANT_FULL' }") -> String {
    "{ rules: [{\nname: 'r',\nwhen: { \(when) },\nthen: \(then) }] }"
}

/// One `when` and what it is compiled to.
struct WhenRow: CustomTestStringConvertible {
    var testDescription: String { text }
    var text: String
    var expected: [PolicyCondition]

    init(_ text: String, _ expected: PolicyCondition...) {
        self.text = text
        self.expected = expected
    }
}

private func words(_ texts: String...) -> [PolicyPattern] { texts.map(PolicyPattern.init(text:)) }
private func exactly(_ significand: Int64, _ exponent: Int = 0) -> PolicyPattern {
    .exactly(.number(ExactDecimal(significand: significand, exponent: exponent)))
}
private let usd = PolicyCondition(.named(.currency), .anyOf(words("USD")))

@Test(arguments: [
    WhenRow(""),
    WhenRow("productId: 'com.example.*'", PolicyCondition(.named(.productId), .anyOf([.prefix("com.example.")]))),
    WhenRow(
        "productType: ['Consumable', 'Non-Consumable']",
        PolicyCondition(.named(.productType), .anyOf(words("Consumable", "Non-Consumable")))),
    WhenRow("currency: 'USD', price: 9.99", usd, PolicyCondition(.named(.price), .anyOf([exactly(999, -2)]))),
    WhenRow("price: { atLeast: 100 }, currency: 'USD'", PolicyCondition(.named(.price), .atLeast(ExactDecimal(100))), usd),
    WhenRow("storefront: { not: 'USA' }", PolicyCondition(.named(.storefront), .noneOf(words("USA")))),
    WhenRow("storefront: { not: ['USA', 'D*'] }", PolicyCondition(.named(.storefront), .noneOf(words("USA", "D*")))),
    WhenRow("reason: 'LEGAL'", PolicyCondition(.named(.reason), .anyOf(words("LEGAL")))),
    WhenRow(
        "round: { atLeast: 2, below: 5, not: 3 }",
        PolicyCondition(.named(.round), .atLeast(ExactDecimal(2)), .below(ExactDecimal(5)), .noneOf([exactly(3)]))),
    WhenRow("billingPlanType: 'MONTHLY'", PolicyCondition(.named(.billingPlanType), .anyOf(words("MONTHLY")))),
    WhenRow("currentPeriod: true", PolicyCondition(.named(.currentPeriod), .anyOf([.exactly(.flag(true))]))),
    WhenRow("billingPeriodNumber: 12", PolicyCondition(.named(.billingPeriodNumber), .anyOf([exactly(12)]))),
    WhenRow("offerType: [1, 2.0]", PolicyCondition(.named(.offerType), .anyOf([exactly(1), exactly(2)]))),
    WhenRow("convertedFromTrial: { not: true }", PolicyCondition(.named(.convertedFromTrial), .noneOf([.exactly(.flag(true))]))),
    WhenRow("ownership: 'PURCHASED'", PolicyCondition(.named(.ownership), .anyOf(words("PURCHASED")))),
    WhenRow("hoursSincePurchase: { below: 48 }", PolicyCondition(.named(.hoursSincePurchase), .below(ExactDecimal(48)))),
    WhenRow("daysSincePurchase: { below: 14 }", PolicyCondition(.named(.daysSincePurchase), .below(ExactDecimal(14)))),
    WhenRow(
        "consumedPercentage: { atLeast: 33.333 }",
        PolicyCondition(.named(.consumedPercentage), .atLeast(ExactDecimal(significand: 33_333, exponent: -3)))),
    WhenRow(
        "'usage.coins': { atLeast: 0.5 }", PolicyCondition(.usage(meter: "coins"), .atLeast(ExactDecimal(significand: 5, exponent: -1)))),
    WhenRow("usageCost: { below: 2 }, currency: 'USD'", PolicyCondition(.named(.usageCost), .below(ExactDecimal(2))), usd),
    WhenRow("refundsRequested: 0", PolicyCondition(.named(.refundsRequested), .anyOf([exactly(0)]))),
    WhenRow("refundsGranted: { below: 1 }", PolicyCondition(.named(.refundsGranted), .below(ExactDecimal(1)))),
    WhenRow("customerDays: { atLeast: 365 }", PolicyCondition(.named(.customerDays), .atLeast(ExactDecimal(365)))),
    WhenRow("lifetimePaid: { atLeast: 50 }, currency: 'USD'", PolicyCondition(.named(.lifetimePaid), .atLeast(ExactDecimal(50))), usd),
    WhenRow("tag: ['vip', 'tier-*']", PolicyCondition(.named(.tag), .anyOf(words("vip", "tier-*")))),
])
func whenIsCompiled(_ row: WhenRow) throws {
    let reading = read(rule(when: row.text))
    #expect(reading.mistakes.isEmpty && reading.warnings.isEmpty, "\(reading.mistakes) \(reading.warnings)")
    #expect(reading.policy?.rules.first?.conditions == row.expected)
}

struct ThenRow: CustomTestStringConvertible {
    var testDescription: String { text }
    var text: String
    var expected: PolicyOutcome
    init(_ text: String, _ expected: PolicyOutcome) { (self.text, self.expected) = (text, expected) }
}

@Test(arguments: [
    ThenRow("{ prefer: 'GRANT_FULL' }", PolicyOutcome(.prefer(.grantFull))),
    ThenRow("{ prefer: 'GRANT_PRORATED', holdout: 10 }", PolicyOutcome(.send(preference: .grantProrated, holdoutPercent: 10))),
    ThenRow("{ answer: 'data-only' }", .dataOnly),
    ThenRow("{ answer: 'data-only', holdout: 100 }", PolicyOutcome(.send(preference: nil, holdoutPercent: 100))),
    ThenRow("{ answer: 'none' }", PolicyOutcome(.abstain)),
    ThenRow("{ hold: '2h', otherwise: { answer: 'none' } }", PolicyOutcome(.abstain, after: .hours(2))),
    ThenRow(
        "{ hold: '90s', otherwise: { prefer: 'DECLINE', holdout: 5 } }",
        PolicyOutcome(.send(preference: .decline, holdoutPercent: 5), after: .seconds(90))),
    ThenRow("{ hold: '15m', otherwise: { answer: 'data-only' } }", PolicyOutcome(.dataOnly, after: .minutes(15))),
    ThenRow("{ hold: '1d', otherwise: { answer: 'data-only' } }", PolicyOutcome(.dataOnly, after: .days(1))),
])
func thenAndDefaultTakeTheSameForms(_ row: ThenRow) {
    #expect(read(rule(when: "", then: row.text)).policy?.rules.first?.outcome == row.expected)
    #expect(read("{ default: \(row.text) }").policy == Policy(default: row.expected))
}

@Test func standardsOfAPolicy() {
    #expect(read("{}").policy == Policy(rules: [], default: .dataOnly))
    #expect(read("{ rules: [{ name: 'all', then: { answer: 'none' } }] }").policy?.rules.first?.conditions == [])
}

/// A policy with one mistake: its path, its line, and words of its message.
struct PolicyMistakeRow: CustomTestStringConvertible {
    var testDescription: String
    var text: String
    var path: String
    var line: Int
    var words: [String]

    init(_ name: String, _ text: String, at path: String, line: Int, _ words: String...) {
        (testDescription, self.text, self.path, self.line, self.words) = (name, text, path, line, words)
    }

    init(_ name: String, when: String, at path: String, _ words: String...) {
        (testDescription, text, line, self.words) = (name, rule(when: when), 3, words)
        self.path = "rules[0].when" + path
    }

    init(_ name: String, then: String, at path: String, _ words: String...) {
        (testDescription, text, line, self.words) = (name, rule(when: "", then: then), 4, words)
        self.path = "rules[0].then" + path
    }
}

private let whenRows = [
    PolicyMistakeRow("unknown key", when: "consumedPercent: 1", at: ".consumedPercent", "did you mean \"consumedPercentage\"?"),
    PolicyMistakeRow("key in other case", when: "productid: 'a'", at: ".productid", "did you mean \"productId\"?"),
    PolicyMistakeRow("meter without name", when: "'usage.': 1", at: "[\"usage.\"]", "usage.METER"),
    PolicyMistakeRow("unknown form", when: "round: { atleast: 2 }", at: ".round.atleast", "did you mean \"atLeast\"?"),
    PolicyMistakeRow("no form", when: "round: {}", at: ".round", "atLeast, below or not"),
    PolicyMistakeRow("no form for text", when: "tag: {}", at: ".tag", "not is expected"),
    PolicyMistakeRow("empty list", when: "tag: []", at: ".tag", "empty list"),
    PolicyMistakeRow("empty list inside not", when: "tag: { not: [] }", at: ".tag.not", "empty list"),
    PolicyMistakeRow("list inside a list", when: "tag: [['a']]", at: ".tag[0]", "a string is expected, not a list"),
    PolicyMistakeRow("null", when: "round: null", at: ".round", "a number is expected, not null"),
    PolicyMistakeRow("number for text", when: "productId: 5", at: ".productId", "a string is expected, not a number"),
    PolicyMistakeRow("text for a number", when: "round: '2'", at: ".round", "a number is expected, not a string"),
    PolicyMistakeRow("text for a flag", when: "currentPeriod: 'yes'", at: ".currentPeriod", "true or false"),
    PolicyMistakeRow("bound of text", when: "productId: { atLeast: 5 }", at: ".productId.atLeast", "is no number"),
    PolicyMistakeRow("bound of a flag", when: "currentPeriod: { below: 1 }", at: ".currentPeriod.below", "is no number"),
    PolicyMistakeRow("part of a round", when: "round: 1.5", at: ".round", "whole number"),
    PolicyMistakeRow("over a hundred", when: "consumedPercentage: { atLeast: 101 }", at: ".consumedPercentage.atLeast", "0 to 100"),
    PolicyMistakeRow("star inside", when: "productId: 'com.*.x'", at: ".productId", "only at the end"),
    PolicyMistakeRow("small currency", when: "currency: 'usd'", at: ".currency", "USD"),
    PolicyMistakeRow("short storefront", when: "storefront: ['US']", at: ".storefront[0]", "USA"),
    PolicyMistakeRow("price alone", when: "price: 5", at: ".price", "\"currency\" condition"),
    PolicyMistakeRow("usageCost alone", when: "usageCost: { atLeast: 5 }", at: ".usageCost", "\"currency\" condition"),
    PolicyMistakeRow("lifetimePaid alone", when: "lifetimePaid: { below: 5 }", at: ".lifetimePaid", "\"currency\" condition"),
]

private let thenRows = [
    PolicyMistakeRow("nothing", then: "{}", at: "", "\"prefer\", \"answer\" or \"hold\""),
    PolicyMistakeRow("text", then: "'DECLINE'", at: "", "an object in { } is expected"),
    PolicyMistakeRow("unknown key", then: "{ preferr: 'DECLINE', answer: 'none' }", at: ".preferr", "did you mean \"prefer\"?"),
    PolicyMistakeRow("unknown preference", then: "{ prefer: 'GRANT' }", at: ".prefer", "GRANT_FULL"),
    PolicyMistakeRow("unknown answer", then: "{ answer: 'nothing' }", at: ".answer", "\"none\""),
    PolicyMistakeRow("two answers", then: "{ prefer: 'DECLINE', answer: 'none' }", at: ".answer", "beside \"prefer\""),
    PolicyMistakeRow("hold without end", then: "{ hold: '2h' }", at: "", "\"otherwise\" is missing"),
    PolicyMistakeRow("hold of no unit", then: "{ hold: '2', otherwise: { answer: 'none' } }", at: ".hold", "90s, 15m, 2h or 1d"),
    PolicyMistakeRow("hold of years", then: "{ hold: '2y', otherwise: { answer: 'none' } }", at: ".hold", "90s, 15m, 2h or 1d"),
    PolicyMistakeRow("hold of no time", then: "{ hold: '0s', otherwise: { answer: 'none' } }", at: ".hold", "duration"),
    PolicyMistakeRow(
        "hold inside a hold", then: "{ hold: '2h', otherwise: { hold: '1h', otherwise: { answer: 'none' } } }", at: ".otherwise.hold",
        "inside a hold"),
    PolicyMistakeRow(
        "hold beside an answer", then: "{ hold: '2h', prefer: 'DECLINE', otherwise: { answer: 'none' } }", at: ".prefer", "otherwise"),
    PolicyMistakeRow(
        "holdout beside a hold", then: "{ hold: '2h', holdout: 5, otherwise: { answer: 'none' } }", at: ".holdout", "otherwise"),
    PolicyMistakeRow(
        "otherwise without hold", then: "{ prefer: 'DECLINE', otherwise: { answer: 'none' } }", at: ".otherwise", "beside \"hold\""),
    PolicyMistakeRow("holdout of none", then: "{ answer: 'none', holdout: 5 }", at: ".holdout", "no answer is sent"),
    PolicyMistakeRow("holdout over a hundred", then: "{ prefer: 'DECLINE', holdout: 101 }", at: ".holdout", "0 to 100"),
    PolicyMistakeRow("part of a percent", then: "{ prefer: 'DECLINE', holdout: 0.5 }", at: ".holdout", "whole number"),
]

private let policyRows = [
    PolicyMistakeRow("unknown key", "{\nrule: [] }", at: "rule", line: 2, "did you mean \"rules\"?"),
    PolicyMistakeRow("rules as object", "{\nrules: {} }", at: "rules", line: 2, "a list in [ ] is expected"),
    PolicyMistakeRow("default as text", "{\ndefault: 'none' }", at: "default", line: 2, "an object in { } is expected"),
    PolicyMistakeRow("no name", "{ rules: [\n{ then: { answer: 'none' } }] }", at: "rules[0]", line: 2, "\"name\" is missing"),
    PolicyMistakeRow("empty name", "{ rules: [{ name: '', then: { answer: 'none' } }] }", at: "rules[0].name", line: 1, "empty"),
    PolicyMistakeRow("no then", "{ rules: [{ name: 'a' }] }", at: "rules[0]", line: 1, "\"then\" is missing"),
    PolicyMistakeRow(
        "unknown key of a rule", "{ rules: [{ name: 'a', if: {}, then: { answer: 'none' } }] }", at: "rules[0].if", line: 1, "known are"),
    PolicyMistakeRow(
        "reserved name", "{ rules: [{ name: 'default', then: { answer: 'none' } }] }", at: "rules[0].name", line: 1, "another name"),
    PolicyMistakeRow(
        "name twice", "{ rules: [\n{ name: 'a', then: { answer: 'none' } },\n{ name: 'a', then: { answer: 'none' } }] }",
        at: "rules[1].name",
        line: 3, "line 2"),
]

@Test(arguments: whenRows + thenRows + policyRows)
func oneMistakeInAPolicy(_ row: PolicyMistakeRow) throws {
    let reading = read(row.text)
    let mistake = try #require(reading.mistakes.first)
    #expect(reading.mistakes.count == 1 && reading.policy == nil, "\(reading.mistakes)")
    #expect(mistake.path == row.path && mistake.line == row.line, "\(mistake)")
    for word in row.words { #expect(mistake.message.contains(word), "\(mistake)") }
}

@Test func everyMistakeOfAPolicyIsCollected() {
    let text = """
        { rules: [
          { name: 'a', when: { prise: 5, round: 'x', tag: [] }, then: { prefer: 'NO' } },
          { when: { price: 5 }, then: {} },
        ], default: { hold: '5x' } }
        """
    #expect(
        read(text).mistakes.map(\.path) == [
            "rules[0].when.prise", "rules[0].when.round", "rules[0].when.tag", "rules[0].then.prefer", "rules[1]", "rules[1].when.price",
            "rules[1].then", "default.hold", "default",
        ])
}

@Test func wordsAppleIsNotKnownToSendAreWarnedOf() {
    let reading = read(
        rule(when: "productType: ['Consumeable', 'Non-*'], reason: { not: 'LEGALL' }, ownership: 'X*', billingPlanType: 'MONTHLY'"))
    #expect(
        reading.policy != nil
            && reading.warnings.map(\.path) == ["rules[0].when.productType[0]", "rules[0].when.reason.not", "rules[0].when.ownership"])
    #expect(reading.warnings.first?.message.contains("did you mean \"Consumable\"?") == true)
}

@Test func aPolicyReadDecidesAsWritten() throws {
    let text = """
        { rules: [
          { name: "used up", when: { productType: "Consumable", consumedPercentage: { atLeast: 80 } }, then: { prefer: "DECLINE" } },
          { name: "look at it", when: { price: { atLeast: 9.99 }, currency: "USD" }, then: { hold: "2h", otherwise: { answer: "data-only" } } },
        ], default: { answer: "none" } }
        """
    let policy = try #require(read(text).policy)
    var facts = PolicyFacts()
    #expect(policy.evaluate(facts).ruleName == "default")
    facts.price = ExactDecimal(milliunits: 9990)
    #expect(policy.evaluate(facts).trace.map(\.failedOn) == ["productType", "currency"])
    facts.currency = "USD"
    #expect(policy.evaluate(facts).outcome == PolicyOutcome(.dataOnly, after: .hours(2)))
    facts.rawProductType = "Consumable"
    facts.consumedPercentage = 80_000
    #expect(policy.evaluate(facts).outcome == PolicyOutcome(.prefer(.decline)))
}
