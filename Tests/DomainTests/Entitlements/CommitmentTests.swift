import Domain
import Testing

/// The example of Apple's documentation told month by month: a year from 2026-06-01 10:00, month n begins at `starts[n - 1]`.
private struct Plan {
    static let starts: [Timestamp] = (0..<27).map { day(0) + CalendarPeriod(months: $0) }
    /// Unpaid from month 4's due date to its recovery, 2026-09-05 08:00.
    static let gap = Span(milliseconds: 338_400_000)
    static let cancelled = Timestamp(milliseconds: 1_787_216_400_000)
    static let refunded = Timestamp(milliseconds: 1_794_312_000_000)

    var told = Told()
    var access: CustomerAccess { told.access }

    static func month(
        _ n: Int, late: Span = .days(0), number: Int32?? = nil, total: Int32? = 12, product: String = "pro.yearly"
    ) -> Transaction {
        let position = (n - 1) % 12 + 1
        return period("\(1000 + n)", of: "1001", starts[n - 1] + late, starts[n] + late, product: product) {
            $0.rawBillingPlanType = "MONTHLY"
            $0.commitment = TransactionCommitment(
                billingPeriodNumber: number ?? Int32(position), totalBillingPeriods: total,
                commitmentExpiresDate: starts[n - position + 12] + late, commitmentPrice: 131_880)
        }
    }

    static func renewing(
        _ month: Transaction, commitment: Int32 = 1, after: String? = nil, _ change: (inout RenewalInfo) -> Void = { _ in }
    ) -> RenewalInfo {
        renewal(of: month) {
            $0.rawRenewalBillingPlanType = "MONTHLY"
            $0.commitment = RenewalCommitment(
                commitmentAutoRenewProductID: ProductID(after ?? month.productID.rawValue), commitmentAutoRenewStatus: commitment,
                commitmentRenewalDate: month.commitment?.commitmentExpiresDate)
            change(&$0)
        }
    }

    mutating func tell(_ months: ClosedRange<Int>, late: Span = .days(0), commitment: Int32 = 1) {
        for n in months {
            let month = Self.month(n, late: late)
            told.tell(month, Self.renewing(month, commitment: commitment), at: month.purchaseDate + .seconds(2))
        }
    }

    mutating func fail(grace: Timestamp? = nil) {
        let month = Self.month(3)
        let info = Self.renewing(month) { ($0.isInBillingRetryPeriod, $0.expirationIntent, $0.gracePeriodExpiresDate) = (true, 2, grace) }
        told.tell(month, info, at: Self.starts[3] + .seconds(2))
    }

    func commitment(at instant: Timestamp) -> CommitmentProgress? { access.row("1001", at: instant)?.commitment }
    func isActive(_ instant: Timestamp) -> Bool { access.isActive("1001", at: instant) }
}

private let starts = Plan.starts

struct CommitmentPayloads {
    @Test func theDatesAreThoseOfTheDocumentation() {
        #expect(starts[0].milliseconds == 1_780_308_000_000 && starts[1].milliseconds == 1_782_900_000_000)
        #expect(starts[3].milliseconds == 1_788_256_800_000 && starts[12].milliseconds == 1_811_844_000_000)
        #expect((starts[3] + Plan.gap).milliseconds == 1_788_595_200_000 && starts[24].milliseconds == 1_843_466_400_000)
    }

    @Test func purchaseAndRenewal() {
        var plan = Plan()
        plan.tell(1...1)
        let running = CommitmentProgress(state: .running, billingPeriodNumber: 1, totalBillingPeriods: 12, expiresDate: starts[12])
        #expect(plan.commitment(at: day(3)) == running)
        #expect(plan.access.row("1001", at: day(3))?.access == Access(active: true, until: starts[1]))
        #expect(!plan.isActive(starts[1]), "the commitment itself grants nothing")
        plan.tell(2...2)
        #expect(plan.commitment(at: day(33))?.billingPeriodNumber == 2 && plan.isActive(starts[2] - .milliseconds(1)))
    }

    @Test func cancellationInMonthThree() {  // 134
        var plan = Plan()
        plan.tell(1...3)
        let before = plan.access.row("1001", at: Plan.cancelled + .hours(1))
        plan.told.tell(Plan.month(3), Plan.renewing(Plan.month(3), commitment: 0), at: Plan.cancelled)
        var row = plan.access.row("1001", at: Plan.cancelled + .hours(1))
        #expect(row?.commitment?.endsAfterTerm == true && row?.commitment?.state == .running && row?.willRenew == true)
        #expect(row?.pendingProductID == nil)
        row?.commitment?.endsAfterTerm = false
        #expect(row == before)
        plan.told.tell(Plan.month(3), Plan.renewing(Plan.month(3)), at: Plan.cancelled + .hours(2))
        #expect(plan.access.row("1001", at: Plan.cancelled + .hours(3)) == before, "taken back")
    }

    @Test func cancelledKeepsAllTwelve() {
        var plan = Plan()
        plan.tell(1...3)
        plan.told.tell(Plan.month(3), Plan.renewing(Plan.month(3), commitment: 0), at: Plan.cancelled)
        plan.tell(4...12, commitment: 0)
        for n in 0..<12 { #expect(plan.isActive(starts[n]) && plan.isActive(starts[n] + .days(15))) }
        #expect(plan.isActive(starts[12] - .milliseconds(1)) && !plan.isActive(starts[12]))
        #expect(plan.commitment(at: starts[12] + .days(1))?.state == .completed)
        let over = Plan.renewing(Plan.month(12), commitment: 0) { ($0.autoRenewStatus, $0.expirationIntent) = (0, 1) }
        plan.told.tell(Plan.month(12), over, at: starts[12] + .seconds(9))
        let end = plan.commitment(at: starts[12] + .days(2))
        #expect(end?.state == .completed && end?.billingPeriodNumber == 12 && end?.endsAfterTerm == true)
    }

    @Test(arguments: [nil, starts[3] + .days(16)])
    func anUnpaidMonthEndsAccessAtOnce(grace: Timestamp?) {
        var plan = Plan()
        plan.tell(1...3)
        plan.fail(grace: grace)
        #expect(plan.isActive(starts[3] - .milliseconds(1)) && !plan.isActive(starts[3]) && !plan.isActive(starts[3] + .days(1)))
        #expect(plan.access.state("1001", at: starts[3] + .days(89)) == .billingRetry)
        #expect(plan.access.state("1001", at: starts[3] + .days(90)) == .expired)
        #expect(plan.commitment(at: starts[3] + .days(89))?.state == .running)
    }

    @Test(arguments: [Plan.gap, .days(89)])
    func recovery(gap: Span) {
        var plan = Plan()
        plan.tell(1...3)
        plan.fail()
        plan.tell(4...4, late: gap)
        #expect(!plan.isActive(starts[3] + .hours(1)) && !plan.isActive(starts[3] + gap - .hours(1)) && plan.isActive(starts[3] + gap))
        let now = starts[3] + gap + .hours(1)
        #expect(plan.access.row("1001", at: now)?.access.until == starts[4] + gap)
        let moved = CommitmentProgress(state: .running, billingPeriodNumber: 4, totalBillingPeriods: 12, expiresDate: starts[12] + gap)
        #expect(plan.commitment(at: now) == moved)
        plan.fail()
        #expect(plan.isActive(now), "told again, signed before the recovery")
        #expect(plan.access.subscriptionCommitmentCount == 1)
    }

    @Test func neverPaid() {
        var plan = Plan()
        plan.tell(1...3)
        plan.fail()
        let late = starts[3] + .days(91)
        #expect(plan.commitment(at: late)?.state == .running, "our newest may be stale")
        #expect(plan.access.needsStatusConfirmation(at: late) == [TransactionID("1001")])
        #expect(plan.access.needsStatusConfirmation(at: starts[3] + .days(89)).isEmpty)
        var asked = plan
        asked.told.confirmStatus(TransactionID("1001"), at: late)
        #expect(asked.commitment(at: late)?.state == .endedByBilling && asked.access.needsStatusConfirmation(at: late).isEmpty)
        let over = Plan.renewing(Plan.month(3)) { ($0.autoRenewStatus, $0.isInBillingRetryPeriod, $0.expirationIntent) = (0, false, 2) }
        plan.told.tell(Plan.month(3), over, at: Timestamp(milliseconds: 1_796_032_800_000))
        #expect(plan.commitment(at: late)?.state == .endedByBilling && plan.access.state("1001", at: late) == .expired)
        #expect(plan.isActive(starts[2] + .days(1)) && plan.access.needsStatusConfirmation(at: late).isEmpty)
    }

    @Test(arguments: [(2, 5, Span.days(0)), (4, 6, Plan.gap), (1, 2, .days(0)), (11, 12, .days(0))])
    func refundOfAPastMonth(month: Int, running: Int, gap: Span) {
        var plan = Plan()
        plan.tell(1...min(3, running))
        if gap > .days(0) { plan.fail() }
        if running > 3 { plan.tell(4...running, late: gap) }
        let now = starts[running - 1] + gap + .days(10)
        let before = plan.access.row("1001", at: now)
        let revoked = Plan.month(month, late: month > 3 ? gap : .days(0)).refunded(at: now - .hours(1))
        plan.told.tell(revoked, Plan.renewing(Plan.month(running, late: gap)), at: now - .hours(1))
        #expect(plan.access.row("1001", at: now) == before && before?.access.active == true && before?.commitment?.state == .running)
        #expect(plan.isActive(starts[month - 1] + gap + .days(5)), "the refunded month did grant")
        #expect(plan.access.needsStatusConfirmation(at: now).isEmpty)
    }

    @Test func refundOfTheCurrentMonth() {
        var plan = Plan()
        plan.tell(1...3)
        plan.fail()
        plan.tell(4...6, late: Plan.gap)
        let month = Plan.month(6, late: Plan.gap)
        let off = Plan.renewing(month, commitment: 0) { $0.autoRenewStatus = 0 }
        let now = Plan.refunded + .hours(1)
        plan.told.tell(month.refunded(at: Plan.refunded, percentage: 82_778, type: .refundProrated), off, at: Plan.refunded + .seconds(1))
        #expect(plan.isActive(Plan.refunded - .milliseconds(1)) && !plan.isActive(Plan.refunded) && !plan.isActive(starts[7]))
        #expect(plan.access.state("1001", at: now) == .revoked)
        #expect(plan.commitment(at: now)?.state == .running, "not before Apple was asked")
        #expect(plan.access.needsStatusConfirmation(at: now) == [TransactionID("1001")])
        plan.told.confirmStatus(TransactionID("1001"), at: Plan.refunded - .seconds(1))
        #expect(plan.commitment(at: now)?.state == .running, "an older word of Apple does not count")
        plan.told.confirmStatus(TransactionID("1001"), at: now)
        #expect(plan.commitment(at: now)?.state == .endedByRefund && plan.access.needsStatusConfirmation(at: now).isEmpty)
        #expect(plan.commitment(at: Plan.refunded - .seconds(1))?.state == .running)
        var honoured = plan
        let seventh = Plan.month(7, late: Plan.gap)
        honoured.told.tell(seventh, Plan.renewing(seventh), at: seventh.purchaseDate)
        #expect(honoured.isActive(seventh.purchaseDate) && honoured.commitment(at: seventh.purchaseDate)?.state == .running)
        plan.told.reverse(month, off, at: now + .hours(1))
        #expect(plan.commitment(at: now + .hours(2))?.state == .running && plan.isActive(month.expiresDate ?? now - .hours(1)) == false)
        #expect(plan.access.row("1001", at: now)?.access == Access(active: true, until: starts[6] + Plan.gap))
    }

    @Test func refundOfTheNewestMonthWeKnowOf() {
        var plan = Plan()
        plan.tell(1...5)
        let now = starts[5] + .days(5)
        plan.told.tell(Plan.month(5).refunded(at: starts[5] + .days(4)), Plan.renewing(Plan.month(6)), at: starts[5] + .days(4))
        #expect(!plan.isActive(now) && plan.access.needsStatusConfirmation(at: now) == [TransactionID("1001")])
        plan.told.confirmStatus(TransactionID("1001"), at: now)
        plan.told.tell(Plan.month(6), Plan.renewing(Plan.month(6)), at: now)
        #expect(plan.access.row("1001", at: now)?.access == Access(active: true, until: starts[6]))
        #expect(plan.commitment(at: now)?.state == .running && plan.commitment(at: now)?.billingPeriodNumber == 6)
    }

    @Test func refundAfterTheTermEndedLeavesItCompleted() {
        var plan = Plan()
        plan.tell(1...12)
        plan.told.tell(Plan.month(12).refunded(at: starts[12] + .days(3)), at: starts[12] + .days(3))
        #expect(plan.commitment(at: starts[12] + .days(4))?.state == .completed)
        #expect(plan.access.needsStatusConfirmation(at: starts[12] + .days(4)).isEmpty)
    }

    @Test func twoCommitmentsAreToldApartThoughMonthsBetweenThemAreUnknown() {
        var plan = Plan()
        plan.tell(5...5)
        plan.tell(20...20)
        #expect(plan.access.subscriptionCommitmentCount == 2)
        plan.tell(6...19)
        #expect(plan.access.subscriptionCommitmentCount == 2)
    }

    @Test func aTermWhoseLastMonthsAreUnknownNeedsApplesWord() {
        var plan = Plan()
        plan.tell(1...6)
        #expect(plan.access.needsStatusConfirmation(at: starts[12] - .days(1)).isEmpty)
        #expect(plan.commitment(at: starts[12])?.state == .running)
        #expect(plan.access.needsStatusConfirmation(at: starts[12]) == [TransactionID("1001")])
        plan.told.confirmStatus(TransactionID("1001"), at: starts[12])
        #expect(plan.commitment(at: starts[12])?.state == .completed && plan.access.needsStatusConfirmation(at: starts[12]).isEmpty)
    }

    @Test func monthFourBeforeMonthThree() {
        var plan = Plan()
        plan.tell(1...2)
        plan.tell(4...4)
        #expect(!plan.isActive(starts[2] + .days(1)) && plan.isActive(starts[3] + .days(1)))
        plan.tell(3...3)
        let now = starts[4] - .days(5)
        #expect((0..<4).allSatisfy { plan.isActive(starts[$0] + .days(1)) } && plan.commitment(at: now)?.billingPeriodNumber == 4)
        #expect(plan.commitment(at: now)?.state == .running && plan.access.subscriptionCommitmentCount == 1)
        #expect(!plan.access.hasImplausibleCommitment)
    }

    @Test(arguments: [(13, 12), (0, 12), (nil, 12), (3, 24), (3, nil), (-1, 12)] as [(Int32?, Int32?)])
    func oddNumbersLeaveAccessAlone(number: Int32?, total: Int32?) {
        var plan = Plan()
        plan.tell(1...2)
        let month = Plan.month(3, number: .some(number), total: total)
        plan.told.tell(month, Plan.renewing(month), at: starts[2])
        let now = starts[2] + .days(10)
        #expect(plan.access.row("1001", at: now)?.access == Access(active: true, until: starts[3]))
        #expect(plan.access.hasImplausibleCommitment && plan.commitment(at: now)?.state == .running)
        #expect(plan.commitment(at: now)?.billingPeriodNumber == number && plan.commitment(at: now)?.totalBillingPeriods == total)
        #expect(plan.access.subscriptionCommitmentCount == 1)
    }

    @Test(arguments: [true, false])
    func upgradeInMonthThree(copyArrives: Bool) {
        var plan = Plan()
        plan.tell(1...3)
        let new = period("2001", of: "1001", Plan.cancelled, Plan.cancelled + .days(31), product: "max.yearly") {
            ($0.rawBillingPlanType, $0.rawTransactionReason) = ("MONTHLY", "PURCHASE")
            $0.commitment = TransactionCommitment(
                billingPeriodNumber: 1, totalBillingPeriods: 12, commitmentExpiresDate: Plan.cancelled + .days(365))
        }
        let before = plan.access
        plan.told.tell(new, Plan.renewing(new), at: Plan.cancelled + .seconds(2))
        var old = Plan.month(3)
        old.isUpgraded = true
        if copyArrives { plan.told.tell(old, at: Plan.cancelled + .seconds(5)) }
        let now = Plan.cancelled + .days(2)
        let row = plan.access.row("1001", at: now)
        #expect(row?.productID.rawValue == "max.yearly" && row?.access == Access(active: true, until: new.expiresDate))
        #expect(row?.commitment?.billingPeriodNumber == 1 && row?.commitment?.expiresDate == Plan.cancelled + .days(365))
        #expect(plan.access.row("1001", at: starts[1] + .days(1))?.productID.rawValue == "pro.yearly")
        #expect(plan.isActive(starts[1] + .days(1)) && plan.access.entitlements(at: now).count == 1)
        let changes = plan.access.changes(since: before, at: now, now: now)
        #expect(changes.map(\.kind) == [.changed, .commitmentEnded, .commitmentStarted])
        #expect(changes[1].commitment?.state == .endedByUpgrade && changes[1].productID.rawValue == "pro.yearly")
    }

    @Test func downgradeWaitsForMonthTwelve() {
        var plan = Plan()
        plan.tell(1...3)
        plan.told.tell(Plan.month(3), Plan.renewing(Plan.month(3), after: "basic.yearly"), at: Plan.cancelled)
        let row = plan.access.row("1001", at: Plan.cancelled + .days(2))
        #expect(row?.productID.rawValue == "pro.yearly" && row?.access.until == starts[3])
        #expect(row?.pendingProductID?.rawValue == "basic.yearly" && row?.commitment?.endsAfterTerm == false)
    }

    @Test(arguments: ["pro.yearly", "basic.yearly"])
    func monthThirteenStartsAnew(product: String) {  // 137
        var plan = Plan()
        plan.tell(1...12)
        let month = Plan.month(13, product: product)
        plan.told.tell(month, Plan.renewing(month), at: starts[12] + .seconds(2))
        let now = starts[12] + .days(5)
        #expect(plan.isActive(starts[12] - .milliseconds(1)) && plan.isActive(starts[12]) && plan.isActive(starts[13] - .milliseconds(1)))
        let anew = CommitmentProgress(state: .running, billingPeriodNumber: 1, totalBillingPeriods: 12, expiresDate: starts[24])
        #expect(plan.commitment(at: now) == anew && plan.access.subscriptionCommitmentCount == 2)
        #expect(plan.commitment(at: starts[11] + .days(1))?.billingPeriodNumber == 12)
    }

    @Test func commitmentBoughtAgainAfterItLapsed() {
        var plan = Plan()
        plan.tell(1...3)
        let again = period("2001", of: "1001", starts[9], starts[10], product: "pro.yearly") {
            ($0.rawBillingPlanType, $0.rawTransactionReason) = ("MONTHLY", "PURCHASE")
            $0.commitment = TransactionCommitment(billingPeriodNumber: 1, totalBillingPeriods: 12, commitmentExpiresDate: starts[21])
        }
        let before = plan.access
        plan.told.tell(again, Plan.renewing(again), at: starts[9])
        let ended = plan.access.changes(since: before, at: starts[9], now: starts[9]).filter { $0.kind == .commitmentEnded }
        #expect(ended.map(\.commitment?.state) == [.endedByBilling])
    }

    @Test func anUpfrontYearHasNoCommitment() {
        var told = Told()
        let year = period("1", day(0), day(365)) {
            $0.rawBillingPlanType = "BILLED_UPFRONT"
            $0.commitment = TransactionCommitment(billingPeriodNumber: 40)
        }
        told.tell(year, renewal(of: year), at: day(0))
        #expect(told.access.row(at: day(1))?.commitment == nil && !told.access.hasImplausibleCommitment)
    }
}

extension CustomerAccess {
    /// Commitments ever begun, as one who was never told anything hears of them.
    fileprivate var subscriptionCommitmentCount: Int {
        let nothing = CustomerAccess(purchases: [], chains: []) { _ in ProductTerms() }
        let now = Timestamp(milliseconds: .max)
        return changes(since: nothing, at: now, now: now).filter { $0.kind == .commitmentStarted }.count
    }
}
