/// What the desk promises, each checked while a world runs. The raw value is how a breach is named.
///
/// - Source: design.md, "Promises that tests must prove".
package enum Promise: String, Sendable, CaseIterable {
    case noAcknowledgedNotificationIsLost = "no acknowledged notification is lost"
    case historyIsComplete = "whatever Apple sent before the last good contact is in the log"
    case noAnswerWithoutConsent = "no answer without consent at the moment of sending"
    case noAnswerAfterTheWindow = "no answer after the window, nor after the decision"
    case noIllegalBody = "no illegal combination of fields on the wire"
    case oneBodyPerRound = "one body per round, identical repeats only"
    case everyAnswerableRequestIsAnswered = "every answerable request is answered"
    case orderDoesNotMatter = "order and repeats do not matter"
    case webhooksArriveAtLeastOnce = "webhooks arrive at least once"
    case webhooksRepeatTheSame = "a webhook's repeats have its id and body"
    case webhookSequenceRises = "a rising sequence per customer"
    case alertsArrive = "every request is told by an alert"
    case forwardsArrive = "what Apple sent is passed on at least once, byte for byte"
    case followersKnowTheAccess = "a follower's state is that of the entitlements endpoint"
    case accessIsTrue = "access agrees with the App Store once everything is delivered"
    case environmentsNeverMix = "environments never mix"
    case workIsDone = "what is valid is taken in, and what is scheduled is done"
}

/// A promise that was broken.
package struct Breach: Hashable, Sendable, CustomStringConvertible {
    package var promise: Promise
    package var detail: String
    /// In milliseconds of virtual time.
    package var at: Int64

    package var description: String { "\(promise.rawValue): \(detail) (at \(at))" }
}
