import Domain
import Testing

@testable import Server

/// A policy and the places it is warned of, each with words of the message.
struct GuardRailRow: CustomTestStringConvertible {
    var testDescription: String
    var text: String
    var warnings: [(path: String, line: Int, words: String)]

    init(_ name: String, _ text: String, _ warnings: (String, Int, String)...) {
        (testDescription, self.text) = (name, text)
        self.warnings = warnings.map { (path: $0.0, line: $0.1, words: $0.2) }
    }
}

private let decline = "{ prefer: 'DECLINE' }"

@Test(arguments: [
    GuardRailRow("no policy at all", "{}"),
    GuardRailRow("a default of refusal", "{\ndefault: \(decline) }", ("default", 2, "Guideline 5.6")),
    GuardRailRow(
        "refusal after a hold", "{ default: { hold: '1h', otherwise: \(decline) } }", ("default", 1, "more than half")),
    GuardRailRow(
        "a first rule for all that refuses", "{ rules: [\n{ name: 'all', then: \(decline) }] }", ("rules[0].then", 2, "Guideline 5.6")),
    GuardRailRow(
        "an empty when is a rule for all",
        "{ rules: [{ name: 'a', when: { round: 1 }, then: { answer: 'none' } }, { name: 'all', when: {}, then: \(decline) }] }",
        ("rules[1].then", 1, "DECLINE")),
    GuardRailRow("a default of refusal that is never reached", "{ rules: [{ name: 'a', then: { answer: 'none' } }], default: \(decline) }"),
    GuardRailRow(
        "rules behind one for all",
        "{ rules: [{ name: 'all', then: { answer: 'none' } },\n{ name: 'b', then: \(decline) },\n{ name: 'c', then: \(decline) }] }",
        ("rules[1]", 2, "\"all\" on line 1"), ("rules[2]", 3, "never reached")),
    GuardRailRow("refusal of what was used", "{ rules: [{ name: 'a', when: { consumedPercentage: { atLeast: 80 } }, then: \(decline) }] }"),
    GuardRailRow(
        "refusal of what was not used",
        "{ rules: [{ name: 'a', when: { consumedPercentage: { below: 10 } }, then: \(decline) }] }",
        ("rules[0].when.consumedPercentage", 1, "never delivered")),
    GuardRailRow(
        "refusal of nothing used", "{ rules: [{ name: 'a', when: { consumedPercentage: [0, 100] }, then: \(decline) }] }",
        ("rules[0].when.consumedPercentage", 1, "Guideline 5.6")),
    GuardRailRow(
        "some use is asked for", "{ rules: [{ name: 'a', when: { consumedPercentage: { atLeast: 1, below: 10 } }, then: \(decline) }] }"),
    GuardRailRow(
        "a grant of what was not used",
        "{ rules: [{ name: 'a', when: { consumedPercentage: { below: 10 } }, then: { prefer: 'GRANT_FULL' } }] }"),
    GuardRailRow("refusal for a reason", "{ rules: [{ name: 'a', when: { reason: 'UNINTENDED_PURCHASE' }, then: \(decline) }] }"),
])
func whatIsCarelessIsWarnedOf(_ row: GuardRailRow) {
    let reading = PolicyReading(of: Array(row.text.utf8), variables: [:])
    #expect(reading.policy != nil && reading.mistakes.isEmpty)
    #expect(reading.warnings.map(\.path) == row.warnings.map(\.path), "\(reading.warnings)")
    for (warning, expected) in zip(reading.warnings, row.warnings) {
        #expect(warning.line == expected.line && warning.message.contains(expected.words), "\(warning)")
    }
}

@Test func anAppsPolicyIsWarnedOfToo() {
    let reading = ConfigurationFixture(app: ["policy": "{ default: { prefer: 'DECLINE' } }"]).reading()
    #expect(reading.configuration != nil)
    #expect(reading.warnings.contains { $0.path == "apps[0].policy.default" && $0.message.contains("5.6") })
}

@Test func anOutageDeliversNothing() {
    let product = "{ sampleContentProvided: true, outages: [{ from: '2026-11-01T10:00Z', to: '2026-11-01T14:00Z', status: 'DELIVERED' }] }"
    let reading = ConfigurationFixture(app: ["products": "{ '*': \(product) }"]).reading()
    #expect(reading.mistakes.map(\.path) == ["apps[0].products[\"*\"].outages[0].status"])
    #expect(reading.mistakes.first?.message.contains("UNDELIVERED_SERVER_OUTAGE") == true)
}
