import Domain
import Ingest
import Store

// Which phrase says a word of the domain's. Apple's own words that people know from its documents stay beside it as they are.

extension RefundCase.State {
    var phrase: Phrase {
        switch self {
        case .open: .stateOpen
        case .refunded: .stateRefunded
        case .declined: .stateDeclined
        case .reversed: .stateReversed
        }
    }
    var badgeClass: String {
        switch self {
        case .open: "warn"
        case .refunded: "bad"
        case .declined: "good"
        case .reversed: "info"
        }
    }
}

extension ConsumptionRequestReason {
    var phrase: Phrase {
        switch self {
        case .unintendedPurchase: .reasonUnintended
        case .fulfillmentIssue: .reasonFulfillment
        case .unsatisfiedWithPurchase: .reasonUnsatisfied
        case .legal: .reasonLegal
        case .other: .reasonOther
        }
    }
}

extension ProductType {
    var phrase: Phrase {
        switch self {
        case .autoRenewableSubscription: .typeAutoRenewable
        case .nonConsumable: .typeNonConsumable
        case .consumable: .typeConsumable
        case .nonRenewingSubscription: .typeNonRenewing
        }
    }
}

extension PersonChoice {
    var phrase: Phrase {
        switch self {
        case .decline: .choiceDecline
        case .grantFull: .choiceGrantFull
        case .grantProrated: .choiceGrantProrated
        case .dataOnly: .choiceDataOnly
        case .abstain: .choiceAbstain
        }
    }
}

extension RefundPreference? {
    var phrase: Phrase { PersonChoice(self).phrase }
}

extension Because {
    var phrase: Phrase {
        switch self {
        case .noConsent: .becauseNoConsent
        case .consentWithdrawn: .becauseConsentWithdrawn
        case .consentOutdated: .becauseConsentOutdated
        case .deliveryUnknown: .becauseDeliveryUnknown
        case .alreadyDecided: .becauseAlreadyDecided
        case .windowClosed: .becauseWindowClosed
        case .advancedCommerce: .becauseAdvancedCommerce
        case .familyShared: .becauseFamilyShared
        case .assignedSeat: .becauseAssignedSeat
        case .policyNone: .becausePolicyNone
        case .holdout: .becauseHoldout
        case .preferenceDroppedProrated: .becauseDroppedProrated
        case .person: .becausePerson
        case .customerOverride: .becauseCustomerOverride
        }
    }
}

extension AnswerRecord.Status {
    var phrase: Phrase {
        switch self {
        case .scheduled: .answerScheduled
        case .retrying: .answerRetrying
        case .accepted: .answerAccepted
        case .failed: .answerFailed
        case .expired: .answerExpired
        case .cancelled: .answerCancelled
        }
    }
    var badgeClass: String {
        switch self {
        case .scheduled: "info"
        case .retrying: "warn"
        case .accepted: "good"
        case .failed, .expired: "bad"
        case .cancelled: "quiet"
        }
    }
}

extension ConsentStanding {
    var phrase: Phrase {
        switch self {
        case .given: .consentGiven
        case .attested: .consentAttested
        case .absent: .consentAbsent
        case .withdrawn: .consentWithdrawn
        case .outdated: .consentOutdated
        }
    }
    var badgeClass: String { isGiven ? "good" : "warn" }
}

extension DeliveryStatus {
    var phrase: Phrase {
        switch self {
        case .delivered: .delivered
        case .undeliveredQualityIssue: .undeliveredQuality
        case .undeliveredWrongItem: .undeliveredWrongItem
        case .undeliveredServerOutage: .undeliveredOutage
        case .undeliveredOther: .undeliveredOther
        }
    }
}

extension Entitlement.State {
    var phrase: Phrase {
        switch self {
        case .active: .accessActive
        case .grace: .accessGrace
        case .billingRetry: .accessBillingRetry
        case .expired: .accessExpired
        case .revoked: .accessRevoked
        case .upgraded: .accessUpgraded
        case .upcoming: .accessUpcoming
        }
    }
    var badgeClass: String {
        switch self {
        case .active: "good"
        case .grace, .billingRetry: "warn"
        case .revoked: "bad"
        case .expired, .upgraded: "quiet"
        case .upcoming: "info"
        }
    }
}

extension CommitmentProgress.State {
    var phrase: Phrase {
        switch self {
        case .running: .commitmentRunning
        case .completed: .commitmentCompleted
        case .endedByRefund: .commitmentEndedByRefund
        case .endedByUpgrade: .commitmentEndedByUpgrade
        case .endedByBilling: .commitmentEndedByBilling
        }
    }
}

extension Alias.Kind {
    /// Apple's own names, which are no words of any language; ours where it is ours.
    func name(_ texts: Texts) -> String {
        switch self {
        case .appTransactionID: "appTransactionId"
        case .appAccountToken: "appAccountToken"
        case .originalTransactionID: "originalTransactionId"
        case .userID: texts[.userID]
        }
    }
}

extension GuidelineWarning {
    var phrase: Phrase {
        switch self {
        case .declineOfUndelivered: .warnDeclineUndelivered
        case .usedButUndelivered: .warnUsedUndelivered
        case .declineAfterTrial: .warnDeclineAfterTrial
        }
    }
}

extension ActOutcome {
    var phrase: Phrase {
        switch self {
        case .answered: .doneAnswered
        case .abstained: .doneAbstained
        case .noSuchCase: .refusedNoSuchCase
        case .alreadyAnswered: .refusedAlreadyAnswered
        case .windowClosed: .refusedWindowClosed
        case .noConsent: .refusedNoConsent
        case .deliveryUnknown: .refusedDeliveryUnknown
        case .illegalPreference: .refusedIllegal
        case .unanswerable: .refusedUnanswerable
        case .redelivered: .doneRedelivered
        case .notRedelivered: .refusedNotRedelivered
        case .testArrived: .testArrived
        case .testElsewhere: .testElsewhere
        case .testUndeliverable: .testUndeliverable
        case .testPending: .testPending
        case .testNoURL: .testNoURL
        case .testKeyRefused: .testKeyRefused
        case .testUnreachable: .testUnreachable
        }
    }
}

extension OutboxRow.Kind {
    var phrase: Phrase {
        switch self {
        case .answer: .kindAnswer
        case .decide: .kindDecide
        case .deadlineNear: .kindDeadlineNear
        case .windowCloses: .kindWindowCloses
        case .webhook: .kindWebhook
        case .forward: .kindForward
        case .alert: .kindAlert
        case .turn: .kindTurn
        case .confirmStatus: .kindConfirmStatus
        case .refundHistory: .kindRefundHistory
        }
    }
}

extension LogEntry.Kind {
    var phrase: Phrase {
        switch self {
        case .notification: .entryNotification
        case .transaction: .entryTransaction
        case .status, .statusConfirmation: .entryStatus
        case .consent: .entryConsent
        case .delivery: .entryDelivery
        case .userLink: .entryUserLink
        case .usage: .entryUsage
        case .preference: .entryPreference
        case .tags: .entryTags
        case .outages: .entryOutages
        case .act: .entryAct
        case .decision: .entryDecision
        case .answer: .entryAnswer
        case .attempt: .entryAttempt
        }
    }
}
