import Domain

/// How a purchase is made.
package struct PurchaseOptions: Sendable {
    package var quantity: Int32 = 1
    /// Twelve months, paid one by one.
    package var isCommitment = false
    /// A week free before the first payment.
    package var hasFreeTrial = false
    /// Who hands out the seats of a purchase of several: `APPLE` or `DEVELOPER`.
    package var seatInvitations: String?
    package var isAdvancedCommerce = false

    package init(quantity: Int32 = 1, isCommitment: Bool = false, hasFreeTrial: Bool = false) {
        self.quantity = quantity
        self.isCommitment = isCommitment
        self.hasFreeTrial = hasFreeTrial
    }
}

extension StoreWorld {
    package mutating func newCustomer(
        of bundleID: String, storefront: Storefront = .unitedStates, hasAccountToken: Bool = true, at now: Timestamp
    ) -> StoreCustomer {
        let customer = StoreCustomer(
            appTransactionID: "704" + makeID().dropFirst(1), bundleID: bundleID,
            appAccountToken: hasAccountToken ? random.uuid() : nil, storefront: storefront, firstSeen: now)
        customers[customer.appTransactionID] = customer
        return customer
    }

    /// A customer buys.
    /// - Returns: The `transactionId`; a new subscription's is its `originalTransactionId` too.
    @discardableResult
    package mutating func buy(
        _ productID: String, by customer: StoreCustomer, _ options: PurchaseOptions = PurchaseOptions(), at now: Timestamp
    ) throws(SimulatorError) -> String {
        let product = try product(productID, in: customer.bundleID)
        var transaction = newTransaction(of: product, for: customer, at: now)
        transaction.originalTransactionId = transaction.transactionId
        transaction.quantity = options.quantity
        transaction.price = transaction.price.map { $0 * Int64(options.quantity) }
        transaction.multiSeatInfo = options.seatInvitations.map { MultiSeatInfo(invitationManagement: $0) }
        transaction.advancedCommerceInfo = options.isAdvancedCommerce ? AdvancedCommerceInfo(requestReferenceId: random.uuid()) : nil
        guard product.type == .autoRenewableSubscription, let period = product.period else {
            insert(transaction, at: now)
            emit(.oneTimeCharge, about: transaction.transactionId, at: now)
            return transaction.transactionId
        }
        transaction.expiresDate = period.end(from: now, in: environment).milliseconds
        if options.isCommitment { commit(&transaction, to: product, period: 1, end: nil) }
        if options.hasFreeTrial { beginTrial(&transaction) }
        insert(transaction, at: now)
        chains[transaction.originalTransactionId] = newChain(of: transaction, product)
        emit(.subscribed, .initialBuy, about: transaction.transactionId, at: now)
        return transaction.transactionId
    }

    /// A transaction of a product at its price in the customer's store; an original of its own until said otherwise.
    func newTransaction(of product: SimulatedProduct, for customer: StoreCustomer, id: String, at start: Timestamp) -> TransactionPayload {
        var transaction = TransactionPayload(
            transactionId: id, originalTransactionId: id, appTransactionId: customer.appTransactionID, bundleId: customer.bundleID,
            productId: product.id, type: product.type.rawValue, purchaseDate: start.milliseconds,
            originalPurchaseDate: start.milliseconds, signedDate: start.milliseconds, environment: environment.rawValue,
            storefront: customer.storefront.code, storefrontId: customer.storefront.id, transactionReason: "PURCHASE")
        transaction.subscriptionGroupIdentifier = product.group
        transaction.currency = customer.storefront.currency
        transaction.price = price(product.price, in: customer.storefront)
        transaction.appAccountToken = customer.appAccountToken
        if product.type == .autoRenewableSubscription {
            transaction.webOrderLineItemId = String(id.reversed())
            transaction.billingPlanType = BillingPlanType.billedUpfront.rawValue
        }
        return transaction
    }

    private mutating func newTransaction(of product: SimulatedProduct, for customer: StoreCustomer, at start: Timestamp)
        -> TransactionPayload
    {
        newTransaction(of: product, for: customer, id: makeID(), at: start)
    }

    func price(_ milliunits: Int64, in storefront: Storefront) -> Int64 { milliunits * storefront.rate / 1_000 }

    mutating func insert(_ transaction: TransactionPayload, at now: Timestamp) {
        let order = "M" + String(random.next() % 0xFFFF_FFFF_FFFF, radix: 36).uppercased()
        purchases[transaction.transactionId] = StorePurchase(transaction: transaction, modifiedAt: now.milliseconds, orderID: order)
    }

    /// Makes a period one of twelve.
    /// - Parameter end: Of the whole commitment; nil counts twelve months from this period's start.
    func commit(
        _ transaction: inout TransactionPayload, to product: SimulatedProduct, period number: Int32, end: Int64?, anchorDay: Int64? = nil
    ) {
        let start = Timestamp(milliseconds: transaction.purchaseDate)
        let storefront = transaction.appTransactionId.flatMap { customers[$0]?.storefront } ?? .unitedStates
        let monthly = price(product.commitmentPrice ?? product.price / 12, in: storefront)
        transaction.billingPlanType = BillingPlanType.monthly.rawValue
        transaction.price = monthly
        transaction.expiresDate = BillingPeriod.months(1).end(from: start, anchorDay: anchorDay, in: environment).milliseconds
        transaction.commitmentInfo = TransactionCommitmentInfo(
            billingPeriodNumber: number,
            commitmentExpiresDate: end ?? BillingPeriod.months(12).end(from: start, anchorDay: anchorDay, in: environment).milliseconds,
            commitmentPrice: 12 * monthly)
    }

    private func beginTrial(_ transaction: inout TransactionPayload) {
        transaction.price = 0
        transaction.offerType = 1
        transaction.offerDiscountType = "FREE_TRIAL"
        transaction.offerPeriod = "P1W"
        let start = Timestamp(milliseconds: transaction.purchaseDate)
        transaction.expiresDate = BillingPeriod.days(7).end(from: start, in: environment).milliseconds
    }

    func newChain(of transaction: TransactionPayload, _ product: SimulatedProduct) -> SubscriptionChain {
        let storefront = transaction.appTransactionId.flatMap { customers[$0]?.storefront } ?? .unitedStates
        let renewal = RenewalPayload(
            originalTransactionId: transaction.originalTransactionId, productId: product.id, autoRenewProductId: product.id,
            renewalDate: transaction.expiresDate ?? transaction.purchaseDate, renewalPrice: price(product.price, in: storefront),
            currency: transaction.currency, recentSubscriptionStartDate: transaction.purchaseDate,
            appAccountToken: transaction.appAccountToken, appTransactionId: transaction.appTransactionId,
            environment: environment.rawValue, signedDate: transaction.signedDate)
        var chain = SubscriptionChain(
            renewal: renewal, transactionIDs: [transaction.transactionId], isCommitment: transaction.commitmentInfo != nil,
            anchorDay: CivilDate(Timestamp(milliseconds: transaction.purchaseDate)).day)
        describeNextPeriod(of: &chain, after: transaction, product)
        return chain
    }

    /// Makes the renewal info say what follows a period.
    func describeNextPeriod(of chain: inout SubscriptionChain, after transaction: TransactionPayload, _ product: SimulatedProduct) {
        chain.renewal.productId = transaction.productId
        chain.renewal.renewalDate = transaction.expiresDate ?? transaction.purchaseDate
        chain.renewal.renewalBillingPlanType = transaction.billingPlanType
        let storefront = transaction.appTransactionId.flatMap { customers[$0]?.storefront } ?? .unitedStates
        chain.renewal.renewalPrice = chain.isCommitment ? transaction.price : price(product.price, in: storefront)
        guard let commitment = transaction.commitmentInfo else { return chain.renewal.commitmentInfo = nil }
        let previous = chain.renewal.commitmentInfo
        chain.renewal.commitmentInfo = RenewalCommitmentInfo(
            commitmentAutoRenewProductId: previous?.commitmentAutoRenewProductId ?? product.id,
            commitmentAutoRenewStatus: previous?.commitmentAutoRenewStatus ?? 1,
            commitmentRenewalDate: commitment.commitmentExpiresDate, commitmentRenewalPrice: transaction.price ?? 0)
    }
}

extension StoreWorld {
    /// Takes over payloads that were made elsewhere, with their customers and subscriptions. What is known already is replaced.
    mutating func adopt(_ transactions: [TransactionPayload], _ renewals: [RenewalPayload], at now: Timestamp) {
        for transaction in transactions.sorted(by: { $0.purchaseDate < $1.purchaseDate }) {
            insert(transaction, at: now)
            guard let id = transaction.appTransactionId, customers[id] == nil else { continue }
            let storefront = Storefront.all.first { $0.code == transaction.storefront } ?? .unitedStates
            customers[id] = StoreCustomer(
                appTransactionID: id, bundleID: transaction.bundleId, appAccountToken: transaction.appAccountToken,
                storefront: storefront, firstSeen: Timestamp(milliseconds: transaction.originalPurchaseDate))
        }
        for renewal in renewals {
            let periods = purchases.values.map(\.transaction).filter { $0.originalTransactionId == renewal.originalTransactionId }
                .sorted { ($0.purchaseDate, $0.transactionId) < ($1.purchaseDate, $1.transactionId) }
            guard let newest = periods.last else { continue }
            chains[renewal.originalTransactionId] = SubscriptionChain(
                renewal: renewal, transactionIDs: periods.map(\.transactionId), isCommitment: newest.commitmentInfo != nil,
                anchorDay: CivilDate(Timestamp(milliseconds: newest.purchaseDate)).day)
        }
    }
}
