import Domain
import Testing

/// Apple's rules between the fields of an answer, section 2.1.
private func isLegal(_ answer: ConsumptionAnswer, for type: ProductType?) -> Bool {
    if let percentage = answer.consumptionPercentage {
        guard type != .autoRenewableSubscription, (0...100_000).contains(percentage) else { return false }
        if answer.deliveryStatus != .delivered, percentage != 0 { return false }
    }
    guard answer.refundPreference == .grantProrated, type != .autoRenewableSubscription else { return true }
    guard answer.deliveryStatus == .delivered, let percentage = answer.consumptionPercentage else { return false }
    return 0 < percentage && percentage < 100_000
}

private let types: [ProductType?] = ProductType.allCases + [nil]
private let preferences: [RefundPreference?] = RefundPreference.allCases + [nil]
private let shares: [Int32?] = [nil, .min, -1, 0, 1, 50_000, 99_999, 100_000, 100_001, .max]

private func truth(_ type: ProductType?, _ delivery: DeliveryStatus, _ share: Int32?, samples: Bool = true) -> PurchaseTruth {
    PurchaseTruth(
        type: type, deliveryStatus: delivery, sampleContentProvided: samples,
        consumed: share.map { Consumed(thousandths: $0, source: .usage) })
}

@Test func noCombinationMakesAnIllegalBody() {
    for type in types {
        for delivery in DeliveryStatus.allCases {
            for share in shares {
                for preference in preferences {
                    let truth = truth(type, delivery, share)
                    let answer = ConsumptionAnswer(truth, preferring: preference)
                    #expect(isLegal(answer, for: type), "\(truth) \(String(describing: preference))")
                    #expect(answer.deliveryStatus == delivery, "the truth is not bent")
                    let isDropped = answer.refundPreference == nil && preference != nil
                    #expect(isDropped == (preference == .grantProrated && !ConsumptionAnswer.mayPreferProrated(truth)))
                    #expect(isDropped || answer.refundPreference == preference, "only a prorated grant is ever dropped")
                }
            }
        }
    }
}

/// One row of the table: percentage and preference that go out.
struct AnswerRule: CustomTestStringConvertible, Sendable {
    var name: String
    var truth: PurchaseTruth
    var preference: RefundPreference?
    var percentage: Int32?
    var sent: RefundPreference?
    var testDescription: String { name }

    fileprivate init(
        _ name: String, _ truth: PurchaseTruth, _ preference: RefundPreference?, sends percentage: Int32?, _ sent: RefundPreference?
    ) {
        (self.name, self.truth, self.preference, self.percentage, self.sent) = (name, truth, preference, percentage, sent)
    }
}

@Test(arguments: [
    AnswerRule(
        "auto-renewable, delivered", truth(.autoRenewableSubscription, .delivered, 50_000), .grantProrated, sends: nil, .grantProrated),
    AnswerRule(
        "auto-renewable, not delivered", truth(.autoRenewableSubscription, .undeliveredOther, 50_000), .grantFull, sends: nil, .grantFull),
    AnswerRule("consumable, half used", truth(.consumable, .delivered, 50_000), .grantProrated, sends: 50_000, .grantProrated),
    AnswerRule("consumable, unused", truth(.consumable, .delivered, 0), .grantProrated, sends: 0, nil),
    AnswerRule("consumable, used up", truth(.consumable, .delivered, 100_000), .grantProrated, sends: 100_000, nil),
    AnswerRule("consumable, used up, declined", truth(.consumable, .delivered, 100_000), .decline, sends: 100_000, .decline),
    AnswerRule("consumable, use unknown", truth(.consumable, .delivered, nil), .grantProrated, sends: nil, nil),
    AnswerRule("consumable, lost in an outage", truth(.consumable, .undeliveredServerOutage, 70_000), .grantFull, sends: 0, .grantFull),
    AnswerRule("consumable, not delivered, prorated", truth(.consumable, .undeliveredWrongItem, 70_000), .grantProrated, sends: 0, nil),
    AnswerRule("consumable, not delivered, use unknown", truth(.consumable, .undeliveredQualityIssue, nil), nil, sends: 0, nil),
    AnswerRule("non-consumable", truth(.nonConsumable, .delivered, nil), .decline, sends: nil, .decline),
    AnswerRule(
        "non-renewing, a third over", truth(.nonRenewingSubscription, .delivered, 33_333), .grantProrated, sends: 33_333, .grantProrated),
    AnswerRule("an unknown type gets no percentage", truth(nil, .delivered, 50_000), .grantProrated, sends: nil, nil),
    AnswerRule("an unknown type, not delivered", truth(nil, .undeliveredOther, 50_000), .grantFull, sends: nil, .grantFull),
    AnswerRule("no preference", truth(.consumable, .delivered, 1), nil, sends: 1, nil),
])
func answerFields(_ rule: AnswerRule) {
    let answer = ConsumptionAnswer(rule.truth, preferring: rule.preference)
    #expect(answer.consumptionPercentage == rule.percentage)
    #expect(answer.refundPreference == rule.sent)
}

@Test func samplesAreToldAsStated() {
    for isProvided in [true, false] {
        let answer = ConsumptionAnswer(truth(.consumable, .delivered, nil, samples: isProvided), preferring: nil)
        #expect(answer.sampleContentProvided == isProvided)
    }
}

@Test func customerPreferencesAreWordsOfTheInterface() {
    for word in ["DECLINE", "GRANT_FULL", "GRANT_PRORATED", "data-only", "none"] {
        #expect(CustomerPreference(rawValue: word)?.rawValue == word)
    }
    #expect(CustomerPreference(rawValue: "decline") == nil)
    #expect(CustomerPreference.none.answer == .abstain)
    #expect(CustomerPreference.dataOnly.answer == .dataOnly)
    #expect(CustomerPreference.prefer(.decline).answer == .prefer(.decline))
}
