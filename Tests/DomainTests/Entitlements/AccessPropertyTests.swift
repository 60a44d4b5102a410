import Domain
import Testing

private let seeds: ClosedRange<UInt64> = 1...2_000

/// Access straight from its definition, transaction by transaction, for subscriptions.
private func isGranted(_ original: TransactionID, at instant: Timestamp, by history: History) -> Bool {
    let chain = history.purchases.values.filter { $0.transaction.originalTransactionID == original }
    let migrated = history.purchases.values.contains {
        $0.transaction.previousOriginalTransactionID == original && $0.transaction.purchaseDate <= instant
    }
    return !migrated && (chain.contains { covers($0, instant, within: chain) } || isInGrace(chain, history.chains[original], instant))
}

private func covers(_ purchase: Purchase, _ instant: Timestamp, within chain: [Purchase]) -> Bool {
    let one = purchase.transaction
    guard one.purchaseDate <= instant, let expires = one.expiresDate, instant < expires else { return false }
    if let revoked = purchase.revocation, revoked.date <= instant { return false }
    if one.isUpgraded, one.signedDate <= instant { return false }
    return !chain.map(\.transaction).contains {
        ($0.productID, $0.expiresDate) != (one.productID, one.expiresDate) && one.purchaseDate < $0.purchaseDate
            && $0.purchaseDate <= instant
    }
}

private func isInGrace(_ chain: [Purchase], _ renewal: Chain?, _ instant: Timestamp) -> Bool {
    guard let newest = chain.max(by: { $0.transaction.purchaseDate < $1.transaction.purchaseDate }),
        let info = renewal?.renewal?.value, let grace = info.gracePeriodExpiresDate, let expires = newest.transaction.expiresDate
    else { return false }
    guard !newest.transaction.isUpgraded, !newest.transaction.isMonthlyCommitment, info.signedDate >= newest.transaction.purchaseDate
    else { return false }
    return expires <= instant && instant < grace && instant < newest.revocation?.date ?? grace
}

struct AccessProperties {
    @Test func accessIsTheUnionOfIntervals() {
        for seed in seeds {
            var drawn = RandomHistory(seed: seed)
            let history = History(drawn.told.facts)
            let access = history.access
            for original in Set(drawn.transactions.filter(\.isAutoRenewable).map(\.originalTransactionID)) {
                for _ in 0..<20 {
                    let instant = drawn.instant()
                    let expected = isGranted(original, at: instant, by: history)
                    #expect(access.isActive(original.rawValue, at: instant) == expected, "seed \(seed), \(original), \(instant)")
                }
            }
        }
    }

    @Test func orderAndRepeatsDoNotMatter() {
        for seed in seeds {
            var drawn = RandomHistory(seed: seed)
            let expected = drawn.told.access
            var facts = drawn.told.facts + drawn.told.facts.filter { _ in drawn.chance(0.3) }
            facts.shuffle(using: &drawn.random)
            #expect(History(facts, terms: drawn.told.terms).access == expected, "seed \(seed)")
        }
    }

    @Test func untilIsWhereAccessEnds() {
        for seed in seeds {
            var drawn = RandomHistory(seed: seed)
            let access = drawn.told.access
            let instant = drawn.instant()
            for row in access.entitlements(at: instant) where row.access.active {
                guard let until = row.access.until else { continue }
                let last = access.entitlements(at: until - .milliseconds(1)).first { $0.originalTransactionID == row.originalTransactionID }
                #expect(last?.access == row.access && last?.productID == row.productID, "seed \(seed)")
                let after = access.entitlements(at: until).first { $0.originalTransactionID == row.originalTransactionID }
                #expect(after?.access.active == false || after?.productID != row.productID, "seed \(seed)")
            }
        }
    }

    @Test func aRefundTakesOnlyWhatItsOwnPeriodGranted() {
        for seed in seeds {
            var drawn = RandomHistory(seed: seed)
            guard let victim = drawn.transactions.randomElement(using: &drawn.random) else { continue }
            let before = drawn.told.access
            let date = victim.purchaseDate + .days(.random(in: 0...400, using: &drawn.random))
            drawn.told.tell(victim.refunded(at: date), at: day(900))
            let history = History(drawn.told.facts, terms: drawn.told.terms)
            guard history.purchases[victim.transactionID]?.revocation != nil else { continue }  // reversed since that date
            let after = history.access
            for _ in 0..<20 {
                let instant = drawn.instant()
                for (was, now) in zip(before.entitlements(at: instant), after.entitlements(at: instant)) where was.access.active {
                    let isTaken = was.transactionID == victim.transactionID && date <= instant
                    #expect(now.access.active == !isTaken, "seed \(seed), \(was.originalTransactionID)")
                }
            }
        }
    }

    @Test func aReversalGivesBackExactlyWhatTheRefundTook() {
        for seed in seeds {
            var drawn = RandomHistory(seed: seed)
            let history = History(drawn.told.facts)
            let candidates = history.purchases.values.map(\.transaction).filter { !$0.isUpgraded && $0.revocationDate == nil }
            guard let victim = candidates.min(by: { $0.transactionID < $1.transactionID }) else { continue }
            let before = drawn.told.access
            drawn.told.tell(victim.refunded(at: victim.purchaseDate + .days(5)), at: day(900))
            let keepsDate = drawn.chance(0.5)
            let copy = keepsDate ? victim.refunded(at: victim.purchaseDate + .days(5), percentage: nil) : victim
            drawn.told.reverse(copy, at: day(901))
            let after = drawn.told.access
            #expect(victim.isAutoRenewable || keepsDate || after == before, "seed \(seed)")
            for _ in 0..<10 {
                let instant = drawn.instant()
                #expect(after.entitlements(at: instant) == before.entitlements(at: instant), "seed \(seed)")
                #expect(after.balances(at: instant) == before.balances(at: instant), "seed \(seed)")
            }
        }
    }

    @Test func netIsNeverNegative() {
        for seed in seeds {
            var drawn = RandomHistory(seed: seed)
            let instant = drawn.instant()
            #expect(drawn.told.access.balances(at: instant).allSatisfy { $0.net >= 0 && $0.refunded >= 0 }, "seed \(seed)")
        }
    }
}
