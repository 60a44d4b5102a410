import Domain
import Testing

/// What followers hear when one more word arrives after others.
struct ChangeRule: CustomTestStringConvertible, Sendable {
    var name: String
    var before: [CaseEvent]
    var arriving: CaseEvent
    var now: Timestamp
    var isAnswered: Bool
    var expected: [String]
    var testDescription: String { name }

    init(
        _ name: String, after before: [CaseEvent] = [], _ arriving: CaseEvent, now: Timestamp = hour(1), isAnswered: Bool = false,
        says expected: [String]
    ) {
        self.name = name
        self.before = before
        self.arriving = arriving
        self.now = now
        self.isAnswered = isAnswered
        self.expected = expected
    }
}

extension CaseChange {
    var word: String {
        switch self {
        case .requested(let round): "requested \(round.number)"
        case .unanswered(let round): "unanswered \(round.number)"
        case .granted: "granted"
        case .declined: "declined"
        case .reversed: "reversed"
        }
    }
}

private let askRules = [
    ChangeRule("a request", asked("a", hour(0)), says: ["requested 1"]),
    ChangeRule("a repeat in the window", after: [asked("a", hour(0))], asked("b", hour(1)), says: []),
    ChangeRule("a late older request of the same round", after: [asked("b", hour(1))], asked("a", hour(0)), says: []),
    ChangeRule("a second ask", after: [asked("a", hour(0)), declined("d", hour(1))], asked("b", hour(2)), says: ["requested 2"]),
    ChangeRule("a request after the window", after: [asked("a", hour(0))], asked("b", hour(13)), now: hour(13), says: ["requested 2"]),
    ChangeRule("a request that comes after its window", asked("a", hour(0)), now: hour(12), says: ["requested 1", "unanswered 1"]),
    ChangeRule(
        "an older request that makes a repeat the next round", after: [asked("b", hour(11)), asked("c", hour(13))], asked("a", hour(0)),
        now: hour(14), says: ["requested 2"]),
    ChangeRule(
        "a request decided before it came", after: [declined("d", hour(3))], asked("a", hour(2)), now: hour(4),
        says: ["requested 1", "unanswered 1"]),
    ChangeRule(
        "a request refunded before it came", after: [refunded("r", hour(3))], asked("a", hour(2)), now: hour(4),
        says: ["requested 1", "unanswered 1"]),
]

private let decisionRules = [
    ChangeRule("declined unanswered", after: [asked("a", hour(0))], declined("d", hour(1)), says: ["unanswered 1", "declined"]),
    ChangeRule("declined answered", after: [asked("a", hour(0))], declined("d", hour(1)), isAnswered: true, says: ["declined"]),
    ChangeRule("a repeated decline", after: [asked("a", hour(0)), declined("d", hour(1))], declined("e", hour(2)), says: []),
    ChangeRule("a decline nobody asked about", declined("d", hour(1)), says: ["declined"]),
    ChangeRule("a repeated decline nobody asked about", after: [declined("d", hour(1))], declined("e", hour(2)), says: []),
    ChangeRule(
        "a second decline", after: [asked("a", hour(0)), declined("d", hour(1)), asked("b", hour(2))], declined("e", hour(3)),
        isAnswered: true, says: ["declined"]),
    ChangeRule(
        "a decline between a request and its repeat makes that the next round", after: [asked("a", hour(0)), asked("b", hour(2))],
        declined("d", hour(1)), now: hour(3), isAnswered: true, says: ["requested 2", "declined"]),
    ChangeRule("granted", after: [asked("a", hour(0))], refunded("r", hour(1)), isAnswered: true, says: ["granted"]),
    ChangeRule("granted unasked", refunded("r", hour(1)), says: ["granted"]),
    ChangeRule("the same refund told again", after: [refunded("r", hour(1))], refunded("s", hour(2), date: hour(1)), says: []),
    ChangeRule("seats refunded", seatsRefunded("s", hour(1), seats: 1), says: ["granted"]),
    ChangeRule(
        "seats refunded again", after: [seatsRefunded("s", hour(1), seats: 1)], seatsRefunded("t", hour(5), seats: 2), says: ["granted"]),
    ChangeRule(
        "a decision after the window is no late lack of an answer", after: [asked("a", hour(0))], declined("d", hour(20)), now: hour(20),
        says: ["declined"]),
    ChangeRule(
        "a decision signed in time that comes after the window: its close was told", after: [asked("a", hour(0))], declined("d", hour(1)),
        now: hour(20), says: ["declined"]),
    ChangeRule(
        "a refund after a reversal", after: [refunded("r", hour(1)), reversed("v", hour(2))], refunded("s", hour(3)), says: ["granted"]),
    ChangeRule(
        "a decline after a reversal", after: [refunded("r", hour(1)), reversed("v", hour(2))], declined("d", hour(3)), says: ["declined"]),
]

private let reversalRules = [
    ChangeRule("reversed", after: [refunded("r", hour(1))], reversed("v", hour(2)), says: ["reversed"]),
    ChangeRule("reversed again", after: [refunded("r", hour(1)), reversed("v", hour(2))], reversed("w", hour(3)), says: []),
    ChangeRule("a reversal of a refund never heard of", reversed("v", hour(2)), says: ["reversed"]),
    ChangeRule("the refund of a reversal comes late", after: [reversed("v", hour(2))], refunded("r", hour(1)), says: []),
    ChangeRule("an old refund while a newer one stands", after: [refunded("s", hour(5))], refunded("r", hour(1)), says: []),
    ChangeRule("an old reversal before the refund that stands", after: [refunded("s", hour(5))], reversed("v", hour(1)), says: []),
]

private func changes(_ before: RefundCase?, _ after: RefundCase, now: Timestamp, isAnswered: Bool = false) -> [CaseChange] {
    after.changes(since: before, now: now, isAnswered: { _ in isAnswered }, isCloseDue: { _ in false })
}

@Test(arguments: askRules + decisionRules + reversalRules)
func caseChange(_ rule: ChangeRule) throws {
    let before = RefundCase(folding: rule.before, purchase: nil, window: .hours(12))
    let after = try #require(RefundCase(folding: rule.before + [rule.arriving], purchase: nil, window: .hours(12)))
    #expect(changes(before, after, now: rule.now, isAnswered: rule.isAnswered).map(\.word) == rule.expected)
    #expect(changes(after, after, now: rule.now, isAnswered: rule.isAnswered).isEmpty, "a repeat")
}

@Test func aDecisionBeforeTheCloseWasToldIsToldAsUnanswered() throws {
    let before = RefundCase(folding: [asked("a", hour(0))], purchase: nil, window: .hours(12))
    let after = try #require(RefundCase(folding: [asked("a", hour(0)), declined("d", hour(1))], purchase: nil, window: .hours(12)))
    let told = after.changes(since: before, now: hour(13), isAnswered: { _ in false }, isCloseDue: { _ in true })
    #expect(told.map(\.word) == ["unanswered 1", "declined"])
}

@Test func aRefundSeenOnTheTransactionIsToldOnce() throws {
    let seen = coins(hour(5)) { $0 = $0.refunded(at: hour(2)) }
    let silent = try #require(RefundCase(folding: [], purchase: seen, window: .hours(12)))
    #expect(changes(nil, silent, now: hour(6)) == [.granted])
    let told = try #require(RefundCase(folding: [refunded("r", hour(3), date: hour(2))], purchase: seen, window: .hours(12)))
    #expect(changes(silent, told, now: hour(6)).isEmpty)
}

@Test func anUntoldReversalIsToldOnce() throws {
    let refund = refunded("r", hour(2))
    let standing = RefundCase(folding: [refund], purchase: coins(hour(2)), window: .hours(12))
    let undone = try #require(RefundCase(folding: [refund], purchase: coins(hour(6)), window: .hours(12)))
    #expect(changes(standing, undone, now: hour(7)) == [.reversed])
    let told = try #require(RefundCase(folding: [refund, reversed("v", hour(5))], purchase: coins(hour(6)), window: .hours(12)))
    #expect(changes(undone, told, now: hour(7)).isEmpty)
}
