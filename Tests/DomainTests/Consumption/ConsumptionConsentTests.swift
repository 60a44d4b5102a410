import Domain
import Testing

/// What was recorded of a customer, and where consent stands.
struct ConsentRule: CustomTestStringConvertible, Sendable {
    var name: String
    var facts: [ConsentFact]
    var mode: ConsentMode
    var minimum: String?
    var expected: ConsentStanding
    var testDescription: String { name }

    init(_ name: String, _ facts: [ConsentFact], mode: ConsentMode = .perCustomer, minimum: String? = nil, is expected: ConsentStanding) {
        (self.name, self.facts, self.mode, self.minimum, self.expected) = (name, facts, mode, minimum, expected)
    }
}

private func said(_ consented: Bool, _ at: Int64, text: String? = nil) -> ConsentFact {
    ConsentFact(ref: "u", consented: consented, source: "in-app dialog", textVersion: text, at: hour(at))
}

private let blanket = ConsentMode.blanket(attestation: "terms of sale")

@Test(arguments: [
    ConsentRule("nothing recorded", [], is: .absent),
    ConsentRule("consented", [said(true, 1)], is: .given),
    ConsentRule("only ever a no", [said(false, 1), said(false, 2)], is: .absent),
    ConsentRule("withdrawn", [said(true, 1), said(false, 2)], is: .withdrawn),
    ConsentRule("given again", [said(true, 1), said(false, 2), said(true, 3)], is: .given),
    ConsentRule("the newest word counts, not the last recorded", [said(false, 2), said(true, 1)], is: .withdrawn),
    ConsentRule("of one instant the later recorded counts", [said(true, 1), said(false, 1)], is: .withdrawn),
    ConsentRule("of one instant the later recorded counts, a yes", [said(false, 1), said(true, 1)], is: .given),
    ConsentRule("blanket without a record", [], mode: blanket, is: .attested),
    ConsentRule("a recorded no beats blanket", [said(false, 1)], mode: blanket, is: .absent),
    ConsentRule("a withdrawal beats blanket", [said(true, 1), said(false, 2)], mode: blanket, is: .withdrawn),
    ConsentRule("an older text does not count", [said(true, 1, text: "2026-9")], minimum: "2026-10", is: .outdated),
    ConsentRule("the demanded text counts", [said(true, 1, text: "2026-10")], minimum: "2026-10", is: .given),
    ConsentRule("a newer text counts", [said(true, 1, text: "2027-1")], minimum: "2026-10", is: .given),
    ConsentRule("no text where one is demanded", [said(true, 1)], minimum: "1", is: .outdated),
    ConsentRule("an old text after a new one", [said(true, 1, text: "2"), said(true, 2, text: "1")], minimum: "2", is: .outdated),
    ConsentRule("blanket needs no text", [], mode: blanket, minimum: "2", is: .attested),
    ConsentRule("a recorded old text counts under blanket too", [said(true, 1, text: "1")], mode: blanket, minimum: "2", is: .outdated),
    ConsentRule("a no is a no whatever its text", [said(true, 1, text: "3"), said(false, 2, text: "3")], minimum: "2", is: .withdrawn),
])
func consent(_ rule: ConsentRule) {
    #expect(consentStanding(rule.facts, mode: rule.mode, minimumTextVersion: rule.minimum) == rule.expected)
}

/// Oldest first.
private let versions = [
    ["", "1", "1.0", "1.2", "1.10", "2", "10"], ["2026-9", "2026-9-1", "2026-10", "2026-11", "2027-1"], ["v1", "v2", "v9", "v10", "v10.1"],
    ["2026-10-a", "2026-10-b"], ["99999999999999999998", "99999999999999999999"],
]

@Test(arguments: versions)
func textVersionsCompareNumberByNumber(_ ordered: [String]) {
    for (index, older) in ordered.enumerated() {
        #expect(!isOlder(older, than: older))
        for newer in ordered[(index + 1)...] {
            #expect(isOlder(older, than: newer), "\(older) before \(newer)")
            #expect(!isOlder(newer, than: older), "\(newer) after \(older)")
        }
    }
}

@Test func leadingZerosAndSeparatorsSayNothing() {
    for (a, b) in [("2026-09", "2026-9"), ("2026.10", "2026-10"), ("v1 0", "v1.0")] {
        #expect(!isOlder(a, than: b) && !isOlder(b, than: a), "\(a) and \(b)")
    }
}

@Test(arguments: [
    ("ATT", true), ("att", true), ("A.T.T.", true), ("  Att! ", true), ("App Tracking Transparency", true),
    ("AppTrackingTransparency", true),
    ("app-tracking prompt", true), ("ios_app_tracking_2", true), ("the APPTRACKING dialog", true), ("in-app dialog", false),
    ("attestation", false), ("Matt's form", false), ("settings: attach data", false), ("tracking app", false), ("", false),
])
func sourcesOfAppTrackingTransparency(_ source: String, _ isRefused: Bool) {
    #expect(namesAppTrackingTransparency(source) == isRefused)
}
