import Domain
import Testing

@testable import AppStoreSimulator

struct WorldTests {
    /// The dates of the composed example of a commitment: 2026-06-01 10:00 UTC and on.
    @Test func aCommitmentRunsAsDocumented() throws {
        let start = Timestamp(milliseconds: 1_780_308_000_000)
        var world = StoreWorld(environment: .production, apps: SimulatedApp.samples, seed: 1)
        let original = try world.buy(
            "com.example.pro.yearly", by: world.newCustomer(of: "com.example.acme", at: start), PurchaseOptions(isCommitment: true),
            at: start)
        var newest = try world.newestTransaction(of: original)
        #expect(newest.expiresDate == 1_782_900_000_000)
        #expect(newest.commitmentInfo?.commitmentExpiresDate == 1_811_844_000_000)
        #expect(newest.price == 5_990)
        #expect(newest.commitmentInfo?.commitmentPrice == 71_880)
        try world.renew(original, at: Timestamp(milliseconds: 1_782_900_000_000))
        newest = try world.newestTransaction(of: original)
        #expect(newest.expiresDate == 1_785_578_400_000)
        #expect(newest.commitmentInfo?.billingPeriodNumber == 2)
        try world.renew(original, at: Timestamp(milliseconds: 1_785_578_400_000))
        // Month four fails on 2026-09-01 and is paid on 2026-09-05 08:00.
        try world.failRenewal(original, at: Timestamp(milliseconds: 1_788_256_800_000))
        #expect(try world.chain(original).renewal.gracePeriodExpiresDate == nil)
        try world.recover(original, at: Timestamp(milliseconds: 1_788_595_200_000))
        newest = try world.newestTransaction(of: original)
        #expect(newest.expiresDate == 1_791_187_200_000)
        #expect(newest.commitmentInfo?.billingPeriodNumber == 4)
        #expect(newest.commitmentInfo?.commitmentExpiresDate == 1_812_182_400_000)
    }

    @Test func aThirteenthMonthBeginsANewCommitment() throws {
        var world = StoreWorld(environment: .production, apps: SimulatedApp.samples, seed: 1)
        let buyer = world.newCustomer(of: "com.example.acme", at: noon)
        let original = try world.buy("com.example.pro.yearly", by: buyer, PurchaseOptions(isCommitment: true), at: noon)
        for _ in 2...13 {
            try world.renew(original, at: Timestamp(milliseconds: try world.newestTransaction(of: original).expiresDate ?? 0))
        }
        let newest = try world.newestTransaction(of: original)
        #expect(newest.commitmentInfo?.billingPeriodNumber == 1)
        #expect(try world.chain(original).renewal.autoRenewStatus == 1)
        #expect(newest.commitmentInfo?.commitmentExpiresDate == BillingPeriod.months(24).end(from: noon, in: .production).milliseconds)
    }

    @Test func calendarMonths() {
        func end(_ start: Int64, _ months: Int64) -> Int64 {
            BillingPeriod.months(months).end(from: Timestamp(milliseconds: start), in: .production).milliseconds
        }
        #expect(end(1_769_817_600_000, 1) == 1_772_236_800_000)  // 2026-01-31 -> 2026-02-28
        #expect(end(1_709_164_800_000, 12) == 1_740_700_800_000)  // 2024-02-29 -> 2025-02-28
        #expect(end(1_796_040_000_000, 3) == 1_803_816_000_000)  // 2026-11-30 12:00 -> 2027-02-28 12:00
        for days in stride(from: Int64(-800_000), to: 800_000, by: 997) {
            #expect(CivilDate(daysSinceEpoch: days).daysSinceEpoch == days)
        }
    }

    @Test func aRefundOfAPastMonthEndsNothing() throws {
        var store = TestStore()
        let original = try store.buy(.proYearly, by: nil, PurchaseOptions(isCommitment: true))
        for month in 1...4 { try store.environment.world.renew(original, at: noon + .days(Int64(31 * month))) }
        let periods = try store.environment.world.chain(original).transactionIDs
        _ = store.environment.world.takeNotifications()
        try store.environment.world.refund(periods[1], at: noon + .days(130))
        let notification = try #require(store.environment.world.takeNotifications().first)
        #expect(notification.status == 1)
        #expect(notification.transaction?.revocationDate != nil)
        #expect(notification.renewal?.commitmentInfo?.commitmentAutoRenewStatus == 1)
        try store.environment.world.refund(periods[4], percentage: 40_000, at: noon + .days(131))
        let second = try #require(store.environment.world.takeNotifications().first)
        #expect(second.status == 5)
        #expect(second.renewal?.commitmentInfo?.commitmentAutoRenewStatus == 0)
    }

    @Test func familyMembersAreRevokedWithThePurchaser() throws {
        var store = TestStore()
        let purchase = try store.buy(.proYearly)
        let members = try (0..<3).map { _ in try store.environment.world.share(purchase, with: store.customer(), at: noon) }
        _ = store.environment.world.takeNotifications()
        try store.environment.world.refund(purchase, reason: 1, at: noon)
        let notifications = store.environment.world.takeNotifications()
        #expect(notifications.map(\.notificationType) == ["REFUND", "REVOKE", "REVOKE", "REVOKE"])
        #expect(notifications.dropFirst().map { $0.transaction?.transactionId } == members)
        #expect(
            notifications.dropFirst().allSatisfy {
                $0.transaction?.revocationType == "FAMILY_REVOKE" && $0.transaction?.revocationReason == 1
            })
    }

    @Test func anUpgradeClosesTheOldPeriod() throws {
        var store = TestStore()
        let original = try store.buy(.proYearly)
        let new = try store.environment.world.upgrade(original, to: "com.example.max.yearly", at: noon + .days(3))
        let notification = try #require(store.environment.world.takeNotifications().last)
        #expect(notification.subtype == "UPGRADE")
        #expect(notification.transaction?.transactionId == new)
        #expect(notification.transaction?.originalTransactionId == original)
        #expect(notification.transaction?.transactionReason == "PURCHASE")
        #expect(notification.renewal?.autoRenewProductId == "com.example.max.yearly")
        #expect(try store.environment.world.purchase(original).transaction.isUpgraded == true)
    }

    @Test func seedsRepeatAWorld() throws {
        let demo = DemoWorld(seed: 42)
        let one = try demo.history(endingAt: noon, customers: 40)
        let two = try demo.history(endingAt: noon, customers: 40)
        #expect(one.notifications == two.notifications)
        #expect(one.customers == two.customers)
        #expect(one.requests == two.requests)
        #expect(try DemoWorld(seed: 43).history(endingAt: noon, customers: 40).notifications != one.notifications)
    }

    /// Each app has every kind of case, and nothing lies in the future or repeats an instant for one customer.
    @Test func aDemoYearHoldsEveryKindOfCase() throws {
        let history = try DemoWorld(seed: 1).history(endingAt: noon)
        #expect((2_000...8_000).contains(history.notifications.count), "\(history.notifications.count)")
        #expect(
            history.notifications.allSatisfy { $0.signedDate <= noon.milliseconds + 1000 && $0.signedDate > noon.milliseconds - 366 * day })
        for app in SimulatedApp.samples {
            let own = history.notifications.filter { $0.bundleID == app.bundleID }
            let kinds = Set(own.map { [$0.notificationType, $0.subtype].compactMap { $0 }.joined(separator: "/") })
            let expected: Set = [
                "CONSUMPTION_REQUEST", "REFUND", "REFUND/SEATS", "REFUND_DECLINED", "REFUND_REVERSED", "SUBSCRIBED/INITIAL_BUY",
                "DID_RENEW", "DID_RENEW/BILLING_RECOVERY", "DID_FAIL_TO_RENEW", "DID_FAIL_TO_RENEW/GRACE_PERIOD", "GRACE_PERIOD_EXPIRED",
                "EXPIRED/BILLING_RETRY", "EXPIRED/PRICE_INCREASE", "DID_CHANGE_RENEWAL_PREF/UPGRADE", "DID_CHANGE_RENEWAL_PREF/DOWNGRADE",
                "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", "ONE_TIME_CHARGE", "REVOKE",
            ]
            #expect(expected.subtracting(kinds).isEmpty, "\(app.name) lacks \(expected.subtracting(kinds))")
            #expect(Set(own.compactMap { $0.transaction?.type }).count == 4)
        }
        let stamps = history.notifications.map { "\($0.transaction?.appTransactionId ?? "") \($0.signedDate)" }
        #expect(Set(stamps).count == stamps.count)
    }
}
