import AppStore
import Domain
import Foundation
import Ingest
import Store

/// What became of one item of a notification history.
struct HistoryItem: Sendable {
    enum Fate: Sendable { case new, duplicate, quarantined, refused }
    var fate = Fate.refused
    /// What it is about; nil where that is another ledger's.
    var transactionID: TransactionID?
    /// Apple's failed attempts at delivering it.
    var failures: [LedgerContact.SendFailure]
}

extension HistoryItem.Fate {
    init(_ receipt: Receipt) {
        self =
            switch receipt {
            case .accepted: .new
            case .duplicate: .duplicate
            case .quarantined: .quarantined
            }
    }
}

extension HistoryRead.Counts {
    mutating func add(_ item: HistoryItem) {
        seen += 1
        failedSends += Int64(item.failures.count)
        switch item.fate {
        case .new: new += 1
        case .duplicate: duplicates += 1
        case .quarantined: quarantined += 1
        case .refused: refused += 1
        }
    }
}

extension NotificationHistoryResponseItem {
    /// The body that Apple posted; nil where the item carries no payload.
    var body: [UInt8]? {
        guard let signedPayload, !signedPayload.isEmpty else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return (try? encoder.encode(["signedPayload": signedPayload])).map(Array.init)
    }

    /// Every attempt but a success; unknown results are failures too.
    var failures: [LedgerContact.SendFailure] {
        (sendAttempts ?? []).compactMap { attempt in
            guard let at = attempt.attemptDate, let result = attempt.rawSendAttemptResult, result != "SUCCESS" else { return nil }
            return LedgerContact.SendFailure(at: Timestamp(milliseconds: at), rawResult: result)
        }
    }
}
