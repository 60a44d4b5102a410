import Domain
import Store

/// Acts on what changed, in the transaction that changed it: decides rounds and schedules what has to leave the machine.
struct CaseDesk {
    let app: AppSettings
    let ledger: Ledger
    let tx: any WriteTransaction
    let now: Timestamp
    /// The name of the token whose holder decides; nil for the desk itself.
    var actor: String?

    private var judge: CaseJudge { CaseJudge(app: app, tx: tx, now: now) }

    /// Looks at a case after its facts changed: decides what is undecided, stops what is settled, tells followers.
    func attend(_ id: TransactionID, since before: RefundCase?) throws(StoreError) {
        guard let file = try CaseFile.held(id, in: ledger, tx) else { return }
        for round in file.folded.rounds {
            if file.decision(of: round) == nil {
                try decideFirst(round, file)
            } else if round.isOpen(at: now) {
                // An older request may have brought the deadline forward.
                try watchWindow(of: round, file)
                try shortenHold(of: round, file)
            }
            if round.outcome != nil { try cancelAnswer(of: round, file) }
        }
        guard app.events != nil, let attended = try CaseFile.held(id, in: ledger, tx) else { return }
        let dueCloses = try anchorsOfDueCloses(attended)
        let changes = file.folded.changes(since: before, now: now) {
            attended.answer(of: $0)?.status == .accepted
        } isCloseDue: { round in
            dueCloses.contains(where: round.contains)
        }
        for change in changes { try events.tell(change.eventType, attended) }
    }

    private func anchorsOfDueCloses(_ file: CaseFile) throws(StoreError) -> [NotificationUUID] {
        var anchors: [NotificationUUID] = []
        for anchor in file.decisions.map(\.anchor) where !anchors.contains(anchor) {
            let row = try tx.outboxRow(.windowCloses, subject: file.transactionID.rawValue, key: anchor.rawValue, in: ledger)
            if row?.state == .pending { anchors.append(anchor) }
        }
        return anchors
    }

    private var events: EventDesk { EventDesk(app: app, ledger: ledger, tx: tx, now: now) }

    /// Looks again at what was left for want of consent or delivery, and at what must no longer be sent.
    func reconsider(_ id: TransactionID) throws(StoreError) {
        guard let file = try CaseFile.held(id, in: ledger, tx), let round = file.folded.rounds.last, round.isOpen(at: now),
            let last = file.decision(of: round)?.decision, let context = try judge.context(file, round)
        else { return }
        if last.isMendable {
            try redecide(context, file)
        } else if last.kind != .abstain, !context.mendableObstacles.isEmpty, file.answer(of: round)?.status != .accepted {
            try withdraw(context, file)
        }
    }

    /// A hold's time is up.
    func endHold(_ id: TransactionID, anchor: NotificationUUID) throws(StoreError) {
        guard let file = try CaseFile.held(id, in: ledger, tx), let round = file.round(of: anchor),
            file.decision(of: round)?.decision.kind == .hold, let context = try judge.context(file, round)
        else { return }
        try keep(judge.decide(context, file, afterHold: true), round, file)
    }

    private func decideFirst(_ round: Round, _ file: CaseFile) throws(StoreError) {
        guard let context = try judge.context(file, round) else { return }
        try keep(judge.decide(context, file), round, file)
        guard round.isOpen(at: now) else { return }
        try watchWindow(of: round, file)
        try alert(round.number == 1 ? .request : .secondAsk, file, round)
    }

    /// A hold never outlasts what is left of the window; it runs from the round's first request, whichever came first.
    private func shortenHold(of round: Round, _ file: CaseFile) throws(StoreError) {
        guard let last = file.decision(of: round)?.decision, last.kind == .hold, let until = last.holdUntil,
            until > round.deadline - ledger.environment.holdMargin, let context = try judge.context(file, round)
        else { return }
        try keep(judge.decide(context, file), round, file)
    }

    /// A person's word outlasts a consent that was taken back and given anew.
    private func redecide(_ context: DecisionContext, _ file: CaseFile) throws(StoreError) {
        let person = file.decisions.last { context.round.contains($0.anchor) && $0.decision.rule == Decision.byPerson }
        let judgement: Judgement
        if let person {
            judgement = Judgement(decision: decision(context, by: .person(person.decision.preference), in: ledger))
        } else {
            judgement = try judge.decide(context, file)
        }
        guard judgement.decision != file.decision(of: context.round)?.decision else { return }
        try keep(judgement, context.round, file)
    }

    /// Consent was taken back while an answer was on its way or held: nothing more is sent, the tries stay on record.
    private func withdraw(_ context: DecisionContext, _ file: CaseFile) throws(StoreError) {
        let withdrawal = decision(context, by: .policy(app.policy, facts: PolicyFacts()), in: ledger)
        try keep(Judgement(decision: withdrawal), context.round, file)
        try cancelAnswer(of: context.round, file)
        try tx.cancel(.decide, subject: file.transactionID.rawValue, in: ledger, at: now)
    }

    /// Puts a decision on record and schedules what it asks for.
    func keep(_ judgement: Judgement, _ round: Round, _ file: CaseFile) throws(StoreError) {
        let decision = judgement.decision
        let record = DecisionRecord(
            transactionID: file.transactionID, anchor: file.anchor(of: round), at: now, decision: decision, basis: judgement.basis)
        let sequence = try DeskLog(ledger: ledger, tx: tx, now: now, actor: actor).append(.decision, record, about: file.transactionID)
        try tx.put(record, sequence: sequence, in: ledger)
        switch decision.kind {
        case .answer:
            try put(renewed(file.answer(of: round), for: record))
            try schedule(.answer, record, key: "\(sequence)", at: now)
        case .hold:
            try schedule(.decide, record, key: "\(sequence)", at: decision.holdUntil ?? now)
        case .abstain: break
        }
    }

    /// An answer to be sent. Bytes that Apple may have taken already stay as they were, whatever was decided since: a second body
    /// would contradict the first.
    private func renewed(_ known: AnswerRecord?, for record: DecisionRecord) -> AnswerRecord {
        guard var answer = known, answer.isInDoubt else {
            return AnswerRecord(transactionID: record.transactionID, anchor: record.anchor, status: .scheduled, at: now)
        }
        answer.status = .scheduled
        return answer
    }

    /// Writes the state of an answer to the log and the case.
    func put(_ answer: AnswerRecord) throws(StoreError) {
        _ = try DeskLog(ledger: ledger, tx: tx, now: now).append(.answer, answer, about: answer.transactionID)
        try tx.put(answer, in: ledger)
    }

    /// Stops an answer that is still to be sent.
    func cancelAnswer(of round: Round, _ file: CaseFile) throws(StoreError) {
        guard var answer = file.answer(of: round), !answer.status.isFinal else { return }
        answer.status = .cancelled
        if !answer.isInDoubt { answer.at = now }  // Else it is the time of a try that may be on its way.
        try put(answer)
        try tx.cancel(.answer, subject: file.transactionID.rawValue, in: ledger, at: now)
    }

    private func watchWindow(of round: Round, _ file: CaseFile) throws(StoreError) {
        let anchor = file.decision(of: round)?.anchor ?? round.notificationUUIDs[0]  // a round begins with its first request
        // Half the window; where that is gone already, soon: the first tries come before the alarm.
        let half = Span(milliseconds: ledger.environment.answerWindow.milliseconds / 2)
        let soon = now + min(.minutes(1), Span(milliseconds: (round.deadline - now).milliseconds / 2))
        let near = round.requestedAt + half > now ? round.requestedAt + half : soon
        for (kind, due) in [(OutboxRow.Kind.deadlineNear, near), (.windowCloses, round.deadline)] {
            try tx.enqueue(
                OutboxRow(
                    kind: kind, ledger: ledger, subject: file.transactionID.rawValue, key: anchor.rawValue, dueAt: due,
                    payload: Array(anchor.rawValue.utf8), createdAt: now))
        }
    }

    private func schedule(_ kind: OutboxRow.Kind, _ record: DecisionRecord, key: String, at due: Timestamp) throws(StoreError) {
        try tx.enqueue(
            OutboxRow(
                kind: kind, ledger: ledger, subject: record.transactionID.rawValue, key: key, dueAt: due,
                payload: Array(record.anchor.rawValue.utf8), createdAt: now))
    }

    /// Tells every place of the owner's that wants to hear of it, once per round and kind.
    func alert(_ event: AlertEvent, _ file: CaseFile, _ round: Round) throws(StoreError) {
        let notice = AlertNotice(event: event, transactionID: file.transactionID, anchor: file.anchor(of: round), detail: nil)
        try AlertDesk(app: app, ledger: ledger, tx: tx, now: now).tell(notice)
    }
}

extension CaseChange {
    /// The webhook's type.
    var eventType: String {
        switch self {
        case .requested: "refund.requested"
        case .unanswered: "refund.unanswered"
        case .granted: "refund.granted"
        case .declined: "refund.declined"
        case .reversed: "refund.reversed"
        }
    }
}

/// Appends what the desk itself did, and what the owner said, to the log, and seals what belongs to the trail.
struct DeskLog {
    let ledger: Ledger
    let tx: any WriteTransaction
    let now: Timestamp
    /// The name of the token whose holder does it; nil for the desk itself.
    var actor: String?

    func append(_ kind: LogEntry.Kind, _ fact: some Encodable, about id: TransactionID?, source: LogEntry.Source = .desk)
        throws(StoreError) -> Int64
    {
        var entry = LogEntry(kind: kind, ledger: ledger, source: source, receivedAt: now, body: try FactCodec.encode(fact))
        entry.transactionID = id
        guard let sequence = try tx.append(entry) else {
            throw StoreError(code: .corrupt, operation: "append to the log", detail: "an entry without identity was taken for a repeat")
        }
        entry.sequence = sequence
        if kind.isAudited { try AuditTrail.seal(entry, by: actor, tx) }
        return sequence
    }
}
