import Domain
import Ingest
import Store

extension JSON {
    /// A case as clients see it.
    ///
    /// - Parameter now: `period.isCurrent` is as of then; the one in a decision is as of deciding.
    package init(_ file: CaseFile, at now: Timestamp) {
        let transaction = file.purchase?.transaction
        self = [
            "transactionId": JSON(file.transactionID),
            "originalTransactionId": JSON(transaction?.originalTransactionID ?? file.transactionID),
            "environment": JSON(file.ledger.environment),
            "productId": JSON(transaction?.productID),
            "productType": JSON(transaction?.rawType),
            "purchaseDate": JSON(transaction?.purchaseDate),
            "expiresDate": JSON(transaction?.expiresDate),
            "price": JSON(transaction?.money),
            "storefront": JSON(transaction?.storefront),
            "customer": JSON.customer(of: file),
            "state": JSON(file.folded.state),
            "period": JSON.period(of: file, at: now),
            "rounds": .array(file.folded.rounds.map { JSON.round($0, in: file) }),
            "refund": JSON.refund(of: file),
        ]
    }

    private static func customer(of file: CaseFile) -> JSON {
        let transaction = file.purchase?.transaction
        return [
            "appTransactionId": JSON(transaction?.appTransactionID?.rawValue ?? file.name(.appTransactionID)),
            "appAccountToken": JSON(transaction?.appAccountToken?.rawValue ?? file.name(.appAccountToken)),
            "userId": JSON(file.userID),
        ]
    }

    private static func period(of file: CaseFile, at now: Timestamp) -> JSON {
        let commitment = file.purchase?.transaction.commitment
        return [
            "isCurrent": JSON(file.isCurrentPeriod(at: now)),
            "billingPlanType": JSON(file.purchase?.transaction.rawBillingPlanType),
            "billingPeriodNumber": JSON(commitment?.billingPeriodNumber),
            "totalBillingPeriods": JSON(commitment?.totalBillingPeriods),
            "commitmentExpiresDate": JSON(commitment?.commitmentExpiresDate),
        ]
    }

    private static func refund(of file: CaseFile) -> JSON {
        guard let refund = file.folded.refund else { return .null }
        let revocation = refund.revocation
        let json: JSON = [
            "type": JSON(revocation?.rawType),
            "percentage": JSON(revocation?.percentage),
            "revocationDate": JSON(revocation?.date),
            "revocationReason": JSON(revocation?.reason),
            "amount": JSON((file.purchase?.transaction).flatMap(refund.amount)),
            "reversedAt": JSON(refund.reversedAt),
        ]
        return refund.seats.map { json.adding("seats", JSON($0)) } ?? json
    }
}

extension JSON {
    private static func round(_ round: Round, in file: CaseFile) -> JSON {
        let decision = file.decision(of: round)?.decision
        return [
            "number": JSON(round.number),
            "requestedAt": JSON(round.requestedAt),
            "deadline": JSON(round.deadline),
            "reason": JSON(round.rawReason),
            "notificationUUIDs": JSON(round.notificationUUIDs.map(\.rawValue)),
            "decision": decision.map(JSON.decision) ?? .null,
            "answer": answer(to: round, decision, in: file),
            "outcome": round.outcome.map { ["kind": JSON($0.kind), "at": JSON($0.at)] } ?? .null,
        ]
    }

    private static func decision(_ decision: Decision) -> JSON {
        [
            "kind": JSON(decision.kind),
            "rule": JSON(decision.rule),
            "preference": JSON(decision.preference),
            "because": JSON(decision.because.map(\.rawValue)),
            "holdUntil": JSON(decision.holdUntil),
            "isCurrentPeriod": JSON(decision.isCurrentPeriod),
            "consent": JSON(decision.consent?.rawValue),
            "warnings": .array(decision.warnings.map { ["guideline": JSON($0.guideline), "detail": JSON($0.text)] }),
            "trace": .array(
                decision.trace.map { ["rule": JSON($0.rule), "matched": JSON($0.matched), "failedOn": JSON($0.failedOn)] }),
        ]
    }

    /// Null where nothing is to be sent and nothing was tried: an answer cancelled before its first try tells nothing.
    private static func answer(to round: Round, _ decision: Decision?, in file: CaseFile) -> JSON {
        let attempts = file.attempts(of: round)
        guard let answer = file.answer(of: round), decision?.kind == .answer || !attempts.isEmpty else { return .null }
        return [
            "status": JSON(answer.status),
            "body": answer.body.map { .verbatim(Array($0.utf8)) } ?? .null,
            "percentageSource": JSON(answer.percentageSource?.rawValue),
            "attempts": .array(attempts.map(JSON.attempt)),
        ]
    }

    private static func attempt(_ attempt: AttemptRecord) -> JSON {
        [
            "at": JSON(attempt.at), "httpStatus": JSON(attempt.httpStatus), "errorCode": JSON(attempt.errorCode),
            "error": JSON(attempt.error),
        ]
    }
}

extension CaseFile {
    /// The customer's first name of a kind.
    fileprivate func name(_ kind: Alias.Kind) -> String? { aliases.first { $0.kind == kind }?.value }
}
