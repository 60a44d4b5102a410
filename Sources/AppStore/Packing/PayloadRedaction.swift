import Crypto
import Foundation

/// Takes a person out of stored signed messages: ids become pseudonyms, and of the rest only what is known to name nobody stays.
///
/// What comes out is no longer signed, and says so in its header. It is folded like what it replaces.
package struct PayloadRedaction: Sendable {
    /// What each of the person's `transactionId` and `originalTransactionId` is called from now on.
    let pseudonyms: [String: String]

    package init(pseudonyms: [String: String]) { self.pseudonyms = pseudonyms }

    /// A notification's request body; nil where the bytes are none.
    package func notification(_ body: [UInt8]) -> [UInt8]? {
        guard let text = object(body)?["signedPayload"] as? String, let payload = payload(of: text) else { return nil }
        return json(["signedPayload": jws(notification(payload))])
    }

    /// A `signedTransactionInfo` that came by itself.
    package func transaction(_ text: [UInt8]) -> [UInt8]? {
        payload(of: String(decoding: text, as: UTF8.self)).map { Array(jws(kept($0, Keys.transaction)).utf8) }
    }

    /// A row of Get All Subscription Statuses.
    package func status(_ body: [UInt8]) -> [UInt8]? {
        guard let row = object(body), let transaction = row["signedTransactionInfo"] as? String, let payload = payload(of: transaction)
        else { return nil }
        var redacted: [String: Any] = ["signedTransactionInfo": jws(kept(payload, Keys.transaction))]
        if let renewal = inner(row["signedRenewalInfo"], Keys.renewal) { redacted["signedRenewalInfo"] = renewal }
        return json(redacted)
    }

    private func notification(_ payload: [String: Any]) -> [String: Any] {
        var redacted = kept(payload, Keys.notification)
        for name in ["data", "summary", "externalPurchaseToken", "appData", "unclaimInfo"] {
            guard let container = payload[name] as? [String: Any] else { continue }
            var inside = kept(container, Keys.container)
            if let transaction = inner(container["signedTransactionInfo"], Keys.transaction) {
                inside["signedTransactionInfo"] = transaction
            }
            if let renewal = inner(container["signedRenewalInfo"], Keys.renewal) { inside["signedRenewalInfo"] = renewal }
            redacted[name] = inside
        }
        return redacted
    }

    private func inner(_ value: Any?, _ keys: Set<String>) -> String? {
        (value as? String).flatMap(payload(of:)).map { jws(kept($0, keys)) }
    }

    /// The members that name nobody, and ids under their pseudonyms.
    private func kept(_ payload: [String: Any], _ keys: Set<String>) -> [String: Any] {
        var redacted = payload.filter { keys.contains($0.key) }
        for name in Keys.ids { if let id = payload[name] as? String { redacted[name] = pseudonyms[id] ?? id } }
        if payload["advancedCommerceInfo"] is [String: Any] { redacted["advancedCommerceInfo"] = [String: Any]() }
        if let seats = payload["multiSeatInfo"] as? [String: Any] {
            redacted["multiSeatInfo"] = seats.filter { ["invitationManagement", "revokedSeatQuantity"].contains($0.key) }
        }
        return redacted
    }

    private func jws(_ payload: [String: Any]) -> String {
        Base64URL.encode(Array(TrustedPayload.unsignedHeader.utf8)) + "." + Base64URL.encode(json(payload)) + ".AA"
    }

    private func payload(of jws: String) -> [String: Any]? {
        let parts = jws.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        return Base64URL.decode(Array(parts[1].utf8).span).flatMap(object)
    }

    private func object(_ bytes: [UInt8]) -> [String: Any]? { try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any] }

    private func json(_ object: [String: Any]) -> [UInt8] {
        // What JSONSerialization read it can write.
        (try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])).map(Array.init) ?? []
    }
}

/// Members that name nobody. Whatever Apple adds is dropped until it is known to belong here.
private enum Keys {
    static let ids = ["transactionId", "originalTransactionId", "previousOriginalTransactionId"]
    static let notification: Set = ["notificationType", "subtype", "notificationUUID", "version", "signedDate"]
    static let container: Set = [
        "appAppleId", "bundleId", "bundleVersion", "environment", "status", "consumptionRequestReason", "requestIdentifier", "productId",
        "storefrontCountryCodes", "succeededCount", "failedCount", "tokenType", "tokenCreationDate", "tokenExpirationDate",
    ]
    static let transaction: Set = [
        "bundleId", "productId", "subscriptionGroupIdentifier", "type", "quantity", "purchaseDate", "originalPurchaseDate", "expiresDate",
        "signedDate", "environment", "storefront", "storefrontId", "currency", "price", "transactionReason", "additionalTransactionReason",
        "inAppOwnershipType", "isUpgraded", "offerType", "offerIdentifier", "offerDiscountType", "offerPeriod", "revocationDate",
        "revocationReason", "revocationType", "revocationPercentage", "billingPlanType", "commitmentInfo",
    ]
    static let renewal: Set = [
        "productId", "autoRenewProductId", "autoRenewStatus", "renewalDate", "renewalPrice", "renewalQuantity", "currency",
        "expirationIntent", "isInBillingRetryPeriod", "gracePeriodExpiresDate", "priceIncreaseStatus", "offerType", "offerIdentifier",
        "offerDiscountType", "offerPeriod", "eligibleWinBackOfferIds", "recentSubscriptionStartDate", "environment", "signedDate",
        "renewalBillingPlanType", "commitmentInfo",
    ]
}
