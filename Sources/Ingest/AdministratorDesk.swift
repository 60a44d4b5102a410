import Domain
import Store

/// Something a person did to the desk itself, for the trail.
package struct Act: Hashable, Sendable, Codable {
    /// In words of a fixed list: `token created`, `webhook redelivered`.
    package var what: String
    package var subject: String
    /// Entries that were rewritten: what each of them is now, as an unsalted content hash in hexadecimal, by its sequence.
    package var rewritten: [String: String]?

    package init(_ what: String, _ subject: String, rewritten: [String: String]? = nil) {
        self.what = what
        self.subject = subject
        self.rewritten = rewritten
    }
}

extension Ledger {
    /// Where acts stand that concern no app: its name can be no app's.
    package static let desk = Ledger(app: AppID(""), environment: .production)
}

/// Puts administrators' acts on the trail, in the transaction that performs them.
package struct AdministratorDesk {
    private let log: DeskLog

    /// - Parameter actor: The name of the token, or of the command.
    package init(ledger: Ledger = .desk, tx: any WriteTransaction, now: Timestamp, actor: String?) {
        log = DeskLog(ledger: ledger, tx: tx, now: now, actor: actor)
    }

    package func note(_ act: Act) throws(StoreError) { _ = try log.append(.act, act, about: nil, source: .owner) }
}
