import Foundation

/// A word out of a set that may grow. Compare it with the known ones, and expect others.
public protocol OpenWord: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible where RawValue == String {
    init(rawValue: String)
}

extension OpenWord {
    public init(from decoder: any Decoder) throws { self.init(rawValue: try decoder.singleValueContainer().decode(String.self)) }
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
    public var description: String { rawValue }
}

/// What a customer may use, and what was bought and refunded of consumables.
public struct Entitlements: Sendable, Equatable, Codable {
    /// The instant that the answer is about.
    public var asOf: Date
    /// One row per subscription chain, non-consumable and non-renewing transaction, also those that are over.
    public var entitlements: [Entitlement]
    public var balances: [Balance]

    /// Whether the customer may use a product at an instant.
    public func allows(_ productID: String, at instant: Date) -> Bool {
        entitlements.contains { $0.productId == productID && $0.allowsUse(at: instant) }
    }
}

/// Access through one purchase.
public struct Entitlement: Sendable, Equatable, Codable {
    public struct State: OpenWord {
        public var rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let active = State(rawValue: "active")
        public static let grace = State(rawValue: "grace")
        public static let billingRetry = State(rawValue: "billingRetry")
        public static let expired = State(rawValue: "expired")
        public static let revoked = State(rawValue: "revoked")
        public static let upgraded = State(rawValue: "upgraded")
        public static let upcoming = State(rawValue: "upcoming")
    }
    public var productId: String
    public var subscriptionGroupIdentifier: String?
    public var originalTransactionId: String
    public var transactionId: String
    /// At the instant that the list is about.
    public var active: Bool
    /// The end of unbroken access; nil is for ever.
    public var until: Date?
    public var state: State
    /// Apple's word: `PURCHASED`, `FAMILY_SHARED`, `ASSIGNED`.
    public var ownership: String
    public var willRenew: Bool
    /// The product of the next renewal where it differs.
    public var pendingProductId: String?
    public var commitment: Commitment?

    /// Whether access lasts at an instant, not before the one that the list is about: access ends by the clock, without an event.
    public func allowsUse(at instant: Date) -> Bool { active && until.map { instant < $0 } ?? true }
}

/// Progress of a 12-month commitment. It grants nothing by itself.
public struct Commitment: Sendable, Equatable, Codable {
    public struct State: OpenWord {
        public var rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let running = State(rawValue: "running")
        public static let completed = State(rawValue: "completed")
        public static let endedByRefund = State(rawValue: "endedByRefund")
        public static let endedByUpgrade = State(rawValue: "endedByUpgrade")
        public static let endedByBilling = State(rawValue: "endedByBilling")
    }
    public var state: State
    public var billingPeriodNumber: Int?
    public var totalBillingPeriods: Int?
    public var expiresDate: Date?
    /// The customer cancelled: no commitment follows this one.
    public var endsAfterTerm: Bool
}

/// Units of a consumable.
public struct Balance: Sendable, Equatable, Codable {
    public var productId: String
    public var purchased: Int
    public var refunded: Int
    /// ``purchased`` less ``refunded``. What was used is not subtracted: you know it.
    public var net: Int
}
