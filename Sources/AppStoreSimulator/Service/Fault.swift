import Domain

/// Something that goes wrong with calls to the simulated API.
package struct Fault: Codable, Hashable, Sendable {
    package enum Kind: String, Codable, Sendable {
        /// The answer comes late.
        case slow
        /// 429, with Apple's absolute `Retry-After` in milliseconds.
        case tooManyRequests
        /// A status of 500 and above.
        case serverError
        /// The call takes effect, then the connection closes without an answer.
        case loseReply
        /// Connections are refused for a while.
        case refuse
    }
    package var kind: Kind
    /// How long: of the delay, the refusal, or until the rate limit allows calls again.
    package var milliseconds: Int64 = 1_000
    /// Of a server error.
    package var status = 503
    /// How many calls it hits; nil for all, until cleared.
    package var remaining: Int?
    /// Hits only calls whose path contains this.
    package var path: String?

    package init(_ kind: Kind, milliseconds: Int64 = 1_000, status: Int = 503, remaining: Int? = nil, path: String? = nil) {
        self.kind = kind
        self.milliseconds = milliseconds
        self.status = status
        self.remaining = remaining
        self.path = path
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        kind = try container.decode(Kind.self, forKey: .kind)
        milliseconds = try container.decodeIfPresent(Int64.self, forKey: .milliseconds) ?? 1_000
        status = try container.decodeIfPresent(Int.self, forKey: .status) ?? 503
        remaining = try container.decodeIfPresent(Int.self, forKey: .remaining)
        path = try container.decodeIfPresent(String.self, forKey: .path)
    }
}

/// What goes wrong on the way of notifications.
package struct DeliveryFaults: Codable, Hashable, Sendable {
    /// Each notification is posted twice under one `notificationUUID`.
    package var duplicates = false
    /// Each is held back for a random part of this, so that they arrive in another order.
    package var shuffleMilliseconds: Int64 = 0

    package init(duplicates: Bool = false, shuffleMilliseconds: Int64 = 0) {
        self.duplicates = duplicates
        self.shuffleMilliseconds = shuffleMilliseconds
    }
}

extension StoreEnvironment {
    /// The fault that hits a call to a path; one of a limited number is used up.
    mutating func takeFault(path: String) -> Fault? {
        guard let index = faults.firstIndex(where: { $0.path.map { path.contains($0) } ?? true }) else { return nil }
        let fault = faults[index]
        guard let remaining = fault.remaining else { return fault }
        if remaining <= 1 { faults.remove(at: index) } else { faults[index].remaining = remaining - 1 }
        return fault
    }
}
