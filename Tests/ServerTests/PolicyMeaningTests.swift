import Domain
import Testing

@testable import Server

/// What each key of `when` means in each form, on a value and on a missing one: through the reader, so that the text is what is tested.
struct KeyMeaning: CustomTestStringConvertible, Sendable {
    var key: String
    /// Literals as in a policy: what the facts hold, and something else.
    var value: String
    var other: String
    var forms: Forms
    /// Conditions that must stand beside, and facts that meet them.
    var beside = ""
    var set: @Sendable (inout PolicyFacts) -> Void
    var testDescription: String { key }

    enum Forms: Sendable { case text(prefix: String), number(above: String), flag }
}

private func text(
    _ key: String, _ value: String, _ other: String, prefix: String, _ set: @escaping @Sendable (inout PolicyFacts) -> Void
) -> KeyMeaning {
    KeyMeaning(key: key, value: "'\(value)'", other: "'\(other)'", forms: .text(prefix: "'\(prefix)'"), set: set)
}

private func number(
    _ key: String, _ value: String, above: String, other: String, _ set: @escaping @Sendable (inout PolicyFacts) -> Void
) -> KeyMeaning {
    KeyMeaning(key: key, value: value, other: other, forms: .number(above: above), set: set)
}

private func money(_ key: String, _ set: @escaping @Sendable (inout PolicyFacts) -> Void) -> KeyMeaning {
    KeyMeaning(key: key, value: "9.99", other: "5", forms: .number(above: "9.991"), beside: "currency: 'USD', ", set: set)
}

private func flag(_ key: String, _ set: @escaping @Sendable (inout PolicyFacts) -> Void) -> KeyMeaning {
    KeyMeaning(key: key, value: "true", other: "false", forms: .flag, set: set)
}

private let meanings: [KeyMeaning] = [
    text("productId", "com.acme.pro", "com.acme.max", prefix: "com.acme.p*") { $0.productID = ProductID("com.acme.pro") },
    text("productType", "Consumable", "Non-Consumable", prefix: "Cons*") { $0.rawProductType = "Consumable" },
    text("currency", "USD", "EUR", prefix: "US*") { $0.currency = "USD" },
    text("storefront", "DEU", "USA", prefix: "DE*") { $0.storefront = "DEU" },
    text("reason", "LEGAL", "OTHER", prefix: "LE*") { $0.rawReason = "LEGAL" },
    text("billingPlanType", "MONTHLY", "BILLED_UPFRONT", prefix: "M*") { $0.rawBillingPlanType = "MONTHLY" },
    text("ownership", "PURCHASED", "ASSIGNED", prefix: "P*") { $0.rawOwnership = "PURCHASED" },
    text("tag", "vip", "beta", prefix: "v*") { $0.tags = ["vip"] },
    number("round", "2", above: "3", other: "1") { $0.round = 2 },
    number("billingPeriodNumber", "5", above: "6", other: "12") { $0.billingPeriodNumber = 5 },
    number("offerType", "1", above: "2", other: "4") { $0.offerType = 1 },
    number("hoursSincePurchase", "47", above: "48", other: "1") { $0.sincePurchase = .minutes(47 * 60 + 59) },
    number("daysSincePurchase", "1", above: "2", other: "30") { $0.sincePurchase = .hours(47) },
    number("consumedPercentage", "33.333", above: "33.334", other: "80") { $0.consumedPercentage = 33_333 },
    number("'usage.coins'", "0.5", above: "0.500001", other: "1") { $0.usage["coins"] = ExactDecimal(significand: 500_000, exponent: -6) },
    number("refundsRequested", "0", above: "1", other: "3") { $0.refundsRequested = 0 },
    number("refundsGranted", "2", above: "3", other: "0") { $0.refundsGranted = 2 },
    number("customerDays", "365", above: "366", other: "7") { $0.sinceFirstPurchase = .hours(365 * 24 + 23) },
    money("price") { $0.price = ExactDecimal(milliunits: 9_990) },
    money("usageCost") { $0.usageCost = ExactDecimal(significand: 9_990_000, exponent: -6) },
    money("lifetimePaid") { $0.lifetimePaid = ExactDecimal(milliunits: 9_990) },
    flag("currentPeriod") { $0.isCurrentPeriod = true },
    flag("convertedFromTrial") { $0.isConvertedFromTrial = true },
]

/// One row of the table: the form as written after the key, and whether it holds on the value, and where the value is missing.
private struct FormRow {
    var name: String
    var form: String
    var onValue: Bool
    var onMissing = false
}

extension KeyMeaning {
    fileprivate var rows: [FormRow] {
        let common = [
            FormRow(name: "scalar met", form: value, onValue: true),
            FormRow(name: "scalar not met", form: other, onValue: false),
            FormRow(name: "list with it", form: "[\(other), \(value)]", onValue: true),
            FormRow(name: "list without it", form: "[\(other), \(other)]", onValue: false),
            FormRow(name: "not it", form: "{ not: \(value) }", onValue: false, onMissing: true),
            FormRow(name: "not another", form: "{ not: \(other) }", onValue: true, onMissing: true),
            FormRow(name: "none of a list with it", form: "{ not: [\(other), \(value)] }", onValue: false, onMissing: true),
            FormRow(name: "none of a list without it", form: "{ not: [\(other)] }", onValue: true, onMissing: true),
        ]
        switch forms {
        case .flag: return common
        case .text(let prefix):
            return common + [
                FormRow(name: "its start", form: prefix, onValue: true),
                FormRow(name: "another start", form: "'zz*'", onValue: false),
                FormRow(name: "any start", form: "'*'", onValue: true),
                FormRow(name: "start in a list", form: "[\(other), \(prefix)]", onValue: true),
                FormRow(name: "not its start", form: "{ not: \(prefix) }", onValue: false, onMissing: true),
                FormRow(name: "none of another start", form: "{ not: ['zz*', \(other)] }", onValue: true, onMissing: true),
            ]
        case .number(let above):
            return common + [
                FormRow(name: "at the lower bound", form: "{ atLeast: \(value) }", onValue: true),
                FormRow(name: "under the lower bound", form: "{ atLeast: \(above) }", onValue: false),
                FormRow(name: "under the upper bound", form: "{ below: \(above) }", onValue: true),
                FormRow(name: "at the upper bound", form: "{ below: \(value) }", onValue: false),
                FormRow(name: "between", form: "{ atLeast: \(value), below: \(above) }", onValue: true),
                FormRow(name: "between, but not it", form: "{ atLeast: \(value), below: \(above), not: \(value) }", onValue: false),
                FormRow(name: "between, and not others", form: "{ below: \(above), not: [\(other), \(above)] }", onValue: true),
                FormRow(name: "at least, and not it", form: "{ atLeast: \(above), not: \(value) }", onValue: false),
            ]
        }
    }
}

@Test(arguments: meanings)
func everyFormMeansWhatItSays(_ meaning: KeyMeaning) throws {
    var facts = PolicyFacts()
    facts.currency = "USD"
    var missing = facts
    if meaning.key == "currency" { (facts, missing) = (PolicyFacts(), PolicyFacts()) }
    meaning.set(&facts)
    for row in meaning.rows {
        let when = "\(meaning.beside)\(meaning.key): \(row.form)"
        let text = "{ rules: [{ name: 'r', when: { \(when) }, then: { answer: 'none' } }] }"
        let reading = PolicyReading(of: Array(text.utf8), variables: [:])
        let policy = try #require(reading.policy, "\(row.name): \(when) \(reading.mistakes)")
        #expect((policy.evaluate(facts).ruleName == "r") == row.onValue, "\(row.name): \(when)")
        #expect((policy.evaluate(missing).ruleName == "r") == row.onMissing, "\(row.name), missing: \(when)")
    }
}

@Test func theTableKnowsEveryKey() {
    let keys = meanings.map { $0.key.replacing("'", with: "") }
    #expect(Set(keys) == Set(PolicyKey.Name.allCases.map(\.rawValue) + ["usage.coins"]))
    #expect(keys.count == Set(keys).count)
}

/// `tag` is the one key with several values.
@Test(arguments: [
    ("'vip'", true), ("['x', 'beta']", true), ("'be*'", true), ("'x'", false), ("{ not: 'vip' }", false), ("{ not: 'x' }", true),
    ("{ not: ['x', 'beta'] }", false),
])
func oneOfSeveralTagsIsEnough(_ form: String, _ holds: Bool) throws {
    let text = "{ rules: [{ name: 'r', when: { tag: \(form) }, then: { answer: 'none' } }] }"
    let policy = try #require(PolicyReading(of: Array(text.utf8), variables: [:]).policy)
    var facts = PolicyFacts()
    facts.tags = ["vip", "beta"]
    #expect((policy.evaluate(facts).ruleName == "r") == holds)
}

/// A meter that was never reported says nothing of another.
@Test func metersAreApart() throws {
    let text = "{ rules: [{ name: 'r', when: { 'usage.coins': { atLeast: 1 } }, then: { answer: 'none' } }] }"
    let policy = try #require(PolicyReading(of: Array(text.utf8), variables: [:]).policy)
    var facts = PolicyFacts()
    facts.usage["gems"] = ExactDecimal(5)
    #expect(policy.evaluate(facts).trace == [PolicyTraceStep(rule: "r", matched: false, failedOn: "usage.coins")])
}
