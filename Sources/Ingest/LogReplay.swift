import AppStore
import Domain
import Store

/// Folds one log entry exactly as it was folded when it came in, without acting on it.
///
/// Signatures were verified before the entry was written and are not verified again.
package func foldLogEntry(_ entry: LogEntry, _ tx: any WriteTransaction) throws(StoreError) {
    guard entry.result == .accepted, entry.reason != LogEntry.forgotten else { return }
    let fold = LedgerFold(ledger: entry.ledger, tx: tx)
    switch entry.kind {
    case .notification:
        let body = try StoredBody.decode(entry, tx)
        guard let fact = TrustedPayload.notification(body) else { throw damaged(entry) }
        _ = try fold.apply(fact)
    case .transaction:
        let body = try StoredBody.decode(entry, tx)
        guard let copy = TrustedPayload.transaction(body) else { throw damaged(entry) }
        _ = try fold.apply(copy)
    case .status:
        let body = try StoredBody.decode(entry, tx)
        guard let (copy, renewal) = TrustedPayload.status(body) else { throw damaged(entry) }
        if let renewal { try fold.merge(renewal) }
        _ = try fold.apply(copy)
    case .consent: try fold.apply(FactCodec.decode(ConsentFact.self, entry), sequence: entry.sequence)
    case .delivery: try tx.put(FactCodec.decode(DeliveryFact.self, entry), in: entry.ledger)
    case .outages: try tx.put(FactCodec.decode(OutagesFact.self, entry), in: entry.ledger)
    case .userLink: try fold.apply(FactCodec.decode(UserLinkFact.self, entry))
    case .usage: try tx.add(FactCodec.decode(UsageFact.self, entry), in: entry.ledger)
    case .preference, .tags:
        try tx.put(FactCodec.decode(CustomerSetting.self, entry), sequence: entry.sequence, in: entry.ledger)
    case .decision: try tx.put(FactCodec.decode(DecisionRecord.self, entry), sequence: entry.sequence, in: entry.ledger)
    case .answer: try tx.put(FactCodec.decode(AnswerRecord.self, entry), in: entry.ledger)
    case .attempt: try tx.put(FactCodec.decode(AttemptRecord.self, entry), sequence: entry.sequence, in: entry.ledger)
    case .act: break
    case .statusConfirmation: try fold.apply(FactCodec.decode(StatusConfirmation.self, entry))
    }
}

private func damaged(_ entry: LogEntry) -> StoreError {
    StoreError(code: .corrupt, operation: "fold the log", detail: "log entry \(entry.sequence) is damaged: restore a backup")
}
