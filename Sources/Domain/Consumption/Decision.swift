/// What is to be done about one round, and why.
package struct Decision: Hashable, Sendable, Codable {
    package enum Kind: String, Sendable, Codable { case answer, abstain, hold }
    package var kind: Kind
    /// The rule's name, `default`, `override` or `person`; nil where no rule was asked.
    package var rule: String?
    package var preference: RefundPreference?
    package var because: [Because]
    package var holdUntil: Timestamp?
    package var trace: [PolicyTraceStep]
    /// Whether the disputed period was the running one when this was decided.
    package var isCurrentPeriod: Bool?
    /// On what consent an answer rests; nil where none is to be sent.
    package var consent: ConsentStanding?
    /// What a person should look at; nothing of it is an obstacle.
    package var warnings: [GuidelineWarning] = []

    package init(
        _ kind: Kind, rule: String? = nil, preference: RefundPreference? = nil, because: [Because] = [],
        holdUntil: Timestamp? = nil, trace: [PolicyTraceStep] = [], isCurrentPeriod: Bool? = nil,
        consent: ConsentStanding? = nil
    ) {
        self.kind = kind
        self.rule = rule
        self.preference = preference
        self.because = because
        self.holdUntil = holdUntil
        self.trace = trace
        self.isCurrentPeriod = isCurrentPeriod
        self.consent = consent
    }

    private enum CodingKeys: String, CodingKey {
        case kind, rule, preference, because, holdUntil, trace, isCurrentPeriod, consent, warnings
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(kind, forKey: .kind)
        try container.encodeIfPresent(rule, forKey: .rule)
        try container.encodeIfPresent(preference, forKey: .preference)
        try container.encode(because, forKey: .because)
        try container.encodeIfPresent(holdUntil, forKey: .holdUntil)
        try container.encode(trace, forKey: .trace)
        try container.encodeIfPresent(isCurrentPeriod, forKey: .isCurrentPeriod)
        try container.encodeIfPresent(consent, forKey: .consent)
        if !warnings.isEmpty { try container.encode(warnings, forKey: .warnings) }
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        kind = try container.decode(Kind.self, forKey: .kind)
        rule = try container.decodeIfPresent(String.self, forKey: .rule)
        preference = try container.decodeIfPresent(RefundPreference.self, forKey: .preference)
        because = try container.decode([Because].self, forKey: .because)
        holdUntil = try container.decodeIfPresent(Timestamp.self, forKey: .holdUntil)
        trace = try container.decode([PolicyTraceStep].self, forKey: .trace)
        isCurrentPeriod = try container.decodeIfPresent(Bool.self, forKey: .isCurrentPeriod)
        // Decisions of the first versions stand in the log without these.
        consent = try container.decodeIfPresent(ConsentStanding.self, forKey: .consent)
        warnings = try container.decodeIfPresent([GuidelineWarning].self, forKey: .warnings) ?? []
    }

    /// What stands as the rule's name where a person decided.
    package static let byPerson = "person"

    /// Whether a consent or a delivery recorded later would lead to an answer after all.
    package var isMendable: Bool { kind == .abstain && !because.isEmpty && because.allSatisfy(\.isMendable) }
}

/// Why a decision is what it is: stable codes of the interface.
package enum Because: String, Sendable, Hashable, Codable, CaseIterable {
    case noConsent = "no-consent"
    case consentWithdrawn = "consent-withdrawn"
    case consentOutdated = "consent-outdated"
    case deliveryUnknown = "delivery-unknown"
    case alreadyDecided = "already-decided"
    case windowClosed = "window-closed"
    case advancedCommerce = "advanced-commerce"
    case familyShared = "family-shared"
    case assignedSeat = "assigned-seat"
    case policyNone = "policy-none"
    case holdout
    case preferenceDroppedProrated = "preference-dropped-prorated"
    case person
    case customerOverride = "customer-override"

    /// Whether the owner can still remove the obstacle while the window is open.
    package var isMendable: Bool {
        switch self {
        case .noConsent, .consentWithdrawn, .consentOutdated, .deliveryUnknown: true
        default: false
        }
    }
}

/// Everything a decision about one round depends on, gathered by the caller at the deciding instant.
package struct DecisionContext: Sendable {
    package var round: Round
    package var purchase: Purchase
    package var environment: Environment
    package var now: Timestamp
    package var consent: ConsentStanding
    /// nil where the owner neither stated nor recorded one: then there is no answer.
    package var delivery: DeliveryStatus?
    package var sampleContentProvided: Bool
    package var consumed: Consumed?
    package var isCurrentPeriod: Bool?
    /// Whether this is the first paid period after a free trial.
    package var isConvertedFromTrial: Bool?

    package init(
        round: Round, purchase: Purchase, environment: Environment, now: Timestamp, consent: ConsentStanding,
        delivery: DeliveryStatus?, sampleContentProvided: Bool, consumed: Consumed?, isCurrentPeriod: Bool?,
        isConvertedFromTrial: Bool? = nil
    ) {
        self.round = round
        self.purchase = purchase
        self.environment = environment
        self.now = now
        self.consent = consent
        self.delivery = delivery
        self.sampleContentProvided = sampleContentProvided
        self.consumed = consumed
        self.isCurrentPeriod = isCurrentPeriod
        self.isConvertedFromTrial = isConvertedFromTrial
    }

    /// What would be told to Apple; nil without a known delivery.
    package var truth: PurchaseTruth? {
        delivery.map {
            PurchaseTruth(
                type: purchase.transaction.type, deliveryStatus: $0, sampleContentProvided: sampleContentProvided,
                consumed: consumed)
        }
    }

    /// Why no answer can ever be sent in this round.
    package var finalObstacles: [Because] {
        var reasons: [Because] = []
        if round.outcome != nil { reasons.append(.alreadyDecided) }
        if now >= round.deadline { reasons.append(.windowClosed) }
        if purchase.transaction.isAdvancedCommerce { reasons.append(.advancedCommerce) }
        switch purchase.transaction.ownership {
        case .familyShared: reasons.append(.familyShared)
        case .assigned: reasons.append(.assignedSeat)
        case .purchased, nil: break
        }
        return reasons
    }

    /// What the owner would have to say before an answer may be sent.
    package var mendableObstacles: [Because] {
        var reasons: [Because] = []
        switch consent {
        case .given, .attested: break
        case .absent: reasons.append(.noConsent)
        case .withdrawn: reasons.append(.consentWithdrawn)
        case .outdated: reasons.append(.consentOutdated)
        }
        if delivery == nil { reasons.append(.deliveryUnknown) }
        return reasons
    }
}
