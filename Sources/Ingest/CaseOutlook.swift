import Domain
import Store

/// What a person who decides on a case has to know beside the case itself: what could be told to Apple now, and what may be chosen.
package struct CaseOutlook: Sendable {
    /// What was used on one meter.
    package struct Meter: Sendable, Hashable {
        package var name: String
        /// Millionths of units; nil where that is not known.
        package var used: Int64?
        /// Units that the purchase granted; nil where the product states none for this meter.
        package var granted: Int64?
    }
    package var consent: ConsentStanding
    package var delivery: DeliveryStatus?
    package var sampleContentProvided: Bool
    package var consumed: Consumed?
    package var meters: [Meter]
    /// The preferences that Apple would take, none among them; empty where no answer can be sent.
    package var choices: [RefundPreference?]
    /// Why no answer can be sent by a person; nil where one can.
    package var refusal: PersonRefusal?
    /// Whether a person may decide that nothing is sent.
    package var mayAbstain: Bool

    /// - Returns: nil where nobody asked, or the purchase itself was never seen.
    package init?(of file: CaseFile, app: AppSettings, at now: Timestamp, _ tx: any ReadTransaction) throws(StoreError) {
        let judge = CaseJudge(app: app, tx: tx, now: now)
        guard let round = file.folded.rounds.last, let context = try judge.context(file, round) else { return nil }
        consent = context.consent
        delivery = context.delivery
        sampleContentProvided = context.sampleContentProvided
        consumed = context.consumed
        meters = try CaseOutlook.meters(file, context.purchase, app, now, tx)
        refusal = judge.refusal(context, file, round, .person(nil))
        mayAbstain = judge.refusal(context, file, round, .personAbstains) == nil
        let wanted: [RefundPreference?] = [.decline, .grantFull, .grantProrated, nil]
        choices = refusal == nil ? wanted.filter { judge.refusal(context, file, round, .person($0)) == nil } : []
    }

    private static func meters(
        _ file: CaseFile, _ purchase: Purchase, _ app: AppSettings, _ now: Timestamp, _ tx: any ReadTransaction
    ) throws(StoreError) -> [Meter] {
        let statement = app.products[purchase.transaction.productID]
        let reader = try UsageReader(app: app, tx: tx, file: file, purchase: purchase, at: now)
        var meters: [Meter] = []
        for name in reader.reportedMeters.union([statement?.meter].compactMap(\.self)).sorted() {
            let isOwn = statement?.meter == name
            let units = isOwn ? statement?.terms.granted : nil
            let (granted, _) = (units ?? 0).multipliedReportingOverflow(by: Int64(max(purchase.transaction.quantity, 1)))
            meters.append(
                Meter(name: name, used: try reader.used(name, isReportNeeded: !isOwn), granted: units == nil ? nil : granted))
        }
        return meters
    }
}

extension CaseJudge {
    /// Why a person may not decide so: the same checks as for the desk's own answers. A try whose fate is unknown may not be followed by
    /// another body.
    func refusal(_ context: DecisionContext, _ file: CaseFile, _ round: Round, _ authority: DecisionAuthority) -> PersonRefusal? {
        if let answer = file.answer(of: round), answer.status == .accepted || answer.isInDoubt { return .alreadyAnswered }
        guard round.isOpen(at: now) else { return .windowClosed }
        guard case .person(let preference) = authority else { return nil }
        if !context.finalObstacles.isEmpty { return .unanswerable(context.finalObstacles) }
        if !context.consent.isGiven { return .noConsent }
        guard let truth = context.truth else { return .deliveryUnknown }
        return preference == .grantProrated && !ConsumptionAnswer.mayPreferProrated(truth) ? .illegalPreference : nil
    }
}
