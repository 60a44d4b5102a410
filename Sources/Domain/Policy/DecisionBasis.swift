/// What a policy's verdict was based on, kept with the decision: so that a draft can be tried on the facts as they were.
package struct DecisionBasis: Hashable, Sendable, Codable {
    package var facts: PolicyFacts
    package var delivery: DeliveryStatus
    package var sampleContentProvided: Bool
    package var consumed: Consumed?

    package init(facts: PolicyFacts, delivery: DeliveryStatus, sampleContentProvided: Bool, consumed: Consumed?) {
        self.facts = facts
        self.delivery = delivery
        self.sampleContentProvided = sampleContentProvided
        self.consumed = consumed
    }
}

extension DecisionContext {
    /// nil where nothing could be told to Apple.
    package func basis(_ facts: PolicyFacts) -> DecisionBasis? {
        guard let delivery else { return nil }
        return DecisionBasis(facts: facts, delivery: delivery, sampleContentProvided: sampleContentProvided, consumed: consumed)
    }
}

extension ExactDecimal: Codable {
    package init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        self.init(significand: try container.decode(Int64.self), exponent: try container.decode(Int.self))
    }

    /// As its significand and its exponent, which no reader of JSON can round.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(significand)
        try container.encode(exponent)
    }
}

extension Span: Codable {
    package init(from decoder: any Decoder) throws { self.init(milliseconds: try decoder.singleValueContainer().decode(Int64.self)) }
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(milliseconds)
    }
}
