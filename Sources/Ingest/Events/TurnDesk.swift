import Domain
import Store

/// Tells followers what the clock alone changed: a period that begins, a commitment that ends.
package enum TurnDesk {
    /// Performs a due row of kind `turn`.
    package static func perform(_ row: OutboxRow, app: AppSettings, tx: any WriteTransaction, now: Timestamp) throws(StoreError) {
        if let number = Int64(row.subject) {
            let names = try tx.aliases(of: CustomerID(number))
            if !names.isEmpty { try CustomerWatch(names, app: app, ledger: row.ledger, tx: tx, now: now).finish() }
        }
        try tx.finish(row.id, state: .done, at: now)
    }
}
