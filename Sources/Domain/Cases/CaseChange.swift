/// One change of a case that a follower must hear of.
package enum CaseChange: Hashable, Sendable {
    case requested(Round)
    /// The round is over without an answer that Apple took; where the window closed, its own outbox row tells.
    case unanswered(Round)
    case granted
    case declined
    case reversed
}

extension RefundCase {
    /// What a follower must be told who knows the case as it was. A repeat, or an old word that changes nothing, gives nothing.
    ///
    /// - Parameters:
    ///   - before: nil where the case is new.
    ///   - isAnswered: Whether Apple accepted an answer in a round.
    package func changes(since before: RefundCase?, now: Timestamp, isAnswered: (Round) -> Bool) -> [CaseChange] {
        rounds.flatMap { roundChanges($0, since: before, now: now, isAnswered: isAnswered) } + verdictChanges(since: before)
    }

    private func roundChanges(
        _ round: Round, since before: RefundCase?, now: Timestamp, isAnswered: (Round) -> Bool
    ) -> [CaseChange] {
        let earlier = before?.rounds.first { known in round.notificationUUIDs.contains(where: known.contains) }
        let isNew = earlier == nil
        var changes: [CaseChange] = isNew ? [.requested(round)] : []
        let decidedInTime = round.outcome.map { $0.at < round.deadline } ?? false
        let isDecidedNow = decidedInTime && earlier?.outcome == nil
        let isClosedOnArrival = isNew && now >= round.deadline && !decidedInTime
        if (isDecidedNow || isClosedOnArrival) && !isAnswered(round) { changes.append(.unanswered(round)) }
        return changes
    }

    private func verdictChanges(since before: RefundCase?) -> [CaseChange] {
        var changes: [CaseChange] = []
        if declines > (before?.declines ?? 0) || (state == .declined && before == nil) { changes.append(.declined) }
        let was = before?.refund
        if let refund, refund.reversedAt == nil, was == nil || was?.reversedAt != nil || was?.revocation?.date != refund.revocation?.date {
            changes.append(.granted)
        }
        if let refund, refund.reversedAt != nil, was?.reversedAt == nil { changes.append(.reversed) }
        return changes
    }

    private var declines: Int { rounds.count { $0.outcome?.kind == .declined } }
}
