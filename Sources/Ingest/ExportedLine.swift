import Foundation
import Store

/// One log entry as a line of JSON: a signed message under `body` as it came, what the owner and the desk said as the object it is.
package func exportedLine(_ entry: LogEntry, _ tx: any LogReading) throws(StoreError) -> String {
    switch entry.kind {
    case .notification, .transaction, .status:
        let body = String(decoding: try StoredBody.decode(entry, tx), as: UTF8.self)
        return String(decoding: try FactCodec.encode(ExportedEntry(entry, body: body)), as: UTF8.self)
    case .consent, .delivery, .outages, .userLink, .usage, .preference, .tags, .act, .decision, .answer, .attempt, .statusConfirmation:
        // Such a body is JSON itself: it becomes a member of the line.
        let head = String(decoding: try FactCodec.encode(ExportedEntry(entry, body: nil)).dropLast(), as: UTF8.self)
        return head + ",\"fact\":" + String(decoding: entry.body, as: UTF8.self) + "}"
    }
}

private struct ExportedEntry: Encodable {
    var app: String
    var environment: String
    var sequence: Int64
    var kind: String
    var result: String
    var reason: String?
    var source: String
    var notificationType: String?
    var subtype: String?
    var transactionId: String?
    var signedDate: Int64?
    var receivedAt: Int64
    var body: String?

    init(_ entry: LogEntry, body: String?) {
        app = entry.ledger.app.rawValue
        environment = entry.ledger.environment.rawValue
        sequence = entry.sequence
        kind = entry.kind.rawValue
        result = entry.result.rawValue
        reason = entry.reason
        source = entry.source.rawValue
        notificationType = entry.rawNotificationType
        subtype = entry.rawSubtype
        transactionId = entry.transactionID?.rawValue
        signedDate = entry.signedDate?.milliseconds
        receivedAt = entry.receivedAt.milliseconds
        self.body = body
    }
}
