import Foundation

/// Something a customer used. It counts once by its ``id``, however often it is reported.
public struct UsageEvent: Sendable, Equatable {
    public enum Subject: Sendable, Equatable {
        /// By any name. Counts for the oldest pack that is not used up.
        case customer(String)
        /// One purchase.
        case transaction(String)
    }
    /// Yours, unique in the app: the id of the job, the row, the request. A random one is made where you have none.
    public var id: String
    public var subject: Subject
    /// The product's `meter` in the desk's configuration, or any name that a policy speaks of.
    public var meter: String
    /// Up to six decimal places; negative as a correction.
    public var quantity: Decimal
    public var at: Date

    public init(id: String = UUID().uuidString.lowercased(), subject: Subject, meter: String, quantity: Decimal, at: Date = Date()) {
        self.id = id
        self.subject = subject
        self.meter = meter
        self.quantity = quantity
        self.at = at
    }
}

/// What became of reported events.
public struct UsageReceipt: Sendable, Equatable {
    public var accepted = 0
    /// Known by their ids from before.
    public var duplicates = 0
    /// Older than the desk's `retention.usage`: they count for nothing.
    public var expired = 0

    public init(accepted: Int = 0, duplicates: Int = 0, expired: Int = 0) {
        self.accepted = accepted
        self.duplicates = duplicates
        self.expired = expired
    }

    static func + (one: UsageReceipt, other: UsageReceipt) -> UsageReceipt {
        UsageReceipt(
            accepted: one.accepted + other.accepted, duplicates: one.duplicates + other.duplicates, expired: one.expired + other.expired)
    }
}

extension UsageReceipt: Decodable {
    private enum CodingKeys: String, CodingKey { case accepted, duplicates, expired }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        accepted = try container.decode(Int.self, forKey: .accepted)
        duplicates = try container.decode(Int.self, forKey: .duplicates)
        expired = try container.decodeIfPresent(Int.self, forKey: .expired) ?? 0
    }
}

extension UsageEvent: Encodable {
    private enum CodingKeys: String, CodingKey { case id, customer, transactionId, meter, quantity, at }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        switch subject {
        case .customer(let name): try container.encode(name, forKey: .customer)
        case .transaction(let id): try container.encode(id, forKey: .transactionId)
        }
        try container.encode(meter, forKey: .meter)
        try container.encode(quantity, forKey: .quantity)
        try container.encode(milliseconds(at), forKey: .at)
    }
}

extension RefundDesk {
    /// Reports what was used and returns once the desk has it on disk.
    ///
    /// All of a request's events are taken or none, so up to 1,000 go in one; more are sent one after the other. For many small events
    /// use a ``UsageReporter``; where none may be lost to a crash, keep them in your own database until this returns.
    ///
    /// - Throws: ``RefundDeskError``. After ``RefundDeskError/isRetryable`` ones report the same events again, with the same ids.
    @discardableResult
    public func report(_ events: [UsageEvent]) async throws -> UsageReceipt {
        for (index, event) in events.enumerated() { try check(event, "events[\(index)]") }
        var receipt = UsageReceipt()
        var rest = events[...]
        while !rest.isEmpty {
            receipt = receipt + (try await post(Array(rest.prefix(UsageEvent.mostInRequest))))
            rest = rest.dropFirst(UsageEvent.mostInRequest)
        }
        return receipt
    }

    /// One request.
    func post(_ events: [UsageEvent]) async throws -> UsageReceipt {
        try decode(UsageReceipt.self, from: try await send(try request("POST", ["usage"], body: ["events": events])))
    }

    func check(_ event: UsageEvent, _ place: String) throws {
        try check(event.id, "\(place).id", atMost: 200)
        try check(event.meter, "\(place).meter", atMost: 100)
        switch event.subject {
        case .customer(let name): try check(name, "\(place).customer", atMost: 256)
        case .transaction(let id): try check(id, "\(place).transactionId", atMost: 64)
        }
        guard event.quantity.isFinite, event.quantity.magnitude <= 1_000_000_000 else {
            throw RefundDeskError.invalid("\(place).quantity", "must be a number from -1000000000 to 1000000000.")
        }
        guard 0...253_402_300_799_999 ~= event.at.timeIntervalSince1970 * 1_000 else {
            throw RefundDeskError.invalid("\(place).at", "must lie between 1970 and the year 10000.")
        }
    }
}

extension UsageEvent {
    /// - Source: The desk takes 1,000 events at once.
    static let mostInRequest = 1_000
}
