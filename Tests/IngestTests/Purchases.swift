import Domain

@testable import AppStoreSimulator

extension TransactionPayload {
    /// A purchase by a customer of its own, named after it.
    static func make(_ id: String, _ product: String, _ type: ProductType, at start: Timestamp) -> TransactionPayload {
        var payload = TransactionPayload(
            transactionId: id, originalTransactionId: id, bundleId: "com.acme.app", productId: "com.acme." + product, type: type.rawValue,
            purchaseDate: start.milliseconds, originalPurchaseDate: start.milliseconds, signedDate: start.milliseconds,
            environment: "Production", storefront: "USA", storefrontId: "143441", transactionReason: "PURCHASE")
        (payload.price, payload.currency) = (990, "USD")
        payload.appTransactionId = "704" + id
        return payload
    }

    /// A pack of a hundred coins.
    static func coins(_ id: String = "2001", at start: Timestamp = on(0)) -> TransactionPayload {
        make(id, "coins100", .consumable, at: start)
    }

    /// Thirty days of a subscription.
    static func month(
        _ id: String = "3001", of original: String = "3001", at start: Timestamp = on(0), product: String = "pro"
    ) -> TransactionPayload {
        var payload = make(id, product, .autoRenewableSubscription, at: start)
        payload.originalTransactionId = original
        payload.appTransactionId = "704" + original
        payload.subscriptionGroupIdentifier = "21000001"
        payload.expiresDate = (start + .days(30)).milliseconds
        payload.transactionReason = id == original ? "PURCHASE" : "RENEWAL"
        return payload
    }

    /// A month of a year that is paid by the month.
    static func committed(_ number: Int32, _ id: String, of original: String = "4001") -> TransactionPayload {
        var payload = month(id, of: original, at: on(Int64(number - 1) * 30), product: "yearly")
        payload.billingPlanType = "MONTHLY"
        payload.commitmentInfo = TransactionCommitmentInfo(
            billingPeriodNumber: number, commitmentExpiresDate: on(360).milliseconds, commitmentPrice: 71_880)
        return payload
    }

    func with(_ change: (inout TransactionPayload) -> Void) -> TransactionPayload {
        var copy = self
        change(&copy)
        return copy
    }

    func refunded(at date: Timestamp, percentage: Int32 = 100_000) -> TransactionPayload {
        with {
            ($0.revocationDate, $0.revocationReason, $0.revocationPercentage) = (date.milliseconds, 1, percentage)
            $0.revocationType = percentage == 100_000 ? "REFUND_FULL" : "REFUND_PRORATED"
        }
    }

    /// What follows this period.
    func renewal(_ change: (inout RenewalPayload) -> Void = { _ in }) -> RenewalPayload {
        var renewal = RenewalPayload(
            originalTransactionId: originalTransactionId, productId: productId, autoRenewProductId: productId,
            renewalDate: expiresDate ?? purchaseDate, recentSubscriptionStartDate: originalPurchaseDate, environment: environment,
            signedDate: signedDate)
        if let commitmentInfo {
            renewal.commitmentInfo = RenewalCommitmentInfo(
                commitmentAutoRenewProductId: productId, commitmentRenewalDate: commitmentInfo.commitmentExpiresDate,
                commitmentRenewalPrice: 5_990)
        }
        change(&renewal)
        return renewal
    }
}
