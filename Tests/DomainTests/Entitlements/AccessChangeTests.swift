import Domain
import Testing

/// One who keeps, under each original transaction id, the access of the last event, and reads it by the clock.
private struct Follower {
    var told: [TransactionID: Access] = [:]
    var commitments: [AccessChange] = []
    var known = CustomerAccess(purchases: [], chains: []) { _ in ProductTerms() }
    var at = day(-100)

    mutating func hear(_ access: CustomerAccess, now: Timestamp) -> [AccessChange] {
        let changes = access.changes(since: known, at: at, now: now)
        for change in changes where change.kind.rawValue.hasPrefix("access.") { told[change.originalTransactionID] = change.access }
        commitments += changes.filter { $0.kind.rawValue.hasPrefix("commitment.") }
        (known, at) = (access, now)
        return changes
    }

    /// The end of access by what was told; absent where there is none.
    func table(at now: Timestamp) -> [TransactionID: Timestamp] {
        told.filter { $0.value.read(at: now).active }.mapValues { $0.until ?? Timestamp(milliseconds: .max) }
    }
}

private func table(_ access: CustomerAccess, at now: Timestamp) -> [TransactionID: Timestamp] {
    let rows = access.entitlements(at: now).filter(\.access.active)
    return Dictionary(rows.map { ($0.originalTransactionID, $0.access.until ?? Timestamp(milliseconds: .max)) }, uniquingKeysWith: max)
}

struct AccessChanges {
    private let first = period("1", day(0), day(30))
    private let second = period("2", day(30), day(60))
    private var told = Told()
    private var follower = Follower()

    private mutating func tell(_ transaction: Transaction, _ renewal: RenewalInfo? = nil, at: Timestamp) -> [AccessChange.Kind] {
        told.tell(transaction, renewal, at: at)
        return follower.hear(told.access, now: at).map(\.kind)
    }

    @Test mutating func aLife() {
        #expect(tell(first, renewal(of: first), at: day(0)) == [.granted])
        #expect(tell(first, renewal(of: first), at: day(1)) == [], "repeated")
        #expect(tell(first, renewal(of: first) { $0.autoRenewStatus = 0 }, at: day(5)) == [], "access is the same")
        #expect(tell(second, renewal(of: second), at: day(29)) == [.changed], "renewed early: until moves")
        #expect(tell(first.refunded(at: day(31)), at: day(31)) == [], "an old period")
        #expect(tell(second.refunded(at: day(32)), at: day(32)) == [.revoked])
        told.reverse(second, at: day(33))
        #expect(follower.hear(told.access, now: day(33)).map(\.kind) == [.granted])
        #expect(follower.hear(told.access, now: day(70)).isEmpty, "access ran out by the clock")
        #expect(tell(second.refunded(at: day(71)), at: day(71)) == [], "refunded after its end")
        let again = period("3", day(80), day(110))
        #expect(tell(again, renewal(of: again), at: day(80)) == [.granted])
        let yearly = period("4", day(90), day(455), product: "max")
        #expect(tell(yearly, renewal(of: yearly), at: day(90)) == [.changed])
        #expect(follower.told[TransactionID("1")] == Access(active: true, until: day(455)))
    }

    @Test mutating func graceMovesUntil() {
        #expect(tell(first, renewal(of: first), at: day(0)) == [.granted])
        let info = renewal(of: first) { ($0.isInBillingRetryPeriod, $0.gracePeriodExpiresDate) = (true, day(46)) }
        #expect(tell(first, info, at: day(30) - .hours(1)) == [.changed])
        #expect(follower.table(at: day(40)) == [TransactionID("1"): day(46)])
    }

    @Test mutating func aHistoryTakenInLaterTellsOnlyWhatHoldsNow() {
        let now = day(40)
        for (transaction, expected) in [(first, []), (second, [AccessChange.Kind.granted]), (first.refunded(at: day(20)), [])] {
            told.tell(transaction, at: transaction.revocationDate ?? transaction.purchaseDate)
            #expect(follower.hear(told.access, now: now).map(\.kind) == expected)
        }
    }

    @Test mutating func whatBeginsByTheClockIsFoundAtItsTurn() {
        let upcoming = period("5", of: "5", day(10), day(40))
        told.tell(upcoming, at: day(9))
        #expect(follower.hear(told.access, now: day(9)).isEmpty)
        #expect(told.access.nextTurn(after: day(9)) == day(10))
        #expect(follower.hear(told.access, now: day(10)).map(\.kind) == [.granted])
        #expect(told.access.nextTurn(after: day(10)) == nil)
    }

    @Test(arguments: ["APPLE", "DEVELOPER"])
    mutating func seatsAreToldOfOnce(manager: String) {
        let seats = period("1", day(0), day(30)) { ($0.quantity, $0.rawInvitationManagement) = (5, manager) }
        var fewer = seats
        fewer.revokedSeatQuantity = 2
        #expect(tell(seats, at: day(0)) == [.granted])
        #expect(tell(fewer, at: day(10)) == [.seatsChanged])
        #expect(tell(fewer, at: day(11)) == [])
        var other = Follower()
        #expect(other.hear(told.access, now: day(12)).map(\.kind) == [.granted, .seatsChanged], "the refund came first")
    }

    @Test mutating func aRestoredCopyKeepsAccessUnderItsOriginal() {
        let life = oneTime("7", "Non-Consumable", day(0))
        var restored = oneTime("8", "Non-Consumable", day(5))
        restored.originalTransactionID = TransactionID("7")
        #expect(tell(life, at: day(0)) == [.granted])
        #expect(tell(restored, at: day(5)) == [])
        #expect(tell(restored.refunded(at: day(6)), at: day(6)) == [])
        #expect(tell(life.refunded(at: day(7)), at: day(7)) == [.revoked])
    }

    /// Facts in any order at any time, some more than once: whoever is told of every change knows what the API says.
    @Test func theFollowerAlwaysAgrees() {
        for seed in UInt64(1)...1_000 {
            var drawn = RandomHistory(seed: seed)
            var facts = drawn.told.facts + drawn.told.facts.filter { _ in drawn.chance(0.2) }
            facts.shuffle(using: &drawn.random)
            var (follower, history, now) = (Follower(), History(terms: drawn.told.terms), day(0))
            var access = history.access
            for fact in facts {
                let arrival = max(now, fact.signedDate) + .hours(.random(in: 0...30, using: &drawn.random))
                while let turn = access.nextTurn(after: now), turn <= arrival {
                    _ = follower.hear(access, now: turn)
                    now = turn
                }
                now = arrival
                history.add(fact)
                access = history.access
                _ = follower.hear(access, now: now)
                #expect(follower.table(at: now) == table(access, at: now), "seed \(seed)")
                #expect(follower.hear(access, now: now).isEmpty, "seed \(seed)")
            }
            let later = now + .hours(.random(in: 0...2_000, using: &drawn.random))
            guard (access.nextTurn(after: now) ?? later) >= later else { continue }
            #expect(follower.table(at: later) == table(access, at: later), "seed \(seed), by the clock")
        }
    }

    /// Told in order, each commitment starts once, and ends at most once after it started.
    @Test func commitmentsStartOnce() {
        for seed in UInt64(1)...1_000 {
            let drawn = RandomHistory(seed: seed)
            var (follower, history, now) = (Follower(), History(terms: drawn.told.terms), day(0))
            for fact in drawn.told.facts {
                now = max(now, fact.signedDate)
                history.add(fact)
                _ = follower.hear(history.access, now: now)
            }
            var all = Follower()
            _ = all.hear(history.access, now: now)
            let (once, expected) = (follower.commitments, all.commitments)
            #expect(once.count { $0.kind == .commitmentStarted } == expected.count { $0.kind == .commitmentStarted }, "seed \(seed)")
            #expect(expected.count { $0.kind == .commitmentEnded } <= once.count { $0.kind == .commitmentEnded }, "seed \(seed)")
        }
    }
}
