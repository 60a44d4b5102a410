import Domain
import Testing

/// One rule of cases and rounds: what was said, and the case it makes (as ``RefundCase/sketch``; nil is none).
struct CaseRule: CustomTestStringConvertible, Sendable {
    var name: String
    var events: [CaseEvent]
    var purchase: Purchase?
    var window: Span
    var expected: String?
    var testDescription: String { name }

    init(_ name: String, _ events: [CaseEvent], _ purchase: Purchase? = nil, in window: Span = .hours(12), is expected: String?) {
        self.name = name
        self.events = events
        self.purchase = purchase
        self.window = window
        self.expected = expected
    }
}

private let roundRules = [
    CaseRule("a request opens a case", [asked("a", hour(0))], is: "open [a]"),
    CaseRule("a repeat inside the window joins", [asked("a", hour(0)), asked("b", hour(11))], is: "open [a,b]"),
    CaseRule(
        "the last instant of the window joins", [asked("a", hour(0)), asked("b", hour(12) - .milliseconds(1))], is: "open [a,b]"),
    CaseRule("the deadline is outside the window", [asked("a", hour(0)), asked("b", hour(12))], is: "open [a] [b]"),
    CaseRule(
        "a repeat does not move the deadline", [asked("a", hour(0)), asked("b", hour(11)), asked("c", hour(13))],
        is: "open [a,b] [c]"),
    CaseRule(
        "the sandbox's window is five minutes", [asked("a", hour(0)), asked("b", hour(0) + .minutes(5))], in: .minutes(5),
        is: "open [a] [b]"),
    CaseRule(
        "a request after a decline asks again", [asked("a", hour(0)), declined("d", hour(1)), asked("b", hour(2))],
        is: "open [a declined@1] [b]"),
    CaseRule(
        "a request after a refund asks again", [asked("a", hour(0)), refunded("r", hour(1)), asked("b", hour(2))],
        is: "open [a refunded@1] [b] refund@1"),
    CaseRule(
        "a request signed before the decision is decided", [declined("d", hour(3)), asked("a", hour(2))], is: "declined [a declined@3]"),
    CaseRule(
        "a repeat signed before the decision belongs to its round", [asked("a", hour(0)), declined("d", hour(3)), asked("b", hour(2))],
        is: "declined [a,b declined@3]"),
    CaseRule(
        "a decision settles the newest round alone", [asked("a", hour(0)), asked("b", hour(13)), declined("d", hour(14))],
        is: "declined [a] [b declined@14]"),
    CaseRule(
        "a decision after the window still settles", [asked("a", hour(0)), refunded("r", hour(50))],
        is: "refunded [a refunded@50] refund@50"),
    CaseRule("a round without a decision stays open", [asked("a", hour(0)), asked("b", hour(500))], is: "open [a] [b]"),
    CaseRule(
        "the first decision of a round is its outcome", [asked("a", hour(0)), declined("d", hour(1)), declined("e", hour(2))],
        is: "declined [a declined@1]"),
    CaseRule(
        "a late older request begins the round", [asked("b", hour(11)), asked("a", hour(0)), asked("c", hour(13))], is: "open [a,b] [c]"),
]

private let tieRules = [
    CaseRule("request and decline in one instant", [declined("a", hour(1)), asked("b", hour(1))], is: "declined [b declined@1]"),
    CaseRule("request and refund in one instant", [refunded("a", hour(1)), asked("b", hour(1))], is: "refunded [b refunded@1] refund@1"),
    CaseRule("refund and reversal in one instant", [reversed("a", hour(1)), refunded("b", hour(1))], is: "reversed refund@1 reversed@1"),
    CaseRule("two requests in one instant stand in order", [asked("b", hour(1)), asked("a", hour(1))], is: "open [a,b]"),
    CaseRule(
        "decline and refund in one instant: money counts", [asked("a", hour(0)), refunded("c", hour(1)), declined("d", hour(1))],
        is: "refunded [a declined@1] refund@1"),
]

private let unaskedRules = [
    CaseRule("nothing said is no case", [], is: nil),
    CaseRule("a purchase alone is no case", [], coins(), is: nil),
    CaseRule("a refund nobody asked about", [refunded("r", hour(1))], is: "refunded refund@1"),
    CaseRule("a decline nobody asked about", [declined("d", hour(1))], is: "declined"),
    CaseRule("a reversal of a refund never heard of", [reversed("v", hour(1))], is: "reversed refund@1 reversed@1"),
    CaseRule("a request after an unasked refund is round one", [refunded("r", hour(1)), asked("a", hour(2))], is: "open [a] refund@1"),
]

private let verdictRules = [
    CaseRule(
        "a reversal keeps the outcome", [asked("a", hour(0)), refunded("r", hour(1)), reversed("v", hour(9))],
        is: "reversed [a refunded@1] refund@1 reversed@9"),
    CaseRule(
        "a second reversal changes nothing", [refunded("r", hour(1)), reversed("v", hour(9)), reversed("w", hour(11))],
        is: "reversed refund@1 reversed@9"),
    CaseRule(
        "a refund after a reversal stands", [refunded("r", hour(1)), reversed("v", hour(9)), refunded("s", hour(11))],
        is: "refunded refund@11"),
    CaseRule(
        "a request after a reversal is open", [asked("a", hour(0)), refunded("r", hour(1)), reversed("v", hour(9)), asked("b", hour(20))],
        is: "open [a refunded@1] [b] refund@1 reversed@9"),
    CaseRule(
        "the newest word is the state", [asked("a", hour(0)), refunded("r", hour(1)), asked("b", hour(2)), declined("d", hour(3))],
        is: "declined [a refunded@1] [b declined@3] refund@1"),
    CaseRule(
        "a refund after a decline", [asked("a", hour(0)), declined("d", hour(1)), refunded("r", hour(30))],
        is: "refunded [a declined@1] refund@30"),
    CaseRule(
        "seats refunded", [asked("a", hour(0)), seatsRefunded("s", hour(1), seats: 2)], coins(hour(1)),
        is: "refunded [a refunded@1] refund@1 seats 2"),
    CaseRule("seats refunded without a number", [seatsRefunded("s", hour(1), seats: nil)], is: "refunded refund@1 seats 0"),
    CaseRule(
        "a later copy without revocation does not give seats back", [seatsRefunded("s", hour(1), seats: 2)], coins(hour(9)),
        is: "refunded refund@1 seats 2"),
]

private let snapshotRules = [
    CaseRule("a refund seen on the transaction alone", [], coins(hour(5)) { $0 = $0.refunded(at: hour(2)) }, is: "refunded refund@2"),
    CaseRule(
        "a revocation without type is a refund", [], coins(hour(5)) { $0 = $0.refunded(at: hour(2), percentage: nil, type: nil) },
        is: "refunded refund@2"),
    CaseRule(
        "it decides the request before it", [asked("a", hour(1))], coins(hour(5)) { $0 = $0.refunded(at: hour(2)) },
        is: "refunded [a refunded@2] refund@2"),
    CaseRule(
        "it leaves the request after it open", [asked("a", hour(3))], coins(hour(5)) { $0 = $0.refunded(at: hour(2)) },
        is: "open [a] refund@2"),
    CaseRule(
        "what was told is not counted twice", [asked("a", hour(1)), refunded("r", hour(3), date: hour(2))],
        coins(hour(3)) { $0 = $0.refunded(at: hour(2)) }, is: "refunded [a refunded@3] refund@3"),
    CaseRule("family revoke is no case", [], coins(hour(5)) { $0 = $0.refunded(at: hour(2), type: .familyRevoke) }, is: nil),
    CaseRule("seat revoke is no case", [], coins(hour(5)) { $0 = $0.refunded(at: hour(2), type: .assignmentRevoke) }, is: nil),
    CaseRule("the credit of an upgrade is no refund", [], coins(hour(5)) { ($0.revocationDate, $0.isUpgraded) = (hour(2), true) }, is: nil),
    CaseRule(
        "a refund of an upgraded period is one", [],
        coins(hour(5)) {
            $0 = $0.refunded(at: hour(2))
            $0.isUpgraded = true
        }, is: "refunded refund@2"),
    CaseRule(
        "a family member's copy is no refund", [],
        coins(hour(5)) {
            $0 = $0.refunded(at: hour(2))
            $0.rawOwnershipType = "FAMILY_SHARED"
        }, is: nil),
    CaseRule(
        "an assigned seat's copy is no refund", [],
        coins(hour(5)) {
            $0 = $0.refunded(at: hour(2))
            $0.rawOwnershipType = "ASSIGNED"
        }, is: nil),
    CaseRule(
        "a refund that was reversed leaves no case by itself", [], coins(hour(5), reversal: hour(3)) { $0 = $0.refunded(at: hour(2)) },
        is: nil),
    CaseRule(
        "reversal told, copies carry the old date", [refunded("r", hour(2)), reversed("v", hour(3))],
        coins(hour(5), reversal: hour(3)) { $0 = $0.refunded(at: hour(2)) }, is: "reversed refund@2 reversed@3"),
    CaseRule(
        "revoked anew after a reversal", [refunded("r", hour(2)), reversed("v", hour(3))],
        coins(hour(9), reversal: hour(3)) { $0 = $0.refunded(at: hour(8)) }, is: "refunded refund@8"),
    CaseRule(
        "reversal untold: a later copy without revocation", [refunded("r", hour(2))], coins(hour(6)), is: "reversed refund@2 reversed@6"),
    CaseRule("an older copy without revocation undoes nothing", [refunded("r", hour(2))], coins(hour(1)), is: "refunded refund@2"),
    CaseRule("a copy of the same instant undoes nothing", [refunded("r", hour(2))], coins(hour(2)), is: "refunded refund@2"),
    CaseRule(
        "an untold reversal beside an open round", [refunded("r", hour(2)), asked("a", hour(3))], coins(hour(6)),
        is: "open [a] refund@2 reversed@6"),
]

@Test(arguments: roundRules + tieRules + unaskedRules + verdictRules + snapshotRules)
func caseFold(_ rule: CaseRule) {
    let folded = RefundCase(folding: rule.events, purchase: rule.purchase, window: rule.window)
    #expect(folded?.sketch == rule.expected)
    let backwards = RefundCase(folding: Array(rule.events.reversed()), purchase: rule.purchase, window: rule.window)
    #expect(backwards == folded, "the order of arrival")
    let repeated = RefundCase(folding: rule.events + rule.events, purchase: rule.purchase, window: rule.window)
    #expect(repeated == folded, "repeats")
}

@Test func aRoundCarriesTheFirstReasonAndItsDeadline() throws {
    let events = [
        asked("b", hour(1), reason: "LEGAL"), asked("a", hour(0), reason: "UNINTENDED_PURCHASE"), asked("c", hour(12), reason: "SPOILT"),
    ]
    let folded = try #require(RefundCase(folding: events, purchase: nil, window: .hours(12)))
    #expect(folded.rounds.map(\.number) == [1, 2])
    #expect(folded.rounds.map(\.requestedAt) == [hour(0), hour(12)])
    #expect(folded.rounds.map(\.deadline) == [hour(12), hour(24)])
    #expect(folded.rounds.map(\.reason) == [.unintendedPurchase, nil])
    #expect(folded.rounds.map(\.rawReason) == ["UNINTENDED_PURCHASE", "SPOILT"], "a word unknown to us stays")
}

@Test func aRoundIsOpenUntilItsDeadlineOrDecision() throws {
    let undecided = try #require(RefundCase(folding: [asked("a", hour(0))], purchase: nil, window: .hours(12))?.rounds.first)
    #expect(undecided.isOpen(at: hour(12) - .milliseconds(1)))
    #expect(!undecided.isOpen(at: hour(12)), "the deadline is the first instant too late")
    let decided = try #require(
        RefundCase(folding: [asked("a", hour(0)), declined("d", hour(1))], purchase: nil, window: .hours(12))?.rounds.first)
    #expect(!decided.isOpen(at: hour(2)))
}

@Test func answerWindows() {
    #expect(Environment.production.answerWindow == .hours(12))
    #expect(Environment.sandbox.answerWindow == .minutes(5))
}

/// How much of a price went back.
struct RefundAmountRule: CustomTestStringConvertible, Sendable {
    var name: String
    var event: CaseEvent
    var price: Int64?
    var quantity: Int32
    var expected: Int64?
    var testDescription: String { name }

    init(_ name: String, _ event: CaseEvent, of price: Int64?, quantity: Int32 = 1, is expected: Int64?) {
        (self.name, self.event, self.price, self.quantity, self.expected) = (name, event, price, quantity, expected)
    }
}

@Test(arguments: [
    RefundAmountRule("no percentage is the full price", refunded("r", hour(1)), of: 6_990, is: 6_990),
    RefundAmountRule("all of it", refunded("r", hour(1), percentage: 100_000), of: 6_990, is: 6_990),
    RefundAmountRule("a share, rounded down", refunded("r", hour(1), percentage: 33_333), of: 6_990, is: 2_329),
    RefundAmountRule("nothing of it", refunded("r", hour(1), percentage: 0), of: 6_990, is: 0),
    RefundAmountRule("two of five seats", seatsRefunded("s", hour(1), seats: 2), of: 50_000, quantity: 5, is: 20_000),
    RefundAmountRule("more seats than were bought", seatsRefunded("s", hour(1), seats: 9), of: 50_000, quantity: 5, is: 50_000),
    RefundAmountRule("an unknown price", refunded("r", hour(1)), of: nil, is: nil),
])
func refundAmount(_ rule: RefundAmountRule) throws {
    var transaction = oneTime("1", "Consumable", day(0))
    (transaction.price, transaction.currency, transaction.quantity) = (rule.price, "USD", rule.quantity)
    let refund = try #require(RefundCase(folding: [rule.event], purchase: nil, window: .hours(12))?.refund)
    #expect(refund.amount(of: transaction) == rule.expected.map { Money(amount: $0, currency: "USD") })
}
