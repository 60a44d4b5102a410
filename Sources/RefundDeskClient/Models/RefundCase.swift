import Foundation

/// Money in thousandths of the currency's unit, from Apple's signed list price: an estimate, and never to be summed across currencies.
public struct Money: Sendable, Equatable, Codable {
    public var amount: Int64
    public var currency: String
}

/// A purchase that was asked about or refunded, as events tell of it. The whole of it is in ``WebhookEvent/body``.
public struct RefundCase: Sendable, Equatable, Decodable {
    public struct State: OpenWord {
        public var rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let open = State(rawValue: "open")
        public static let refunded = State(rawValue: "refunded")
        public static let declined = State(rawValue: "declined")
        public static let reversed = State(rawValue: "reversed")
    }
    public var transactionId: String
    public var originalTransactionId: String
    public var productId: String?
    public var productType: String?
    public var price: Money?
    public var state: State
    /// Empty where Apple decided without asking.
    public var rounds: [Round]
    public var refund: Refund?

    /// One time of asking.
    public struct Round: Sendable, Equatable, Decodable {
        public var number: Int
        public var requestedAt: Date
        /// Apple takes an answer until then.
        public var deadline: Date
        /// Apple's word for the customer's reason.
        public var reason: String?
        public var decision: Decision?
        public var answer: Answer?
    }
    public struct Decision: Sendable, Equatable, Decodable {
        /// `answer`, `abstain` or `hold`.
        public var kind: String
        public var rule: String?
        public var preference: String?
        /// Codes such as `no-consent`.
        public var because: [String]
    }
    public struct Answer: Sendable, Equatable, Decodable {
        /// `scheduled`, `retrying`, `accepted`, `failed`, `expired` or `cancelled`.
        public var status: String
    }
    public struct Refund: Sendable, Equatable, Decodable {
        /// Apple's word: `REFUND_FULL`, `REFUND_PRORATED`.
        public var type: String?
        /// In thousandths of a percent.
        public var percentage: Int?
        public var revocationDate: Date?
        public var amount: Money?
        public var reversedAt: Date?
    }
}
