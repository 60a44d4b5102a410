import Domain
import Testing

/// Section 2.1 of Apple's notification types and the field reports on refunds.
struct RefundRows {
    let january = period("5001", of: "5001", day(0), day(31))
    let february = period("5002", of: "5001", day(31), day(59))

    func told() -> Told {
        var told = Told()
        told.tell(january, renewal(of: january), at: day(0))
        told.tell(february, renewal(of: february), at: day(31))
        return told
    }

    @Test func aRequestKeepsAccess() {
        var told = told()
        let before = told.access
        told.tell(february, renewal(of: february), at: day(40))
        #expect(told.access.entitlements(at: day(41)) == before.entitlements(at: day(41)))
    }

    @Test func refundOfAnOldPeriodLeavesTheRunningOne() {  // 98
        var told = told()
        let before = told.access
        told.tell(january.refunded(at: day(41)), renewal(of: february), at: day(41))
        #expect(told.access.row("5001", at: day(42)) == before.row("5001", at: day(42)))
        #expect(told.access.row("5001", at: day(42))?.access == Access(active: true, until: day(59)))
        #expect(told.access.isActive("5001", at: day(10)), "it did grant until it was revoked")
    }

    @Test func refundInMidPeriodEndsAccessAtOnce() {  // 99
        var told = told()
        told.tell(february.refunded(at: day(41)), renewal(of: february) { $0.autoRenewStatus = 0 }, at: day(41))
        #expect(told.access.isActive("5001", at: day(41) - .milliseconds(1)))
        #expect(told.access.row("5001", at: day(41))?.access == Access(active: false, until: day(41)))
        #expect(told.access.state("5001", at: day(45)) == .revoked)
        #expect(told.access.state("5001", at: day(90)) == .revoked)
    }

    @Test func proratedRefundOfASubscriptionEndsThePeriod() {
        var told = told()
        told.tell(february.refunded(at: day(41), percentage: 64_285, type: .refundProrated), at: day(41))
        #expect(told.access.state("5001", at: day(41)) == .revoked)
    }

    @Test func revocationWithoutATypeOrReasonIsARefund() {
        var told = told()
        var copy = february.refunded(at: day(41), percentage: nil, type: nil)
        copy.revocationReason = nil
        told.tell(copy, at: day(41))
        #expect(told.access.state("5001", at: day(41)) == .revoked)
    }

    @Test(arguments: [true, false])
    func aReversalGivesBackExactlyWhatWasTaken(keepsRevocationDate: Bool) {  // 102
        var told = told()
        let before = told.access.entitlements(at: day(46))
        told.tell(february.refunded(at: day(41)), renewal(of: february), at: day(41))
        var copy = keepsRevocationDate ? february.refunded(at: day(41), percentage: nil) : february
        told.reverse(copy, renewal(of: february), at: day(45))
        #expect(told.access.entitlements(at: day(46)) == before)
        #expect(told.access.isActive("5001", at: day(59) - .milliseconds(1)) && !told.access.isActive("5001", at: day(59)))
        copy = february.refunded(at: day(47))
        told.tell(copy, at: day(47))
        #expect(told.access.state("5001", at: day(47)) == .revoked, "a later refund revokes anew")
    }

    @Test func declinedChangesNothing() {
        var told = told()
        let before = told.access
        told.tell(february, renewal(of: february), at: day(45))
        #expect(told.access.entitlements(at: day(46)) == before.entitlements(at: day(46)))
    }

    @Test func anOldCopyDoesNotUndoARefund() {
        var told = told()
        told.tell(february.refunded(at: day(41)), at: day(41))
        told.tell(february, at: day(32))
        #expect(told.access.state("5001", at: day(45)) == .revoked)
    }

    @Test(arguments: [true, false])
    func refundAndFamilyRevokeInEitherOrder(refundFirst: Bool) {  // 110, 127
        let own = period("9001", of: "9001", day(0), day(30))
        let shared = period("9101", of: "9101", day(0), day(30)) { $0.rawOwnershipType = "FAMILY_SHARED" }
        var (buyer, member) = (Told(), Told())
        member.tell(shared, renewal(of: shared), at: day(0))
        buyer.tell(own, renewal(of: own), at: day(0))
        #expect(member.access.row("9101", at: day(1))?.rawOwnershipType == "FAMILY_SHARED")
        #expect(buyer.access.row("9001", at: day(1))?.rawOwnershipType == "PURCHASED")
        let revoke = { member.tell(shared.refunded(at: day(10), percentage: nil, type: .familyRevoke), at: day(10)) }
        let refund = { buyer.tell(own.refunded(at: day(10)), at: day(10)) }
        if refundFirst { refund() } else { revoke() }
        #expect(buyer.access.isActive("9001", at: day(11)) == !refundFirst)
        #expect(member.access.isActive("9101", at: day(11)) == refundFirst)
        if refundFirst { revoke() } else { refund() }
        #expect(!buyer.access.isActive("9001", at: day(11)) && !member.access.isActive("9101", at: day(11)))
    }

    @Test func refundedSeatsLeaveThePurchaser() {
        var told = Told()
        let seats = period("1", day(0), day(30)) {
            $0.quantity = 5
            $0.rawInvitationManagement = "DEVELOPER"
        }
        var fewer = seats
        fewer.revokedSeatQuantity = 2
        told.tell(seats, renewal(of: seats), at: day(0))
        let before = told.access.row(at: day(11))
        told.tell(fewer, renewal(of: seats), at: day(10))
        var row = told.access.row(at: day(11))
        #expect(row?.seats == Seats(quantity: 5, revokedSeatQuantity: 2, rawInvitationManagement: "DEVELOPER"))
        row?.seats = before?.seats
        #expect(row == before)
        told.tell(fewer.refunded(at: day(12)), at: day(12))
        #expect(told.access.state(at: day(12)) == .revoked)
    }

    /// Seats added within a period come as a transaction of their own with the same end.
    @Test func onlyWhenEveryTransactionOfAPeriodIsRevokedThePurchaserIs() {
        let first = period("1", day(0), day(30)) { ($0.quantity, $0.rawInvitationManagement) = (5, "DEVELOPER") }
        let added = period("2", day(10), day(30)) { ($0.quantity, $0.rawInvitationManagement) = (2, "DEVELOPER") }
        var told = Told()
        told.tell(first, at: day(0))
        told.tell(added, at: day(10))
        #expect(told.access.entitlements(at: day(11)).count == 1)
        #expect(told.access.row(at: day(11))?.seats?.quantity == 7)
        told.tell(added.refunded(at: day(20)), at: day(20))
        #expect(told.access.row(at: day(21))?.access == Access(active: true, until: day(30)))
        #expect(told.access.row(at: day(21))?.seats?.revokedSeatQuantity == 2)
        told.tell(first.refunded(at: day(25)), at: day(25))
        #expect(told.access.isActive(at: day(24)) && told.access.state(at: day(25)) == .revoked)
    }
}

/// Section 2.2: the lifecycle of a subscription.
struct LifecycleRows {
    let first = period("1", day(0), day(30))
    let second = period("2", day(30), day(60))

    func told(_ change: (inout RenewalInfo) -> Void = { _ in }) -> Told {
        var told = Told()
        told.tell(first, renewal(of: first, change), at: day(0))
        return told
    }

    @Test func initialBuyGrantsUntilExpiry() {
        let row = told().access.row(at: day(1))
        #expect(row?.access == Access(active: true, until: day(30)) && row?.state == .active && row?.willRenew == true)
        #expect(row?.pendingProductID == nil && row?.commitment == nil && row?.seats == nil)
        #expect(told().access.state(at: day(30)) == .expired)
        #expect(told().access.row(at: day(0) - .days(1))?.state == .upcoming)
    }

    @Test func resubscribingLeavesTheGap() {
        var told = told()
        let again = period("2", day(50), day(80)) { $0.rawTransactionReason = "PURCHASE" }
        told.tell(again, renewal(of: again), at: day(50))
        #expect(told.access.isActive(at: day(29)) && !told.access.isActive(at: day(40)) && told.access.isActive(at: day(50)))
    }

    @Test func renewalSignedBeforeItStarts() {
        var told = told()
        told.tell(second, renewal(of: second), at: day(29))
        let row = told.access.row(at: day(29))
        #expect(row?.transactionID.rawValue == "1" && row?.access == Access(active: true, until: day(60)))
        #expect(told.access.row(at: day(30))?.transactionID.rawValue == "2" && told.access.row(at: day(30))?.willRenew == true)
    }

    @Test func billingRecoveryRestores() {
        var told = told()
        told.tell(first, renewal(of: first) { ($0.isInBillingRetryPeriod, $0.expirationIntent) = (true, 2) }, at: day(30))
        let paid = period("2", day(40), day(70))
        told.tell(paid, renewal(of: paid) { $0.isInBillingRetryPeriod = false }, at: day(40))
        #expect(!told.access.isActive(at: day(35)) && told.access.state(at: day(41)) == .active)
        #expect(told.access.state(at: day(70)) == .expired)
    }

    @Test(arguments: [true, false])
    func upgradeClosesTheOlderPeriod(copyArrives: Bool) {  // 113
        var told = told()
        let yearly = period("1102", day(10), day(375), product: "pro.yearly") { $0.rawTransactionReason = "PURCHASE" }
        told.tell(yearly, renewal(of: yearly), at: day(10))
        var closed = first
        closed.isUpgraded = true
        if copyArrives { told.tell(closed, at: day(11)) }
        let access = told.access
        #expect(
            access.row(at: day(5))?.productID == ProductID("pro") && access.row(at: day(5))?.access == Access(active: true, until: day(10)))
        #expect(access.row(at: day(12))?.productID == ProductID("pro.yearly") && access.row(at: day(12))?.access.until == day(375))
        #expect(access.row(at: day(12))?.pendingProductID == nil)
        told.tell(yearly.refunded(at: day(15)), at: day(15))
        #expect(told.access.state(at: day(16)) == .revoked, "a refund of the upgrade does not bring the old one back")
        #expect(!told.access.isActive(at: day(16)))
    }

    @Test func upgradeByUploadAloneLeavesNoStalePendingProduct() {
        var told = told()
        told.tell(period("1102", day(10), day(375), product: "pro.yearly"), at: day(10))
        #expect(told.access.row(at: day(12))?.pendingProductID == nil)
    }

    @Test func upgradedCopyWithoutTheNewPeriodEndsAccess() {
        var told = told()
        var closed = first
        closed.isUpgraded = true
        told.tell(closed, at: day(11))
        #expect(told.access.isActive(at: day(10)) && told.access.state(at: day(11)) == .upgraded)
        #expect(told.access.state(at: day(40)) == .upgraded)
    }

    @Test func downgradeWaits() {  // 115
        var told = told()
        told.tell(first, renewal(of: first) { $0.autoRenewProductID = ProductID("basic") }, at: day(10))
        let row = told.access.row(at: day(12))
        #expect(row?.productID == ProductID("pro") && row?.access.until == day(30) && row?.pendingProductID == ProductID("basic"))
        told.tell(first, renewal(of: first), at: day(13))
        #expect(told.access.row(at: day(14))?.pendingProductID == nil, "taken back")
        let basic = period("2", day(30), day(60), product: "basic")
        told.tell(basic, renewal(of: basic), at: day(29))
        let early = told.access.row(at: day(29))
        #expect(early?.productID == ProductID("pro") && early?.access.until == day(30) && early?.pendingProductID == ProductID("basic"))
        #expect(told.access.row(at: day(30))?.productID == ProductID("basic"))
    }

    @Test func autoRenewOffKeepsAccess() {  // 117
        var told = told()
        told.tell(first, renewal(of: first) { $0.autoRenewStatus = 0 }, at: day(10))
        #expect(told.access.row(at: day(12))?.access == Access(active: true, until: day(30)))
        #expect(told.access.row(at: day(12))?.willRenew == false)
        told.tell(first, renewal(of: first), at: day(13))
        #expect(told.access.row(at: day(14))?.willRenew == true)
    }

    @Test func graceFollowsTheRenewalInfo() {  // 119
        var told = told()
        told.tell(first, renewal(of: first) { ($0.isInBillingRetryPeriod, $0.gracePeriodExpiresDate) = (true, day(37)) }, at: day(30))
        #expect(told.access.row(at: day(31))?.access == Access(active: true, until: day(37)) && told.access.state(at: day(31)) == .grace)
        #expect(told.access.state(at: day(29)) == .active && told.access.row(at: day(29))?.access.until == day(37))
        #expect(told.access.state(at: day(37)) == .billingRetry, "GRACE_PERIOD_EXPIRED needs not arrive")
        #expect(told.access.state(at: day(90)) == .expired)
        told.tell(first.refunded(at: day(32)), at: day(32))
        #expect(told.access.state(at: day(33)) == .revoked, "a refund ends the grace period too")
    }

    @Test func graceSignedBeforeTheNewestPeriodDoesNotCount() {
        var told = told()
        told.tell(first, renewal(of: first) { $0.gracePeriodExpiresDate = day(99) }, at: day(29))
        told.tell(second, at: day(30))
        #expect(told.access.row(at: day(31))?.access.until == day(60) && told.access.state(at: day(60)) == .expired)
    }

    @Test func failureWithoutGrace() {  // 120, 126
        var told = told()
        told.tell(first, renewal(of: first) { ($0.isInBillingRetryPeriod, $0.expirationIntent) = (true, 2) }, at: day(30))
        #expect(told.access.isActive(at: day(30) - .milliseconds(1)) && told.access.state(at: day(30)) == .billingRetry)
        #expect(told.access.state(at: day(90) - .milliseconds(1)) == .billingRetry && told.access.state(at: day(90)) == .expired)
    }

    @Test func lateFailureMessageAfterTheRenewal() {  // 122
        var told = told()
        told.tell(second, renewal(of: second) { $0.isInBillingRetryPeriod = false }, at: day(30) + .hours(2))
        told.tell(first, renewal(of: first) { $0.isInBillingRetryPeriod = true }, at: day(30))
        #expect(told.access.state(at: day(31)) == .active && told.access.row(at: day(31))?.access.until == day(60))
    }

    @Test func renewalBeforeThePurchase() {  // 123
        var told = Told()
        told.tell(second, renewal(of: second), at: day(30))
        #expect(!told.access.isActive(at: day(10)) && told.access.isActive(at: day(31)))
        told.tell(first, renewal(of: first), at: day(0))
        #expect(told.access.isActive(at: day(10)) && told.access.row(at: day(31))?.access.until == day(60))
    }

    @Test(arguments: [1, 3, 4, 5] as [Int32])
    func expiredForAnyReason(intent: Int32) {
        var told = told()
        told.tell(first, renewal(of: first) { ($0.autoRenewStatus, $0.expirationIntent) = (0, intent) }, at: day(30))
        #expect(told.access.row(at: day(31))?.state == .expired && told.access.row(at: day(31))?.willRenew == false)
    }

    @Test func retryEndedUnpaid() {
        var told = told()
        let over: (inout RenewalInfo) -> Void = { ($0.isInBillingRetryPeriod, $0.expirationIntent, $0.autoRenewStatus) = (false, 2, 0) }
        told.tell(first, renewal(of: first, over), at: day(90))
        #expect(told.access.state(at: day(91)) == .expired)
    }

    @Test func extendedRenewalTakesTheNewDates() {
        var told = told()
        var longer = first
        longer.expiresDate = day(44)
        told.tell(longer, renewal(of: longer), at: day(20))
        #expect(told.access.row(at: day(21))?.access.until == day(44))
    }

    @Test func migratedChainIsCutWhereTheNewOneStarts() {
        var told = told()
        let new = period("8", of: "8", day(12), day(42), product: "pro.advanced") { $0.previousOriginalTransactionID = TransactionID("1") }
        told.tell(new, renewal(of: new), at: day(12))
        #expect(told.access.isActive("1", at: day(11)) && !told.access.isActive("1", at: day(12)) && told.access.isActive("8", at: day(12)))
        told.tell(new.refunded(at: day(20)), at: day(20))
        #expect(!told.access.isActive("1", at: day(21)) && !told.access.isActive("8", at: day(21)))
    }
}

struct OneTimeRows {
    @Test func nonConsumableIsForEverUntilRevoked() {
        var told = Told()
        let life = oneTime("7", "Non-Consumable", day(0))
        told.tell(life, at: day(0))
        #expect(told.access.row("7", at: day(9_999))?.access == Access(active: true, until: nil))
        #expect(told.access.state("7", at: day(-1)) == .upcoming && told.access.row("7", at: day(1))?.willRenew == false)
        told.tell(life.refunded(at: day(5)), at: day(5))
        #expect(told.access.isActive("7", at: day(4)) && told.access.state("7", at: day(5)) == .revoked)
        told.reverse(life, at: day(8))
        #expect(told.access.row("7", at: day(9_999))?.access == Access(active: true, until: nil))
    }

    @Test func nonRenewingGoesByTheOwnersDuration() {
        var told = Told()
        told.terms[ProductID("season")] = ProductTerms(duration: CalendarPeriod(months: 3))
        told.tell(oneTime("7", "Non-Renewing Subscription", day(0), product: "season") { $0.expiresDate = day(10) }, at: day(0))
        told.tell(oneTime("8", "Non-Renewing Subscription", day(0), product: "dated") { $0.expiresDate = day(10) }, at: day(0))
        told.tell(oneTime("9", "Non-Renewing Subscription", day(0), product: "unknown"), at: day(0))
        #expect(told.access.row("7", at: day(1))?.access == Access(active: true, until: day(92)), "June to August")
        #expect(told.access.state("7", at: day(92)) == .expired)
        #expect(told.access.row("8", at: day(1))?.access == Access(active: true, until: day(10)))
        #expect(told.access.row("9", at: day(1))?.access == Access(active: false, until: day(0)))
        #expect(told.access.entitlements(at: day(1)).map(\.originalTransactionID.rawValue) == ["7", "8", "9"])
    }

    @Test func unknownTypeGoesByItsDates() {
        var told = Told()
        told.tell(oneTime("7", "Rental", day(0)) { $0.expiresDate = day(2) }, at: day(0))
        told.tell(oneTime("8", "Rental", day(0)), at: day(0))
        #expect(told.access.isActive("7", at: day(1)) && told.access.state("7", at: day(2)) == .expired)
        #expect(!told.access.isActive("8", at: day(1)))
    }

    @Test func subscriptionWithoutAnEndGrantsNothing() {
        var told = Told()
        told.tell(period("1", day(0), nil), at: day(0))
        #expect(!told.access.isActive(at: day(0)) && told.access.state(at: day(1)) == .expired)
    }

    @Test func accessOfAGroupIsThatOfAllItsChains() {
        var told = Told()
        told.tell(period("1", day(0), day(30)), at: day(0))
        told.tell(period("2", of: "2", day(10), day(50), product: "basic"), at: day(10))
        told.tell(oneTime("7", "Non-Consumable", day(0)), at: day(0))
        #expect(told.access.access(group: "g", product: ProductID("pro"), at: day(12)) == Access(active: true, until: day(50)))
        #expect(told.access.access(group: nil, product: ProductID("life"), at: day(12)) == Access(active: true, until: nil))
        #expect(told.access.access(group: "other", product: ProductID("pro"), at: day(12)) == .none)
    }
}
