import Foundation

/// Whether a purchase was delivered, in Apple's words.
public enum DeliveryStatus: String, Sendable, Codable, CaseIterable {
    case delivered = "DELIVERED"
    case undeliveredQualityIssue = "UNDELIVERED_QUALITY_ISSUE"
    case undeliveredWrongItem = "UNDELIVERED_WRONG_ITEM"
    case undeliveredServerOutage = "UNDELIVERED_SERVER_OUTAGE"
    case undeliveredOther = "UNDELIVERED_OTHER"
}

/// What the desk did with a signed transaction.
public struct Receipt: Sendable, Equatable, Decodable {
    public enum Result: String, Sendable, Decodable {
        case accepted, duplicate
        /// Apple signed it, but it is not for this desk; see ``Receipt/reason``.
        case quarantined
    }
    public var result: Result
    public var reason: String?
}

extension RefundDesk {
    /// Records whether a purchase was delivered. The transaction need not be known yet; the newest word counts.
    ///
    /// It beats recorded outages and what the configuration says of the product. Say it for what did not arrive, above all.
    public func recordDelivery(of transactionID: String, _ status: DeliveryStatus) async throws {
        let path = ["transactions", try segment(transactionID, "transactionID", atMost: 64), "delivery"]
        _ = try await send(try request("PUT", path, body: ["status": status.rawValue]))
    }

    /// Links your own user id to whoever made a purchase, so that the user id is a name of that customer from now on.
    ///
    /// - Parameters:
    ///   - userID: Yours, at most 256 characters.
    ///   - originalTransactionID: Of a purchase that you know to be this user's. A signed transaction alone proves a purchase, not who is
    ///     holding the phone.
    public func linkUser(_ userID: String, toOriginalTransaction originalTransactionID: String) async throws {
        let path = ["transactions", try segment(originalTransactionID, "originalTransactionID", atMost: 64), "user"]
        try check(userID, "userID", atMost: 256)
        _ = try await send(try request("PUT", path, body: ["userId": userID]))
    }

    /// Hands a signed transaction from the app to the desk, which verifies it as it does Apple's own messages.
    ///
    /// - Parameter jws: StoreKit's `VerificationResult.jwsRepresentation`, as the app sent it to you. It says by itself whether it is of
    ///   the sandbox.
    public func submitTransaction(_ jws: String) async throws -> Receipt {
        try decode(Receipt.self, from: try await send(try request("POST", ["transactions"], body: ["signedTransactionInfo": jws])))
    }
}
