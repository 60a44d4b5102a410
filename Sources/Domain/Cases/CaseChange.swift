/// One change of a case that a follower must hear of.
package enum CaseChange: Hashable, Sendable {
    case requested(Round)
    /// The round is over without an answer that Apple took; where the window closed on an open round, its own outbox row tells.
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
    ///   - isCloseDue: Whether the outbox row of a round's close is still to be performed.
    package func changes(
        since before: RefundCase?, now: Timestamp, isAnswered: (Round) -> Bool, isCloseDue: (Round) -> Bool
    ) -> [CaseChange] {
        rounds.flatMap { round -> [CaseChange] in
            let earlier = before?.rounds.first { round.contains($0.notificationUUIDs[0]) }  // a round begins with its first request
            var changes: [CaseChange] = earlier == nil ? [.requested(round)] : []
            let isOver = isOver(round, since: earlier, now: now, isCloseDue: isCloseDue)
            if isOver && !isAnswered(round) { changes.append(.unanswered(round)) }
            return changes
        } + verdictChanges(since: before)
    }

    /// Whether this is when the round ended: decided in time, or closed when it came. Any other end is its outbox row's to tell.
    private func isOver(_ round: Round, since earlier: Round?, now: Timestamp, isCloseDue: (Round) -> Bool) -> Bool {
        let isDecidedInTime = round.outcome.map { $0.at < round.deadline } ?? false
        guard let earlier else { return isDecidedInTime || now >= round.deadline }
        return isDecidedInTime && earlier.outcome == nil && (now < round.deadline || isCloseDue(round))
    }

    private func verdictChanges(since before: RefundCase?) -> [CaseChange] {
        var changes: [CaseChange] = []
        if declines > (before?.declines ?? 0) { changes.append(.declined) }
        let was = before?.refund
        if let refund, refund.reversedAt == nil, was == nil || was?.reversedAt != nil || was?.revocation?.date != refund.revocation?.date {
            changes.append(.granted)
        }
        if let refund, refund.reversedAt != nil, was?.reversedAt == nil { changes.append(.reversed) }
        return changes
    }
}
