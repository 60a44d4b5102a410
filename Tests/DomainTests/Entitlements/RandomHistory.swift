import Domain

/// A customer's history drawn from a seed: facts in the order of signing.
struct RandomHistory {
    var told = Told()
    var random: Seeded
    private(set) var transactions: [Transaction] = []

    init(seed: UInt64) {
        random = Seeded(seed)
        told.terms[ProductID("coins")] = ProductTerms(granted: 100)
        told.terms[ProductID("season")] = ProductTerms(duration: CalendarPeriod(months: 2))
        for chain in 1...Int.random(in: 1...2, using: &random) {
            if Bool.random(using: &random) { addSubscription("\(chain)000") } else { addCommitment("\(chain)000") }
        }
        if chance(0.3) { addMigration() }
        for id in 0..<Int.random(in: 0...3, using: &random) { addOneTime("9\(id)") }
        for _ in 0..<Int.random(in: 0...2, using: &random) { refund() }
        told.facts.sort { $0.signedDate < $1.signedDate }
    }

    mutating func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &random) < share }

    mutating func instant() -> Timestamp { day(Int64.random(in: -2...500, using: &random)) + .hours(.random(in: 0...24, using: &random)) }

    private mutating func addSubscription(_ original: String) {
        var start = day(.random(in: 0...60, using: &random))
        var product = "pro"
        for number in 0..<Int.random(in: 1...6, using: &random) {
            let id = number == 0 ? original : "\(original)\(number)"
            let month = period(id, of: original, start, start + .days(30), product: product) {
                guard product == "team" else { return }
                ($0.quantity, $0.rawInvitationManagement) = (5, "DEVELOPER")
            }
            add(month, signedEarly: number > 0)
            start = next(after: month, product: &product)
        }
    }

    /// The start of the next period: on time, upgraded in between, paid late, or in a grace period.
    private mutating func next(after month: Transaction, product: inout String) -> Timestamp {
        let end = month.purchaseDate + .days(30)
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
            product = ["pro", "max", "team"].randomElement(using: &random) ?? "pro"
            var closed = month
            closed.isUpgraded = true
            let upgraded = month.purchaseDate + .days(.random(in: 1...29, using: &random))
            if chance(0.5) { told.tell(closed, at: upgraded + .seconds(5)) }
            return upgraded
        case 1:
            told.tell(month, renewal(of: month) { ($0.isInBillingRetryPeriod, $0.expirationIntent) = (true, 2) }, at: end)
            return end + .days(.random(in: 1...50, using: &random))
        case 2:
            let info = renewal(of: month) { ($0.isInBillingRetryPeriod, $0.gracePeriodExpiresDate) = (true, end + .days(16)) }
            told.tell(month, info, at: end)
            return end + .days(.random(in: 1...20, using: &random))
        case 3:
            told.tell(month, renewal(of: month) { $0.autoRenewStatus = 0 }, at: month.purchaseDate + .days(3))
            return end
        case 4:
            product = "basic"
            return end
        default: return end
        }
    }

    private mutating func addCommitment(_ original: String) {
        let first = day(.random(in: 0...60, using: &random))
        var late = Span.days(0)
        var known = Array(1...Int32.random(in: 1...15, using: &random))
        if chance(0.3) { known.removeAll { _ in chance(0.2) } }
        for number in known {
            if chance(0.1) { late = Span(milliseconds: late.milliseconds) + .days(.random(in: 1...40, using: &random)) }
            let position = (number - 1) % 12 + 1
            let start = first + CalendarPeriod(months: number - 1) + late
            let month = period(
                "\(original)\(number)", of: original, start, first + CalendarPeriod(months: number) + late, product: "yearly"
            ) {
                $0.rawBillingPlanType = "MONTHLY"
                $0.commitment = TransactionCommitment(
                    billingPeriodNumber: position, totalBillingPeriods: 12,
                    commitmentExpiresDate: first + CalendarPeriod(months: number - position + 12) + late)
            }
            add(month, signedEarly: number > 1)
            if chance(0.1) {
                let cancelled = renewal(of: month) { $0.commitment = RenewalCommitment(commitmentAutoRenewStatus: 0) }
                told.tell(month, cancelled, at: start + .days(2))
            }
        }
    }

    private mutating func add(_ transaction: Transaction, signedEarly: Bool) {
        let signed = signedEarly && chance(0.2) ? transaction.purchaseDate - .hours(20) : transaction.purchaseDate + .seconds(2)
        told.tell(transaction, chance(0.8) ? renewal(of: transaction) : nil, at: signed)
        transactions.append(transaction)
    }

    private mutating func addMigration() {
        guard let old = transactions.last, old.isAutoRenewable else { return }
        let start = old.purchaseDate + .days(.random(in: 1...40, using: &random))
        let new = period("7000", of: "7000", start, start + .days(30), product: "advanced") {
            $0.previousOriginalTransactionID = old.originalTransactionID
        }
        add(new, signedEarly: false)
    }

    private mutating func addOneTime(_ id: String) {
        let kinds = [("Consumable", "coins"), ("Non-Consumable", "life"), ("Non-Renewing Subscription", "season"), ("Rental", "film")]
        let (type, product) = kinds.randomElement(using: &random) ?? kinds[0]
        let start = day(.random(in: 0...200, using: &random))
        let transaction = oneTime(id, type, start, product: product) {
            $0.quantity = type == "Consumable" ? 3 : 1
            $0.expiresDate = type == "Rental" ? start + .days(2) : nil
        }
        add(transaction, signedEarly: false)
    }

    private mutating func refund() {
        guard let transaction = transactions.randomElement(using: &random) else { return }
        let date = transaction.purchaseDate + .days(.random(in: 0...60, using: &random))
        told.tell(transaction.refunded(at: date, percentage: .random(in: 0...100_000, using: &random)), at: date + .seconds(1))
        if chance(0.5) { told.reverse(transaction, at: date + .days(4)) }
        if chance(0.5) { told.confirmStatus(transaction.originalTransactionID, at: date + .days(1)) }
    }
}

extension Fact {
    /// When it could be known at the earliest.
    var signedDate: Timestamp {
        transaction?.signedDate ?? renewal?.signedDate ?? statusConfirmed?.at ?? Timestamp(milliseconds: 0)
    }
}

extension Span {
    static func + (a: Span, b: Span) -> Span { Span(milliseconds: a.milliseconds + b.milliseconds) }
}
