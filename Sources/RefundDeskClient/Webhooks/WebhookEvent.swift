import Foundation

/// What happened, with the full resulting state.
public struct WebhookEvent: Sendable, Equatable {
    /// An open set: ignore what you do not know.
    public struct Kind: OpenWord {
        public var rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let refundRequested = Kind(rawValue: "refund.requested")
        public static let refundAnswered = Kind(rawValue: "refund.answered")
        public static let refundUnanswered = Kind(rawValue: "refund.unanswered")
        public static let refundGranted = Kind(rawValue: "refund.granted")
        public static let refundDeclined = Kind(rawValue: "refund.declined")
        public static let refundReversed = Kind(rawValue: "refund.reversed")
        public static let accessGranted = Kind(rawValue: "access.granted")
        public static let accessRevoked = Kind(rawValue: "access.revoked")
        public static let accessChanged = Kind(rawValue: "access.changed")
        public static let commitmentStarted = Kind(rawValue: "commitment.started")
        public static let commitmentEnding = Kind(rawValue: "commitment.ending")
        public static let commitmentEnded = Kind(rawValue: "commitment.ended")
        public static let seatsChanged = Kind(rawValue: "seats.changed")
        public static let notificationReceived = Kind(rawValue: "notification.received")
    }
    /// The same at every try: whoever stored it already answers 200 and does nothing.
    public var id: String
    public var kind: Kind
    public var timestamp: Date
    /// Rises per customer: of two events keep the state in the one with the higher number.
    public var sequence: Int64
    public var data: Details
    /// The whole event as it was signed, for what this type leaves out.
    public var body: Data

    public struct Details: Sendable, Equatable, Decodable {
        public var app: String
        public var environment: String
        public var transactionId: String?
        public var originalTransactionId: String?
        public var productId: String?
        public var customer: Customer
        public var isCurrentPeriod: Bool?
        /// To the event's subscription group or product.
        public var access: Access?
        /// The customer's whole list, as ``RefundDesk/entitlements(of:at:)`` gives it.
        public var entitlements: [Entitlement]
        public var `case`: RefundCase?
        public var commitment: Commitment?
        /// Apple's type, where the event is ``WebhookEvent/Kind/notificationReceived``.
        public var notificationType: String?
        public var subtype: String?
    }
    public struct Customer: Sendable, Equatable, Decodable {
        public var appTransactionId: String?
        public var appAccountToken: String?
        public var userId: String?
    }
    public struct Access: Sendable, Equatable, Decodable {
        public var active: Bool
        /// nil while active is for ever.
        public var until: Date?
    }
}

extension WebhookEvent {
    /// - Parameter id: Of the header, which the signature covers.
    init(_ body: Data, id: String) throws(WebhookError) {
        guard let wire = try? DeskJSON.decoder().decode(Wire.self, from: body), wire.id == id, let timestamp = wire.instant else {
            throw .unreadable
        }
        self.init(
            id: id, kind: Kind(rawValue: wire.type), timestamp: timestamp, sequence: wire.sequence, data: wire.data, body: body)
    }
}

private struct Wire: Decodable {
    var type: String
    var timestamp: String
    var id: String
    var sequence: Int64
    var data: WebhookEvent.Details

    var instant: Date? { try? Date(timestamp, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)) }
}
