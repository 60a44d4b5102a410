import Domain
import Store

package let demo = Ledger(app: AppID("demo"), environment: .production)
package let demoSandbox = Ledger(app: AppID("demo"), environment: .sandbox)
package let other = Ledger(app: AppID("other"), environment: .production)

package func at(_ seconds: Int64) -> Timestamp { Timestamp(milliseconds: 1_700_000_000_000 + seconds * 1_000) }

extension LogEntry {
    package static func notification(
        _ uuid: String, in ledger: Ledger = demo, type: String = "DID_RENEW", at received: Timestamp = at(0)
    ) -> LogEntry {
        var entry = LogEntry(
            kind: .notification, identity: uuid, ledger: ledger, source: .live, receivedAt: received, body: Array(uuid.utf8))
        entry.rawNotificationType = type
        return entry
    }
}

extension Transaction {
    /// With every field beyond the required ones left out.
    package static func bare(_ id: String, original: String? = nil, purchased: Timestamp = at(0)) -> Transaction {
        Transaction(
            transactionID: TransactionID(id), originalTransactionID: TransactionID(original ?? id), productID: ProductID("com.demo.pro"),
            rawType: "Auto-Renewable Subscription", purchaseDate: purchased, signedDate: purchased)
    }

    /// With every field set, each to a value of its own.
    package static func full(_ id: String, original: String) -> Transaction {
        var transaction = bare(id, original: original)
        transaction.signedDate = at(1)
        transaction.appTransactionID = AppTransactionID("app-1")
        transaction.appAccountToken = AppAccountToken("7e3fb20b-4cdb-47cc-936d-99d65f608138")
        transaction.webOrderLineItemID = "web-1"
        transaction.subscriptionGroupIdentifier = "group-1"
        transaction.quantity = 3
        transaction.originalPurchaseDate = at(2)
        transaction.expiresDate = at(3)
        transaction.storefront = "USA"
        transaction.price = 10_990
        transaction.currency = "USD"
        transaction.rawTransactionReason = "RENEWAL"
        transaction.rawOwnershipType = "PURCHASED"
        transaction.isUpgraded = true
        transaction.offerType = 4
        transaction.offerIdentifier = "offer-1"
        transaction.rawOfferDiscountType = "PAY_AS_YOU_GO"
        transaction.offerPeriod = "P1M"
        transaction.revocationDate = at(5)
        transaction.revocationReason = 0
        transaction.rawRevocationType = "REFUND_PRORATED"
        transaction.revocationPercentage = 50_000
        transaction.rawBillingPlanType = "MONTHLY"
        transaction.commitment = TransactionCommitment(
            billingPeriodNumber: 6, totalBillingPeriods: 12, commitmentExpiresDate: at(7), commitmentPrice: 131_880)
        transaction.isAdvancedCommerce = true
        transaction.previousOriginalTransactionID = TransactionID("previous-1")
        transaction.rawInvitationManagement = "PURCHASER"
        transaction.revokedSeatQuantity = 8
        return transaction
    }
}

extension Purchase {
    package init(_ transaction: Transaction, uuid: String = "", lastReversal: Timestamp? = nil) {
        let precedence = Precedence(signedDate: transaction.signedDate, notificationUUID: uuid, payloadSHA256: [1, 2, 3])
        self.init(newest: Snapshot(transaction, precedence), lastReversal: lastReversal)
    }
}

extension RenewalInfo {
    package static func full(_ original: String) -> RenewalInfo {
        var renewal = RenewalInfo(originalTransactionID: TransactionID(original), signedDate: at(1))
        renewal.productID = ProductID("com.demo.pro")
        renewal.autoRenewProductID = ProductID("com.demo.max")
        renewal.autoRenewStatus = 1
        renewal.renewalDate = at(2)
        renewal.renewalPrice = 9_990
        renewal.currency = "EUR"
        renewal.expirationIntent = 3
        renewal.isInBillingRetryPeriod = true
        renewal.gracePeriodExpiresDate = at(4)
        renewal.priceIncreaseStatus = 5
        renewal.offerType = 6
        renewal.offerIdentifier = "offer-2"
        renewal.appTransactionID = AppTransactionID("app-2")
        renewal.appAccountToken = AppAccountToken("7e3fb20b-4cdb-47cc-936d-99d65f608138")
        renewal.recentSubscriptionStartDate = at(7)
        renewal.rawRenewalBillingPlanType = "MONTHLY"
        renewal.commitment = RenewalCommitment(
            commitmentAutoRenewProductID: ProductID("com.demo.min"), commitmentAutoRenewStatus: 8,
            rawCommitmentRenewalBillingPlanType: "BILLED_UPFRONT", commitmentRenewalDate: at(9), commitmentRenewalPrice: 10)
        return renewal
    }
}

extension Chain {
    package static func full(_ original: String) -> Chain {
        let precedence = Precedence(signedDate: at(1), notificationUUID: "uuid-1", payloadSHA256: [4, 5])
        return Chain(
            originalTransactionID: TransactionID(original), renewal: Snapshot(.full(original), precedence), statusConfirmedAt: at(11))
    }
}
