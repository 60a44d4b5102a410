import Domain
import Store

/// What writes announce to touch: names of customers and ids of transactions. All who read and then write the same announce the same, so
/// that they go one after the other, whichever process they are in; the engine sees to it.
extension Ledger {
    /// - Parameter names: As the owner or Apple says them, of whatever kind.
    package func touching(_ names: [String]) -> [String] {
        Set(names).sorted().map { "\(app)/\(environment.rawValue)/\(normalizedRef($0))" }
    }

    package func touching(_ names: String...) -> [String] { touching(names) }

    /// What all announce who change entries that the log holds already, or take them out.
    package var touchingOldEntries: [String] { touching("log/old entries") }
}

extension SignedFact {
    /// The names that the fact joins, the chain and the transaction that it changes.
    var touched: [String] {
        var names = transaction.map { LedgerFold.aliases(of: $0).map(\.value) + [$0.transactionID.rawValue] } ?? []
        if let renewal { names.append(renewal.originalTransactionID.rawValue) }
        return names
    }
}
