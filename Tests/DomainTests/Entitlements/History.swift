import Domain

/// One signed fact as it may arrive: a notification's transaction, renewal info and, for `REFUND_REVERSED`, its word on the transaction.
struct Fact: Hashable {
    var transaction: Transaction?
    var renewal: RenewalInfo?
    var reversal: (Reversal)?
    var statusConfirmed: Confirmation?
    var uuid: String

    struct Reversal: Hashable {
        var transactionID: TransactionID
        var signedDate: Timestamp
    }
    struct Confirmation: Hashable {
        var original: TransactionID
        var at: Timestamp
    }
}

/// The facts about one customer folded as the intake folds them: the newest copy of each transaction and renewal info.
struct History: Hashable {
    var purchases: [TransactionID: Purchase] = [:]
    var chains: [TransactionID: Chain] = [:]
    private var reversals: [TransactionID: Timestamp] = [:]
    var terms: [ProductID: ProductTerms] = [:]

    init(_ facts: [Fact] = [], terms: [ProductID: ProductTerms] = [:]) {
        self.terms = terms
        for fact in facts { add(fact) }
    }

    mutating func add(_ fact: Fact) {
        if let transaction = fact.transaction { add(transaction, fact.uuid) }
        if let renewal = fact.renewal { add(renewal, fact.uuid) }
        if let reversal = fact.reversal {
            reversals[reversal.transactionID] = max(reversals[reversal.transactionID] ?? reversal.signedDate, reversal.signedDate)
            purchases[reversal.transactionID]?.lastReversal = reversals[reversal.transactionID]
        }
        if let confirmed = fact.statusConfirmed {
            var chain = chains[confirmed.original] ?? Chain(originalTransactionID: confirmed.original)
            chain.statusConfirmedAt = max(chain.statusConfirmedAt ?? confirmed.at, confirmed.at)
            chains[confirmed.original] = chain
        }
    }

    private mutating func add(_ transaction: Transaction, _ uuid: String) {
        let precedence = Precedence(signedDate: transaction.signedDate, notificationUUID: uuid, payloadSHA256: [])
        let copy = Snapshot(transaction, precedence)
        var purchase = purchases[transaction.transactionID] ?? Purchase(newest: copy)
        _ = purchase.newest.merge(copy)
        purchase.lastReversal = reversals[transaction.transactionID]
        purchases[transaction.transactionID] = purchase
    }

    private mutating func add(_ renewal: RenewalInfo, _ uuid: String) {
        let copy = Snapshot(renewal, Precedence(signedDate: renewal.signedDate, notificationUUID: uuid, payloadSHA256: []))
        var chain = chains[renewal.originalTransactionID] ?? Chain(originalTransactionID: renewal.originalTransactionID)
        if chain.renewal == nil { chain.renewal = copy } else { _ = chain.renewal?.merge(copy) }
        chains[renewal.originalTransactionID] = chain
    }

    var access: CustomerAccess {
        CustomerAccess(purchases: purchases.values, chains: chains.values) { terms[$0] ?? ProductTerms() }
    }
}

/// Builds facts in the order of signing; `at` stands for the notification's `signedDate`.
struct Told {
    var facts: [Fact] = []
    var terms: [ProductID: ProductTerms] = [:]
    var access: CustomerAccess { History(facts, terms: terms).access }

    mutating func tell(_ transaction: Transaction? = nil, _ renewal: RenewalInfo? = nil, at: Timestamp) {
        var (transaction, renewal) = (transaction, renewal)
        transaction?.signedDate = at
        renewal?.signedDate = at
        facts.append(Fact(transaction: transaction, renewal: renewal, uuid: "u\(facts.count)"))
    }

    mutating func reverse(_ transaction: Transaction, _ renewal: RenewalInfo? = nil, at: Timestamp) {
        tell(transaction, renewal, at: at)
        facts[facts.count - 1].reversal = .init(transactionID: transaction.transactionID, signedDate: at)
    }

    mutating func confirmStatus(_ original: TransactionID, at: Timestamp) {
        facts.append(Fact(statusConfirmed: .init(original: original, at: at), uuid: ""))
    }
}

func day(_ count: Int64) -> Timestamp { Timestamp(milliseconds: 1_780_308_000_000) + .days(count) }

/// One period of a subscription; `end` nil leaves `expiresDate` out.
func period(
    _ id: String, of original: String = "1", _ start: Timestamp, _ end: Timestamp?, product: String = "pro",
    _ change: (inout Transaction) -> Void = { _ in }
) -> Transaction {
    var transaction = Transaction(
        transactionID: TransactionID(id), originalTransactionID: TransactionID(original), productID: ProductID(product),
        rawType: ProductType.autoRenewableSubscription.rawValue, purchaseDate: start, signedDate: start)
    transaction.subscriptionGroupIdentifier = "g"
    transaction.expiresDate = end
    transaction.rawTransactionReason = id == original ? "PURCHASE" : "RENEWAL"
    change(&transaction)
    return transaction
}

func oneTime(
    _ id: String, _ type: String, _ start: Timestamp, product: String = "life", _ change: (inout Transaction) -> Void = { _ in }
) -> Transaction {
    var transaction = Transaction(
        transactionID: TransactionID(id), originalTransactionID: TransactionID(id), productID: ProductID(product), rawType: type,
        purchaseDate: start, signedDate: start)
    change(&transaction)
    return transaction
}

func renewal(of transaction: Transaction, _ change: (inout RenewalInfo) -> Void = { _ in }) -> RenewalInfo {
    var renewal = RenewalInfo(originalTransactionID: transaction.originalTransactionID, signedDate: transaction.signedDate)
    renewal.productID = transaction.productID
    renewal.autoRenewProductID = transaction.productID
    renewal.autoRenewStatus = 1
    renewal.renewalDate = transaction.expiresDate
    change(&renewal)
    return renewal
}

extension Transaction {
    func refunded(at date: Timestamp, percentage: Int32? = 100_000, type: RevocationType? = .refundFull) -> Transaction {
        var copy = self
        copy.revocationDate = date
        copy.revocationReason = 1
        copy.rawRevocationType = type?.rawValue
        copy.revocationPercentage = percentage
        return copy
    }
}

extension CustomerAccess {
    func row(_ original: String = "1", at instant: Timestamp) -> Entitlement? {
        entitlements(at: instant).first { $0.originalTransactionID.rawValue == original }
    }
    func isActive(_ original: String = "1", at instant: Timestamp) -> Bool {
        entitlements(at: instant).contains { $0.originalTransactionID.rawValue == original && $0.access.active }
    }
    func state(_ original: String = "1", at instant: Timestamp) -> Entitlement.State? { row(original, at: instant)?.state }
}

/// A seeded generator (SplitMix64), so that a failure can be repeated.
struct Seeded: RandomNumberGenerator {
    var state: UInt64
    init(_ seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
