import Domain
import Store
import Testing

@testable import Outbox

struct ContactTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var known: Timestamp?
        /// The end of the window, by our clock.
        var end: Timestamp
        /// Apple's clock less ours.
        var offset = Span.milliseconds(0)
        var expected: Timestamp
    }

    @Test(arguments: [
        Row(testDescription: "the first", end: day(0), expected: day(0)),
        Row(testDescription: "it moves on", known: day(-1), end: day(0), expected: day(0)),
        Row(testDescription: "an older window", known: day(0), end: day(-1), expected: day(0)),
        Row(testDescription: "our clock is ahead", end: day(0) + .hours(2), offset: .hours(-2), expected: day(0)),
        Row(testDescription: "our clock is behind", end: day(0) - .hours(2), offset: .hours(2), expected: day(0) - .hours(2)),
        Row(testDescription: "a clock that was ahead once", known: day(3), end: day(0), expected: day(0)),
    ])
    func aContactIsNeverClaimedForTheFuture(_ row: Row) {
        var contact = LedgerContact(completeUntil: row.known)
        contact.complete(until: row.end, at: day(0), offset: row.offset)
        #expect(contact.completeUntil == row.expected)
    }

    @Test func aContactThatLiesAheadIsNone() {
        let ledger = Ledger(app: AppID("acme"), environment: .production)
        let read = HistoryRead.byServer(ledger, after: LedgerContact(completeUntil: day(3)), at: day(0), isStart: false)
        #expect(read.from == day(0) - .hours(24) && !read.onlyFailures)
    }

    @Test(arguments: [
        (LedgerContact?.none, Timestamp?.none, false, day(-30), true),
        (.none, .none, true, day(-30), false),  // only a full look begins to make a ledger complete
        (LedgerContact(completeUntil: day(-2)), .none, false, day(-2) - .hours(1), true),
        (LedgerContact(completeUntil: day(-2)), .none, true, day(-2) - .hours(1), true),
        (LedgerContact(completeUntil: day(-2)), day(-1), false, day(-1), false),  // leaves a day out
        (LedgerContact(completeUntil: day(-2)), day(-3), false, day(-3), true),
        (LedgerContact(completeUntil: day(-400)), .none, false, day(0) - .hours(180 * 24 - 1), true),  // no more can be had
    ])
    func whatACommandReads(_ contact: LedgerContact?, _ since: Timestamp?, _ onlyFailures: Bool, _ from: Timestamp, _ completes: Bool) {
        let ledger = Ledger(app: AppID("acme"), environment: .production)
        let read = HistoryRead.byCommand(ledger, since: since, onlyFailures: onlyFailures, after: contact, at: day(0))
        #expect(read.from == from && read.completes == completes && read.to == day(0))
    }
}
