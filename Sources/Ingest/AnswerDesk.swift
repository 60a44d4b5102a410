import AppStore
import Domain
import Store

/// An answer that is to be sent now: the bytes are fixed and on record before the first of them leaves the machine.
package struct AnswerOrder: Sendable {
    package var ledger: Ledger
    package var transactionID: TransactionID
    package var anchor: NotificationUUID
    package var body: String
    package var deadline: Timestamp
    /// Tries already on record.
    package var attempts: Int
    /// Whether Apple may have taken these bytes in an earlier try already.
    package var isInDoubt: Bool
}

/// What one try came to, in the desk's terms.
package enum AnswerResult: Sendable, Hashable {
    /// Apple took it.
    case accepted
    /// Apple refused it for good.
    case refused
    /// The transaction is not found: Apple's API may lag behind its own notification, so a few more tries.
    case notFound
    /// Apple surely did not take it, and a later try may succeed.
    case notTaken(notBefore: Timestamp?)
    /// Whether Apple took it is unknown.
    case inDoubt(notBefore: Timestamp?)
    /// The key or the clock was refused, also after signing anew.
    case unauthorized
}

/// Keeps the record of an answer around each try: consent is read again, the window watched, the bytes fixed.
package struct AnswerDesk {
    let app: AppSettings
    let ledger: Ledger
    let tx: any WriteTransaction
    let now: Timestamp
    /// How long a try waits of which only Apple's clock, as it was seen last, says that it comes too late.
    private static let secondThought = Span.seconds(20)

    package init(app: AppSettings, ledger: Ledger, tx: any WriteTransaction, now: Timestamp) {
        self.app = app
        self.ledger = ledger
        self.tx = tx
        self.now = now
    }

    private var desk: CaseDesk { CaseDesk(app: app, ledger: ledger, tx: tx, now: now) }
    private var judge: CaseJudge { CaseJudge(app: app, tx: tx, now: now) }

    /// Makes ready what a claimed outbox row asks for, or ends it.
    ///
    /// - Parameter appleNow: The time by Apple's clock as far as it is known. Once that says that the window is over nothing is sent; what
    ///   became of it is settled by our own, since the comparison is worth nothing after ours was set.
    /// - Returns: nil where nothing may be sent any more: decided, expired, consent gone, or accepted already.
    package func prepare(_ row: OutboxRow, appleNow: Timestamp? = nil) throws(StoreError) -> AnswerOrder? {
        let id = TransactionID(row.subject)
        let anchor = NotificationUUID(String(decoding: row.payload, as: UTF8.self))
        let held = try CaseFile.held(id, in: ledger, tx)
        if let held { try noteLostTry(of: anchor, held) }
        guard let file = held, let round = file.round(of: anchor), var answer = file.answer(of: round),
            !answer.status.isFinal, let decision = file.decision(of: round)?.decision, decision.kind == .answer,
            let context = try judge.context(file, round)
        else {
            try tx.finish(row.id, state: .done, at: now)
            return nil
        }
        guard try mayStillBeSent(context, file, round, row) else { return nil }
        if let appleNow, appleNow >= round.deadline {
            try tx.reschedule(row.id, at: now + AnswerDesk.secondThought)
            return nil
        }
        let wasInDoubt = answer.isInDoubt
        if !answer.isInDoubt || answer.body == nil {
            guard let truth = context.truth else {
                try tx.finish(row.id, state: .done, at: now)
                return nil
            }
            let body = ConsumptionAnswer(truth, preferring: decision.preference)
            answer.body = body.jsonText
            // What was not delivered is 0 % used by Apple's rule, whatever is known of it.
            let isMeasured = body.consumptionPercentage != nil && truth.deliveryStatus == .delivered
            answer.percentageSource = isMeasured ? truth.consumed?.source : nil
            answer.isInDoubt = true
            answer.at = now
            try desk.put(answer)
        }
        return AnswerOrder(
            ledger: ledger, transactionID: id, anchor: answer.anchor, body: answer.body ?? "", deadline: round.deadline,
            attempts: file.attempts(of: round).count, isInDoubt: wasInDoubt)
    }

    /// A first try of which nothing came back to the record: the process ended while it was on its way. The case shows it, also where
    /// the round was closed or the answer cancelled meanwhile.
    private func noteLostTry(of anchor: NotificationUUID, _ file: CaseFile) throws(StoreError) {
        guard let round = file.round(of: anchor), let answer = file.answer(of: round), answer.isInDoubt, answer.body != nil,
            file.attempts(of: round).isEmpty
        else { return }
        let next = answer.status.isFinal ? "it was not to be sent any more" : "the same bytes are sent again"
        try log(
            AttemptRecord(
                transactionID: answer.transactionID, anchor: answer.anchor, at: answer.at,
                error: "The desk ended while this was on its way: whether Apple took it is unknown; \(next)."))
    }

    private func mayStillBeSent(_ context: DecisionContext, _ file: CaseFile, _ round: Round, _ row: OutboxRow) throws(StoreError) -> Bool {
        if now >= round.deadline {
            try expire(file, round)
        } else if !context.finalObstacles.isEmpty {
            try desk.cancelAnswer(of: round, file)
        } else if !context.mendableObstacles.isEmpty {
            try desk.reconsider(file.transactionID)
        } else {
            return true
        }
        try tx.finish(row.id, state: .done, at: now)
        return false
    }

    /// Puts one try on record and says what is next.
    ///
    /// - Parameter jitter: A random draw from -1...1.
    package func record(
        _ attempt: AttemptRecord, _ result: AnswerResult, of order: AnswerOrder, row: OutboxRow, jitter: Double
    ) throws(StoreError) {
        // A person may have been forgotten while the try was on its way: then nothing of it is kept.
        guard try !tx.caseEvents(order.transactionID, in: ledger).isEmpty else { return try tx.finish(row.id, state: .dead, at: now) }
        try log(attempt)
        guard let file = try CaseFile.held(order.transactionID, in: ledger, tx), let round = file.round(of: order.anchor),
            var answer = file.answers.first(where: { $0.anchor == order.anchor })
        else { return try tx.finish(row.id, state: .dead, at: now) }
        let tries = file.attempts(of: round).count
        answer.at = now
        answer.isInDoubt = result.leavesDoubt || (order.isInDoubt && !result.settlesDoubt)
        if answer.status.isFinal, result != .accepted {
            // Cancelled while the try was on its way; its record stays.
            try desk.put(answer)
            return try tx.finish(row.id, state: .done, at: now)
        }
        let schedule = AnswerSchedule(environment: ledger.environment, deadline: round.deadline)
        let next =
            result.mayTryAgain(file.attempts(of: round))
            ? schedule.next(afterAttempts: tries, at: now, jitter: jitter, notBefore: result.notBefore) : nil
        answer.status = result.status(hasNext: next != nil)
        try desk.put(answer)
        if let next {
            try tx.reschedule(row.id, at: next)
        } else {
            try tx.finish(row.id, state: answer.status == .accepted ? .done : .dead, at: now)
        }
        try tell(answer, result, attempt, file, round)
    }

    /// Records a try whose token was refused, which another follows at once after signing anew. Apple did not look at its body, so the
    /// next is built by what is true then, unless an earlier try left a doubt.
    package func recordRefusedToken(_ attempt: AttemptRecord, of order: AnswerOrder) throws(StoreError) {
        guard try !tx.caseEvents(order.transactionID, in: ledger).isEmpty else { return }
        try log(attempt)
        let answers = try tx.answers(order.transactionID, in: ledger)
        guard var answer = answers.first(where: { $0.anchor == order.anchor }), answer.isInDoubt != order.isInDoubt else { return }
        answer.isInDoubt = order.isInDoubt
        try desk.put(answer)
    }

    private func log(_ attempt: AttemptRecord) throws(StoreError) {
        let sequence = try DeskLog(ledger: ledger, tx: tx, now: now).append(.attempt, attempt, about: attempt.transactionID)
        try tx.put(attempt, sequence: sequence, in: ledger)
    }

    /// The window closes: what was not accepted by now never will be.
    package func closeWindow(_ row: OutboxRow) throws(StoreError) {
        let anchor = NotificationUUID(String(decoding: row.payload, as: UTF8.self))
        if let file = try CaseFile.held(TransactionID(row.subject), in: ledger, tx), let round = file.round(of: anchor) {
            guard now >= round.deadline else { return try tx.reschedule(row.id, at: round.deadline) }
            try expire(file, round)
            let isDecidedInTime = round.outcome.map { $0.at < round.deadline } ?? false
            if !isDecidedInTime, file.answer(of: round)?.status != .accepted { try tell("refund.unanswered", about: file.transactionID) }
        }
        try tx.finish(row.id, state: .done, at: now)
    }

    private func tell(_ type: String, about id: TransactionID) throws(StoreError) {
        guard app.events != nil, let file = try CaseFile.held(id, in: ledger, tx) else { return }
        try EventDesk(app: app, ledger: ledger, tx: tx, now: now).tell(type, file)
    }

    /// Half the window is gone: the owner is told where an answer could still be sent but was not.
    package func noticeDeadline(_ row: OutboxRow) throws(StoreError) {
        let anchor = NotificationUUID(String(decoding: row.payload, as: UTF8.self))
        if let file = try CaseFile.held(TransactionID(row.subject), in: ledger, tx), let round = file.round(of: anchor),
            round.isOpen(at: now),
            let decision = file.decision(of: round)?.decision, decision.kind != .abstain, file.answer(of: round)?.status != .accepted
        {
            try desk.alert(.deadlineNear, file, round)
        }
        try tx.finish(row.id, state: .done, at: now)
    }

    /// A hold's time is up.
    package func endHold(_ row: OutboxRow) throws(StoreError) {
        let anchor = NotificationUUID(String(decoding: row.payload, as: UTF8.self))
        try desk.endHold(TransactionID(row.subject), anchor: anchor)
        try tx.finish(row.id, state: .done, at: now)
    }

    private func expire(_ file: CaseFile, _ round: Round) throws(StoreError) {
        guard var answer = file.answer(of: round), !answer.status.isFinal else { return }
        answer.status = .expired
        if !answer.isInDoubt { answer.at = now }  // Else it is the time of a try that may be on its way.
        try desk.put(answer)
        try tx.cancel(.answer, subject: file.transactionID.rawValue, in: ledger, at: now)
        try desk.alert(.answerExpired, file, round)
    }

    private func tell(
        _ answer: AnswerRecord, _ result: AnswerResult, _ attempt: AttemptRecord, _ file: CaseFile, _ round: Round
    ) throws(StoreError) {
        if result == .unauthorized {
            let notice = AlertNotice(event: .keyRejected, detail: attempt.error)
            try AlertDesk(app: app, ledger: ledger, tx: tx, now: now).tell(notice, once: "\(now.milliseconds / 3_600_000)")
        }
        switch answer.status {
        case .failed: try desk.alert(.answerFailed, file, round)
        case .expired: try desk.alert(.answerExpired, file, round)
        case .accepted:
            try desk.alert(.decision, file, round)
            try self.tell("refund.answered", about: file.transactionID)
        case .scheduled, .retrying, .cancelled: break
        }
    }
}

extension AnswerResult {
    /// Whether Apple may have taken the body without our knowing.
    fileprivate var leavesDoubt: Bool {
        if case .inDoubt = self { true } else { false }
    }

    /// Whether Apple judged the body, so that earlier tries matter no more.
    fileprivate var settlesDoubt: Bool { self == .accepted || self == .refused }

    fileprivate var notBefore: Timestamp? {
        switch self {
        case .notTaken(let instant), .inDoubt(let instant): instant
        default: nil
        }
    }

    /// - Source: server-api error 4040010: three more tries, then it is final.
    fileprivate func mayTryAgain(_ attempts: [AttemptRecord]) -> Bool {
        switch self {
        case .accepted, .refused: false
        case .notFound: attempts.count { $0.errorCode == 4_040_010 } <= 3
        case .notTaken, .inDoubt, .unauthorized: true
        }
    }

    fileprivate func status(hasNext: Bool) -> AnswerRecord.Status {
        switch self {
        case .accepted: .accepted
        case .refused: .failed
        case .notFound: hasNext ? .retrying : .failed
        case .notTaken, .inDoubt, .unauthorized: hasNext ? .retrying : .expired
        }
    }
}
